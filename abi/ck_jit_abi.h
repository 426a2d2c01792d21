/* ck_jit_abi.h - what the generated part of a library and the runtime in it agree on.
 *
 * The post-build linker (postbuild/) writes forwarding stubs in assembler and the tables of
 * ck_jit_manifest_embedded.h; ck_jit_runtime.c is compiled with those tables and answers the stubs. Both
 * sides are linked into one shared library, so nothing here is visible outside of it and nothing here is
 * stable across versions: CKJIT_FORMAT changes with any change below. docs/formats.md is the contract in
 * prose.
 *
 * What lands in the user's library is C and libc only: no constructor, no thread-local variable (its access
 * would pull in ld.so as a DT_NEEDED), no DT_NEEDED that the library did not have.
 */
#ifndef CK_JIT_ABI_H
#define CK_JIT_ABI_H

#include <stddef.h>
#include <stdint.h>

/* What one part of the runtime has for the others. All parts are one translation unit of the user's library,
 * in which it is static (ck_jit_runtime.c); a part that is compiled by itself leaves it to the linker. */
#ifndef CKJIT_LOCAL
#define CKJIT_LOCAL __attribute__((visibility("hidden")))
#endif

enum {
  CKJIT_ABI_FORMAT = 7,                                  /* the CKJIT_FORMAT that this runtime understands */
  CKJIT_KEY_SIZE = 16,                                   /* bytes of a blob's content key */
  CKJIT_BUILD_ID_SIZE = CKJIT_KEY_SIZE + 8,              /* the key, then the FNV-1a of the architectures */
  CKJIT_BUILD_ID_HEX_SIZE = 2 * CKJIT_BUILD_ID_SIZE + 1, /* the same in hexadecimal, with its NUL */
};

/* The section with the places of the build (runtime/ck_jit_place.c): zeros in an installed library. */
#define CKJIT_BUILD_SECTION ".ckjit.build"

/* Rows of the embedded tables. Texts are offsets into ckjit_strings: a table of pointers would need a
 * relocation for each, and loading the library would dirty every page of it. */
struct ckjit_group {
  uint32_t flags;  /* compiler flags, quoted as in a response file */
  uint32_t link;   /* link flags, the same */
  uint32_t archs;  /* offload architectures, ';' between */
  uint32_t inputs; /* name of the list of what its keys were made from, in ck_jit_inputs/; 0: none */
};

struct ckjit_blob {
  uint32_t dir;  /* of its source: "{root}/…", or absolute; 0: NAME is all. Thousands share one */
  uint32_t name; /* STEM.cu */
  uint32_t group;
  uint8_t key[CKJIT_KEY_SIZE];
};

/* A blob whose stem is not that of its source: one of several that the same source is linked into, each with
 * other fragments (docs/fragments.md). In order of blobs. */
struct ckjit_combination {
  uint32_t blob, stem;
};

struct ckjit_function {
  uint32_t blob;
  uint32_t name; /* its mangled name, if the library does not export it; else 0 */
  uint64_t hash; /* ckjit_fnv1a of the mangled name */
};

/* 64-bit FNV-1a of what was hashed to H before and N more bytes. Source: draft-eastlake-fnv, section 2. */
static inline uint64_t ckjit_fnv1a_more(uint64_t h, const void *bytes, size_t n) {
  const unsigned char *p = (const unsigned char *)bytes;
  for (size_t i = 0; i < n; i++)
    h = (h ^ p[i]) * 0x100000001b3u;
  return h;
}

static inline uint64_t ckjit_fnv1a(const void *bytes, size_t n) {
  return ckjit_fnv1a_more(0xcbf29ce484222325u, bytes, n);
}

#ifdef __cplusplus
extern "C" {
#endif

/* The tables are an object of their own, made without a compiler, which would take as long for them as for
 * the runtime. */
#ifndef CKJIT_TABLE
#define CKJIT_TABLE extern const __attribute__((visibility("hidden")))
#endif

/* The address of function INDEX of unit UNIT, also stored into SLOTS[INDEX]. Compiles and loads the blob
 * if that was not done yet, which may take minutes. Called by ckjit_trampoline only. Thread-safe. Never
 * returns NULL: on failure it throws through ckjit_throw, or ends the process. */
__attribute__((visibility("hidden"))) void *ckjit_resolve(void **slots, uint64_t unit, uint64_t index);

/* A branch of a dispatcher is about to call functions of blobs, for the first time in this process: the N that STUBS are the
 * addresses of; NULL and what is no stub of this library are passed over. If one of them has to be compiled, so are the others,
 * side by side. *BEGUN becomes 1. Compiles and waits for nothing. Called by what postbuild/dispatch/prelude.hpp adds to a
 * dispatcher. Thread-safe. */
__attribute__((visibility("hidden"))) void ckjit_together(unsigned char *begun, const void *const *stubs,
                                                          unsigned n);

/* Where libckjit.so enters; found by the library's note. See ck_jit_api.h. */
struct ckjit_api;
__attribute__((visibility("hidden"))) void ckjit_api(struct ckjit_api *api);

/* Throw std::runtime_error(MESSAGE). The post-build linker defines CKJIT_THROWS, with which the runtime has it;
 * without it, a failure ends the process. */
__attribute__((visibility("hidden"), weak, noreturn)) void ckjit_throw(const char *message);

#ifdef __cplusplus
}
#endif

#endif
