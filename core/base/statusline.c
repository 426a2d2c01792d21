/* statusline.c - see statusline.h. */
#include "statusline.h"
#include "abi/ck_jit_clock.h"
#include "abi/ck_jit_utf8.h"

#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
  WIDTH = 80,       /* if the terminal does not report it */
  WIDTH_MAX = 1000, /* nobody reads further */
};

static bool drawn;       /* it is on the screen now */
static char *shown;      /* the text of the line */
static double began = 0; /* ckjit_seconds; 0: not yet */

/* The thread that draws a busy line. It sleeps on the condition, and ends when busy is false. */
static pthread_t drawer;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static bool busy;

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
  /* no-color.org: any value but the empty one */
  const char *term = getenv("TERM"), *plain = getenv("NO_COLOR");
  /* Open MPI's mpirun gives each rank a separate terminal, even if mpirun writes to a file, and
   * mixes their output. */
  if (getenv("OMPI_COMM_WORLD_RANK"))
    return false;
  return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb") != 0 && !(plain && *plain);
}

static size_t columns(void) {
  struct winsize size;
  size_t n = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : WIDTH;
  return n < WIDTH_MAX ? n : WIDTH_MAX;
}

/* Append TEXT, cut to WIDTH columns with "…" at the end if it is longer. A character outside ASCII
 * counts as two columns: which ones are wide differs from terminal to terminal. Control characters
 * and invalid bytes become a question mark. */
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

static void paint(bool moving) {
  autofree_buf line = {0}, text = {0};
  if (moving) {
    char time[32];
    double now = ckjit_seconds();
    enum { SIGN_MS = 100 };
    status_line_time(time, now - began);
    buf_printf(&text, "%c %s ", "|/-\\"[(unsigned long)(now * 1000 / SIGN_MS) % 4], time);
  }
  buf_puts(&text, shown);
  buf_puts(&line, "\r");
  add_cut(&line, text.data, columns() - 1); /* writing to the last column would wrap the line */
  buf_puts(&line, "\033[K");
  fwrite(line.data, 1, line.len, stdout);
  fflush(stdout);
}

static void *draw_until_done(void *unused) {
  enum { TICK_NS = 200000000 };
  (void)unused;
  pthread_mutex_lock(&lock);
  while (busy) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += TICK_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&wake, &lock, &until);
    if (busy)
      paint(true);
  }
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void stop_drawer(void) {
  if (!busy)
    return;
  pthread_mutex_lock(&lock);
  busy = false;
  pthread_cond_signal(&wake);
  pthread_mutex_unlock(&lock);
  pthread_join(drawer, NULL);
}

void status_line_start(void) {
  began = ckjit_seconds();
}

void status_line_draw(const char *text) {
  static bool erases;
  stop_drawer();
  if (!erases) {
    erases = true;
    atexit(status_line_clear);
  }
  if (began <= 0)
    status_line_start();
  free(shown);
  shown = xstrdup(text);
  paint(true);
  drawn = true;
  message_before = status_line_clear;
}

/* Signals are for the main thread. */
void status_line_busy(const char *text) {
  sigset_t all, before;
  status_line_draw(text);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  busy = true;
  if (pthread_create(&drawer, NULL, draw_until_done, NULL)) /* then the line does not move */
    busy = false;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void status_line_clear(void) {
  stop_drawer();
  if (drawn)
    fputs("\r\033[K", stdout);
  fflush(stdout);
  drawn = false;
}

void status_line_keep(void) {
  stop_drawer();
  if (drawn) {
    paint(false);
    putchar('\n');
  }
  fflush(stdout);
  drawn = false;
}
