/* linked.c - see linked.h.
 *
 * The linker's rule, as for HIP (compile/parts.c), for one kernel: what it reaches and its unit does not define is looked for among the
 * others, whoever defines it is chosen, and so on with what that function reaches until nothing is open. The list says which unit defines what, so nothing is compiled
 * that is not needed. If the linker then misses something all the same, the units' other needs are looked for as well. Of units with a tag a kernel has those whose tag is one of its template arguments, or that a program asks for
 * (ckjit_combine of libckjit.so).
 *
 * nvJitLink, or nvlink, optimises over all parts and keeps the one kernel that is asked for.
 */
#include "linked.h"
#include "jitlink.h"
#include "linkhip.h"
#include "cudasteps.h"
#include "part.h"
#include "programtext.h"
#include "compile/closure.h"
#include "compile/codeentry.h"
#include "compile/parts.h"
#include "compile/plan_run.h"
#include "compile/run.h"
#include "core/base/path.h"
#include "core/device/bundle.h"
#include "core/device/toolkit.h"
#include "core/files/unittext.h"
#include "abi/ck_jit_code.h"
#include "abi/ck_jit_unit.h"

#include <blake2.h>

static bool is_hip(const struct compile_task *t) {
  return t->kind->runtime == RUNTIME_HIP;
}

/* ---- the list ---- */

struct first {
  char arch[CKJIT_ARCHS_SIZE];
};

static void take_first(const char *arch, const char *digest, void *user) {
  struct first *f = user;
  (void)digest;
  if (!*f->arch)
    snprintf(f->arch, sizeof f->arch, "%s", arch);
}

/* The text of T for its first architecture; a list is the same for all. */
static char *read_text(const struct compile_task *t, char **why) {
  struct first first = {0};
  size_t len;
  bool known = unittext_each(t->source, take_first, &first, why) && *first.arch;
  return known ? unittext_read(t->source, first.arch, &len, why) : NULL;
}

static bool read_list(struct linkedunits *all, const struct compile_task *t, char **err) {
  autofree char *why = NULL, *text = read_text(t, &why);
  *all = (struct linkedunits){0};
  return text ? linkedunits_read(all, text) ||
                    task_fail(t, err, "%s: its list of units cannot be parsed; link the library again",
                              t->source)
              : task_fail(t, err, "%s", why ? why : "its text has no architecture");
}

bool linked_is(const struct compile_task *t) {
  autofree char *why = NULL, *text = NULL;
  bool may = t->kernel && compiler_links_kernels(t->kind, &t->flags);
  if (may)
    text = read_text(t, &why);
  return text && linkedunits_is_list(text);
}

/* ---- which parts ---- */

struct joined {
  const struct compile_task *t;
  const char *arch, *temporary; /* a part that is not in the cache is made in TEMPORARY … */
  need_fn *need;                /* … or, if that is NULL, by this in the cache */
  /* The kernel, and what a program requests with it. */
  struct linkedunit_choices asked;
  /* those of the list, and the program's texts, which begin with number `texts` */
  struct linkedunits all;
  size_t texts;
  struct part_code *code; /* of those that are chosen */
  bool *chosen, *wide;    /* wide: all that is in it counts as used */
  struct closure closure; /* what is defined by chosen ones, and needed */
  struct closure listed;  /* what is defined by those that the kernel may have, by the list */
  struct buf missing;     /* a line for each function that nobody defines */
  bool calls;             /* what the kernel reaches calls functions by their addresses */
};

/* Is TAG asked for? */
static bool is_asked(const struct joined *c, const char *tag) {
  bool is = false;
  for (size_t i = 0; tag && i < c->asked.tags.n; i++)
    is |= linkedunit_is_tag(tag, c->asked.tags.args[i]);
  return is;
}

/* May T's kernel have U? All kernels together have what any may. */
static bool may_have(const struct joined *c, const struct linkedunit *u) {
  return !u->tag || task_is_whole(c->t) || linkedunit_is_chosen(u->tag, c->asked.kernel) ||
         is_asked(c, u->tag);
}

