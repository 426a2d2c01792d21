/* state.c - ck_jit_quick_rebuild.json: what is written comes back, also when the work directory was moved. */
// tier: check
#include "core/files/state.h"
#include "core/base/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bad;

static void same(const char *what, const char *a, const char *b) {
  if (strcmp(a, b) != 0) {
    fprintf(stderr, "%s: expected '%s', got '%s'\n", what, a, b);
    bad = 1;
  }
}

static void words(struct argv *v, const char *text) {
  argv_split(v, text, strlen(text));
}

/* a state of work directory WORK, with its name in the middle of words, and names that only look like it */
static struct state make_state(const char *work) {
  struct state s = {.out_so = xasprintf("%s/src/lib.so", work),
                    .runtime_obj = xasprintf("%s/lib/rt.o", work)};
  char *link = xasprintf("cc -shared -L%s/l -Wl,-rpath,%s/l:%s -I/home%s/x %sx {objs} -o %s", work, work,
                         work, work, work, s.out_so);
  char *cc = xasprintf("cc -c {runtime_src} -o %s", s.runtime_obj);
  words(&s.link, link);
  words(&s.runtime_cc, cc);
  words(&s.arch_fl, "--offload-arch=gfx942 --offload-arch=gfx950");
  argv_add(&s.all_objs, s.runtime_obj);
  argv_add(&s.all_objs, "/usr/lib/other.o");
  free(link);
  free(cc);
  return s;
}

int main(void) {
  char base[] = "/tmp/ckjit-state.XXXXXX", *err = NULL;
  if (!mkdtemp(base))
    die(EXIT_FAILED, "%s: cannot be made", base);
  char *work = path_join(base, "w"), *moved = path_join(base, "moved to"), *lib = path_join(work, "lib");
  char *file = path_join(lib, STATE_FILE), *moved_lib = path_join(moved, "lib"),
       *moved_file = path_join(moved_lib, STATE_FILE);
  dir_make(lib);
  struct state s = make_state(work);
  if (!state_write(file, &s, &err))
    die(EXIT_FAILED, "%s", err);

  struct state *back = state_read(file, &err);
  if (!back)
    die(EXIT_FAILED, "%s", err);
  char *wrote = argv_join(s.link.args), *read = argv_join(back->link.args);
  same("link", wrote, read);
  same("out_so", s.out_so, back->out_so);
  same("arch_fl", "--offload-arch=gfx950", back->arch_fl.args[1]);
  free(read);
  state_free(back);
  free(back);

  if (rename(work, moved))
    die(EXIT_FAILED, "cannot rename %s", work);
  back = state_read(moved_file, &err);
  if (!back)
    die(EXIT_FAILED, "%s", err);
  struct state m = make_state("MOVED"); /* with a space in its name it would be two words */
  for (size_t i = 0; i < m.link.n && i < back->link.n; i++) {
    struct buf want = {0};
    bool lookalike = strstr(m.link.args[i], "/home") || str_starts(m.link.args[i], "MOVEDx");
    for (const char *t = m.link.args[i]; *t;)
      if (str_starts(t, "MOVED")) {
        buf_puts(&want, lookalike ? work : moved);
        t += 5;
      } else {
        buf_putc(&want, *t++);
      }
    same("link, moved", want.data, back->link.args[i]);
    buf_free(&want);
  }
  state_free(back);
  free(back);

  /* What the file could not give back is refused, and what was there stays. */
  argv_add(&s.link, "-DX={jit}");
  if (state_write(moved_file, &s, &err) || !strstr(err, "cannot hold '-DX={jit}'"))
    same("a word with {jit} in it", "refused", "written");
  free(err);
  back = state_read(moved_file, &err);
  same("after a refused write", "read", back ? "read" : err);
  state_free(back);
  free(back);
  err = NULL;
  if (state_read("/nowhere/x/" STATE_FILE, &err) || !strstr(err, "run `ckjit full`"))
    same("a file that is not there", "an error that says what to do", err ? err : "accepted");
  free(err);
  state_free(&s);
  state_free(&m);
  dir_remove(base);
  free(wrote);
  free(work);
  free(moved);
  free(lib);
  free(file);
  free(moved_lib);
  free(moved_file);
  return bad;
}
