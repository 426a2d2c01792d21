#include "message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

const char *program_name = "ckjit";
void (*message_before)(void);

enum severity { SEVERITY_ERROR, SEVERITY_WARNING, SEVERITY_NOTE };

/* clang's colours. The colour of a note is that of clang 16 and later; before it was black, which
 * is invisible on a dark terminal. The text of a note is not bold. */
static const struct {
  const char *word, *color, *text;
} severities[] = {
    [SEVERITY_ERROR] = {"error: ", COLOR_ERROR, COLOR_BOLD},
    [SEVERITY_WARNING] = {"warning: ", COLOR_WARNING, COLOR_BOLD},
    [SEVERITY_NOTE] = {"note: ", "\033[0;1;36m", ""},
};

static enum { COLOR_AUTO, COLOR_NEVER, COLOR_ALWAYS } color;

bool message_color(const char *when) {
  static const char *const names[] = {"auto", "never", "always"};
  for (int i = 0; i < 3; i++)
    if (strcmp(when, names[i]) == 0) {
      color = i;
      return true;
    }
  return false;
}

void message_color_of_compiler(char *const *args) {
  for (; *args; args++) {
    if (strcmp(*args, "-fcolor-diagnostics") == 0 || strcmp(*args, "-fdiagnostics-color") == 0)
      color = COLOR_ALWAYS;
    else if (strcmp(*args, "-fno-color-diagnostics") == 0 ||
             strcmp(*args, "-fno-diagnostics-color") == 0)
      color = COLOR_NEVER;
    else if (strncmp(*args, "-fdiagnostics-color=", strlen("-fdiagnostics-color=")) == 0)
      message_color(*args + strlen("-fdiagnostics-color="));
  }
}

static bool is_colored(int fd) {
  if (color != COLOR_AUTO)
    return color == COLOR_ALWAYS;
  const char *term = getenv("TERM");
  return term && *term && strcmp(term, "dumb") != 0 && isatty(fd);
}

/* no-color.org: any value but the empty one counts. */
static bool is_plain(void) {
  const char *plain = getenv("NO_COLOR");
  return color == COLOR_AUTO && plain && *plain;
}

bool message_compiler_is_colored(void) {
  return is_colored(STDERR_FILENO);
}

bool message_is_colored(void) {
  return is_colored(STDERR_FILENO) && !is_plain();
}

bool message_output_is_colored(void) {
  return is_colored(STDOUT_FILENO) && !is_plain();
}

static void add(struct iovec *out, int *n, const char *text, size_t len) {
  out[(*n)++] = (struct iovec){(char *)text, len};
}

/* A message of usual length allocates nothing: it may report that memory ran out. */
static void print(enum severity severity, const char *fmt, va_list ap) {
  char small[2048], *text = small;
  va_list copy;
  va_copy(copy, ap);
  int n = vsnprintf(small, sizeof small, fmt, copy);
  va_end(copy);
  if (n >= (int)sizeof small) {
    text = malloc((size_t)n + 1);
    if (text)
      vsnprintf(text, (size_t)n + 1, fmt, ap);
  }
  if (!text)
    text = small; /* the beginning is better than nothing */
  if (message_before)
    message_before();
  bool colored = message_is_colored();
  /* A command, a list or a compiler's output follows the first line: not bold. */
  size_t first = strcspn(text, "\n");
  struct iovec out[10];
  int parts = 0;
  add(out, &parts, program_name, strlen(program_name));
  add(out, &parts, ": ", 2);
  add(out, &parts, severities[severity].color, colored ? strlen(severities[severity].color) : 0);
  add(out, &parts, severities[severity].word, strlen(severities[severity].word));
  add(out, &parts, COLOR_RESET, colored ? strlen(COLOR_RESET) : 0);
  add(out, &parts, severities[severity].text, colored ? strlen(severities[severity].text) : 0);
  add(out, &parts, text, first);
  add(out, &parts, COLOR_RESET, colored ? strlen(COLOR_RESET) : 0);
  add(out, &parts, text + first, strlen(text + first));
  add(out, &parts, "\n", 1);
  while (writev(STDERR_FILENO, out, parts) < 0 && errno == EINTR)
    ;
  if (text != small)
    free(text);
}

void die(int status, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  print(SEVERITY_ERROR, fmt, ap);
  va_end(ap);
  exit(status);
}

void complain(const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  print(SEVERITY_ERROR, fmt, ap);
  va_end(ap);
}

void warn(const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  print(SEVERITY_WARNING, fmt, ap);
  va_end(ap);
}

void note(const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  print(SEVERITY_NOTE, fmt, ap);
  va_end(ap);
}
