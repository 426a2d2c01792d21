#include "log.h"
#include "core/base/path.h"
#include "abi/ck_jit_entry.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  /* of the compiler's output in a message */
  LAST_LINES = 20,
  /* of them at most: one line of a template error can have 10 kB */
  LAST_BYTES = 6 * 1024,
  /* bytes kept of each end of a log that is longer than four of them */
  LOG_END = 1 << 20,
};

/* Appends the last lines of the file after FROM, each indented. */
void log_last_lines(struct buf *out, const char *log, off_t from) {
  char text[LAST_BYTES + 1];
  autoclose fd = open(log, O_RDONLY | O_CLOEXEC);
  struct stat st;
  if (fd < 0)
    return;
  off_t start = fstat(fd, &st) == 0 && st.st_size - from > LAST_BYTES ? st.st_size - LAST_BYTES : from;
  ssize_t n = pread(fd, text, LAST_BYTES, start);
  while (n > 0 && text[n - 1] == '\n')
    n--;
  if (n <= 0) {
    buf_puts(out, "\nit printed nothing");
    return;
  }
  text[n] = 0;
  char *line = text + n;
  for (int lines = 0; line > text; line--)
    if (line[-1] == '\n' && ++lines == LAST_LINES)
      break;
  buf_puts(out, "\nits last lines:");
  while (line) {
    char *end = strchr(line, '\n');
    buf_printf(out, "\n  %.*s", end ? (int)(end - line) : (int)strlen(line), line);
    line = end ? end + 1 : NULL;
  }
}

/* Leave the middle of LOG out: a compiler in a loop writes until the disk is full. */
static void shorten(const char *log) {
  static const char cut[] = "\n[... ckjit left out the middle of this log ...]\n";
  struct stat st;
  autofree char *end = xmalloc(LOG_END);
  autoclose fd = open(log, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 4 * (off_t)LOG_END &&
      ckjit_pread_all(fd, end, LOG_END, (uint64_t)st.st_size - LOG_END)) {
    /* in place, for there may be no room for another file */
    const size_t n = sizeof cut - 1;
    if (pwrite(fd, cut, n, LOG_END) == (ssize_t)n &&
        pwrite(fd, end, LOG_END, LOG_END + (off_t)n) == LOG_END && ftruncate(fd, 2 * LOG_END + (off_t)n))
      warn("%s: cannot be shortened: %s", log, strerror(errno));
  }
}

/* On a full disk not even the command could be written into it. */
static bool is_empty(const char *log) {
  struct stat st;
  return stat(log, &st) || st.st_size == 0;
}

/* its final place; NULL: it has none. free() it */
static char *keep(const struct compile_task *t, const char *log) {
  char *kept;
  if (t->output_fd >= 0)
    return NULL; /* its last lines are in the message, and nothing stays */
  if (t->cache) {
    autofree char *logs = path_join(t->dir, CKJIT_LOGS);
    dir_make_own(logs);
    kept = xasprintf("%s/%s.log", logs, t->stem);
  } else {
    kept = xasprintf("%s.log", t->output);
  }
  shorten(log);
  if (rename(log, kept) == 0)
    return kept;
  free(kept);
  return NULL;
}

void log_keep(const struct compile_task *t, const char *log, char **err) {
  autofree char *kept = is_empty(log) ? NULL : keep(t, log);
  if (!kept)
    return;
  char *whole = xasprintf("%s\nlog: %s", *err, kept);
  free(*err);
  *err = whole;
}

void log_show(const struct compile_task *t, const char *log, const char *temporary) {
  if (!t->verbose)
    return;
  size_t len;
  autofree char *steps = path_join(temporary, LOG_OF_STEPS);
  const char *shown = file_exists(log) ? log : steps;
  if (is_empty(shown))
    return;
  shorten(shown);
  autofree char *text = file_read(shown, &len);
  if (text && len)
    note("%s: its compilers' log:\n%.*s", t->stem, (int)(len - (text[len - 1] == '\n')), text);
}
