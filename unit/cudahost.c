/* cudahost.c - the object of a CUDA unit's host side.
 *
 *     cudafe++ of the host's text ── launches are calls ── stub added ── gcc -c ── names
 *
 * is enough for most units (core/device/hoststub.h). For the others cicc's front end makes the
 * stub:
 *
 *     cudafe++ of the host's text ─────────────────── launches are calls ──┐
 *     cicc's front end of a device text, no bodies ── registering stub ────┴── gcc -c
 *
 * It does not depend on the bodies of kernels (core/cxx/devicetext.h), and one serves all
 * architectures: the host's code includes that of the newest, as with nvcc. The host's code also
 * includes the fat binary; in its place is a text that names the unit of these kernels. cicc's
 * messages about a text without bodies are not shown: much seems unused there.
 *
 * For a unit with -rdc=true cicc's front end reads all texts, with all bodies: the needs of a
 * kernel in other units decide about the device link (linkfacts.c).
 */
#include "cuda.h"
#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/cc/cicc.h"
#include "core/cc/deps.h"
#include "core/cxx/devicetext.h"
#include "core/device/nvvmgraph.h"

#include <ctype.h>
#include <unistd.h>

/* the parts of the object */
struct host {
  struct nvcc_step *front; /* cudafe++ */
  /* for the stub that the host's code includes */
  const struct nvcc_step *cicc;
  const struct unittext *text;
  size_t of; /* the index of TEXT */
  bool own;  /* the stub is not cicc's */
};

static const char *stub_of(const struct nvcc_step *s) {
  const char *name = nvcc_value(s, "--stub_file_name");
  return name ? path_base(name) : "";
}

static bool find_steps(struct unit *u, struct host *h) {
  struct nvcc_plan *p = &u->plan;
  h->front = p->first[NVCC_FRONT];
  for (size_t i = 0; i < p->n && !h->cicc; i++)
    if (p->steps[i].kind == NVCC_CICC && *stub_of(h->front) &&
        strcmp(stub_of(h->front), stub_of(&p->steps[i])) == 0)
      h->cicc = &p->steps[i];
  const char *arch = h->cicc ? nvcc_value(h->cicc, "-arch") : NULL;
  for (size_t i = 0; arch && i < u->ntexts; i++)
    if (strcmp(u->texts[i].arch, arch) == 0) {
      h->text = &u->texts[i];
      h->of = i;
    }
  return h->text || unit_not_lazy(u, NVCC_UNKNOWN_STEPS);
}

/* ---- the front ends ---- */

/* Write the text without bodies into FILE. A unit that is linked may have no kernel, only functions
 * for the kernels of other units. */
static bool write_emptied(struct unit *u, const struct host *h, const char *file) {
  struct buf *out = &u->stub.emptied; /* hoststub_may may have made it */
  if (!u->stub.kernels) {
    buf_free(out);
    u->stub.kernels = devicetext_without_bodies(h->text->text, h->text->len, out);
  }
  u->kernels = u->stub.kernels;
  return u->kernels ? file_write(file, out->data, out->len, 0600) ||
                          unit_not_lazy(u, "%s: %s", file, strerror(errno))
                    : unit_not_lazy(u, "it has no kernels");
}

/* Replace the text by FILE in WORDS of a cicc. */
static void read_file_for_text(const struct unit *u, struct argv *words, const char *file) {
  for (size_t i = 0; i < words->n; i++)
    for (size_t k = 0; k < u->plan.n; k++)
      if (u->plan.steps[k].kind == NVCC_DEVICE_TEXT && u->plan.steps[k].output &&
          strcmp(words->args[i], u->plan.steps[k].output) == 0) {
        free(words->args[i]);
        words->args[i] = xstrdup(file);
        return;
      }
}

/* The command that runs only the front end of CICC. */
static bool front_words(struct unit *u, const struct nvcc_step *cicc, const char *bitcode,
                        struct argv *words) {
  autofree_argv back = {0};
  const char *why;
  return cicc_divide(cicc, NULL, bitcode, words, &back, &why) || unit_not_lazy(u, "%s", why);
}

