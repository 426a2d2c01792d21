/* explain.c - `ckjit explain`: why each unit of a build is lazy or is not.
 *
 * The wrapper has written the reason into each record (core/base/reason.h), so nothing is compiled and no source is
 * read; each link has left what it made of its units (core/files/outcome.h). With --replay the recorded commands are
 * judged again, by the sources, the profile and the ckjit of now.
 */
#include "build.h"
#include "explain.h"
#include "core/base/options.h"
#include "core/base/path.h"
#include "core/base/streams.h"
#include "core/base/trust.h"
#include "core/files/home.h"
#include "core/files/manifest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void help(void) {
  puts("usage: ckjit explain DIR|FILE [UNIT…] [OPTION…]\n"
       "       ckjit explain [OPTION…] -- COMPILER ARGUMENT…\n"
       "\n"
       "Explain why each source of a build is, or is not, compiled lazily: the rule that decided,\n"
       "the line and declaration that it found, and what the links made of the source. A summary\n"
       "follows, by rule, with what to do, and one of each library. Of a build with more than 100\n"
       "sources only the summary is printed, unless you ask for more.\n"
       "DIR is a work directory or a fake home, FILE a manifest.json.ndjson. UNIT is a source's\n"
       "stem, base name or path. The command after -- is judged and not run.\n"
       "\n"
       "  --summary         print the summary alone\n"
       "  --all             print every source, however many there are\n"
       "  --only VERDICT    print the sources with this verdict: lazy, ahead (compiled ahead of time),\n"
       "                    a kind (blob, host, unit, fragment, dispatcher), or a rule of the summary,\n"
       "                    such as macro; several with commas\n"
       "  --replay          judge the recorded commands again, by the current sources\n"
       "  --profile NAME    the same with another profile: hip, cuda, or a path with a slash\n"
       "  --stock           print commands for a shell: the regular compile of each source, and the\n"
       "                    command that each link ran\n"
       "  --json            print a JSON object on a line for each source\n"
       "  --color WHEN      colour messages: never, always or auto (default: on a terminal,\n"
       "                    unless NO_COLOR is set)\n"
       "  --help");
}

struct explain {
  const char *profile;
  bool replay;
  struct explain_view view;
  char **command; /* after --; NULL if there is none */
};

/* TEXT, given for --only: words with commas between them */
static void add_verdicts(struct explain_view *view, const char *text) {
  char *expected;
  for (const char *word = text; *word; word += *word == ',') {
    size_t n = strcspn(word, ",");
    char *verdict = xstrndup(word, n);
    if (!explain_is_verdict(verdict, &expected))
      usage_error("explain", "--only: expected %s, found '%s'", expected, verdict);
    argv_add_own(&view->only, verdict);
    word += n;
  }
}

static void parse(struct explain *o, int argc, char **argv) {
  static const struct option options[] = {
      {"replay", no_argument, NULL, 'r'},
      {"profile", required_argument, NULL, 'p'},
      {"stock", no_argument, NULL, 's'},
      {"json", no_argument, NULL, 'j'},
      {"summary", no_argument, NULL, 'S'},
      {"all", no_argument, NULL, 'a'},
      {"only", required_argument, NULL, 'o'},
      {"help", no_argument, NULL, 'h'},
      {0},
  };
  for (int i = 1; i < argc && !o->command; i++)
    if (strcmp(argv[i], "--") == 0)
      o->command = argv + i + 1;
  int n = o->command ? (int)(o->command - argv) - 1 : argc; /* what comes after it is the compiler's */
  for (int c; (c = options_next(n, argv, "h", options, "ckjit explain --help")) != -1;) {
    if (c == 'r')
      o->replay = true;
    else if (c == 'p')
      o->profile = options_path("--profile", optarg);
    else if (c == 's' || c == 'j') {
      if (o->view.form != EXPLAIN_TEXT)
        usage_error("explain", "--stock and --json are two forms of the answer; choose one");
      o->view.form = c == 's' ? EXPLAIN_STOCK : EXPLAIN_JSON;
    } else if (c == 'S') {
      o->view.summary = true;
    } else if (c == 'a') {
      o->view.all = true;
    } else if (c == 'o') {
      add_verdicts(&o->view, optarg);
    } else if (c == 'h') {
      help();
      exit(streams_answered());
    }
  }
  if (o->view.summary && (o->view.all || o->view.form != EXPLAIN_TEXT))
    usage_error("explain", "--summary prints no source; expected it without --all, --stock and --json");
  if (o->command && optind < n)
    usage_error("explain", "unexpected argument '%s' beside a command", argv[optind]);
  if (o->command && !*o->command)
    usage_error("explain", "expected a compiler and its arguments after --");
  if (!o->command && optind >= n)
    usage_error("explain", "expected a work directory, a " RECORD_FILE ", or -- and a command");
}

