/* ck_jit_abi.h - the agreement between the generated part of a library and the runtime in it.
 *
 * The post-build linker (postbuild/) writes forwarding stubs as machine code and the tables of the
 * library, each without a compiler. ck_jit_runtime.c, which answers the stubs, is compiled once for
 * many libraries: all that it knows of one is in these tables. Both are linked into one shared
 * library, so nothing here is visible outside it and nothing here is stable across versions:
 * CKJIT_ABI_FORMAT changes with any change below. docs/formats.md is the contract in prose.
 *
 * The code in the user's library is C and uses libc only: no constructor, no thread-local variable
 * (an access would add ld.so as a DT_NEEDED), no other new DT_NEEDED.
 */
#ifndef CK_JIT_ABI_H
#define CK_JIT_ABI_H

#include <stddef.h>
#include <stdint.h>

/* Marks names that parts of the runtime share. All parts are one translation unit of the user's
 * library, in which the names are static (ck_jit_runtime.c). A part that is compiled by itself
 * leaves them to the linker. */
#ifndef CKJIT_LOCAL
#define CKJIT_LOCAL __attribute__((visibility("hidden")))
#endif

#define CKJIT_ABI_FORMAT 8
enum {
  CKJIT_KEY_SIZE = 16, /* bytes of a blob's content key */
  /* the key, then the FNV-1a of the architectures */
  CKJIT_BUILD_ID_SIZE = CKJIT_KEY_SIZE + 8,
  /* the same in hexadecimal, with its NUL */
  CKJIT_BUILD_ID_HEX_SIZE = 2 * CKJIT_BUILD_ID_SIZE + 1,
};

/* The section with the places of the build, ckjit_build_root and its like. They have a section of
 * their own, because an installed library has none of them: the installation writes zeros over it
 * (core/files/buildplaces.c). */
#define CKJIT_BUILD_SECTION ".ckjit.build"

/* What is known of the library as a whole. Its symbol has the format in its name: a runtime is not
 * linked with the tables of another version of ckjit. */
#define CKJIT_FACTS_OF_(format) "ckjit_facts_" #format
#define CKJIT_FACTS_OF(format) CKJIT_FACTS_OF_(format)
#define CKJIT_FACTS CKJIT_FACTS_OF(CKJIT_ABI_FORMAT)
struct ckjit_facts {
  /* Offsets into ckjit_strings: of CK_JIT_NAME and CK_JIT_ROOT at the link, … */
  uint32_t name, root;
  /* … of the compiler, its kind, and the variable that names another one. */
  uint32_t compiler, kind, variable;
  /* How many rows the tables have. A unit is here an object with stubs. */
  uint32_t units, blobs, functions, combinations, linked, linked_units;
  /* The last rows of ckjit_blobs are those of the lazy units, those before them the late units'. */
  uint32_t late_units, lazy_units;
  uint32_t bundled; /* 1: ckjit_bundle is there */
};

/* Rows of the embedded tables. Texts are offsets into ckjit_strings: a table of pointers would need
 * one relocation each, and loading the library would dirty all its pages. */
struct ckjit_group {
  /* compiler flags, quoted as in a response file */
  uint32_t flags;
  uint32_t link; /* link flags, quoted likewise */
  /* offload architectures, separated by ';' */
  uint32_t archs;
  /* Name of the list of inputs of its keys, in ck_jit_inputs/; 0: no list. */
  uint32_t inputs;
};

struct ckjit_blob {
  /* Directory of its source: "{root}/…", or absolute; 0: NAME is the whole path. Thousands of blobs
   * share one. */
  uint32_t dir;
  uint32_t name; /* STEM.cu */
  uint32_t group;
  uint8_t key[CKJIT_KEY_SIZE];
};

/* What this process knows of a blob; zeros at load. All are atomic. */
struct ckjit_blob_state {
  void *handle; /* from dlopen */
  void *alone;  /* the same, of its host-only functions */
  /* of its unlinked file, never reset; of a copy of its entry */
  void *unlinked, *copied;
  uint64_t seen; /* last load or query, by ckjit_clock */
  /* Of CK_JIT_CAPTURE: calls that are not in the file yet; milliseconds of its compile, 0: this
   * process did not compile it; told: the file has its first call. */
  uint32_t calls, compile_ms, told;
  uint32_t compiled; /* kernels of this lazy unit, by this process */
};

/* A blob whose stem is not that of its source, because the source is linked several times, each
 * time with other fragments (docs/fragments.md), or another source has the same base name. Ordered
 * by blob. */
struct ckjit_combination {
  uint32_t blob, stem;
};

/* The kernels of a unit with relocatable device code are linked with other units, so they have
 * another key than the unit's own. Offsets of hexadecimal texts. */
struct ckjit_linked_unit {
  uint32_t own, key;
};

struct ckjit_function {
  uint32_t blob;
  /* The mangled name if the library does not export it, else 0. */
  uint32_t name;
  uint64_t hash; /* ckjit_fnv1a of the mangled name */
};

/* A symbol of the library for what is loaded apart from it (runtime/ck_jit_imports.h). Ordered by
 * hash; the first row has the number of the others as its hash. */
struct ckjit_import {
  uint64_t hash; /* ckjit_fnv1a of the mangled name */
  void *address; /* NULL: the link has dropped it */
};

/* The size of a symbol that an entry leaves to its library. */
enum { CKJIT_IMPORTED = 1 };
/* Tags in place of DT_INIT_ARRAY and DT_INIT_ARRAYSZ in an entry whose initialisers may call what
 * it leaves to its library: the runtime calls them, and clears each in the array. */
enum { CKJIT_DT_INIT_ARRAY = 0x6000cc01, CKJIT_DT_INIT_ARRAYSZ = 0x6000cc02 };

/* 64-bit FNV-1a of N bytes that continue the bytes hashed to H. Source: draft-eastlake-fnv, section
 * 2. */
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

/* The address of function INDEX of unit UNIT, which is also stored into SLOTS[INDEX]. Compiles and
 * loads the blob if necessary, which may take minutes. Only ckjit_trampoline calls it. Thread-safe.
 * Never returns NULL: on failure it throws through ckjit_throw, or ends the process. */
__attribute__((visibility("hidden"))) void *ckjit_resolve(void **slots, uint64_t unit,
                                                          uint64_t index);

/* A branch of a dispatcher calls this before it calls functions of blobs for the first time in
 * this process. STUBS are the addresses of these N functions; NULL and addresses of other
 * functions are skipped. If one of the blobs has to be compiled, all of them are, side by side.
 * *BEGUN becomes 1. Neither compiles nor waits itself. Called by code of
 * postbuild/dispatch/prelude.hpp. Thread-safe. */
__attribute__((visibility("hidden"))) void ckjit_together(unsigned char *begun,
                                                          const void *const *stubs, unsigned n);

/* The entry point of libckjit.so, which finds it by the library's note. See ck_jit_api.h. */
struct ckjit_api;
__attribute__((visibility("hidden"))) void ckjit_api(struct ckjit_api *api);

/* Throw std::runtime_error(MESSAGE). The post-build linker defines CKJIT_THROWS, with which the
 * runtime has it; without it, a failure ends the process. */
__attribute__((visibility("hidden"), weak, noreturn)) void ckjit_throw(const char *message);

#ifdef __cplusplus
}
#endif

#endif
