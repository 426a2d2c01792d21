/* archs.c - which entries of a blob are wanted.
 *
 * The list of architectures is part of an entry's build id. A library looks up the list that its
 * machine gives it (abi/ck_jit_arch.h): "gfx942" on a machine with such GPUs, "gfx90a;gfx942" only
 * on one that has both. A library for "gfx90a;gfx942;gfx950" that is built ahead on a machine
 * without a GPU, as for an image, will run on machines with one of them. So it gets an entry for
 * each, and none for all together, which no machine would look up.
 */
#include "archs.h"
#include "core/files/exportformat.h"

/* ---- --arch ---- */

void archs_check_option(const struct request *r) {
  const char *at = r->arch, *word;
  size_t words = 0;
  char archs[CKJIT_ARCHS_SIZE] = "";
  if (!r->arch)
    return;
  for (size_t n; (word = ckjit_arch_next(&at, &n)); words++) {
    if (!export_arch_is_sound(word, n))
      die(EXIT_USAGE,
          "--arch '%.*s': expected an architecture such as gfx942, gfx90a:xnack- or sm_90", (int)n,
          word);
    if (!ckjit_arch_add(archs, word, n))
      die(EXIT_USAGE, "--arch: too many architectures");
  }
  if (!words)
    die(EXIT_USAGE,
        "--arch '%s': expected architectures separated by ';', such as gfx942;gfx950 or "
        "sm_80;sm_90",
        r->arch);
}

bool archs_mean(const char *list, const char *made) {
  char said[CKJIT_ARCHS_SIZE] = "";
  ckjit_archs_said(list, made, said);
  return strcmp(said, made) == 0;
}

/* ---- the kinds of GPU of a library ---- */

static void add_list(struct argv *lists, const char *list) {
  argv_add_once(lists, xstrdup(list));
}

/* A machine with GPUs of one kind takes all code for that kind, gfx90a:xnack+ and gfx90a:xnack-, or
 * else all of its generic target. What amdgcnspirv stands for cannot be listed. */
static void lists_of_hip(struct argv *lists, const char *built) {
  const char *at = built, *word;
  for (size_t n; (word = ckjit_arch_next(&at, &n));) {
    size_t base = ckjit_arch_base(word, n);
    char list[CKJIT_ARCHS_SIZE] = "";
    if (ckjit_arch_is_any(word, base))
      continue;
    ckjit_arch_add_built(list, built, word, base);
    add_list(lists, list);
  }
}

/* The code that GPUs of each compute capability take. "native" and "all" stand for any GPU, and
 * cannot be listed. */
static void lists_of_cuda(struct argv *lists, const char *built) {
  enum { CAPABILITIES = 1000 };
  for (unsigned cap = 10; cap < CAPABILITIES; cap++) {
    size_t n;
    bool any;
    const char *word = ckjit_arch_of_cuda(built, cap, &n, &any);
    if (word)
      argv_add_once(lists, xstrndup(word, n));
  }
}

static void lists_of_each(struct argv *lists, const char *built) {
  if (ckjit_archs_are_cuda(built))
    lists_of_cuda(lists, built);
  else
    lists_of_hip(lists, built);
}

/* ---- all lists ---- */

/* BUILT as OUT, in the canonical spelling that is part of a build id. */
static void join(char out[CKJIT_ARCHS_SIZE], const struct argv *built) {
  out[0] = 0;
  for (size_t i = 0; i < built->n; i++)
    ckjit_arch_add(out, built->args[i], strlen(built->args[i]));
}

static void choose(const struct request *r, struct argv *lists, const char *built) {
  char here[CKJIT_ARCHS_SIZE] = "";
  if (r->arch)
    ckjit_archs_said(r->arch, built, here);
  else
    ckjit_archs_here(built, here);
  if (*here)
    add_list(lists, here);
  else
    lists_of_each(lists, built);
  if (!lists->n) /* "native", or a manifest that names none */
    add_list(lists, built);
}

