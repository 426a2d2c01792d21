/* times.c - `times`: how long the compile of each blob in the cache took.
 *
 * The output is the input of --times. It is a file of the user's, because the cache's own record
 * changes while tasks that share the cache compile: each task would then divide the blobs
 * differently. */
#include "prebuild.h"
#include "core/base/path.h"
#include "core/base/streams.h"
#include "core/cache/times.h"

static void print(const char *stem, uint64_t ms) {
  autofree_buf line = {0};
  if (times_line(&line, stem, ms))
    fwrite(line.data, 1, line.len, stdout);
}

int prebuild_times(struct request *r) {
  struct times times = {0};
  autofree char *file = path_join(r->cache, TIMES_FILE);
  char *err = NULL;
  bool there = file_exists(file);
  if (there && !times_read(&times, file, TIMES_LAST, &err))
    die(EXIT_FAILED, "%s", err);
  if (!there && file_is_dir(r->cache))
    note("%s has no times: nothing was compiled into it yet", r->cache);
  uint64_t ms;
  for (size_t i = 0; r->m && i < r->nblobs; i++)
    if (times_find(&times, r->blobs[i]->stem, &ms))
      print(r->blobs[i]->stem, ms);
  for (size_t i = 0; !r->m && i < times.n; i++)
    print(times.rows[i].stem, times.rows[i].ms);
  streams_answered();
  return EXIT_OK;
}