/* The compilers that records name are asked. */
static void require_own(const char *name, const char *file) {
  if (file_is_dir(name))
    trust_own(name, "the work directory", "explain a build of your own");
  trust_own(file, "the log of records", "explain a build of your own");
}

/* A source that was named in place of its command. */
static void require_records(const char *file, bool command_too) {
  size_t len;
  char *text = file_read(file, &len);
  if (!text)
    die(EXIT_FAILED, "%s: cannot read: %s", file, strerror(errno));
  bool records = len ? manifest_is_records(text, len) || str_starts(text, "{\"ckjit\":")
                     : strcmp(path_base(file), RECORD_FILE) == 0; /* of a build that has compiled nothing */
  if (!records && command_too)
    die(EXIT_FAILED,
        "%s: holds no records of ckjit's wrapper; for one source give its command: ckjit explain -- hipcc "
        "-c … %s",
        file, path_base(file));
  if (!records)
    die(EXIT_FAILED,
        "%s: holds no records of ckjit's wrapper; expected the work directory of a build, or its " RECORD_FILE,
        file);
  free(text);
}

char *explain_log(const char *name, bool command_too) {
  char *file = path_join(name, RECORD_FILE), *conf = path_join(name, HOME_FILE), *err;
  if (!file_exists(name))
    die(EXIT_FAILED, "%s: %s; expected a work directory%s its " RECORD_FILE "%s", name, strerror(errno),
        command_too ? "," : ", or", command_too ? ", or -- and a command" : "");
  if (!file_is_dir(name)) {
    free(file);
    file = xstrdup(name);
  } else if (!file_exists(file) && file_exists(conf)) {
    struct home *h = home_read(name, &err);
    if (!h)
      die(EXIT_FAILED, "%s", err);
    free(file);
    file = path_join(h->work, RECORD_FILE);
    home_free(h);
  }
  free(conf);
  if (!file_exists(file))
    die(EXIT_FAILED,
        "%s: is not a work directory: it has no " RECORD_FILE "; expected DIR of `ckjit home`, its work, or "
        "--tmp-dir of a full build",
        name);
  require_records(file, command_too);
  require_own(name, file);
  return file;
}

/* The fake home that the work directory of FILE belongs to, for its profile; NULL if not known. */
static char *home_of(const char *file) {
  char *abs = path_abs(file), *work = path_dir(abs), *dir = path_dir(work), *conf = path_join(dir, HOME_FILE);
  char *home = file_exists(conf) ? xstrdup(dir) : NULL;
  free(abs);
  free(work);
  free(dir);
  free(conf);
  return home;
}

int build_explain(int argc, char **argv) {
  struct explain o = {0};
  struct explanation e = {0};
  parse(&o, argc, argv);
  if (o.command) {
    explain_command(&e, o.profile, o.command);
  } else {
    char *file = explain_log(options_path("explain", argv[optind]), true);
    explain_read(&e, file);
    explain_sort(&e);
    explain_select(&e, argv + optind + 1, (size_t)(argc - optind - 1), file);
    o.view.all |= argc - optind > 1;
    char *home = home_of(file), *work = path_dir(file);
    explain_links(&e, work);
    explain_judge(&e, o.profile, home, !o.replay && !o.profile);
    free(work);
    free(home);
    free(file);
  }
  explain_print(&e, &o.view);
  argv_free(&o.view.only);
  explain_free(&e);
  streams_answered();
  return EXIT_OK;
}
