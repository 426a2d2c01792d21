/* joined.c - see joined.h.
 *
 * The linker's rule, as for HIP's blobs (compile/parts.c), for one kernel: what it reaches and its
 * unit does not define is looked for among the others, whoever defines it is chosen, and so on with
 * what that function reaches until nothing is open. The list says which unit defines what, so
 * nothing is compiled that is not needed. Of units with a tag a kernel has those whose tag is one of
 * its template arguments, or that a program asks for (ckjit_combine of libckjit.so).
 */
#include "joined.h"

#include "programtext.h"

#include "compile/parts.h"
#include "core/device/toolkit.h"
#include "core/files/unittext.h"

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

bool joined_is(const struct compile_task *t) {
  autofree char *why = NULL, *text = NULL;
  bool may = t->kernel && compiler_links_kernels(t->kind, &t->flags);
  if (may)
    text = read_text(t, &why);
  return text && linkedunits_is_list(text);
}

/* ---- which parts ---- */

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

const char *joined_shared_variable(const struct joined *c, size_t i) {
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
    const char *name = c->chosen[i] ? joined_shared_variable(c, i) : NULL;
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

bool joined_widen(struct joined *c, char **err) {
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

bool joined_open(struct joined *c, const struct compile_task *t, const char *arch, need_fn *need,
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
  return choose_needs(c, err) && check_variables(c, err) && (!task_is_hip(t) || choose_called(c, err));
}

void joined_free(struct joined *c) {
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

bool joined_parts_get(const struct compile_task *t, need_fn *need, char **err) {
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