/* Groups differ in flags, seldom in this; and for CUDA, finding the local GPUs starts a program. */
static void choose_by(struct request *r,
                      void (*how)(const struct request *r, struct argv *lists, const char *built)) {
  char built[CKJIT_ARCHS_SIZE], last[CKJIT_ARCHS_SIZE] = "";
  r->archs = xcalloc(r->m->ngroups, sizeof *r->archs);
  for (size_t i = 0; i < r->m->ngroups; i++) {
    join(built, &r->m->groups[i].archs);
    if (i && strcmp(built, last) == 0)
      argv_add_all(&r->archs[i], r->archs[i - 1].args);
    else
      how(r, &r->archs[i], built);
    memcpy(last, built, sizeof last);
  }
}

void archs_choose(struct request *r) {
  choose_by(r, choose);
}

static void choose_any(const struct request *r, struct argv *lists, const char *built) {
  choose(r, lists, built);
  if (r->arch)
    return;
  lists_of_each(lists, built);
  add_list(lists, built);
}

void archs_choose_any(struct request *r) {
  choose_by(r, choose_any);
}

/* Does the list ARCHS stand for a GPU that only the machine with it knows? */
static bool is_open(const char *archs) {
  const char *at = archs, *word;
  for (size_t n; (word = ckjit_arch_next(&at, &n));)
    if (strncmp(word, "native", 6) == 0 || strncmp(word, "all", 3) == 0 ||
        ckjit_arch_is_any(word, n))
      return true;
  return false;
}

/* The number of GPU kinds in the list ARCHS. */
static size_t kinds_in(const char *archs) {
  const char *at = archs, *word;
  char kinds[CKJIT_ARCHS_SIZE] = "";
  size_t count = 0;
  for (size_t n; (word = ckjit_arch_next(&at, &n));)
    ckjit_arch_add(kinds, word, ckjit_arch_base(word, n));
  at = kinds;
  for (size_t n; ckjit_arch_next(&at, &n);)
    count++;
  return count;
}

/* "gfx90a, gfx942 and gfx950". */
static char *said(const struct argv *lists) {
  struct buf b = {0};
  for (size_t i = 0; i < lists->n; i++)
    buf_printf(&b, "%s%s", i == 0 ? "" : i + 1 < lists->n ? ", " : " and ", lists->args[i]);
  return b.data;
}

/* Print the choice for group GROUP for `build`. True if something was printed. */
static bool tell(const struct request *r, size_t group) {
  const struct argv *lists = &r->archs[group];
  char built[CKJIT_ARCHS_SIZE], here[CKJIT_ARCHS_SIZE];
  join(built, &r->m->groups[group].archs);
  if (!r->arch && lists->n == 1 && strcmp(lists->args[0], built) == 0 && is_open(built))
    die(EXIT_FAILED,
        "build: the library was built for '%s', which names no architecture, and this "
        "machine has no GPU; pass the architecture, such as --arch sm_90 or --arch gfx942",
        built);
  if (lists->n > 1) {
    autofree char *each = said(lists);
    note("build: this machine has no GPU that the library was built for; each blob is "
         "compiled for each of %s. --arch LIST chooses others",
         each);
    return true;
  }
  if (!r->arch || kinds_in(lists->args[0]) < 2)
    return false;
  ckjit_archs_here(built, here);
  if (strcmp(here, lists->args[0]) == 0)
    return false;
  note("build: --arch '%s' is for machines that have all of these GPUs; for machines with "
       "one of them run build once for each",
       r->arch);
  return true;
}

void archs_tell(const struct request *r) {
  for (size_t i = 0; i < r->m->ngroups; i++) {
    bool asked = false; /* groups of other blobs do not matter */
    for (size_t k = 0; k < r->nblobs && !asked; k++)
      asked = r->blobs[k]->group == i;
    if (asked && tell(r, i))
      return;
  }
}
