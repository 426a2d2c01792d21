/* cicc.h - the command of nvcc's device compiler in two, and the name of what is internal to a
 * unit.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_CICC_H
#define CKJIT_CICC_H

#include "nvcc.h"

/* Words that stand for files; the first also at the end of one. */
#define CICC_IN "{in}"
#define CICC_OUT "{out}"

/* From the words of the steps CICC and PTXAS (NULL: there is none): append to FRONT the command of
 * the front end, which writes BITCODE, and to BACK what follows it, with CICC_IN and CICC_OUT for
 * its files. False with *WHY, static: it cannot be divided. */
bool cicc_divide(const struct nvcc_step *cicc, const struct nvcc_step *ptxas, const char *bitcode,
                 struct argv *front, struct argv *back, const char **why);

/* Let the two front ends of a unit, STEP of cudafe++ and CICC, call what is internal to it ID.
 * cudafe++ makes up a name and passes it to cicc in a file, so they would have to run one after the
 * other; any name will do. False: cicc has no such file, or it cannot be written. */
bool cicc_module_id(struct nvcc_step *step, const struct nvcc_step *cicc, const char *id);
/* Append such a name, in nvcc's form, to ID: of 16 hexadecimal digits HEX, and of the base name of
 * SOURCE. */
void cicc_put_module_id(struct buf *id, const char *hex, const char *source);

#endif