/* Can the front end be run on its own, as each launch will run it? One check suffices: all texts
 * have the same options. */
static bool divides(struct unit *u, const struct host *h) {
  autofree_argv words = {0};
  return front_words(u, h->cicc, "", &words);
}

/* The command that makes the stub: from the text without bodies in FILE, or, for a unit that is
 * linked, from the whole text. */
static bool stub_words(struct unit *u, const struct host *h, const char *file, struct argv *words) {
  autofree char *bitcode = unit_linked_bitcode(u, h->of);
  bool done = front_words(u, h->cicc, bitcode, words);
  if (done && !unit_is_linked(u))
    read_file_for_text(u, words, file);
  return done;
}

/* The cicc step that reads text I. */
static const struct nvcc_step *cicc_for(const struct unit *u, size_t i) {
  for (size_t k = 0; k < u->plan.n; k++)
    if (u->plan.steps[k].kind == NVCC_CICC &&
        strcmp(nvcc_value(&u->plan.steps[k], "-arch"), u->texts[i].arch) == 0)
      return &u->plan.steps[k];
  return NULL;
}

/* The commands for the other texts of a unit that is linked. */
static bool other_words(struct unit *u, const struct host *h, struct argv *commands, size_t *n) {
  bool done = true;
  for (size_t i = 0; done && unit_is_linked(u) && i < u->ntexts; i++) {
    if (i == h->of)
      continue;
    autofree char *bitcode = unit_linked_bitcode(u, i);
    const struct nvcc_step *cicc = cicc_for(u, i);
    done =
        cicc ? front_words(u, cicc, bitcode, &commands[*n]) : unit_not_lazy(u, NVCC_UNKNOWN_STEPS);
    *n += done;
  }
  return done;
}

/* Run cudafe++, unless WITHOUT, and the N COMMANDS of cicc at the same time. */
static bool run_fronts(struct unit *u, const struct host *h, bool without,
                       const struct argv *commands, size_t n) {
  autofree struct job *jobs = xcalloc(n + 1, sizeof *jobs);
  jobs[n].args = h->front->words.args;
  for (size_t i = 0; i < n; i++)
    jobs[i].args = commands[i].args;
  size_t failed = pool_run(jobs, n + !without, 0, NULL, NULL);
  if (jobs[n].output.len)
    buf_add(&u->said, jobs[n].output.data, jobs[n].output.len);
  for (size_t i = 0; i <= n; i++)
    buf_free(&jobs[i].output);
  return !failed || unit_not_lazy(u, "a front end of the compiler fails");
}

/* ---- units whose device code is linked with that of other units ---- */

/* Replace FROM by TO in *TEXT. False: FROM is not in it. */
static bool exchange(char **text, const char *from, const char *to) {
  char *at = strstr(*text, from);
  if (!at)
    return false;
  char *all = xasprintf("%.*s%s%s", (int)(at - *text), *text, to, at + strlen(from));
  free(*text);
  *text = all;
  return true;
}

/* Does the stub TEXT register a variable that other units can name, and that the host's text names?
 * cuda::std has dozens that other units cannot name, all constant. */
static bool has_shared_variable(const struct unit *u, const char *text) {
  static const char call[] = "__cudaRegisterVariable(", shadow[] = "__shadow_var(",
                    internal[] = "__nv_static_";
  for (const char *p = text; (p = strstr(p, call)); p += sizeof call - 1) {
    const char *name = strstr(p, shadow);
    name = name ? name + sizeof shadow - 1 : "";
    autofree char *word = xstrndup(name, strcspn(name, ","));
    bool may_be = !str_starts(word, internal) && !nvvm_graph_is_device_only(word, &u->device_only);
    if (may_be)
      return true;
  }
  return false;
}

/* Several units may define one kernel, each for those who request its tag; nvcc's function that
 * launches it must not clash. */
