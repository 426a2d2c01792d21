/* groupheaders.h - the headers of a group of blobs that the passes over its units do not tell.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_GROUPHEADERS_H
#define CKJIT_GROUPHEADERS_H

struct group;
struct step;

/* A pass over SOURCE as G's sample is compiled, for its headers alone: by a clang for ARCH ("": its
 * own choice) or, ARCH being NULL, for the host; nvcc has one for all. NAME: of its files, before
 * the pass's own; TEXT: as in struct step. */
struct step group_headers_step(const struct group *g, const char *source, const char *name, unsigned text,
                               const char *arch);
/* Add what the pass S, whose text nobody needs, has read to G. */
void group_add_headers(struct group *g, const struct step *s);
/* Add DIGEST to that of G's headers. */
void group_add_digest(struct group *g, const char *digest);

#endif