/* Each tag that is asked for is one of a unit. */
static bool check_asked(const struct joined *c, char **err) {
  for (size_t i = 0; i < c->asked.tags.n; i++) {
    autofree_buf tags = {0};
    bool is = false;
    for (size_t k = 0; k < c->all.n && !is; k++) {
      const char *tag = c->all.list[k].tag;
      is = tag && linkedunit_is_tag(tag, c->asked.tags.args[i]);
      if (tag && !strstr(tags.data ? tags.data : "", tag))
        buf_printf(&tags, "%s%s", tags.len ? ", " : "", tag);
    }
    if (!is)
      task_fail(c->t, err, "no unit of the library has the tag '%s'; expected %s [ckjit help fragments]",
                c->asked.tags.args[i], tags.len ? tags.data : "none: no unit has one");
    if (!is)
      return false;
  }
  return true;
}

/* ---- the kernel's unit ---- */

/* Of several units with KERNEL, all with tags, the one that is asked for becomes the first. A launch by an address asks for none: the host's functions of
 * that name are one. */
static bool choose_entry(struct joined *c, const char *kernel, char **err) {
  size_t one = 0, has = 0, asked = 0;
  autofree_buf tags = {0};
  for (size_t i = 0; i < c->all.n; i++)
    if (argv_has(&c->all.list[i].defines, kernel)) {
      buf_printf(&tags, "%s%s", has++ ? ", " : "", c->all.list[i].tag ? c->all.list[i].tag : "");
      if (is_asked(c, c->all.list[i].tag) && asked++)
        return task_fail(c->t, err, "%s and %s both define %s; request one of them", c->all.list[one].stem,
                         c->all.list[i].stem, kernel);
      one = asked && is_asked(c, c->all.list[i].tag) ? i : one;
    }
  if (has > 1 && !asked)
    return task_fail(
        c->t, err,
        "several units define the kernel %s; request it with one of their tags: %s [ckjit help fragments]",
        kernel, tags.data);
  struct linkedunit first = c->all.list[0];
  c->all.list[0] = c->all.list[one];
  c->all.list[one] = first;
  return true;
}

/* All kernels of a unit are registered at once, so none may be one of several. */
static bool choose_entries(struct joined *c, char **err) {
  autofree_argv kernels = {0};
  autofree char *why = NULL;
  if (!task_is_whole(c->t))
    return choose_entry(c, c->asked.kernel, err);
  if (!unittext_kernels(c->t->source, &kernels, &why))
    return task_fail(c->t, err, "%s", why);
  for (size_t i = 0; i < kernels.n; i++)
    if (!choose_entry(c, kernels.args[i], err))
      return false;
  return true;
}

static bool choose(struct joined *c, size_t i, char **err) {
  c->chosen[i] = true;
  if (!part_get(c->t, &c->all.list[i], c->arch, c->need, c->temporary, &c->code[i], err))
    return false;
  closure_define(&c->closure, i, &c->code[i].defines);
  return true;
}

/* ---- texts of the program ---- */

/* Does unit K, which is requested, define NAME? What a text defines is known once it is compiled. */
static bool is_defined_by(const struct joined *c, size_t k, const char *name) {
  return k < c->texts ? is_asked(c, c->all.list[k].tag) && argv_has(&c->all.list[k].defines, name)
                      : c->chosen[k] && argv_has(&c->code[k].strong, name);
}

/* Nobody could say which definition is meant if text I and another requested unit define a
 * function. */
static bool check_text(const struct joined *c, size_t i, char **err) {
  for (size_t n = 0; n < c->code[i].strong.n; n++)
    for (size_t k = 0; k < i; k++)
      if (is_defined_by(c, k, c->code[i].strong.args[n]))
        return task_fail(c->t, err, "%s and %s both define %s; request one of them", c->all.list[k].stem,
                         c->all.list[i].stem, c->code[i].strong.args[n]);
  return true;
}

/* Compile the texts: only then their functions are known. */
static bool choose_texts(struct joined *c, char **err) {
  for (size_t i = c->texts; i < c->all.n; i++)
    if (!choose(c, i, err) || !check_text(c, i, err))
      return false;
  return true;
}

/* ---- what the kernel needs ---- */

