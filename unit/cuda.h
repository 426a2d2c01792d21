/* cuda.h - the parts of ckjit-unit for nvcc (cuda.c, cudawords.c, cudahost.c), in place of those for hipcc. As in unit.h. */
#ifndef CKJIT_UNIT_CUDA_H
#define CKJIT_UNIT_CUDA_H

#include "unit.h"

/* ---- cuda.c ---- */

/* Is it a call that can be taken apart? Sets archs of the record. */
bool unit_cuda_take(struct unit *u);
/* Have nvcc list its steps: set plan, and fill in texts. */
bool unit_cuda_texts(struct unit *u);
/* The file that says what the preprocessor has read for text I of texts; for I == ntexts the host's. free() it. */
char *unit_cuda_depfile(const struct unit *u, size_t i);

/* ---- cudawords.c ---- */

/* An option of A with which the call is the real compiler's; NULL: none. */
const char *unit_cuda_refused(const struct ccargs *a);
/* Append the words of the call but for its outputs. */
void unit_cuda_call_words(struct argv *v, const struct unit *u);
/* What a command for a device has beside architecture, source and output: set device of the record. The name of what is internal
 * to the unit is added when the cuid, which it is made of, is known. */
void unit_cuda_device_words(struct unit *u);
void unit_cuda_module_id(struct buf *id, const struct unit *u);

/* ---- linked.c ---- */

/* Where the front end's bitcode of text I is written. free() it. */
char *unit_linked_bitcode(const struct unit *u, size_t i);
/* Read these files of a unit with -rdc=true: set code. */
bool unit_linked_read(struct unit *u);

/* ---- cudahost.c ---- */

/* Make the object of the host's side, with RECORD in it; set kernels and depfile. */
bool unit_cuda_object(struct unit *u, const struct buf *record);
/* Have the front end read the texts, and add what it makes of them to texts. For the launch no other is run then. */
bool unit_cuda_fronts(struct unit *u);

/* Append WORDS, a command of nvcc's for its host compiler, as they are run here: its messages are
 * coloured as they would be if nvcc ran it. Words of the call about colours come later, and count.
 * */
void unit_cuda_host_words(struct argv *v, const struct argv *words);

#endif
