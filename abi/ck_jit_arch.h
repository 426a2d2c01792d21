/* ck_jit_arch.h - which offload architectures a blob is compiled for on this machine.
 *
 * A library is built for every architecture that its users may have ("gfx942;gfx950"), but one
 * machine has one or two, and each costs a full device pass. The kernel driver lists them without
 * HIP being initialised. (A HIP call here could deadlock: stubs are called from inside HIP
 * callbacks, and before the application chose a device.)
 *
 * A CUDA architecture is sm_90 (code), compute_90 (PTX, which the driver compiles) or
 * sm_86:compute_80 (code made from PTX of another one). A GPU gets what it would take from the fat
 * binary of an ordinary nvcc: code for itself, else for an earlier one of its generation, else PTX.
 * A GPU of AMD gets code for itself, else for a generic target of its family (gfx9-4-generic). If
 * the library is for amdgcnspirv, code that AMD's runtime would compile for any GPU, it gets code
 * for itself as well.
 *
 * The order matters: the list is part of the build id. There is one rule and one order for the
 * runtime, ckjit-compile and ckjit-prebuild. libc only, no state, thread-safe.
 */
#ifndef CK_JIT_ARCH_H
#define CK_JIT_ARCH_H

#include "ck_jit_abi.h"
#include "ck_jit_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CKJIT_ARCHS_SIZE = 1024 }; /* room for any list of architectures, NUL included */

/* Where the amdgpu driver describes its nodes. Tests set CK_JIT_KFD_ROOT instead. */
#define CKJIT_KFD_ROOT "/sys/class/kfd/kfd/topology/nodes"

/* Length of the architecture's name without its features: 6 for "gfx942:sramecc+:xnack-". */
static inline size_t ckjit_arch_base(const char *arch, size_t n) {
  const char *colon = memchr(arch, ':', n);
  return colon ? (size_t)(colon - arch) : n;
}

/* Iterate over a list separated by ';' or ','. Returns the next word and its length, NULL at the
 * end. Start with *AT = the list. */
static inline const char *ckjit_arch_next(const char **at, size_t *n) {
  const char *word = *at + strspn(*at, ";, \t\n");
  *n = strcspn(word, ";, \t\n");
  *at = word + *n;
  return *n ? word : NULL;
}

/* Append WORD to the ';' list OUT unless the list has it already. False if there is no room for
 * it. */
static inline bool ckjit_arch_add(char out[CKJIT_ARCHS_SIZE], const char *word, size_t n) {
  const char *at = out, *have;
  for (size_t m; (have = ckjit_arch_next(&at, &m));)
    if (m == n && memcmp(have, word, n) == 0)
      return true;
  size_t len = strlen(out);
  if (len + n + 2 > CKJIT_ARCHS_SIZE)
    return false;
  if (len)
    out[len++] = ';';
  memcpy(out + len, word, n);
  out[len + n] = 0;
  return true;
}

/* The architecture of a node as its properties file gives it: "gfx_target_version 90402" is gfx942
 * (major * 10000 + minor * 100 + stepping, the last two each a hexadecimal digit of the name: 90010
 * is gfx90a). "" for a processor, whose version is 0. Source: libhsakmt, src/topology.c. */
static inline void ckjit_arch_of_node(const char *properties, char name[32]) {
  const char *line = strstr(properties, "gfx_target_version ");
  unsigned long v = line ? strtoul(line + strlen("gfx_target_version "), NULL, 10) : 0;
  name[0] = 0;
  if (v && v < 1000000)
    snprintf(name, 32, "gfx%lu%lx%lx", v / 10000, v / 100 % 100, v % 100);
}

/* The architectures of this machine's GPUs, each once, in the driver's order; "" if there are
 * none. */
static inline void ckjit_arch_present(char out[CKJIT_ARCHS_SIZE]) {
  const char *root = secure_getenv("CK_JIT_KFD_ROOT");
  out[0] = 0;
  for (unsigned node = 0; node < 4096; node++) {
    char path[4096], properties[4096], name[32];
    int len = snprintf(path, sizeof path, "%s/%u/properties", root && *root ? root : CKJIT_KFD_ROOT,
                       node);
    if (len < 0 || (size_t)len >= sizeof path)
      return;
    int fd = ckjit_open_named(path, O_RDONLY, 0, UINT64_MAX, NULL);
    if (fd < 0)
      return; /* nodes are numbered without gaps */
    ssize_t n = read(fd, properties, sizeof properties - 1);
    close(fd);
    if (n <= 0)
      continue; /* EPERM: this container may not use this GPU, perhaps a later one */
    properties[n] = 0;
    ckjit_arch_of_node(properties, name);
    if (*name)
      ckjit_arch_add(out, name, strlen(name));
  }
}

