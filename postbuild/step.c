/* step.c - see step.h. The files beside the object x.o of a step:
 *
 *     x.o.d        the compiler's depfile
 *     x.o.inputs   "DIGEST PATH" of each header in it, and of each file that an option names
 *     x.o.stamp    the digest of all headers; the digest of the command; digest, size and time stamps of the
 *                  source and of each header; a digest of the names that must not appear
 *
 * The stamp and the depfile alone decide whether a step is fresh, with one stat for each header.
 * Equal size and modification time do not prove that a file is the same: CK_DIR may name another
 * release now, whose files all have the time that their archive gave them. A file that was written
 * since, by the time of its last change, is read; `ckjit full` writes it when it copies it anew.
 * The stamp is removed before the compiler starts and written when it has ended well, so that a
 * killed link leaves no stamp. There is none either if a header was edited meanwhile, or if the
 * text takes in a file that no depfile names (core/cc/takes.h).
 */
#include "step.h"

#include "flags.h"

#include "core/cc/deps.h"
#include "core/cc/takes.h"
#include "core/base/trace.h"
#include "core/base/intern.h"
#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/cache/toolchain.h"
#include "abi/ck_jit_artefact.h"

#include <blake2.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
  DIGEST = 32,
  /* bytes of a compiler's output in a message, its end */
  ERRORS_SHOWN = 4000,
};

/* ---- depfiles ---- */

/* Append the files that OBJECT's depfile names to OUT, but for the first, the source. False if
 * there is none. */
static bool read_depfile(const char *object, struct argv *out) {
  char *depfile = xasprintf("%s.d", object);
  size_t len;
  char *text = file_read(depfile, &len);
  free(depfile);
  if (!text)
    return false;
  struct argv all = {0};
  deps_read(&all, text);
  free(text);
  for (size_t i = 1; i < all.n; i++)
    argv_add(out, all.args[i]);
  bool any = all.n > 0;
  argv_free(&all);
  return any;
}

/* Appends to OUT the files that the compiler of S reads besides the source. Returns false if that
 * is not known. */
static bool read_inputs(const struct step *s, struct argv *out) {
  bool known = read_depfile(s->object, out);
  for (size_t i = 0; i < s->reads.n; i++)
    if (!argv_has(out, s->reads.args[i]))
      argv_add(out, s->reads.args[i]);
  return known;
}

/* ---- files ---- */

/* The digest of FILE, which has STAMP now, and what its text takes in. Each is read once: all steps
 * have nearly the same headers. */
static const char *digest_now(char digest[DIGEST_HEX], const char *file, const char *stamp) {
  static struct intern files;
  static struct argv digests, takes; /* by number in FILES */
  char *name = xasprintf("%s\n%s", stamp, file);
  size_t known = intern(&files, name);
  if (known == digests.n) {
    size_t len;
    char *text = file_read(file, &len);
    const char *what = text ? takes_file(text, len) : NULL;
    strcpy(digest, DIGEST_NONE);
    if (text)
      digest_bytes(digest, text, len);
    argv_add(&digests, digest);
    argv_add(&takes, what ? what : "");
    free(text);
  }
  memcpy(digest, digests.args[known], DIGEST_HEX);
  free(name);
  return *takes.args[known] ? takes.args[known] : NULL;
}

/* a line "DIGEST SIZE MTIME CTIME INODE" for FILE; "DIGEST gone" if it is not there */
static void file_line(struct buf *out, const char *cwd, const char *file) {
  char *full = path_abs_in(cwd, file), stamp[STAMP_SIZE], digest[DIGEST_HEX];
  toolchain_stamp(stamp, full);
  digest_now(digest, full, stamp);
  buf_printf(out, "%s %s\n", digest, stamp);
  free(full);
}

/* Is FILE what LINE, of file_line(), says? */
static bool is_as_said(const char *line, size_t n, const char *cwd, const char *file) {
  char *full = path_abs_in(cwd, file), stamp[STAMP_SIZE], digest[DIGEST_HEX];
  toolchain_stamp(stamp, full);
  size_t size_and_time = strcspn(stamp, " ");
  size_and_time += stamp[size_and_time] ? 1 + strcspn(stamp + size_and_time + 1, " ") : 0;
  bool same = n > DIGEST_HEX && strlen(stamp) == n - DIGEST_HEX &&
              memcmp(line + DIGEST_HEX, stamp, n - DIGEST_HEX) == 0;
  if (!same && n > DIGEST_HEX + size_and_time && memcmp(line + DIGEST_HEX, stamp, size_and_time + 1) == 0) {
    digest_now(digest, full, stamp);
    same = memcmp(line, digest, DIGEST_HEX - 1) == 0;
  }
  free(full);
  return same;
}

