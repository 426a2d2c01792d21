/* handover.h - a compile whose first result is enough for whoever waits for it, and which goes on. */
#ifndef CKJIT_COMPILE_HANDOVER_H
#define CKJIT_COMPILE_HANDOVER_H

/* Go on in another process, which is not the child of whoever started us. This one waits for its end, and ends as it does: with its
 * status, or by its signal. Without another process we go on as we are, and nothing is handed over. */
void handover_start(void);
/* The requested result is available: the original process exits 0, and our further output is discarded. */
void handover_now(void);
/* The same for a process that only keeps one (keeper.h): it says nothing from here on, so that its output does not keep anybody waiting. */
void handover_silence(void);

#endif