static void keep_launches_apart(char *text) {
  static const char attribute[] = "__attribute__((visibility(\"hidden\")))", before[] = "extern ",
                    after[] = "static ";
  for (char *p = text; (p = strstr(p, attribute)); p++)
    if (str_starts(p + sizeof attribute - 1, " void __device_stub__")) {
      char *at = p - (sizeof before - 1);
      if (at >= text && str_starts(at, before))
        memcpy(at, after, sizeof after - 1);
      memset(p, ' ', sizeof attribute - 1);
    }
}

/* The stub in FILE registers a fat binary that the device link would make. Here each kernel is
 * linked when it is launched, so change the registration to that of a unit without -rdc=true. */
static bool register_alone(struct unit *u, const char *file) {
  size_t len;
  autofree char *text = file_read(file, &len);
  bool done = text && !has_shared_variable(u, text);
  if (text && !done)
    unit_not_lazy(u,
                  "its host code has device variables, which all kernels of a device link share");
  bool registers = done && strstr(text, "____cudaRegisterLinkedBinary(");
  if (registers && (!exchange(&text, "____cudaRegisterLinkedBinary(", "__cudaRegisterBinary(") ||
                    !exchange(&text, "__NV_CUBIN_HANDLE_STORAGE__ extern",
                              "__NV_CUBIN_HANDLE_STORAGE__ static")))
    done = unit_not_lazy(u, "nvcc registers kernels in another way than is known");
  if (done)
    keep_launches_apart(text);
  if (done && !file_write(file, text, strlen(text), 0600))
    done = unit_not_lazy(u, "%s: %s", file, strerror(errno));
  return done;
}

/* Make the stub with cicc; WITHOUT: cudafe++'s output exists. cicc -lgenfe exits with 0 even after
 * errors, and ckjit's own stub may remain from before: with that, and cudafe++'s unchanged code,
 * launches would launch no kernel. */
static bool make_fronts(struct unit *u, const struct host *h, bool without) {
  autofree char *file = path_join(u->dir, "without-bodies.ii");
  autofree struct argv *commands = xcalloc(u->ntexts + 1, sizeof *commands);
  size_t n = 1;
  const char *file_of_stub = nvcc_value(h->cicc, "--stub_file_name");
  unlink(file_of_stub);
  bool done = (unit_is_linked(u) || write_emptied(u, h, file)) &&
              stub_words(u, h, file, &commands[0]) && other_words(u, h, commands, &n) &&
              run_fronts(u, h, without, commands, n) &&
              (file_exists(file_of_stub) || unit_not_lazy(u, "a front end of the compiler fails"));
  if (done)
    hoststub_names(file_of_stub, &u->names);
  if (done && unit_is_linked(u))
    done = register_alone(u, file_of_stub) && unit_linked_read(u);
  for (size_t i = 0; i <= u->ntexts; i++)
    argv_free(&commands[i]);
  return done;
}

/* Run cudafe++ alone, and make the stub from its output. Otherwise the stub is cicc's, and
 * record.stub says why. */
static bool make_host(struct unit *u, struct host *h) {
  autofree_buf id = {0};
  unit_cuda_module_id(&id, u);
  u->stub.plan = &u->plan;
  bool done = (cicc_module_id(h->front, h->cicc, id.data) ||
               unit_not_lazy(u, "cicc reads no name of the unit")) &&
              divides(u, h);
  if (unit_is_linked(u))
    u->stub.why = xstrdup("its device code is linked");
  bool may = done && !u->stub.why && hoststub_may(&u->stub, h->text->text, h->text->len, id.data);
  if (may) {
    done = run_fronts(u, h, false, NULL, 0);
    h->own =
        done && hoststub_write(&u->stub, h->front->output, nvcc_value(h->cicc, "--stub_file_name"),
                               nvcc_value(h->cicc, "--include_file_name"));
  }
  return done && (h->own || make_fronts(u, h, may));
}

