/* explain.c - `ckjit explain`: why each unit of a build is, or is not, lazy.
 *
 * The wrapper has written the reason into each record (core/base/reason.h), so nothing is compiled
 * and no source is read; each link has left the outcome of its units (core/files/outcome.h). With
 * --replay the recorded commands are judged again, by the present sources, profile and ckjit.
 */
#include "common.h"
#include "explain.h"
#include "core/base/options.h"
#include "core/base/path.h"
#include "core/base/streams.h"
#include "core/base/trust.h"
#include "core/files/home.h"
#include "core/files/manifest.h"

struct explain {
  const char *profile;
  bool replay, stock, json;
  struct explain_view view;
  char **command; /* after --; NULL if there is none */
};

/* VALUE: words separated by commas. */
static void add_verdicts(void *into, const char *option, const char *value) {
  struct explain *o = into;
  char *expected;
  for (const char *word = value; *word; word += *word == ',') {
    size_t n = strcspn(word, ",");
    char *verdict = xstrndup(word, n);
    if (!explain_is_verdict(verdict, &expected))
      usage_error("explain", "%s: expected %s, found '%s'", option, expected, verdict);
    argv_add_own(&o->view.only, verdict);
    word += n;
  }
}

static const struct option_row rows[] = {
    {"summary", NULL, FLAG_INTO(struct explain, view.summary), "print the summary alone",
     .excludes = "all stock json"},
    {"all", NULL, FLAG_INTO(struct explain, view.all),
     "print every source, however many there are"},
    {"only", "VERDICT", OPTION_CALL, 0,
     "print the sources with this verdict: lazy, ahead (compiled ahead of time), a kind (blob, "
     "host, unit, fragment, "
     "dispatcher), or a rule of the summary, such as macro; several with commas",
     .call = add_verdicts, .words = "lazy ahead blob host unit fragment dispatcher"},
    {"replay", NULL, FLAG_INTO(struct explain, replay),
     "judge the recorded commands again, by the current sources"},
    {"profile", "NAME", PATH_INTO(struct explain, profile),
     "the same with another profile: hip, cuda, or a path with a slash", .words = "hip cuda"},
    {"stock", NULL, FLAG_INTO(struct explain, stock),
     "print commands for a shell: the regular compile of each source, and the command that each "
     "link ran",
     .excludes = "json"},
    {"json", NULL, FLAG_INTO(struct explain, json),
     "print a JSON object on a line for each source"},
    {0},
};
static const struct option_page page = {
    .where = "ckjit explain --help",
    .usage = "ckjit explain DIR|FILE [UNIT…] [OPTION…]\n"
             "       ckjit explain [OPTION…] -- COMPILER ARGUMENT…",
    .text = "Explain why each source of a build is, or is not, compiled lazily: the rule that "
            "decided, the line and declaration that it found, and what the links made of the "
            "source. A summary follows, by rule, with what to do, and one of each library. Of a "
            "build with more than 100 sources only the summary is printed, unless you ask for "
            "more.\n"
            "DIR is a work directory or a fake home, FILE a manifest.json.ndjson, or an object or "
            "archive of the build, which does not know what links made of it. UNIT is a source's "
            "stem, base name or path, or its object. The command after -- is judged and not run.",
    .rows = rows,
    .operands = ":files",
};

/* Returns the operands. */
static char **parse(struct explain *o, char **argv) {
  char **dashes = argv, **operands;
  while (*dashes && strcmp(*dashes, "--") != 0)
    dashes++;
  size_t words = 0, n = 0; /* after the dashes, and with the operands before them */
  while (*dashes && dashes[1 + words])
    words++;
  bool has_command = *dashes;
  operands = options_read(&page, o, argv);
  while (operands[n])
    n++;
  o->command = has_command ? operands + n - words : NULL;
  o->view.form = o->stock ? EXPLAIN_STOCK : o->json ? EXPLAIN_JSON : EXPLAIN_TEXT;
  if (o->command && n > words)
    usage_error("explain", "unexpected argument '%s' beside a command", *operands);
  if (o->command && !*o->command)
    usage_error("explain", "expected a compiler and its arguments after --");
  if (!o->command && !*operands)
    usage_error("explain", "expected a work directory, a " RECORD_FILE ", or -- and a command");
  return operands;
}

/* The compilers that records name are run, so the file must be the user's own. */
static void require_own(const char *name, const char *file) {
  if (file_is_dir(name))
    trust_own(name, "the work directory", "explain a build of your own");
  trust_own(file, "the log of records", "explain a build of your own");
}

/* Die if FILE is a source that was named in place of its command. */
static void require_records(const char *file, bool command_too) {
  size_t len;
  autofree char *text = file_read(file, &len);
  if (!text)
    die(EXIT_FAILED, "%s: cannot read: %s", file, strerror(errno));
  /* of a build that has compiled nothing */
  bool records = len ? manifest_is_records(text, len) || str_starts(text, "{\"ckjit\":")
                     : strcmp(path_base(file), RECORD_FILE) == 0;
  if (!records && command_too)
    die(EXIT_FAILED,
        "%s: holds no records of ckjit's wrapper; for one source give its command: ckjit explain "
        "-- hipcc -c … %s",
        file, path_base(file));
  if (!records)
    die(EXIT_FAILED,
        "%s: holds no records of ckjit's wrapper; expected the work directory of a build, or "
        "its " RECORD_FILE,
        file);
}

char *explain_log(const char *name, bool command_too) {
  char *file = path_join(name, RECORD_FILE), *conf = path_join(name, HOME_FILE), *err;
  if (!file_exists(name))
    die(EXIT_FAILED, "%s: %s; expected a work directory%s its " RECORD_FILE "%s", name,
        strerror(errno), command_too ? "," : ", or", command_too ? ", or -- and a command" : "");
  if (!file_is_dir(name)) {
    file = xstrdup(name);
  } else if (!file_exists(file) && file_exists(conf)) {
    struct home *h = home_read(name, &err);
    if (!h)
      die(EXIT_FAILED, "%s", err);
    file = path_join(h->work, RECORD_FILE);
  }
  if (!file_exists(file))
    die(EXIT_FAILED,
        "%s: is not a work directory: it has no " RECORD_FILE "; expected DIR of `ckjit home`, its "
        "work, or --tmp-dir of a full build",
        name);
  require_records(file, command_too);
  require_own(name, file);
  return file;
}

/* The fake home of FILE's work directory, for its profile; NULL if not known. */
static char *home_of(const char *file) {
  autofree char *abs = path_abs(file), *work = path_dir(abs), *dir = path_dir(work),
                *conf = path_join(dir, HOME_FILE);
  return file_exists(conf) ? xstrdup(dir) : NULL;
}

int build_explain(char **argv) {
  struct explain o = {0};
  struct explanation e = {0};
  char **operands = parse(&o, argv);
  if (o.command) {
    explain_command(&e, o.profile, o.command);
  } else {
    const char *name = options_path("explain", operands[0]);
    bool object = explain_read_object(&e, name);
    autofree char *file = object ? xstrdup(name) : explain_log(name, true);
    if (object)
      require_own(name, file);
    else
      explain_read(&e, file);
    explain_sort(&e);
    explain_select(&e, operands + 1, file);
    o.view.all |= operands[1] != NULL;
    autofree char *home = home_of(file), *work = path_dir(file);
    if (!object)
      explain_links(&e, work);
    explain_judge(&e, o.profile, home, !o.replay && !o.profile);
  }
  explain_print(&e, &o.view);
  streams_answered();
  return EXIT_OK;
}
