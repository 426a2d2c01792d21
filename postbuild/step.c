/* step.c - see step.h. The files beside the object x.o of a step:
 *
 *     x.o.d        the compiler's depfile
 *     x.o.stamp    digests of all headers, of the command, and of the names that must not appear;
 *                  digest, size, time stamps and path of the source, of each header, and of each
 *                  file that an option names
 *
 * The stamp alone decides whether a step is fresh, with one stat for each header.
 * Equal size and modification time do not prove that a file is the same: CK_DIR may name another
 * release now, whose files all have the time that their archive gave them. A file that was written
 * since, by the time of its last change, is read; `ckjit full` writes it when it copies it anew.
 * The stamp is removed before the compiler starts and written when it has ended well, so that a
 * killed link leaves no stamp. It has no command, and is never fresh, if a header was edited
 * meanwhile, or if the text takes in a file that no depfile names (core/cc/takes.h).
 */
#include "step.h"

#include "flags.h"

#include "core/cc/deps.h"
#include "core/cc/takes.h"
#include "core/base/trace.h"
#include "core/base/intern.h"
#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/base/memofile.h"
#include "core/cache/toolchain.h"
#include "core/base/scratch.h"
#include "core/cc/cc1.h"
#include "core/cc/steps.h"
#include "abi/ck_jit_artefact.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ERRORS_SHOWN = 4000 }; /* bytes of a compiler's output in a message, its end */

#define STAMP "step" /* name of the memo */

/* ---- depfiles ---- */

/* Append the files that OBJECT's depfile names to OUT, but for the first, the source. False if
 * there is none. */
static bool read_depfile(const char *object, struct argv *out) {
  autofree char *depfile = xasprintf("%s.d", object);
  size_t len;
  autofree char *text = file_read(depfile, &len);
  if (!text)
    return false;
  autofree_argv all = {0};
  deps_read(&all, text);
  for (size_t i = 1; i < all.n; i++)
    argv_add(out, all.args[i]);
  return all.n > 0;
}

/* Append to OUT the files that the compiler of S reads besides the source, as absolute paths.
 * Returns false if that is not known. */
static bool read_inputs(const struct step *s, struct argv *out) {
  autofree_argv named = {0};
  bool known = read_depfile(s->object, &named);
  for (size_t i = 0; i < s->reads.n; i++)
    argv_add_once(&named, xstrdup(s->reads.args[i]));
  for (size_t i = 0; i < named.n; i++)
    argv_add_own(out, path_abs_in(s->cwd, named.args[i]));
  return known;
}

/* ---- files ---- */

/* The digest of FILE, which has STAMP now, and what its text takes in. Each is read once: all steps
 * have nearly the same headers. */
static const char *digest_now(char digest[DIGEST_HEX], const char *file, const char *stamp) {
  static struct intern files;
  static struct argv digests, takes; /* by number in FILES */
  autofree char *name = xasprintf("%s\n%s", stamp, file);
  size_t known = intern(&files, name);
  if (known == digests.n) {
    size_t len;
    autofree char *text = file_read(file, &len);
    const char *what = text ? takes_file(text, len) : NULL;
    strcpy(digest, DIGEST_NONE);
    if (text)
      digest_bytes(digest, text, len);
    argv_add(&digests, digest);
    argv_add(&takes, what ? what : "");
  }
  memcpy(digest, digests.args[known], DIGEST_HEX);
  return *takes.args[known] ? takes.args[known] : NULL;
}

/* Append "DIGEST STAMP" of FILE and FILE, escaped, a line each. Returns what its text takes in. */
static const char *put_file(struct buf *out, const char *file) {
  char stamp[STAMP_SIZE], digest[DIGEST_HEX];
  toolchain_stamp(stamp, file);
  const char *takes = digest_now(digest, file, stamp);
  memofile_put_file(out, digest, stamp, file);
  return takes;
}

/* Is FILE what FACTS, its line of put_file(), say? */
static bool is_as_said(const char *facts, const char *file) {
  char stamp[STAMP_SIZE], digest[DIGEST_HEX];
  const char *said = strlen(facts) > DIGEST_HEX ? facts + DIGEST_HEX : "";
  toolchain_stamp(stamp, file);
  if (strcmp(said, stamp) == 0)
    return true;
  size_t size_and_time = strcspn(stamp, " ");
  size_and_time += stamp[size_and_time] ? 1 + strcspn(stamp + size_and_time + 1, " ") : 0;
  if (strncmp(said, stamp, size_and_time + 1) != 0)
    return false;
  digest_now(digest, file, stamp);
  return memcmp(facts, digest, DIGEST_HEX - 1) == 0;
}

/* ---- stamps ---- */