/* ---- stamps ---- */

/* The second line of a stamp: a digest of the command and of where it runs. */
static void command_line(struct buf *out, const struct step *s) {
  char *joined = argv_join(s->args.args);
  unsigned char d[DIGEST];
  blake2b_state h;
  blake2b_init(&h, sizeof d);
  blake2b_update(&h, (const uint8_t *)s->cwd, strlen(s->cwd) + 1);
  blake2b_update(&h, (const uint8_t *)joined, strlen(joined));
  blake2b_final(&h, d, sizeof d);
  free(joined);
  char text[2 * DIGEST + 1];
  ckjit_hex(text, d, sizeof d);
  buf_printf(out, "%s\n", text);
}

/* The last line of a stamp: a digest of the names that must not come to be, for a header of such a
 * name would be found before one of HEADERS. */
static void absent_line(struct buf *out, const struct step *s, const struct argv *headers) {
  struct argv missing = {0};
  char digest[DIGEST_HEX];
  for (size_t i = 0; i < headers->n && s->dirs.n; i++) {
    char *full = path_abs_in(s->cwd, headers->args[i]);
    inputs_missing(&missing, &s->dirs, full);
    free(full);
  }
  argv_unique(&missing);
  char *all = missing.n ? argv_join(missing.args) : xstrdup("");
  digest_bytes(digest, all, strlen(all));
  buf_printf(out, "%s absent\n", digest);
  free(all);
  argv_free(&missing);
}

/* Appends the text of the stamp of S, which reads HEADERS, after its first line. */
static void stamp_make(const struct step *s, const struct argv *headers, struct buf *out) {
  command_line(out, s);
  file_line(out, s->cwd, s->source);
  for (size_t i = 0; i < headers->n; i++)
    file_line(out, s->cwd, headers->args[i]);
  absent_line(out, s, headers);
}

/* Does STAMP, but for its first line, say what is so now? */
static bool stamp_holds(const struct step *s, const char *stamp) {
  struct buf command = {0}, absent = {0};
  struct argv files = {0};
  argv_add(&files, s->source);
  command_line(&command, s);
  bool holds = read_inputs(s, &files) && str_starts(stamp, command.data);
  const char *line = stamp + (holds ? command.len : 0);
  for (size_t i = 0; i < files.n && holds; i++) {
    size_t n = strcspn(line, "\n");
    holds = is_as_said(line, n, s->cwd, files.args[i]);
    line += n + (line[n] == '\n');
  }
  if (holds)
    absent_line(&absent, s, &(struct argv){files.args + 1, files.n - 1});
  holds = holds && strcmp(line, absent.data) == 0;
  buf_free(&absent);
  buf_free(&command);
  argv_free(&files);
  return holds;
}

/* Write <object>.inputs. Returns the digest of all HEADERS of S, free() it: of their content, in
 * the order in which the compiler met them. Names do not count, so the same headers in another
 * place give the same key. */
static char *headers_digest(struct step *s, const struct argv *headers) {
  struct buf digests = {0}, lines = {0};
  buf_puts(&digests, "headers");
  buf_puts(&lines, "");
  for (size_t i = 0; i < headers->n; i++) {
    char *full = path_abs_in(s->cwd, headers->args[i]), digest[DIGEST_HEX], stamp[STAMP_SIZE];
    toolchain_stamp(stamp, full);
    const char *takes = digest_now(digest, full, stamp);
    s->takes = s->takes ? s->takes : takes;
    buf_puts(&digests, digest);
    if (strchr(full, '\n'))
      die(EXIT_FAILED, "%s: a header whose name has a newline in it cannot be followed", full);
    buf_printf(&lines, "%s %s\n", digest, full);
    free(full);
  }
  char *name = xasprintf("%s.inputs", s->object), *out = xmalloc(DIGEST_HEX);
  if (!file_write(name, lines.data ? lines.data : "", lines.len, 0666))
    die(EXIT_FAILED, "%s: cannot write: %s", name, strerror(errno));
  digest_bytes(out, digests.data, digests.len);
  free(name);
  buf_free(&digests);
  buf_free(&lines);
  return out;
}

bool step_inputs(const char *object, struct input **list, size_t *n) {
  char *name = xasprintf("%s.inputs", object);
  size_t len;
  char *text = file_read(name, &len);
  free(name);
  for (const char *line = text; line && *line;) {
    size_t size = strcspn(line, "\n");
    char digest[DIGEST_HEX];
    snprintf(digest, sizeof digest, "%s", line);
    if (size > DIGEST_HEX)
      inputs_add(list, n, digest, xstrndup(line + DIGEST_HEX, size - DIGEST_HEX));
    line += size + (line[size] == '\n');
  }
  free(text);
  return text != NULL;
}

