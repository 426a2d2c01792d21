/* ids.h - one user and one group for a program and all that it starts.
 *
 * A set-user-ID program, and one that a process started after seteuid(2), has another real user
 * than effective user. The effective one decides on files, and shells go back to the real one: a
 * compiler that is a script would write as somebody else. So each program becomes the effective
 * user altogether before it does anything. Supplementary groups stay. Not thread-safe.
 */
#ifndef CKJIT_IDS_H
#define CKJIT_IDS_H

/* Make the real and the saved user and group ids the effective ones. Ends the program if that is
 * impossible. */
void ids_settle(void);

#endif
