/* log.h - the log of a compile. It is kept if the compile failed.
 *
 * Kept as <cache>/.logs/<stem>.log, without a cache as <output>.log.
 */
#ifndef CKJIT_COMPILE_LOG_H
#define CKJIT_COMPILE_LOG_H

#include "task.h"

/* Append the last lines of the file LOG to OUT, each indented, beginning at byte FROM; or that
 * there are none. */
void log_last_lines(struct buf *out, const char *log, off_t from);
/* Keep LOG, its middle left out if it is long, and append its final place to the message *ERR. An
 * empty log, or one that there is no place for, is not named. */
void log_keep(const struct compile_task *t, const char *log, char **err);
/* the log in a temporary directory if the compile runs the driver's steps itself */
#define LOG_OF_STEPS "steps-log"
/* A compile in TEMPORARY succeeded: if T is verbose, print LOG, or else that of the steps. It has
 * the compilers' warnings. */
void log_show(const struct compile_task *t, const char *log, const char *temporary);

#endif