/* ---- CUDA ---- */

/* The compute capabilities of the GPUs, 10 * major + minor, in the driver's order; at most MAX.
 * Returns their number. A library uses the function of runtime/ck_jit_cuda.c, which asks CUDA's
 * driver; a program that of core/device/nvidia.c, which runs nvidia-smi. */
CKJIT_LOCAL size_t ckjit_cuda_capabilities(unsigned *list, size_t max);

/* The number of an architecture, 90 of "sm_90a"; 0 if it has none. *SUFFIX: the letter after it, or
 * 0. */
static inline unsigned ckjit_arch_number(const char *word, size_t n, const char *prefix,
                                         char *suffix) {
  size_t p = strlen(prefix), i = p;
  unsigned number = 0;
  if (n <= p || memcmp(word, prefix, p) != 0)
    return 0;
  for (; i < n && word[i] >= '0' && word[i] <= '9' && number < 100000; i++)
    number = 10 * number + (unsigned)(word[i] - '0');
  *suffix = i < n ? word[i] : 0;
  return i < n && i + 1 < n ? 0 : number;
}

/* How well code for WORD suits a GPU of capability CAP: 0 not at all; higher is better. */
static inline unsigned ckjit_arch_suits(const char *word, size_t n, unsigned cap) {
  char suffix = 0;
  unsigned code = ckjit_arch_number(word, ckjit_arch_base(word, n), "sm_", &suffix);
  unsigned ptx = ckjit_arch_number(word, n, "compute_", &suffix);
  if (code == cap)
    return 3000000 + (suffix ? 1 : 0);
  if (code && code < cap && code / 10 == cap / 10 && suffix != 'a')
    return 2000000 + code;
  return ptx && ptx <= cap && (ptx == cap || suffix != 'a') ? 1000000 + ptx : 0;
}

/* Is BUILT a list of CUDA architectures? */
static inline bool ckjit_archs_are_cuda(const char *built) {
  static const char *const starts[] = {"sm_", "compute_", "lto_", "native", "all"};
  const char *at = built, *word;
  size_t n;
  word = ckjit_arch_next(&at, &n);
  for (size_t i = 0; word && i < sizeof starts / sizeof *starts; i++)
    if (strncmp(word, starts[i], strlen(starts[i])) == 0)
      return true;
  return false;
}

/* The word of BUILT that a GPU of capability CAP takes, with its length *N; NULL if none suits.
 * *ANY: BUILT has a word for any GPU, such as "native". */
static inline const char *ckjit_arch_of_cuda(const char *built, unsigned cap, size_t *n,
                                             bool *any) {
  const char *at = built, *word, *best = NULL;
  size_t m;
  unsigned most = 0;
  *any = false;
  while ((word = ckjit_arch_next(&at, &m))) {
    unsigned suits = ckjit_arch_suits(word, m, cap);
    *any |= strncmp(word, "native", 6) == 0 || strncmp(word, "all", 3) == 0;
    if (suits > most) {
      most = suits;
      best = word;
      *n = m;
    }
  }
  return best;
}

/* The words of BUILT that the GPUs of this machine take, in ascending order of the GPUs; "" if
 * nothing is known. */
static inline void ckjit_archs_cuda(const char *built, char out[CKJIT_ARCHS_SIZE]) {
  enum { MOST = 64 };
  unsigned caps[MOST];
  size_t n = ckjit_cuda_capabilities(caps, MOST);
  for (size_t i = 1; i < n; i++) /* few, and mostly alike */
    for (size_t k = i; k && caps[k - 1] > caps[k]; k--) {
      unsigned c = caps[k];
      caps[k] = caps[k - 1];
      caps[k - 1] = c;
    }
  for (size_t i = 0; i < n; i++) {
    size_t best_len = 0;
    bool any;
    char own[32];
    const char *best = ckjit_arch_of_cuda(built, caps[i], &best_len, &any);
    if (!best && any) {
      best = own;
      best_len = (size_t)snprintf(own, sizeof own, "sm_%u", caps[i]);
    }
    if (best)
      ckjit_arch_add(out, best, best_len);
  }
}

/* ---- HIP ---- */

/* Is GPU, without features, one on which code for the generic target GENERIC runs? The names do not
 * say it: gfx950 is one of gfx9-4-generic. Source: AMDGPUUsage of LLVM 23. */