/* Two units that are asked for, unit I and another, define NAME: nobody could say which is meant. */
static bool check_only(const struct joined *c, size_t i, const char *name, char **err) {
  for (size_t k = i + 1; k < c->texts && is_asked(c, c->all.list[i].tag); k++)
    if (is_asked(c, c->all.list[k].tag) && argv_has(&c->all.list[k].defines, name))
      return task_fail(
          c->t, err, "%s and %s both define %s, and both tags, %s and %s, are requested; request one of them",
          c->all.list[i].stem, c->all.list[k].stem, name, c->all.list[i].tag, c->all.list[k].tag);
  return true;
}

/* Note what unit I needs if its function NAME is used; with NULL, or if its bodies are not
 * understood, whatever of it is. */
static void note_needs(struct joined *c, size_t i, const char *name) {
  struct part_code *code = &c->code[i];
  autofree_argv needs = {0};
  if (c->wide[i])
    return;
  if (name && nvvm_graph_reach(&code->graph, name, &needs)) {
    for (size_t k = 0; k < needs.n; k++)
      if (argv_has(&code->needs, needs.args[k])) /* what is weak, or the compiler's own, is not needed */
        closure_need(&c->closure, i, needs.args[k]);
  } else {
    closure_need_all(&c->closure, i, &code->needs);
    c->wide[i] = true;
  }
}

/* Choose whoever defines what chosen units need. */
static bool choose_needs(struct joined *c, char **err) {
  size_t who;
  const char *name;
  while (closure_next(&c->closure, &who, &name)) {
    size_t by = closure_definer(&c->closure, name), listed = closure_definer(&c->listed, name);
    if (str_starts(name, "__nv"))
      continue;
    if (by == CLOSURE_NONE && listed != CLOSURE_NONE && !c->chosen[listed]) {
      if (!check_only(c, listed, name, err) || !choose(c, listed, err))
        return false;
      by = listed;
    }
    if (by != CLOSURE_NONE)
      note_needs(c, by, name);
    else if (!toolkit_has(
                 name)) /* not what the optimiser has, and not the runtime's for devices, which inline
                                  * functions of its headers name */
      buf_printf(&c->missing, "%s needs %s\n", c->all.list[who].stem, name);
  }
  return true;
}

/* A variable of unit I that the kernel uses, and others or the host may write; NULL: none. */
static const char *shared_variable(const struct joined *c, size_t i) {
  const struct part_code *code = &c->code[i];
  for (size_t k = 0; k < code->variables.n; k++)
    if (c->wide[i] || !code->graph.n || nvvm_graph_uses(&code->graph, code->variables.args[k]))
      return code->variables.args[k];
  return NULL;
}

/* Each kernel is a module of its own, or all of a unit together are. The device link was nvcc's if two units share a variable
 * (postbuild/devicejudge.c). */
static bool check_variables(const struct joined *c, char **err) {
  for (size_t i = 1; i < c->all.n; i++) {
    const char *name = c->chosen[i] ? shared_variable(c, i) : NULL;
    if (name && i >= c->texts)
      return task_fail(c->t, err, "%s has the device variable %s; a text may have constants only",
                       c->all.list[i].stem, name);
    if (name)
      return task_fail(
          c->t, err,
          "%s has the device variable %s, which all kernels of the library must share; compile it with CK_JIT_UNITS=0",
          c->all.list[i].stem, name);
  }
  return true;
}

/* A chosen unit of which not all counts as used; or the number of all. */
static size_t find_narrow(const struct joined *c) {
  size_t i = 0;
  while (i < c->all.n && !(c->chosen[i] && !c->wide[i]))
    i++;
  return i;
}

static size_t count_chosen(const struct joined *c) {
  size_t n = 0;
  for (size_t i = 0; i < c->all.n; i++)
    n += c->chosen[i];
  return n;
}

/* The linker misses something: choose everything that any function of the chosen units needs. False: there is nothing more, unless *ERR is set.
 * Missing parts are built in this link's temporary directory and deleted with it, since a process has only one (compile/engine.c). */
static bool widen(struct joined *c, char **err) {
  size_t before = count_chosen(c);
  bool good = true;
  for (size_t i; good && (i = find_narrow(c)) < c->all.n;) {
    note_needs(c, i, NULL);
    good = choose_needs(c, err);
  }
  return good && count_chosen(c) > before && check_variables(c, err);
}

/* Another kernel may have taken the address of a function that this one calls. A kernel of AMD's has the registers that the
 * functions of its own link need. So such kernels are linked with all units. */
