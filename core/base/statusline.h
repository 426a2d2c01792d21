/* statusline.h - one line on the terminal of standard output that is drawn anew in place, for the user who waits.
 *
 * There is one a process. It is cut to the width of the terminal, which is asked each time, and a message (message.h) erases it first. Thread
 * safety: main thread only.
 */
#ifndef CKJIT_STATUSLINE_H
#define CKJIT_STATUSLINE_H

#include "base.h"

/* Is standard output a terminal on which a line can be redrawn and that is not of a rank of Open MPI, and did the user not opt out (TERM=dumb,
 * NO_COLOR)? */
bool status_line_wanted(void);
/* Draw TEXT, in place of the line that is there. */
void status_line_draw(const char *text);
/* Erase the line if it is on the screen. Call it before any other output to standard output. */
void status_line_clear(void);
/* Leave the line as it is, and go to the next. */
void status_line_keep(void);

/* "1h02m", "3m20s", "12s" */
void status_line_time(char out[32], double seconds);

#endif