static inline bool ckjit_arch_is_generic(const char *generic, size_t n, const char *gpu, size_t m) {
  static const char *const families[] = {
      "gfx9-generic gfx900 gfx902 gfx904 gfx906 gfx909 gfx90c ",
      "gfx9-4-generic gfx940 gfx941 gfx942 gfx950 ",
      "gfx10-1-generic gfx1010 gfx1011 gfx1012 gfx1013 ",
      "gfx10-3-generic gfx1030 gfx1031 gfx1032 gfx1033 gfx1034 gfx1035 gfx1036 ",
      "gfx11-generic gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153 gfx1154 ",
      "gfx11-7-generic gfx1170 gfx1171 gfx1172 ",
      "gfx12-generic gfx1200 gfx1201 ",
      "gfx12-5-generic gfx1250 gfx1251 ",
      "gfx13-generic gfx1310 ",
  };
  for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
    const char *at = families[i], *member;
    size_t length = strcspn(at, " ");
    if (length != n || memcmp(at, generic, n) != 0)
      continue;
    for (at += n; (member = ckjit_arch_next(&at, &length));)
      if (length == m && memcmp(member, gpu, m) == 0)
        return true;
  }
  return false;
}

/* Does WORD, N bytes, mean any GPU: amdgcnspirv? */
static inline bool ckjit_arch_is_any(const char *word, size_t n) {
  return n == strlen("amdgcnspirv") && memcmp(word, "amdgcnspirv", n) == 0;
}

/* Does code for A run where B's features are set: is each feature of A one of B, or has B none? */
static inline bool ckjit_arch_features(const char *a, size_t n, const char *b, size_t m) {
  size_t at = ckjit_arch_base(a, n), from = ckjit_arch_base(b, m);
  for (size_t length; from < m && at < n; at += length) {
    length = 1 + ckjit_arch_base(a + at + 1, n - at - 1);
    if (!memmem(b + from, m - from, a + at, length))
      return false;
  }
  return true;
}

/* ---- the list of this machine ---- */

/* Append BUILT's words for the GPU WORD, which may have features: gfx942:xnack- is a gfx942, and so
 * is gfx9-4-generic if BUILT has no gfx942. False if BUILT has no such word. */
static inline bool ckjit_arch_add_built(char out[CKJIT_ARCHS_SIZE], const char *built,
                                        const char *word, size_t n) {
  const size_t base = ckjit_arch_base(word, n);
  bool any = false, open = false;
  for (int generic = 0; generic < 2 && !any; generic++) {
    const char *at = built, *candidate;
    for (size_t m; (candidate = ckjit_arch_next(&at, &m));) {
      size_t its = ckjit_arch_base(candidate, m);
      open |= ckjit_arch_is_any(candidate, its);
      if (generic ? ckjit_arch_is_generic(candidate, its, word, base) &&
                        ckjit_arch_features(candidate, m, word, n)
                  : its == n && memcmp(candidate, word, n) == 0) {
        ckjit_arch_add(out, candidate, m);
        any = true;
      }
    }
  }
  return any || (open && ckjit_arch_add(out, word, n));
}

/* Append the meaning of a user's LIST for BUILT: gfx942 stands for each gfx942 of BUILT, or for its
 * generic targets of that family; any other word stands for itself. */
static inline void ckjit_archs_said(const char *list, const char *built,
                                    char out[CKJIT_ARCHS_SIZE]) {
  const char *word;
  for (size_t n; (word = ckjit_arch_next(&list, &n));)
    if (!ckjit_arch_add_built(out, built, word, n))
      ckjit_arch_add(out, word, n);
}

/* The architectures for which a blob of a group built for BUILT (a list) is compiled here, as
 * far as this machine decides it: CK_JIT_ARCH if it is set, else those of BUILT that are
 * present, in the driver's order; "" if none is. With an empty BUILT (compiling by hand): all
 * that are present. */
static inline void ckjit_archs_here(const char *built, char out[CKJIT_ARCHS_SIZE]) {
  const char *wanted = secure_getenv("CK_JIT_ARCH"), *word, *at;
  out[0] = 0;
  if (wanted && *wanted) {
    ckjit_archs_said(wanted, built, out);
    if (*out)
      return;
  }
  char present[CKJIT_ARCHS_SIZE] = "";
  if (ckjit_archs_are_cuda(built))
    ckjit_archs_cuda(built, out);
  else
    ckjit_arch_present(present);
  bool any = built[strspn(built, ";, \t\n")] != 0;
  at = present;
  for (size_t n; (word = ckjit_arch_next(&at, &n));)
    if (any)
      ckjit_arch_add_built(out, built, word, n);
    else
      ckjit_arch_add(out, word, n);
}

/* As ckjit_archs_here, as a ';' list, but all of BUILT if the machine decides nothing. */
static inline void ckjit_archs(const char *built, char out[CKJIT_ARCHS_SIZE]) {
  ckjit_archs_here(built, out);
  if (*out)
    return;
  const char *at = built, *word;
  for (size_t n; (word = ckjit_arch_next(&at, &n));)
    ckjit_arch_add(out, word, n);
}

#endif
