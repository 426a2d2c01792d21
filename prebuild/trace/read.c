/* read.c - reads a file of CK_JIT_TRACE, a line at a time, because it may be too large for memory.
 *
 * The first line has to be an event, or the file is not a trace. After that, lines that are not
 * events are skipped and counted: a full disk leaves half a line, and everything before and after
 * it is good. A last line without its end comes from a process that is writing, or from a copy that
 * was cut off. */
#include "events.h"

#include <jansson.h>
#include <sys/stat.h>

#include "core/base/vec.h"

enum { LINE = 1 << 16 }; /* ckjit's have at most 4096; Chrome's may be longer */

const char *trace_text(const struct trace *t, uint32_t text) {
  return t->texts.texts.args[text];
}

bool span_is(const struct trace *t, const struct span *s, const char *category) {
  return strcmp(trace_text(t, s->category), category) == 0;
}

static uint32_t text_of(struct trace *t, const char *text) {
  return (uint32_t)intern(&t->texts, text ? text : "");
}

/* ---- one event ---- */

static uint32_t process_of(struct trace *t, int64_t pid) {
  char key[32];
  snprintf(key, sizeof key, "%lld", (long long)pid);
  size_t i = intern(&t->pids, key);
  if (i == t->nprocesses)
    vec_push(t->processes, t->nprocesses, (struct process){0});
  return (uint32_t)i;
}

static bool is_success(const struct trace *t, const struct span *s) {
  const char *status = trace_text(t, s->status);
  return !*status || strcmp(status, "0") == 0 || strcmp(status, "skipped") == 0 ||
         span_is(t, s, "look up");
}

static uint32_t member(struct trace *t, json_t *object, const char *key) {
  return text_of(t, json_string_value(json_object_get(object, key)));
}

static bool add_span(struct trace *t, json_t *e, int64_t pid, int64_t tid) {
  json_t *ts = json_object_get(e, "ts"), *dur = json_object_get(e, "dur"),
         *args = json_object_get(e, "args");
  const double most = 1e15; /* thirty years */
  if (!json_is_number(ts) || !json_is_number(dur) || json_number_value(ts) < 0 ||
      json_number_value(dur) < 0 || json_number_value(ts) > most || json_number_value(dur) > most)
    return false;
  const char *processor = json_string_value(json_object_get(args, "processor_seconds"));
  struct span s = {
      .start = (uint64_t)json_number_value(ts),
      .took = (uint64_t)json_number_value(dur),
      .pid = pid,
      .tid = tid,
      .process = process_of(t, pid),
      .category = member(t, e, "cat"),
      .name = member(t, e, "name"),
      .stem = member(t, args, "stem"),
      .status = member(t, args, "status"),
      .processor = processor ? strtod(processor, NULL) : 0,
  };
  uint64_t end = s.start + s.took;
  s.failed = !is_success(t, &s);
  t->processes[s.process].compiles |= span_is(t, &s, "step");
  t->start = !t->nspans || s.start < t->start ? s.start : t->start;
  t->end = end > t->end ? end : t->end;
  vec_push(t->spans, t->nspans, s);
  return true;
}

/* The event that begins a file has its time, host and command; the first of several counts. */
static void add_origin(struct trace *t, json_t *args) {
  if (t->seconds || t->host || t->command)
    return;
  t->seconds = member(t, args, "seconds");
  t->host = member(t, args, "host");
  t->command = member(t, args, "command");
}

static bool add_event(struct trace *t, json_t *e) {
  const char *phase = json_string_value(json_object_get(e, "ph")),
             *name = json_string_value(json_object_get(e, "name"));
  json_t *pid = json_object_get(e, "pid"), *tid = json_object_get(e, "tid");
  if (!phase || !name || !json_is_integer(pid) || !json_is_integer(tid))
    return false;
  if (strcmp(phase, "X") == 0)
    return add_span(t, e, json_integer_value(pid), json_integer_value(tid));
  if (strcmp(phase, "i") == 0 && strcmp(name, "trace") == 0)
    add_origin(t, json_object_get(e, "args"));
  if (strcmp(phase, "M") == 0 && strcmp(name, "process_name") == 0) {
    uint32_t process = process_of(t, json_integer_value(pid));
    t->processes[process].name = member(t, json_object_get(e, "args"), "name");
  }
  return true;
}

/* ---- lines ---- */

/* LINE without the characters that join it to the others, in place. */
static char *bare(char *line) {
  size_t n = strlen(line);
  while (n && strchr(" \t\r\n", line[n - 1]))
    line[--n] = '\0';
  line += strspn(line, " \t\r");
  return line + (*line == '[' || *line == ',');
}

static bool add_line(struct trace *t, char *line) {
  char *text = bare(line);
  if (!*text || strcmp(text, "]") == 0)
    return true;
  json_t *e = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
  bool good = json_is_object(e) && add_event(t, e);
  json_decref(e);
  return good;
}

static bool not_a_trace(char **err, const char *file, const char *why) {
  *err = xasprintf("%s: %s; expected a file of CK_JIT_TRACE, or of ckjit full --trace", file, why);
  return false;
}

/* Read the next line of IN into LINE, without its end. Returns its length, which may exceed LINE;
 * -1 at the end. */
static long next_line(FILE *in, char *line, bool *ends) {
  long n = 0;
  int c;
  while ((c = getc_unlocked(in)) != EOF && c != '\n') {
    if (n < LINE - 1)
      line[n] = (char)c;
    n++;
  }
  *ends = c == '\n';
  line[n < LINE ? n : LINE - 1] = '\0';
  return n || *ends ? n : -1;
}

/* Read all lines of IN; false if the first one is not an event. */
static bool read_lines(struct trace *t, FILE *in) {
  autofree char *line = xmalloc(LINE);
  bool began = false, ends;
  for (long n; (n = next_line(in, line, &ends)) >= 0;) {
    if (!began && *line != '[')
      break;
    if (n < LINE && (size_t)n == strlen(line) && add_line(t, line)) {
      began = true;
    } else if (!ends) {
      t->cut = true;
    } else if (!began) {
      break;
    } else {
      t->damaged++;
    }
  }
  return began;
}

bool trace_read(struct trace *t, const char *file, char **err) {
  bool is_stdin = strcmp(file, "-") == 0;
  struct stat st;
  FILE *in = is_stdin ? stdin : fopen(file, "re");
  if (is_stdin)
    file = "standard input";
  if (!in) {
    *err = xasprintf("%s: cannot be read: %s", file, strerror(errno));
    return false;
  }
  text_of(t, "");
  if (fstat(fileno(in), &st) == 0 && S_ISDIR(st.st_mode))
    errno = EISDIR;
  else
    errno = 0;
  bool began = !errno && read_lines(t, in);
  int error = errno == EISDIR ? EISDIR : ferror(in) ? errno : 0;
  bool empty = !began && !error && fseek(in, 0, SEEK_END) == 0 && ftell(in) == 0;
  if (!is_stdin)
    fclose(in);
  if (error) {
    *err = xasprintf("%s: cannot be read: %s", file, strerror(error));
    return false;
  }
  if (empty)
    return not_a_trace(err, file, "is empty");
  if (!began)
    return not_a_trace(err, file,
                       t->cut ? "ends within its first event"
                              : "its first line is no event of a trace");
  if (!t->nspans)
    return not_a_trace(err, file, "has no call, compile or other span yet");
  return true;
}

void trace_free(struct trace *t) {
  intern_free(&t->texts);
  intern_free(&t->pids);
  free(t->spans);
  free(t->processes);
}
