/* ccreads.c - the files that options have a compiler read: profiles, lists of the sanitizers,
 * overlays, specs.
 *
 * No depfile names them. They are inputs as headers are: what reads a step's depfile adds them
 * to it (postbuild/step.c), and all that follows, the key, the comparison before a first call
 * and a relink, has them among the headers.
 *
 * Which option names a file is a row of gnuoptions.c (READS). A word of which no row says so (of
 * -mllvm, of -Xclang, of an option that is newer than the table) counts if a file of that name
 * is there.
 */
#include "ccargs.h"
#include "core/base/path.h"

/* Words by which such a file names further files: gcc's specs, and clang's overlays, whose files
 * have other names then. */
static bool names_others(const char *file) {
  static const char *const words[] = {"%include", "use-external-names"};
  size_t len;
  autofree char *text = file_read(file, &len);
  bool names = !text;
  for (size_t i = 0; text && i < sizeof words / sizeof *words; i++)
    names |= memmem(text, len, words[i], strlen(words[i])) != NULL;
  return names;
}

char *ccargs_unfollowed(const struct ccargs *a, const char *cwd) {
  for (size_t i = 0; i < a->nreads; i++) {
    const struct cc_read *r = &a->reads[i];
    char *file = path_abs_in(cwd, r->file);
    bool there = file_is_regular(file);
    bool lost = r->known ? !there : there && *r->file != '/';
    lost |= r->known && !r->placed && *r->file != '/';
    if (lost || (r->names_others && names_others(file)))
      return file;
    free(file);
  }
  return NULL;
}

void ccargs_reads(struct argv *out, const struct ccargs *a, const char *cwd) {
  for (size_t i = 0; i < a->nreads; i++) {
    char *file = path_abs_in(cwd, a->reads[i].file);
    if (file_is_regular(file) && !argv_has(out, file))
      argv_add_own(out, file);
    else
      free(file);
  }
}