/* ---- the placeholder and other additions to the host's code ---- */

static bool write_stand_in(struct unit *u, const struct host *h) {
  const char *name = nvcc_value(h->cicc, "--include_file_name");
  autofree char *file = name ? path_abs_in(u->dir, name) : NULL;
  autofree_buf text = {0};
  hoststub_stand_in(&text, u->record.key);
  bool done = file && file_write(file, text.data, text.len, 0600);
  return done || unit_not_lazy(u, "the fat binary's place cannot be written");
}

/* Several units with tags may define one function, each for other kernels: the host version of a
 * device function aborts if it is called. And one kernel, which is not launched by its address
 * (compile/unit/linked.c). */
static void put_weak(const struct unit *u, const struct host *h, struct buf *out) {
  autofree char *tag = unit_is_linked(u) ? linkedunit_tag(h->text->text) : NULL;
  for (size_t i = 0; tag && i < u->code[h->of].strong.n; i++)
    buf_printf(out, "__asm__(\".weak %s\");\n", u->code[h->of].strong.args[i]);
}

static bool add_sections(struct unit *u, const struct host *h, const struct buf *record) {
  autofree_buf out = {0};
  bool put = unit_put_sections(u, &out, record);
  put_weak(u, h, &out);
  return put && (file_append(h->front->output, out.data, out.len) ||
                 unit_not_lazy(u, "%s: %s", h->front->output, strerror(errno)));
}

/* ---- the depfile ---- */

/* The name after the quote of a marker. free() it. */
static char *marked_name(const char *p) {
  struct buf name = {0};
  for (; *p && *p != '"' && *p != '\n'; p++)
    buf_putc(&name, *p == '\\' && p[1] ? *++p : *p);
  return name.len ? name.data : xstrdup("");
}

/* The files of TEXT: the source, which its first marker names, and each file that it enters, `# 1
 * "x.h" 1`. Files of the system, and those entered from one, have a 3 after that: only with SYSTEM.
 * nvcc reads the text, too, so names are spelled as gcc has found them, with a ./ before them. */
static void note_files(const char *text, bool system, struct argv *names) {
  for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
    end = line + strcspn(line, "\n");
    const char *quote = *line == '#' ? memchr(line, '"', (size_t)(end - line)) : NULL;
    if (!quote || !devicetext_is_marker(line, (size_t)(end - line)))
      continue;
    const char *last = memrchr(line, '"', (size_t)(end - line));
    bool enters = str_starts(last, "\" 1"), systems = memchr(last, '3', (size_t)(end - last));
    if (!names->n || (enters && (system || !systems)))
      argv_add_once(names, marked_name(quote + 1));
  }
}

