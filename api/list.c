/* list.c - lists of kernels, as ckjit-prebuild reads them.
 *
 * An unknown name is an error before anything is done: a typing error must not cost the time of the
 * other kernels.
 */
#include "internal.h"

#include "abi/bloblist_line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMED = 20 }; /* unknown names in a message */

/* the kernels read so far */
struct list {
  uint32_t *kernels;
  bool *has; /* for each kernel of the library */
  size_t n;
  FILE *unknown; /* text about the unknown names */
  size_t nunknown;
  bool foreign; /* a capture of another version */
};

static void take_line(struct list *list, const ckjit_library *l, const char *word, const char *file,
                      unsigned long number) {
  uint32_t kernel;
  if (!word)
    return;
  if (!names_kernel(l, word, &kernel)) {
    if (list->nunknown++ < MOST_NAMED)
      fprintf(list->unknown, "\n%s:%lu: unknown kernel '%s'", file, number, word);
  } else if (!list->has[kernel]) {
    list->has[kernel] = true;
    list->kernels[list->n++] = kernel;
  }
}

static int read_lines(struct list *list, const ckjit_library *l, FILE *in, const char *name) {
  char *line = NULL;
  size_t cap = 0;
  errno = 0;
  for (unsigned long number = 1; !list->foreign && getline(&line, &cap, in) >= 0; number++) {
    list->foreign = number == 1 && bloblist_is_foreign(line);
    if (!list->foreign)
      take_line(list, l, bloblist_name(line), name, number);
  }
  if (list->foreign) {
    free(line);
    return 0;
  }
  /* a directory opens well and cannot be read */
  int e = ferror(in) ? errno : feof(in) ? 0 : ENOMEM;
  free(line);
  return e;
}

int ckjit_list_read(ckjit_library *l, const char *file, unsigned flags, uint32_t **kernels,
                    size_t *count, char **error) {
  if (!l || !file || !kernels || !count || (flags & ~(unsigned)CKJIT_LIST_SKIP_UNKNOWN))
    return fail(error, CKJIT_E_INVALID,
                "ckjit_list_read: expected a library, a file, flags of ckjit_list_flags and where "
                "to put the list");
  bool standard = strcmp(file, "-") == 0;
  const char *name = standard ? "standard input" : file;
  FILE *in = standard ? stdin : fopen(file, "re");
  if (!in)
    return fail(error, CKJIT_E_OPEN, "%s: the list cannot be read: %s", file, strerror(errno));
  char *text = NULL;
  size_t len = 0;
  struct list list = {.kernels = calloc(l->api.kernels + 1u, sizeof *list.kernels),
                      .has = calloc(l->api.kernels + 1u, sizeof *list.has),
                      .unknown = open_memstream(&text, &len)};
  int e = list.kernels && list.has && list.unknown ? read_lines(&list, l, in, name) : ENOMEM;
  if (!standard)
    fclose(in);
  if (list.unknown)
    fclose(list.unknown);
  int status = CKJIT_OK;
  if (e)
    status = fail(error, e == ENOMEM ? CKJIT_E_MEMORY : CKJIT_E_OPEN,
                  "%s: the list cannot be read: %s", name, strerror(e));
  else if (list.foreign)
    status = fail(error, CKJIT_E_OPEN,
                  "%s: a capture of another version of ckjit; "
                  "capture again with a library that this version linked",
                  name);
  else if (list.nunknown && !(flags & CKJIT_LIST_SKIP_UNKNOWN))
    status = fail(error, CKJIT_E_NOT_FOUND, "%zu names are not among the %u kernels of %s:%s%s",
                  list.nunknown, l->api.kernels, l->path, text ? text : "",
                  list.nunknown > MOST_NAMED ? "\n…" : "");
  free(text);
  free(list.has);
  if (status) {
    free(list.kernels);
    return status;
  }
  *kernels = list.kernels;
  *count = list.n;
  return CKJIT_OK;
}

int ckjit_prewarm(ckjit_library *l, const char *file, const struct ckjit_options *options,
                  ckjit_callback callback, void *user, struct ckjit_progress *progress,
                  char **error) {
  uint32_t *kernels;
  size_t n;
  int status = ckjit_list_read(l, file, 0, &kernels, &n, error);
  if (status)
    return status;
  status = ckjit_compile_many(l, kernels, n, options, callback, user, progress, error);
  free(kernels);
  return status;
}