/* Of the command of S and of where it runs. */
static void command_digest(char digest[DIGEST_HEX], const struct step *s) {
  autofree char *joined = argv_join(s->args.args), *both = xasprintf("%s\n%s", s->cwd, joined);
  digest_bytes(digest, both, strlen(both));
}

/* Of the names that must not come to be, because a header of such a name would be found before one
 * of the N HEADERS. */
static void absent_digest(char digest[DIGEST_HEX], const struct step *s, char *const *headers, size_t n) {
  autofree_argv missing = {0};
  for (size_t i = 0; i < n && s->dirs.n; i++)
    inputs_missing(&missing, &s->dirs, headers[i]);
  argv_unique(&missing);
  autofree char *all = missing.n ? argv_join(missing.args) : xstrdup("");
  digest_bytes(digest, all, strlen(all));
}

static char *stamp_name(const char *object) {
  return xasprintf("%s.stamp", object);
}

/* The text of OBJECT's stamp, a memo, free() it, and its three words; NULL: there is none. */
static char *stamp_read(const char *object, char words[3][DIGEST_HEX], const char **files) {
  autofree char *name = stamp_name(object);
  char *text = memofile_read(name, STAMP);
  int n = 0;
  if (text && sscanf(text, "%32s %32s %32s\n%n", words[0], words[1], words[2], &n) == 3 && n) {
    *files = text + n;
    return text;
  }
  free(text);
  return NULL;
}

bool step_inputs(const char *object, struct input **list, size_t *n) {
  char words[3][DIGEST_HEX], *facts, *file;
  const char *at;
  char *text = stamp_read(object, words, &at);
  bool source = true;
  for (; text && memofile_next_file(&at, &facts, &file); free(facts), free(file), source = false)
    if (!source && strlen(facts) > DIGEST_HEX) {
      facts[DIGEST_HEX - 1] = 0;
      inputs_add(list, n, facts, xstrdup(file));
    }
  free(text);
  return text != NULL;
}

static bool is_fresh(struct step *s) {
  char words[3][DIGEST_HEX], command[DIGEST_HEX], absent[DIGEST_HEX], *facts, *file;
  const char *at;
  autofree_argv files = {0};
  autofree char *text = file_exists(s->object) ? stamp_read(s->object, words, &at) : NULL;
  command_digest(command, s);
  bool fresh = text && strcmp(words[1], command) == 0;
  for (; fresh && memofile_next_file(&at, &facts, &file); free(facts)) {
    argv_add_own(&files, file);
    fresh = is_as_said(facts, file);
  }
  if (fresh && files.n) {
    absent_digest(absent, s, files.args + 1, files.n - 1);
    fresh = strcmp(words[2], absent) == 0;
  }
  if (fresh)
    s->headers = xstrdup(words[0]);
  return fresh;
}

/* Was one of the HEADERS written after WHEN? */
static bool header_edited(const struct argv *headers, struct timespec when) {
  bool edited = false;
  for (size_t i = 0; i < headers->n && !edited; i++)
    edited = file_changed_since(headers->args[i], when);
  return edited;
}

/* BEGUN: when the compiler was not running yet. A header that was edited since may have been read
 * before or after that, so the stamp has no command, and the next link compiles S again. Nor has it
 * one without a depfile, for the headers are not known, nor if the text takes in a file.
 *
 * The digest of the headers is of their content, in the order in which the compiler met them. Names
 * do not count, so the same headers in another place give the same key. */
static void stamp_write(struct step *s, struct timespec begun) {
  autofree_argv headers = {0};
  autofree_buf digests = {0}, files = {0};
  char command[DIGEST_HEX] = "-", absent[DIGEST_HEX];
  bool known = read_inputs(s, &headers);
  autofree char *source = path_abs_in(s->cwd, s->source);
  const char *takes = put_file(&files, source);
  buf_puts(&digests, "headers");
  for (size_t i = 0; i < headers.n; i++) {
    size_t from = files.len;
    const char *what = put_file(&files, headers.args[i]);
    s->takes = s->takes ? s->takes : what;
    buf_add(&digests, files.data + from, DIGEST_HEX - 1);
  }
  s->headers = xmalloc(DIGEST_HEX);
  digest_bytes(s->headers, digests.data, digests.len);
  s->takes = !s->recorded ? NULL : s->takes ? s->takes : takes;
  if (known && !s->takes && !header_edited(&headers, begun))
    command_digest(command, s);
  absent_digest(absent, s, headers.args, headers.n);
  autofree char *name = stamp_name(s->object),
                *text = xasprintf("%s %s %s\n%s", s->headers, command, absent, files.data);
  if (!memofile_write(name, STAMP, text))
    die(EXIT_FAILED, "%s: cannot write: %s", name, strerror(errno));
}

/* ---- commands ---- */

