/* linked.c - see linked.h. nvJitLink, or nvlink, optimises over all parts and keeps the one kernel
 * that is asked for. If the linker misses something, the units' other needs are looked for as well.
 */
#include "linked.h"
#include "jitlink.h"
#include "joined.h"
#include "linkhip.h"
#include "cudasteps.h"
#include "compile/codeentry.h"
#include "compile/parts.h"
#include "core/base/path.h"
#include "core/device/bundle.h"
#include "abi/ck_jit_code.h"

#include <blake2.h>

/* ---- the link ---- */

/* sm_86 of sm_86:compute_80; sm_90 of compute_90, with *PTX. free() it. */
static char *target_of(const char *arch, bool *ptx) {
  *ptx = str_starts(arch, "compute_");
  return *ptx ? xasprintf("sm_%s", arch + strlen("compute_")) : xstrndup(arch, strcspn(arch, ":"));
}

static void put_options(const struct joined *c, struct argv *options) {
  bool ptx;
  autofree char *target = target_of(c->arch, &ptx);
  argv_addf(options, "-arch=%s", target);
  argv_add(options, "-lto");
  if (ptx)
    argv_add(options, "-ptx");
  argv_add_all(options, c->code[0].options.args);
  if (!task_is_whole(c->t))
    argv_addf(options, "-kernels-used=%s", c->asked.kernel);
  argv_add_all(options, c->asked.options.args);
}

/* The LTO-IR of the parts of OF, as files. */
static bool write_parts(const char *temporary, const struct joined *of, struct argv *files, char **err) {
  bool done = true;
  for (size_t i = 0; i < of->all.n && done; i++)
    if (of->chosen[i]) {
      char *file = xasprintf("%s/%s.%s.ltoir", temporary, of->all.list[i].stem, of->arch);
      done = task_write(of->t, file, of->code[i].ltoir, of->code[i].len, err);
      argv_add_own(files, file);
    }
  if (done && of->t->verbose)
    note("%s: linking %zu parts for %s", of->t->stem, files->n, of->arch);
  return done;
}

/* Does any of them reference the CUDA device runtime? cudaGetLastError is named wherever host code calls it, and then mostly optimised away. */
static bool may_need_runtime(const struct joined *of) {
  bool may = false;
  for (size_t i = 0; i < of->all.n; i++)
    may |= of->chosen[i] && argv_has_prefix(&of->code[i].needs, "__cuda");
  return may;
}

/* Link FILES, and again with that runtime if it is needed indeed. */
static bool link_files(struct cuda *c, const struct joined *of, const struct lto_linker *linker,
                       const struct argv *options, const struct argv *files, const char *file,
                       const char **why) {
  return jitlink(c, linker, options, files, false, file, why) ||
         (may_need_runtime(of) && linker->runtime && jitlink(c, linker, options, files, true, file, why));
}

/* Link them into FILE. */
static bool link_parts(struct cuda *c, const struct joined *of, const struct lto_linker *linker,
                       const char *file, char **err) {
  autofree_argv options = {0}, files = {0};
  const char *why = "its device link failed";
  put_options(of, &options);
  bool done = write_parts(c->temporary, of, &files, err);
  if (done && !link_files(c, of, linker, &options, &files, file, &why)) {
    done = cudasteps_fail(c, why, err);
    parts_name_missing(of->t, "unit", &of->missing, err);
  }
  return done;
}

/* The file that nvcc's fatbinary takes as the image for ARCH, in FATBINARY's words: --image3=kind=elf,sm=90,file=… free() it. */
static char *image_of(const struct nvcc_step *fatbinary, const char *arch) {
  bool ptx;
  autofree char *target = target_of(arch, &ptx);
  autofree char *begin =
      xasprintf("--image3=kind=%s,sm=%s,file=", ptx ? "ptx" : "elf", target + strlen("sm_"));
  char *file = NULL;
  for (size_t i = 0; i < fatbinary->words.n && !file; i++)
    if (str_starts(fatbinary->words.args[i], begin))
      file = xstrdup(fatbinary->words.args[i] + strlen(begin));
  return file;
}