static bool choose_called(struct joined *c, char **err) {
  bool done = true;
  for (size_t i = 0; i < c->all.n; i++)
    c->calls |= c->chosen[i] && nvvm_graph_calls(&c->code[i].graph, c->wide[i]);
  for (size_t i = 0; i < c->all.n && done && c->calls && task_is_whole(c->t); i++)
    done = c->chosen[i] || choose(c, i, err);
  if (c->calls && c->t->verbose)
    note("%s: it calls functions by their addresses, so it is linked with all units of its library",
         c->t->stem);
  return done;
}

static bool joined_open(struct joined *c, const struct compile_task *t, const char *arch, need_fn *need,
                        const char *temporary, char **err) {
  *c = (struct joined){.t = t, .arch = arch, .need = need, .temporary = temporary};
  linkedunit_choices_read(&c->asked, t->kernel);
  if (!read_list(&c->all, t, err) || !check_asked(c, err) || !choose_entries(c, err))
    return false;
  c->texts = c->all.n;
  programtext_add(&c->all, &c->asked.texts, t);
  c->code = xcalloc(c->all.n, sizeof *c->code);
  c->chosen = xcalloc(c->all.n, sizeof *c->chosen);
  c->wide = xcalloc(c->all.n, sizeof *c->wide);
  for (size_t i = 0; i < c->texts; i++)
    if (may_have(c, &c->all.list[i]))
      closure_define(&c->listed, i, &c->all.list[i].defines);
  if (!choose(c, 0, err) || !choose_texts(c, err))
    return false;
  note_needs(c, 0, task_is_whole(t) ? NULL : c->asked.kernel);
  return choose_needs(c, err) && check_variables(c, err) && (!is_hip(t) || choose_called(c, err));
}

static void joined_free(struct joined *c) {
  for (size_t i = 0; c->code && i < c->all.n; i++)
    part_code_free(&c->code[i]);
  free(c->code);
  free(c->chosen);
  free(c->wide);
  closure_free(&c->closure);
  closure_free(&c->listed);
  buf_free(&c->missing);
  linkedunits_free(&c->all);
  linkedunit_choices_free(&c->asked);
}

bool linked_parts_get(const struct compile_task *t, need_fn *need, char **err) {
  const char *at = t->archs, *word;
  bool done = true;
  for (size_t n; done && (word = ckjit_arch_next(&at, &n));) {
    struct joined c;
    autofree char *arch = xstrndup(word, n);
    done = joined_open(&c, t, arch, need, NULL, err);
    joined_free(&c);
  }
  return done;
}

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
  bool done = (memo && parts_linked_before(t, memo, output)) ||
              (is_hip(t) ? link_hip(c->temporary, of, n, output, err) : link_anew(c, of, n, output, err));
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
    more |= widen(&of[i], err);
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
  if (is_hip(t))
    c = (struct cuda){.t = t, .temporary = temporary, .log = -1};
  else
    done = cudasteps_open(&c, t, temporary, err);
  for (size_t i = 0; i < archs.n && done; i++) {
    done = joined_open(&of[i], t, archs.args[i], NULL, temporary, err);
    /* it may share variables with other kernels of its unit, and is to be had with all of them only */
    const char *variable = done && !task_is_whole(t) ? shared_variable(&of[i], 0) : NULL;
    shared |= variable || (done && is_hip(t) && !task_is_whole(t) &&
                           (of[i].calls || !argv_has(&of[i].code[0].defines, of[i].asked.kernel)));
    done = done && !(variable && strstr(t->kernel, CKJIT_CHOICE) &&
                     !task_fail(t, err,
                                "it cannot be combined with tags, texts or options: its unit has the device "
                                "variable %s, which all of its kernels share",
                                variable));
  }
  if (done)
    done = shared ? codeentry_of_fatbin(t, output, is_hip(t) ? CKJIT_CODE_HIP : CKJIT_CODE_CUDA, NULL, err)
                  : make_entry(&c, of, archs.n, output, err) ||
                        (widen_all(of, archs.n, err) && make_entry(&c, of, archs.n, output, err));
  for (size_t i = 0; i < archs.n; i++)
    joined_free(&of[i]);
  cudasteps_free(&c);
  return done;
}