/* Appends the whole command of S, after the LAUNCHER (NULL: none). */
static void add_command(struct argv *c, const struct step *s, struct step_launcher *launcher) {
  if (launcher)
    step_launcher_command(launcher, c, s);
  else
    argv_add_all(c, s->args.args);
  argv_add(c, "-MD");
  argv_add(c, "-MF");
  argv_addf(c, "%s.d", s->object);
  argv_add(c, "-o");
  argv_add(c, s->object);
}

void step_command(struct argv *out, const struct step *s) {
  add_command(out, s, NULL);
}

/* ---- passes of a clang over one text, without a driver for each ----
 *
 * A driver may take longer than the pass that it starts: hipcc of HIP 5.2.3 is a Perl script that
 * starts six other programs. So it is asked once, for a compile for the host and all devices, what it
 * would start (-###), and each pass runs by itself. What fails runs again by its driver. */

/* The question for the passes over the text of HOST: its command without what makes it one pass. */
static void put_question(struct argv *question, const struct step *host) {
  autofree_argv command = {0}, all = {0};
  step_command(&command, host);
  for (size_t i = 0; i < command.n; i++)
    if (strcmp(command.args[i], "--offload-host-only") != 0)
      argv_add(&all, command.args[i]);
  steps_question(question, host->kind->dialect, &all);
}

/* Have S run as PASS, a step of the driver. There is no device code for the host's object. */
static void set_direct(struct step *s, const struct argv *pass) {
  struct argv words = {0};
  autofree char *depfile = xasprintf("%s.d", s->object);
  for (size_t i = 0; i + 1 < pass->n; i++)
    if (strcmp(pass->args[i], "-fcuda-include-gpubinary") == 0)
      i++;
    else
      argv_add(&words, pass->args[i]);
  argv_add(&words, s->source);
  if (s->arch) {
    cc1_text(&s->direct, &words, s->object, depfile, true);
    argv_add(&s->direct, "-w");
    argv_free(&words);
  } else {
    argv_add(&words, "-o"); /* with -fgpu-rdc a bundler would write it */
    argv_add(&words, s->object);
    s->direct = words;
  }
}

/* Is one of the N steps a pass over the text of HOST for a device? */
static bool has_devices(const struct step *host, struct step **steps, size_t n) {
  bool has = false;
  for (size_t i = 0; i < n; i++)
    has |= steps[i]->text == host->text && steps[i]->arch;
  return has;
}

/* Ask the drivers of the N steps, none of which is fresh, once for the passes over one text, and set
 * what they would start. A step that it is not known of runs by its driver. */
static void steps_direct(const struct runner *with, struct step **steps, size_t n) {
  autofree struct job *jobs = xcalloc(n, sizeof *jobs);
  autofree struct argv *questions = xcalloc(n, sizeof *questions);
  size_t asked = 0;
  for (size_t i = 0; i < n; i++) {
    struct step *host = steps[i];
    if (!host->text || host->arch || step_launcher_takes(&with->launcher, host) ||
        !has_devices(host, steps, n))
      continue;
    put_question(&questions[asked], host);
    jobs[asked] = (struct job){.args = questions[asked].args, .cwd = host->cwd, .user = host};
    asked++;
  }
  scratch_run(jobs, asked, with->parallel);
  for (size_t k = 0; k < asked; k++) {
    const struct step *host = jobs[k].user;
    struct steps answer;
    steps_read(&answer, jobs[k].status == 0 && jobs[k].output.len ? jobs[k].output.data : NULL);
    for (size_t i = 0; i < n; i++) {
      const struct argv *pass = steps[i]->text == host->text ? steps_pass(&answer, steps[i]->arch) : NULL;
      if (pass && strcmp(pass->args[pass->n - 1], host->source) == 0)
        set_direct(steps[i], pass);
    }
    steps_free(&answer);
    buf_free(&jobs[k].output);
    argv_free(&questions[k]);
  }
}

/* ---- all steps ---- */

/* Runs those of JOBS that failed with the launcher, or without their driver, once more as they would
 * run alone: a launcher that does not work only costs time, and error messages are the compiler's. */
static void run_plain(struct runner *with, struct job *jobs, size_t n) {
  autofree struct job *again = xcalloc(n, sizeof *again);
  autofree struct argv *commands = xcalloc(n, sizeof *commands);
  size_t m = 0;
  for (size_t i = 0; i < n; i++) {
    const struct step *s = jobs[i].user;
    if (!jobs[i].status || (!step_launcher_takes(&with->launcher, s) && !s->direct.n))
      continue;
    add_command(&commands[m], s, NULL);
    again[m] = (struct job){.args = commands[m].args, .cwd = s->cwd, .user = &jobs[i]};
    m++;
  }
  pool_run(again, m, with->parallel, NULL, NULL);
  for (size_t i = 0; i < m; i++) {
    struct job *first = again[i].user;
    if (again[i].status == 0 && step_launcher_takes(&with->launcher, first->user))
      step_launcher_failed(&with->launcher, first->user, first->output.len ? first->output.data : "nothing");
    buf_free(&first->output);
    first->output = again[i].output;
    first->status = again[i].status;
    argv_free(&commands[i]);
  }
}

