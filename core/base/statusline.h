/* statusline.h - one line on the terminal of standard output that is drawn anew in place, for the user who waits.
 *
 *     / 1m03s fwd 12/120, bwd 40/360, 8m20s left
 *
 * A sign that moves, the time since status_line_start(), and the caller's text. There is one line a process. It is cut to the width of
 * the terminal, which is asked each time. A message (message.h) erases it first, and so does the end of the process. Thread safety: main
 * thread only.
 */
#ifndef CKJIT_STATUSLINE_H
#define CKJIT_STATUSLINE_H

#include "base.h"

/* Is standard output a terminal on which a line can be redrawn and that is not of a rank of Open MPI, and did the user not opt out (TERM=dumb,
 * NO_COLOR)? */
bool status_line_wanted(void);
/* The time in the line counts from now. Without this call it counts from the first line. */
void status_line_start(void);
/* Draw TEXT, in place of the line that is there. The caller does so again as long as it waits, for sign and time to move. */
void status_line_draw(const char *text);
/* The same, for a caller who works: the line moves by itself (a thread) until it is drawn anew or erased. */
void status_line_busy(const char *text);
/* Erase the line if it is on the screen. Call it before any other output to standard output. */
void status_line_clear(void);
/* Leave the text of the line, without sign and time, and go to the next. */
void status_line_keep(void);

/* "1h02m", "3m20s", "12s" */
void status_line_time(char out[32], double seconds);

#endif
