#include "statusline.h"
#include "abi/ck_jit_utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
  WIDTH = 80,       /* if the terminal does not say */
  WIDTH_MAX = 1000, /* nobody reads further */
};

static bool drawn; /* it is on the screen now */

void status_line_time(char out[32], double seconds) {
  unsigned long s = (unsigned long)seconds;
  if (s >= 3600)
    snprintf(out, 32, "%luh%02lum", s / 3600, s / 60 % 60);
  else if (s >= 60)
    snprintf(out, 32, "%lum%02lus", s / 60, s % 60);
  else
    snprintf(out, 32, "%lus", s);
}

bool status_line_wanted(void) {
  const char *term = getenv("TERM"), *plain = getenv("NO_COLOR"); /* no-color.org: anything but empty */
  /* Open MPI's mpirun gives each rank a terminal of its own, even if mpirun writes to a file, and mixes what the ranks write. */
  if (getenv("OMPI_COMM_WORLD_RANK"))
    return false;
  return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb") != 0 && !(plain && *plain);
}

static size_t columns(void) {
  struct winsize size;
  size_t n = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : WIDTH;
  return n < WIDTH_MAX ? n : WIDTH_MAX;
}

/* Append TEXT, cut to WIDTH columns with "…" at the end if it is longer. A character outside ASCII counts as
 * two columns: which ones are wide differs from terminal to terminal. Control characters and invalid bytes
 * become a question mark. */
static void add_cut(struct buf *out, const char *text, size_t width) {
  size_t used = 0, fits = out->len;
  while (*text) {
    size_t n = ckjit_utf8(text, strlen(text));
    unsigned char c = (unsigned char)*text;
    bool control = c < 0x20 || c == 0x7f || (c == 0xc2 && (unsigned char)text[1] < 0xa0);
    size_t wide = n > 1 && !control ? 2 : 1;
    if (used + wide > width) {
      out->len = fits;
      buf_puts(out, width ? "…" : "");
      return;
    }
    if (!n || control)
      buf_putc(out, '?');
    else
      buf_add(out, text, n);
    used += wide;
    if (used < width)
      fits = out->len;
    text += n ? n : 1;
  }
}

void status_line_draw(const char *text) {
  struct buf line = {0};
  buf_puts(&line, "\r");
  add_cut(&line, text, columns() - 1); /* writing to the last column would wrap the line */
  buf_puts(&line, "\033[K");
  fwrite(line.data, 1, line.len, stdout);
  fflush(stdout);
  drawn = true;
  message_before = status_line_clear;
  buf_free(&line);
}

void status_line_clear(void) {
  if (drawn)
    fputs("\r\033[K", stdout);
  fflush(stdout);
  drawn = false;
}

void status_line_keep(void) {
  if (drawn)
    putchar('\n');
  fflush(stdout);
  drawn = false;
}