/* Write a depfile in nvcc's form, of the preprocessor's inputs for the device. */
static bool write_depfile(struct unit *u, const struct host *h) {
  const struct ccargs *a = &u->record.cc;
  autofree_argv files = {0};
  autofree_buf out = {0};
  note_files(h->text->text, a->deps.system, &files);
  for (size_t i = 0; i < a->deps.ntargets; i++)
    buf_printf(&out, "%s%s", i ? " " : "", a->deps.targets[i].text);
  if (!a->deps.ntargets)
    deps_put_name(&out, u->output);
  buf_puts(&out, " :");
  for (size_t i = 0; i < files.n; i++) {
    buf_puts(&out, i ? " \\\n    " : " ");
    deps_put_name(&out, files.args[i]);
  }
  buf_puts(&out, "\n");
  for (size_t i = 1; a->deps.phony && i < files.n; i++) {
    buf_puts(&out, "\n");
    deps_put_name(&out, files.args[i]);
    buf_puts(&out, ":\n");
  }
  u->depfile = path_join(u->dir, "depfile");
  return (files.n && file_write(u->depfile, out.data, out.len, 0600)) ||
         unit_not_lazy(u, "%s: cannot be read or written", u->depfile);
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Does the bitcode, N bytes, have all kernels that the host's code registers? Names that are not
 * cicc's may differ from its own. */
static bool names_agree(struct unit *u, char *bitcode, size_t n) {
  autofree_argv names = {0};
  const char *why;
  bool done = nvvm_functions(bitcode, n, &names, &why) || unit_not_lazy(u, "its bitcode: %s", why);
  for (size_t i = 0; done && i < u->names.n; i++)
    if (!bsearch(&u->names.args[i], names.args, names.n, sizeof *names.args, by_name))
      done = unit_not_lazy(u, "its device code has no kernel %s, as its host code calls it",
                           u->names.args[i]);
  return done;
}

/* Append its bitcode to each text. */
static bool add_fronts(struct unit *u) {
  size_t n = u->ntexts;
  u->texts = xrealloc(u->texts, 2 * n * sizeof *u->texts);
  for (size_t i = 0; i < n; i++) {
    struct unittext *t = &u->texts[u->ntexts];
    autofree char *file = unit_linked_bitcode(u, i);
    char *bitcode = file_read(file, &t->len);
    t->text = bitcode;
    t->arch = xasprintf(UNITTEXT_FRONT "%s", u->texts[i].arch);
    if (!t->text)
      return unit_not_lazy(u, "the front end of the device fails"); /* but exits with 0 */
    u->ntexts++;
    if (!names_agree(u, bitcode, t->len))
      return false;
  }
  return true;
}

/* For a unit that is linked, each launch's parts get their own bitcode (compile/unit/part.c). If
 * the front end fails, nvcc reports it. */
bool unit_cuda_fronts(struct unit *u) {
  if (!u->fronts || unit_is_linked(u))
    return true;
  autofree struct argv *commands = xcalloc(u->ntexts, sizeof *commands);
  bool done = true;
  for (size_t i = 0; done && i < u->ntexts; i++) {
    autofree char *bitcode = unit_linked_bitcode(u, i);
    const struct nvcc_step *cicc = cicc_for(u, i);
    done =
        cicc ? front_words(u, cicc, bitcode, &commands[i]) : unit_not_lazy(u, NVCC_UNKNOWN_STEPS);
  }
  done = done && unit_run(u, "the front end of the device", commands, u->ntexts) && add_fronts(u);
  return done;
}

static bool compile(struct unit *u) {
  struct argv command = {0};
  unit_cuda_host_words(&command, &u->plan.first[NVCC_HOST]->words);
  return unit_run(u, "compiling the host's side", &command, 1);
}

/* The object with ckjit's own stub; if that is unusable, with cicc's, and the host compiler's first
 * messages are not shown. cicc gives the names of kernels that are not certain. Usually that
 * settles it, and no object is compiled twice. */
static bool make_object(struct unit *u, const struct host *h, const struct buf *record) {
  size_t said = u->said.len;
  if (!h->own)
    return compile(u);
  bool compiled = compile(u);
  if (compiled && hoststub_held(&u->stub, u->object, &u->names))
    return true;
  if (!compiled)
    u->said.len = said;
  free(u->why);
  u->why = NULL;
  if (!u->stub.why)
    u->stub.why = xstrdup("the host's compiler does not take launches without it");
  if (!make_fronts(u, h, true))
    return false;
  if (compiled && hoststub_held(&u->stub, u->object, &u->names))
    return true;
  u->said.len = said;
  if (!file_write(h->front->output, u->stub.before.data, u->stub.before.len, 0600))
    return unit_not_lazy(u, "%s: %s", h->front->output, strerror(errno));
  return add_sections(u, h, record) && compile(u);
}

bool unit_cuda_object(struct unit *u, const struct buf *record) {
  struct host h = {0};
  bool done = find_steps(u, &h) && make_host(u, &h) && write_stand_in(u, &h) &&
              add_sections(u, &h, record) && write_depfile(u, &h) && make_object(u, &h, record);
  u->record.stub = u->stub.why;
  hoststub_free_texts(&u->stub);
  return done;
}
