/* flags.h - the arguments of a recorded compile: which words make the code what it is, which only
 * say where it goes, and the commands that are made of them.
 *
 * All of postbuild asks here what a record's arguments say. Records must have been scanned
 * (record_scan). Functions with OUT append to it. Thread safety: no shared state.
 */
#ifndef CKJIT_FLAGS_H
#define CKJIT_FLAGS_H

#include "core/cc/compiler.h"
#include "core/files/record.h"

/* ---- what they say ---- */

/* all words but the source, -c, -o and depfile options */
void flags_code(struct argv *out, const struct record *r);
/* The flags with which a blob is compiled on its first call: flags_code without architectures, and
 * without the -fvisibility options if they would hide its functions from dlsym. Directories are
 * absolute, and those below one of BASES {root}/…. */
void flags_blob(struct argv *out, const struct record *r, const struct argv *bases);
/* the architectures that R asks for, in order, once each (core/cc/compiler.h) */
void flags_archs(struct argv *out, const struct record *r);
/* Does the command hide the host's functions (-fvisibility=hidden)? */
bool flags_hide(const struct record *r);
/* Does gcc compile R's code for the host, as nvcc does by default? */
bool flags_host_is_gcc(const struct record *r);
/* is R compiled for a GPU as well, so that it has a host side and a device side? */
bool flags_has_device(const struct record *r);
/* is that HIP? */
bool flags_is_hip(const struct record *r);
/* the first architecture that R compiles HIP for, "" if it names none; NULL if R is not HIP. free()
 * it. */
char *flags_hip_arch(const struct record *r);
/* A text that is the same for records that are compiled alike, in one directory, with the same
 * #includes, which PREAMBLE has; free() it. */
char *flags_alike(const struct record *r, const char *preamble);
/* was R compiled with -fgpu-rdc, in the form that is understood (core/device/rdc.h)? */
bool flags_is_rdc(const struct record *r);

/* ---- commands ---- */

/* The program and the flags of all of R, but for files: as the build compiles it. */
void flags_whole(struct argv *out, const struct record *r);
/* The program and the flags of R's host side alone, but for files. */
void flags_host(struct argv *out, const struct record *r);
/* The same of R preprocessed only: for the host (ARCH NULL), or, by a clang, for ARCH alone ("": its
 * own choice). */
void flags_text(struct argv *out, const struct record *r, const char *arch);
/* Adds one more word after flags_host or flags_text of R. */
void flags_word(struct argv *out, const struct record *r, const char *word);
/* Have "…" includes found: a text that ckjit-link writes does not stand beside the source that
 * it was made from. */
void flags_quote(struct argv *out, const struct record *r);
/* The name of PATH relative to {root}, for the directories BASES: "BELOW" if it is below the first,
 * "+N/BELOW" if below number N after that. NULL if it is below none; free() it. */
char *flags_below(const char *path, const struct argv *bases);
/* PATH as {root}/… if it lies below one of BASES, else as it is; free() it */
char *flags_rooted(const char *path, const struct argv *bases);

#endif