static char *stamp_name(const struct step *s) {
  return xasprintf("%s.stamp", s->object);
}

static bool is_fresh(struct step *s) {
  char *name = stamp_name(s);
  size_t len;
  char *inputs = xasprintf("%s.inputs", s->object);
  char *have = file_exists(s->object) && file_exists(inputs) ? file_read(name, &len) : NULL;
  free(inputs);
  free(name);
  char *rest = have ? strchr(have, '\n') : NULL; /* the first line is the headers' digest */
  bool fresh = rest && stamp_holds(s, rest + 1);
  if (fresh)
    s->headers = xstrndup(have, (size_t)(rest - have));
  free(have);
  return fresh;
}

/* Was one of the HEADERS of S written after WHEN? Not its source, which may be ours, of a moment
 * ago. */
static bool header_edited(const struct step *s, const struct argv *headers, struct timespec when) {
  bool edited = false;
  for (size_t i = 0; i < headers->n && !edited; i++) {
    char *full = path_abs_in(s->cwd, headers->args[i]);
    edited = file_changed_since(full, when);
    free(full);
  }
  return edited;
}

static const char *source_takes(const struct step *s) {
  char *full = path_abs_in(s->cwd, s->source), stamp[STAMP_SIZE], digest[DIGEST_HEX];
  toolchain_stamp(stamp, full);
  const char *takes = digest_now(digest, full, stamp);
  free(full);
  return takes;
}

/* BEGUN: when the compiler was not running yet. A header that was edited since may have been read
 * before or after that, so there is no stamp, and the next link compiles S again. Nor is there one
 * without a depfile, for the headers are not known, nor one if the text takes in a file. */
static void stamp_write(struct step *s, struct timespec begun) {
  struct argv headers = {0};
  struct buf b = {0};
  bool known = read_inputs(s, &headers);
  s->headers = headers_digest(s, &headers);
  s->takes = !s->recorded ? NULL : s->takes ? s->takes : source_takes(s);
  buf_printf(&b, "%s\n", s->headers);
  stamp_make(s, &headers, &b);
  if (known && !s->takes && !header_edited(s, &headers, begun)) {
    char *name = stamp_name(s);
    if (!file_write(name, b.data, b.len, 0666))
      warn("%s: cannot write the stamp, the next link compiles it again: %s", name, strerror(errno));
    free(name);
  }
  argv_free(&headers);
  buf_free(&b);
}

/* ---- running ---- */

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

/* Runs those of JOBS that failed with the launcher once more without it: a launcher that does not
 * work only costs time, and error messages are the compiler's. */
static void run_plain(struct runner *with, struct job *jobs, size_t n) {
  struct job *again = xcalloc(n, sizeof *again);
  struct argv *commands = xcalloc(n, sizeof *commands);
  size_t m = 0;
  for (size_t i = 0; i < n; i++) {
    const struct step *s = jobs[i].user;
    if (!jobs[i].status || !step_launcher_takes(&with->launcher, s))
      continue;
    add_command(&commands[m], s, NULL);
    again[m] = (struct job){.args = commands[m].args, .cwd = s->cwd, .user = &jobs[i]};
    m++;
  }
  pool_run(again, m, with->parallel, NULL, NULL);
  for (size_t i = 0; i < m; i++) {
    struct job *first = again[i].user;
    if (again[i].status == 0)
      step_launcher_failed(&with->launcher, first->user, first->output.len ? first->output.data : "nothing");
    buf_free(&first->output);
    first->output = again[i].output;
    first->status = again[i].status;
    argv_free(&commands[i]);
  }
  free(commands);
  free(again);
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
  struct job *jobs = xcalloc(n, sizeof *jobs);
  struct argv *commands = xcalloc(n, sizeof *commands);
  size_t stale = 0;
  for (size_t i = 0; i < n; i++) {
    struct step *s = &steps[i];
    if ((s->fresh = is_fresh(s)))
      continue;
    char *name = stamp_name(s);
    unlink(name);
    free(name);
    struct argv *c = &commands[stale];
    add_command(c, s, step_launcher_takes(&with->launcher, s) ? &with->launcher : NULL);
    jobs[stale++] = (struct job){.args = c->args, .cwd = s->cwd, .user = s};
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
  free(commands);
  free(jobs);
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
