/* cuda.h - the parts of ckjit-unit for nvcc (cuda.c, cudawords.c, cudahost.c), which replace those
 * for hipcc. As in unit.h. */
#ifndef CKJIT_UNIT_CUDA_H
#define CKJIT_UNIT_CUDA_H

#include "unit.h"

/* ---- cuda.c ---- */

/* Is it a call that can be taken apart? Sets archs of the record. */
bool unit_cuda_take(struct unit *u);
/* Ask nvcc for its steps: sets plan, and fills in texts. */
bool unit_cuda_texts(struct unit *u);
/* The file that lists the preprocessor's inputs for text I of texts; for I == ntexts the host's.
 * free() it. */
char *unit_cuda_depfile(const struct unit *u, size_t i);

/* ---- cudawords.c ---- */

/* An option of A with which the real compiler gets the call; NULL: none. */
const char *unit_cuda_refused(const struct ccargs *a);
/* Append the words of the call except those for its outputs. */
void unit_cuda_call_words(struct argv *v, const struct unit *u);
/* Set device of the record: the words of a device command beside architecture, source and output.
 * The prefix of names with internal linkage is added later, when the cuid, from which it is made,
 * is known. */
void unit_cuda_device_words(struct unit *u);
void unit_cuda_module_id(struct buf *id, const struct unit *u);

/* ---- cudahost.c ---- */

/* Make the object of the host side, with RECORD in it; sets kernels and depfile. */
bool unit_cuda_object(struct unit *u, const struct buf *record);
/* Run the front end on the texts, and add its results to texts. Then no launch runs a front end. */
bool unit_cuda_fronts(struct unit *u);

/* Append WORDS, a command of nvcc's for its host compiler, as it is run here: with messages in
 * colour if they would be in colour under nvcc. Words of the call about colours come later, and
 * override this. */
void unit_cuda_host_words(struct argv *v, const struct argv *words);

#endif