/* The images are linked: they are code as of a unit that is not. */
static bool run_fatbinary(struct cuda *c, char **err) {
  struct argv kept = {0};
  const char *why = NULL;
  for (size_t i = 0; i < c->fatbinary->words.n; i++)
    if (strcmp(c->fatbinary->words.args[i], "--device-c") != 0 &&
        !str_starts(c->fatbinary->words.args[i], "--cmdline="))
      argv_add(&kept, c->fatbinary->words.args[i]);
  argv_free(&c->fatbinary->words);
  c->fatbinary->words = kept;
  return cudasteps_run(c, "fatbinary", &c->fatbinary->words, &why) || cudasteps_fail(c, why, err);
}

/* ---- linked before ---- */

/* Of all that decides about the code. The key of a kernel covers all units that it may have; if one changes that it has not, its code is what it
 * was. */
static char *memo_path(const struct compile_task *t, const struct joined *of, size_t n) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  char hex[CKJIT_BUILD_ID_HEX_SIZE];
  autofree_buf all = {0};
  buf_printf(&all, "%s\n%s\n%s\n%s\n%s\n", t->stem, t->kernel, t->inputs ? t->inputs->compiler : t->compiler,
             of->all.linker, t->variant.len ? t->variant.data : "");
  for (size_t k = 0; k < n; k++) {
    autofree_argv options = {0};
    put_options(&of[k], &options);
    for (size_t i = 0; i < options.n; i++)
      buf_printf(&all, "%s\n", options.args[i]);
    for (size_t i = 0; i < of[k].all.n; i++)
      if (of[k].chosen[i])
        buf_add(&all, of[k].code[i].ltoir, of[k].code[i].len);
  }
  blake2b(id, all.data, NULL, sizeof id, all.len, 0);
  ckjit_build_id_hex(hex, id);
  return xasprintf("%s/" CKJIT_FRAGMENTS "/%s.linked", t->dir, hex);
}

static char *made; /* the memo of what linked_make made last */

void linked_remember(const struct compile_task *t) {
  if (made)
    parts_remember_as(t, made);
  free(made);
  made = NULL;
}

/* ---- CUDA's ---- */

/* The images of all architectures, in one fat binary. */
static bool make_images(struct cuda *c, const struct joined *of, size_t n, char **err) {
  struct lto_linker linker;
  autofree char *name = xstrndup(of->all.linker, strcspn(of->all.linker, " "));
  bool done =
      lto_linker_find(&linker, &c->nvcc, name) ||
      task_fail(
          c->t, err,
          "the toolkit of %s no longer has a device linker; install libnvJitLink.so, or nvlink and libnvvm.so",
          c->t->compiler);
  for (size_t i = 0; i < n && done; i++) {
    autofree char *file = image_of(c->fatbinary, of[i].arch);
    done = (file || task_fail(c->t, err, "nvcc's image for %s has an unknown form", of[i].arch)) &&
           link_parts(c, &of[i], &linker, file, err);
  }
  lto_linker_free(&linker);
  return done;
}

static bool link_anew(struct cuda *c, const struct joined *of, size_t n, const char *output, char **err) {
  autofree char *fatbin = path_join(c->temporary, "unit.fatbin");
  bool done = make_images(c, of, n, err);
  if (done)
    cudasteps_ask_for_binary(c, fatbin);
  done = done && run_fatbinary(c, err) && codeentry_of_fatbin(c->t, output, CKJIT_CODE_CUDA, fatbin, err);
  return done;
}

/* ---- HIP's ---- */

/* The code object of OF in PART, whose bytes are to be free()d. */
static bool link_hip_code(const char *temporary, const struct joined *of, struct bundle_part *part,
                          char **err) {
  const struct compile_task *t = of->t;
  autofree_argv files = {0};
  autofree char *code = xasprintf("%s/%s.co", temporary, of->arch);
  for (size_t i = 0; i < of->all.n && !task_is_whole(t); i++)
    if (of->chosen[i])
      nvvm_drop_lists(of->code[i].ltoir, of->code[i].len);
  bool done = write_parts(temporary, of, &files, err);
  if (done && !hiplink_code(t, temporary, of->all.linker, of->arch, &files,
                            task_is_whole(t) ? NULL : of->asked.kernel, code, err)) {
    parts_name_missing(t, "unit", &of->missing, err);
    done = false;
  }
  part->arch = of->arch;
  part->bytes = done ? file_read(code, &part->len) : NULL;
  if (done && !part->bytes)
    done = task_fail(t, err, "its device link succeeded but made no output");
  return done;
}

