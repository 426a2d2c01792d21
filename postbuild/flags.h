/* flags.h - which words of a recorded compile make the code what it is, and which only say where it goes.
 *
 * All functions append to OUT and leave the record as it is. Relative directories become absolute (the
 * record's cwd).
 */
#ifndef CKJIT_FLAGS_H
#define CKJIT_FLAGS_H

#include "core/cc/compiler.h"
#include "core/files/record.h"

/* everything but the source, -c, -o and depfile options */
void flags_code(struct argv *out, const struct record *r);
/* the flags with which a blob is compiled on its first call: flags_code without architectures and without
 * what would hide the function from dlsym (-fvisibility=hidden); paths below BASE as {root}/… (BASE "" or
 * NULL: none) */
void flags_blob(struct argv *out, const struct record *r, const char *base);
/* the architectures that R asks for, in order, once each (core/cc/compiler.h) */
void flags_archs(struct argv *out, const struct record *r);
/* -L, -l, -Wl,-rpath… of a link command: what a compiled blob needs to find the libraries of its library. As
 * g++ is told, also those of a link by nvcc; of that one -cudart=KIND as well, which says how CUDA's runtime
 * is linked */
void flags_libraries(struct argv *out, enum cc_dialect dialect, char *const *args, const char *cwd,
                     const char *base);
/* which kind of compiler's language the compile is in, so that it has a host and a device side; NULL: plain
 * C++ */
const struct compiler *flags_kind(const struct record *r);
/* whether that is HIP */
bool flags_is_hip(const struct record *r);
/* the first architecture that R compiles HIP for, "" if it names none; NULL if it does not compile HIP.
 * free() it
 */
char *flags_hip_arch(const struct record *r);
/* whether R was compiled with -fgpu-rdc, in the form that is understood (core/device/rdc.h) */
bool flags_is_rdc(const struct record *r);
/* The arguments of R, scanned; ccargs_free. */
void flags_scan(struct ccargs *a, const struct record *r);

/* The program and the flags of all of R, but for files: as the build compiles it. */
void flags_whole(struct argv *out, const struct record *r);
/* The program and the flags of R's host side alone, but for files. */
void flags_host(struct argv *out, const struct record *r);
/* the same of the text that comes out of the preprocessor, for the host (ARCH NULL) or for ARCH alone, ""
 * being the compiler's own choice */
void flags_text(struct argv *out, const struct record *r, const char *arch);
/* one more word for the compiler of R's host side */
void flags_word(struct argv *out, const struct record *r, const char *word);
/* PATH as {root}/… where it lies below BASE, else as it is; free() it */
char *flags_rooted(const char *path, const char *base);

#endif
