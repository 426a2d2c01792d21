/* devicedecl.h - the declarations of a preprocessed text for a device: where their attributes,
 * names and bodies are. For devicetext.c and devicevariables.c. Thread safety: no shared state.
 */
#ifndef CKJIT_DEVICEDECL_H
#define CKJIT_DEVICEDECL_H

#include "cxxlex.h"

/* A text, its directives apart. */
struct split_text {
  struct cxx_text code;       /* The tokens without directives. */
  struct cxx_tok *directives; /* The directives in their order. */
  /* The number of bodies, and the first token after all bodies found so far. */
  size_t n, next;
};

/* Split TEXT, LEN bytes. False if it is not understood. Free with split_free in either case. */
bool split_read(struct split_text *u, const char *text, size_t len);
void split_free(struct split_text *u);

/* Is token I one of WORDS, which end with NULL? */
bool decl_any(const struct cxx_text *t, uint32_t i, const char *const *words);
/* Returns the token after the attribute at I if NAME or SAME is in its list, else 0. */
uint32_t decl_attribute(const struct cxx_text *t, uint32_t i, const char *name, const char *same);
/* The same for __global__. */
uint32_t decl_global(const struct cxx_text *t, uint32_t i);
/* Returns the token after the <…> at I. If that is not a list of arguments, or contains a
 * comparison (`a<n < 3>`) and ends after some other declaration, this is the next token, with which
 * no kernel's declaration continues. */
uint32_t decl_angles(const struct cxx_text *t, uint32_t i);
/* Returns the token after the specifier that begins at I, before a declarator's parameters: a word,
 * a template's arguments, or an attribute. Returns 0 if I begins none of these. */
uint32_t decl_specifier(const struct cxx_text *t, uint32_t i);

/* The result of a search for a body. */
enum found { BODY, NO_BODY, NOT_UNDERSTOOD };
/* Looks for the body of the function whose attribute ends before I. *AT becomes its { if there is
 * one. */
enum found decl_body(const struct cxx_text *t, uint32_t i, uint32_t *at);
/* The name that is declared from token I on, `int static counter[2]`: the last word before what
 * ends it; 0: none is found. */
uint32_t decl_name(const struct cxx_text *t, uint32_t i);

#endif
