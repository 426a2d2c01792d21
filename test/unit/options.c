/* options.c - a command line read by a table: order, abbreviations, letters, pairs, commands; and what shells are offered. */
// tier: check
#include "core/base/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A process that refuses its command line, or answers a shell, ends with what it holds. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "detect_leaks=0";
}

struct into {
  bool all, verbose;
  const char *cache, *capture, *id, *kind;
  int jobs;
  struct argv list;
};

enum { BUILD = 1, PACK = 2 };
static const struct option_row rows[] = {
    {"all", NULL, FLAG_INTO(struct into, all), "all of it; or not", .excludes = "list cache-dir"},
    {"verbose", NULL, FLAG_INTO(struct into, verbose), "tell", .letter = 'v'},
    {"cache-dir", "DIR", PATH_INTO(struct into, cache), "the cache", .once = true},
    {"capture", "FILE", TEXT_INTO(struct into, capture), "a capture", .commands = PACK},
    {"id", "HEX", HEX_INTO(struct into, id), "an id", .least = 4, .commands = PACK, .strict = true},
    {"kind", "KIND", CHOICE_INTO(struct into, kind), "a kind", .words = "hip cuda", .needs = "verbose"},
    {"jobs", "N", NUMBER_INTO(struct into, jobs), "how many", .letter = 'j', .least = 1},
    {"list", "FILE", LIST_INTO(struct into, list), "a list"},
    {0},
};
static const char *const names[] = {"build", "pack", NULL};
static struct option_page page = {.where = "p --help",
                                  .usage = "p",
                                  .text = "Text.",
                                  .rows = rows,
                                  .names = names,
                                  .command = "build",
                                  .commands = BUILD,
                                  .operands = "first :files"};
static int bad;

/* What a process prints that reads LINE, words with spaces between them: what it has read, or why it does not. STATUS: its exit
 * status. ASKED: a shell asks. */
static char *answer(const char *line, int status, bool asked) {
  static char text[4096];
  int ends[2], is;
  if (pipe(ends))
    abort();
  pid_t pid = fork();
  if (!pid) {
    dup2(ends[1], 1);
    dup2(ends[1], 2);
    struct argv words = {0};
    argv_add(&words, "p");
    if (asked)
      argv_add(&words, "--complete");
    argv_split(&words, line, strlen(line));
    int argc = (int)words.n;
    char **argv = words.args;
    struct into in = {0};
    options_asked(&argc, &argv);
    char **operands = options_read(&page, &in, argv);
    printf("%s%s%s%s%s%s%d%s", in.all ? "all " : "", in.verbose ? "verbose " : "", in.cache ? in.cache : "",
           in.capture ? in.capture : "", in.id ? in.id : "", in.kind ? in.kind : "", in.jobs,
           in.list.n ? in.list.args[in.list.n - 1] : "");
    for (; *operands; operands++)
      printf(" [%s]", *operands);
    fflush(stdout);
    _exit(0);
  }
  close(ends[1]);
  size_t n = 0;
  for (ssize_t got; (got = read(ends[0], text + n, sizeof text - 1 - n)) > 0;)
    n += (size_t)got;
  text[n] = '\0';
  close(ends[0]);
  waitpid(pid, &is, 0);
  if (!WIFEXITED(is) || WEXITSTATUS(is) != status) {
    fprintf(stderr, "options: '%s' ends with %x: %s\n", line, (unsigned)is, text);
    bad = 1;
  }
  return text;
}

static void reads(const char *line, const char *wanted) {
  const char *got = answer(line, 0, false);
  if (strcmp(got, wanted) != 0) {
    fprintf(stderr, "options: '%s' is read as '%s', not '%s'\n", line, got, wanted);
    bad = 1;
  }
}

static void refuses(const char *line, const char *wanted) {
  const char *got = answer(line, EXIT_USAGE, false);
  if (!strstr(got, wanted)) {
    fprintf(stderr, "options: '%s' is refused with '%s', not '%s'\n", line, got, wanted);
    bad = 1;
  }
}

static void offers(const char *line, const char *wanted) {
  const char *got = answer(line, 0, true);
  if (strcmp(got, wanted) != 0) {
    fprintf(stderr, "options: '%s' is offered '%s', not '%s'\n", line, got, wanted);
    bad = 1;
  }
}

int main(void) {
  reads("a --verb b -j4 - -- --all", "verbose 4 [a] [b] [-] [--all]");
  reads("-vj 4 --color never --list=a --list b", "verbose 4b");
  reads("--c x", "x0"); /* of --cache-dir and --capture, which is of another command, and --color */
  reads("--capture x a", "x0 [a]");
  reads("--kind cuda -v", "verbose cuda0");
  page.stops = true;
  reads("-v -- -j4 --all", "verbose 0 [-j4] [--all]");
  reads("-v make -j4 -- x", "verbose 0 [make] [-j4] [--] [x]");
  page.stops = false;

  refuses("--cache-dir ''", "--cache-dir: expected a name, found an empty word");
  refuses("--cache-dir a --cache-dir b", "--cache-dir: expected once, found 'a' and 'b'");
  refuses("--all --list x", "--all cannot be combined with --list; see p --help");
  refuses("--kind hip", "--kind goes with --verbose; see p --help");
  refuses("-v --kind hop", "--kind 'hop': expected hip or cuda; did you mean 'hip'?");
  refuses("-j 0", "--jobs: expected a number from 1 to 2147483647, found '0'");
  refuses("--id abcd", "build: --id goes with pack");
  refuses("-vx", "unknown option '-x'; see p --help");
  refuses("-verbsoe", "unknown option '-e'");
  refuses("-kind hip", "unknown option '-kind'; did you mean '--kind'? See p --help");
  refuses("-v --all=1", "option '--all' takes no value, found '--all=1'");
  refuses("-vj", "option '-j' needs a value");
  refuses("--col never", "unknown option '--col'");
  page.commands = PACK;
  refuses("--id abcg", "--id 'abcg': expected 4 hexadecimal digits");
  refuses("--id abc", "--id 'abc': expected 4 hexadecimal digits");
  refuses("--ca x", "option '--ca' is ambiguous: --cache-dir, --capture; see p --help");

  offers("''", "first\t1\n");
  offers("a ''", ":files\t2\n");
  offers("--list x --all --verbose --jobs 3 --cache-dir d --kind hip -",
         "--capture\ta capture\n--id\tan id\n--list\ta list\n"
         "--color\tcolour messages: never, always or auto\n--help\tthe options of this command\n");
  offers("--kind ''", "hip\ncuda\n");
  offers("--kind=c", "--kind=hip\n--kind=cuda\n");
  offers("--kind ./", "hip\ncuda\n:files\n");
  offers("--cache-dir x", ":directories\n");
  offers("--list --kind", ":files\n");
  offers("-- --", "first\t1\n");
  return bad;
}
