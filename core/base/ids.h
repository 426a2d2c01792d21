/* ids.h - one user and one group for a program and its children.
 *
 * A set-user-ID program, and one that a process started after seteuid(2), has a real user that
 * differs from its effective user. The effective one decides on files, but shells return to the
 * real one: a compiler that is a script would write as another user. So each program makes the
 * effective user its only one before it does anything else. Supplementary groups stay. Not
 * thread-safe.
 */
#ifndef CKJIT_IDS_H
#define CKJIT_IDS_H

/* Make the real and the saved user and group ids the effective ones. Ends the program if that is
 * impossible. */
void ids_settle(void);

#endif