/* On the track of its place among those that run beside it. */
static bool trace_step(struct job *job, void *user) {
  (void)user;
  const struct step *s = job->user;
  char status[16], track[32];
  if (!trace_wanted())
    return true;
  snprintf(status, sizeof status, "%d", job->status);
  snprintf(track, sizeof track, "compile %u", job->place + 1);
  trace_track(job->place + 1, track);
  trace_span("host compile", path_base(s->source ? s->source : s->object), job->place + 1, job->started,
             trace_now(), "source", s->source, "status", status, NULL);
  return true;
}

void steps_run(struct runner *with, struct step *steps, size_t n) {
  autofree struct job *jobs = xcalloc(n, sizeof *jobs);
  autofree struct argv *commands = xcalloc(n, sizeof *commands);
  autofree struct step **todo = xcalloc(n, sizeof *todo);
  size_t stale = 0;
  for (size_t i = 0; i < n; i++)
    if (!(steps[i].fresh = is_fresh(&steps[i])))
      todo[stale++] = &steps[i];
  steps_direct(with, todo, stale);
  for (size_t i = 0; i < stale; i++) {
    struct step *s = todo[i];
    autofree char *name = stamp_name(s->object);
    unlink(name);
    struct argv *c = &commands[i];
    if (s->direct.n)
      argv_add_all(c, s->direct.args);
    else
      add_command(c, s, step_launcher_takes(&with->launcher, s) ? &with->launcher : NULL);
    jobs[i] = (struct job){.args = c->args, .cwd = s->cwd, .user = s};
  }
  struct timespec begun;
  clock_gettime(CLOCK_REALTIME, &begun);
  pool_run(jobs, stale, with->parallel, trace_step, NULL);
  run_plain(with, jobs, stale);
  for (size_t i = 0; i < stale; i++) {
    struct step *s = jobs[i].user;
    s->status = jobs[i].status;
    s->output = jobs[i].output;
    if (s->status == 0)
      stamp_write(s, begun);
    argv_free(&commands[i]);
  }
}

void step_run(struct runner *with, struct step *s) {
  steps_run(with, s, 1);
}

/* ---- a step ---- */

void step_source(struct step *s, const struct record *r, const char *source, const char *object) {
  argv_add(&s->args, "-c");
  argv_add(&s->args, source);
  s->cwd = xstrdup(r->cwd);
  s->source = xstrdup(source);
  s->object = xstrdup(object);
  s->hip_arch = flags_hip_arch(r);
  s->kind = r->compiler_kind;
  s->recorded = true;
  for (size_t i = 0; i < r->cc.ndirs; i++)
    if (*r->cc.dirs[i].dir != '=') /* below a sysroot */
      argv_add_own(&s->dirs, path_abs_in(r->cwd, r->cc.dirs[i].dir));
  ccargs_reads(&s->reads, &r->cc, r->cwd);
}

char *step_first_error(const struct buf *output, int status) {
  enum { LONGEST = 500 };
  static const char *const marks[] = {"error: ", "error #", "error :", "undefined reference"};
  const char *at = NULL, *last = NULL;
  for (const char *line = output->len ? output->data : ""; *line && !at;) {
    size_t n = strcspn(line, "\n");
    for (size_t i = 0; i < sizeof marks / sizeof *marks && !at; i++)
      if (memmem(line, n, marks[i], strlen(marks[i])))
        at = line;
    if (n)
      last = line;
    line += n + (line[n] == '\n');
  }
  if (!at)
    at = last;
  size_t length = at ? strcspn(at, "\n") : 0;
  return at ? xasprintf("%.*s", (int)(length < LONGEST ? length : LONGEST), at)
            : xasprintf("it ended with status %d and said nothing", status);
}

_Noreturn void step_fail(const struct step *s) {
  size_t n = s->output.len;
  const char *text = n ? s->output.data : "";
  if (n > ERRORS_SHOWN)
    text += n - ERRORS_SHOWN;
  char *command = argv_join(s->args.args);
  die(EXIT_FAILED, "%s: the compiler ended with status %d\n%s\ncommand: %s", s->source, s->status, text,
      command);
}

void step_free(struct step *s) {
  argv_free(&s->args);
  argv_free(&s->direct);
  free(s->arch);
  argv_free(&s->reads);
  argv_free(&s->dirs);
  free(s->cwd);
  free(s->source);
  free(s->object);
  free(s->hip_arch);
  buf_free(&s->output);
  free(s->headers);
  *s = (struct step){0};
}