static bool link_hip(const char *temporary, const struct joined *of, size_t n, const char *output,
                     char **err) {
  autofree struct bundle_part *parts = xcalloc(n + 1, sizeof *parts);
  autofree_buf bytes = {0};
  autofree char *fatbin = path_join(temporary, "unit.hipfb");
  bool done = true;
  for (size_t i = 0; i < n && done; i++)
    done = link_hip_code(temporary, &of[i], &parts[i], err);
  if (done)
    bundle_write(&bytes, parts, n);
  done = done && task_write(of->t, fatbin, bytes.data, bytes.len, err) &&
         codeentry_of_fatbin(of->t, output, CKJIT_CODE_HIP, fatbin, err);
  for (size_t i = 0; i < n; i++)
    free((char *)parts[i].bytes);
  return done;
}

/* ---- all of it ---- */

/* Link what OF says, or find that it was linked before. C: nvcc's steps; of HIP nothing but the
 * directory. */
static bool make_entry(struct cuda *c, const struct joined *of, size_t n, const char *output, char **err) {
  const struct compile_task *t = of->t;
  autofree char *memo = t->cache ? memo_path(t, of, n) : NULL, *dir = memo ? path_dir(memo) : NULL;
  bool done =
      (memo && parts_linked_before(t, memo, output)) ||
      (task_is_hip(t) ? link_hip(c->temporary, of, n, output, err) : link_anew(c, of, n, output, err));
  if (done && dir && dir_make_own(dir)) {
    free(made);
    made = memo;
    memo = NULL;
  }
  return done;
}

/* After a failed link, which *ERR tells: have more units in any of the N of OF, and none of the message. False: it remains, or one that comes of these units. */
static bool widen_all(struct joined *of, size_t n, char **err) {
  char *why = *err;
  bool more = false;
  *err = NULL;
  for (size_t i = 0; i < n && !*err; i++)
    more |= joined_widen(&of[i], err);
  if (more && !*err) {
    free(why);
    return true;
  }
  if (*err)
    free(why);
  else
    *err = why;
  return false;
}

bool linked_make(const struct compile_task *t, const char *temporary, const char *output, char **err) {
  struct cuda c;
  const char *at = t->archs, *word;
  autofree_argv archs = {0};
  for (size_t n; (word = ckjit_arch_next(&at, &n));)
    argv_add_own(&archs, xstrndup(word, n));
  autofree struct joined *of = xcalloc(archs.n + 1, sizeof *of);
  bool shared = false, done = true;
  if (task_is_hip(t))
    c = (struct cuda){.t = t, .temporary = temporary, .log = -1};
  else
    done = cudasteps_open(&c, t, temporary, err);
  for (size_t i = 0; i < archs.n && done; i++) {
    done = joined_open(&of[i], t, archs.args[i], NULL, temporary, err);
    /* it may share variables with other kernels of its unit, and is to be had with all of them only */
    const char *variable = done && !task_is_whole(t) ? joined_shared_variable(&of[i], 0) : NULL;
    shared |= variable || (done && task_is_hip(t) && !task_is_whole(t) &&
                           (of[i].calls || !argv_has(&of[i].code[0].defines, of[i].asked.kernel)));
    done = done && !(variable && strstr(t->kernel, CKJIT_CHOICE) &&
                     !task_fail(t, err,
                                "it cannot be combined with tags, texts or options: its unit has the device "
                                "variable %s, which all of its kernels share",
                                variable));
  }
  if (done)
    done = shared
               ? codeentry_of_fatbin(t, output, task_is_hip(t) ? CKJIT_CODE_HIP : CKJIT_CODE_CUDA, NULL, err)
               : make_entry(&c, of, archs.n, output, err) ||
                     (widen_all(of, archs.n, err) && make_entry(&c, of, archs.n, output, err));
  for (size_t i = 0; i < archs.n; i++)
    joined_free(&of[i]);
  cudasteps_free(&c);
  return done;
}
