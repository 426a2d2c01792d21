/* resources.c - see resources.h. */
#include "resources.h"
#include "core/base/elf.h"
#include "core/base/vec.h"

enum { AMD = 224, NVIDIA = 190 }; /* EM_AMDGPU, EM_CUDA */

const char *resource_name(enum resource r) {
  static const char *const names[RESOURCES] = {
      "registers", "scalar_registers", "spills",      "scalar_spills",
      "stack",     "shared",           "max_threads", "waves"};
  return names[r];
}

static struct resources *add(struct resources_list *all, const char *arch) {
  struct resources *k = vec_add(all->list, all->n);
  k->arch = xstrdup(arch);
  for (int i = 0; i < RESOURCES; i++)
    k->of[i] = RESOURCE_UNKNOWN;
  return k;
}

/* ---- notes ---- */

/* The description of the note of TYPE that OWNER wrote, *N bytes; NULL if E has none. */
static const unsigned char *find_note(const struct elf *e, const char *owner, uint32_t type,
                                      size_t *n) {
  struct elf_section s;
  for (size_t i = 1; elf_section(e, i, &s); i++) {
    Elf64_Nhdr h;
    for (size_t at = 0; s.type == SHT_NOTE && s.data && s.size - at >= sizeof h;) {
      memcpy(&h, s.data + at, sizeof h);
      size_t name = at + sizeof h, desc = name + (h.n_namesz + 3ul) / 4 * 4,
             next = desc + (h.n_descsz + 3ul) / 4 * 4;
      if (desc > s.size || h.n_descsz > s.size - desc)
        break;
      *n = h.n_descsz;
      if (h.n_type == type && h.n_namesz == strlen(owner) + 1 &&
          memcmp(s.data + name, owner, h.n_namesz) == 0)
        return s.data + desc;
      if (next > s.size)
        break;
      at = next;
    }
  }
  return NULL;
}

/* ---- AMD: message packs ---- */

/* Source: github.com/msgpack/msgpack, spec.md. */
struct pack {
  const unsigned char *at, *end;
};

enum pack_type { PACK_OTHER, PACK_NUMBER, PACK_TEXT, PACK_LIST, PACK_MAP, PACK_BAD };

struct item {
  enum pack_type type;
  uint64_t n;       /* number; bytes of a text; elements of a list; pairs of a map */
  const char *text; /* without a NUL */
};

static uint64_t big_endian(struct pack *p, size_t bytes) {
  uint64_t n = 0;
  if ((size_t)(p->end - p->at) < bytes) {
    p->at = p->end;
    return 0;
  }
  while (bytes--)
    n = n << 8 | *p->at++;
  return n;
}

static struct item take_bytes(struct pack *p, enum pack_type type, uint64_t n) {
  if (n > (uint64_t)(p->end - p->at))
    return (struct item){.type = PACK_BAD};
  p->at += n;
  return (struct item){type, n, (const char *)p->at - n};
}

/* The head of the next item: a text as a whole, of a list or map its size. */
static struct item next_item(struct pack *p) {
  if (p->at >= p->end)
    return (struct item){.type = PACK_BAD};
  unsigned char c = *p->at++;
  if (c < 0x80)
    return (struct item){PACK_NUMBER, c, NULL};
  if (c < 0x90)
    return (struct item){PACK_MAP, c & 15, NULL};
  if (c < 0xa0)
    return (struct item){PACK_LIST, c & 15, NULL};
  if (c < 0xc0)
    return take_bytes(p, PACK_TEXT, c & 31);
  if (c >= 0xe0 || c == 0xc0 || c == 0xc2 || c == 0xc3) /* negative, nil, false, true */
    return (struct item){.type = PACK_OTHER};
  if (c >= 0xc4 && c <= 0xc6) /* bytes */
    return take_bytes(p, PACK_OTHER, big_endian(p, 1u << (c - 0xc4)));
  if (c >= 0xc7 && c <= 0xc9) /* an extension, with its type */
    return take_bytes(p, PACK_OTHER, big_endian(p, 1u << (c - 0xc7)) + 1);
  if (c == 0xca || c == 0xcb)
    return take_bytes(p, PACK_OTHER, c == 0xca ? 4 : 8);
  if (c >= 0xcc && c <= 0xcf)
    return (struct item){PACK_NUMBER, big_endian(p, 1u << (c - 0xcc)), NULL};
  if (c >= 0xd0 && c <= 0xd3)
    return take_bytes(p, PACK_OTHER, 1u << (c - 0xd0));
  if (c >= 0xd4 && c <= 0xd8)
    return take_bytes(p, PACK_OTHER, (1u << (c - 0xd4)) + 1);
  if (c >= 0xd9 && c <= 0xdb)
    return take_bytes(p, PACK_TEXT, big_endian(p, 1u << (c - 0xd9)));
  if (c == 0xdc || c == 0xdd)
    return (struct item){PACK_LIST, big_endian(p, c == 0xdc ? 2 : 4), NULL};
  if (c == 0xde || c == 0xdf)
    return (struct item){PACK_MAP, big_endian(p, c == 0xde ? 2 : 4), NULL};
  return (struct item){.type = PACK_BAD};
}

static bool text_is(const struct item *i, const char *text) {
  return i->type == PACK_TEXT && i->n == strlen(text) && memcmp(i->text, text, i->n) == 0;
}

/* Skip what I begins; false if it is torn. */
static bool skip(struct pack *p, struct item i) {
  /* items that are still to be read, whatever their depth */
  for (uint64_t left = 1; left; left--, i = left ? next_item(p) : i) {
    if (i.type == PACK_BAD)
      return false;
    left += i.type == PACK_LIST ? i.n : i.type == PACK_MAP ? 2 * i.n : 0;
  }
  return true;
}

/* ---- AMD: the metadata ---- */

static const struct {
  const char *key;
  enum resource is;
} amd_keys[] = {
    {".vgpr_count", RESOURCE_REGISTERS},
    {".sgpr_count", RESOURCE_SCALAR_REGISTERS},
    {".vgpr_spill_count", RESOURCE_SPILLS},
    {".sgpr_spill_count", RESOURCE_SCALAR_SPILLS},
    {".private_segment_fixed_size", RESOURCE_STACK},
    {".group_segment_fixed_size", RESOURCE_SHARED},
    {".max_flat_workgroup_size", RESOURCE_MAX_THREADS},
};

/* Registers of a SIMD for one lane, in which units they are given out, and the most waves. Source:
 * LLVM, AMDGPUBaseInfo.cpp: getTotalNumVGPRs, getVGPRAllocGranule, getMaxWavesPerEU. */
struct simd {
  const char *archs; /* space between; a '*' at an end stands for the rest */
  bool wave32;
  unsigned registers, unit, waves;
};
static const struct simd simds[] = {
    {"gfx90a gfx940 gfx941 gfx942 gfx950", false, 512, 8, 8},
    {"gfx9*", false, 256, 4, 10},
    {"gfx101*", true, 1024, 8, 20},
    {"gfx101*", false, 512, 4, 20},
    {"gfx103*", true, 1024, 16, 16},
    {"gfx103*", false, 512, 8, 16},
    {"gfx1100 gfx1101 gfx1151 gfx1200 gfx1201", true, 1536, 24, 16},
    {"gfx1100 gfx1101 gfx1151 gfx1200 gfx1201", false, 768, 12, 16},
    {"gfx110* gfx115*", true, 1024, 16, 16},
    {"gfx110* gfx115*", false, 512, 8, 16},
};

/* Is ARCH, without its features, among the words of ARCHS? */
static bool is_among(const char *archs, const char *arch) {
  size_t n = strcspn(arch, ":");
  for (const char *word = archs; *word; word += strspn(word, " ")) {
    size_t len = strcspn(word, " ");
    bool rest = word[len - 1] == '*';
    if (rest ? n >= len - 1 && memcmp(word, arch, len - 1) == 0
             : n == len && memcmp(word, arch, len) == 0)
      return true;
    word += len;
  }
  return false;
}

/* Source: LLVM, AMDGPUSubtarget, getOccupancyWithNumSGPRs. */
static unsigned waves_of_scalars(const struct simd *s, int64_t n) {
  unsigned waves = s->wave32 || s->waves == 16 || s->waves == 20 || n <= 80 ? s->waves
                   : n <= 88                                                ? 9
                   : n <= 100                                               ? 8
                                                                            : 7;
  return waves < s->waves ? waves : s->waves;
}

static int64_t amd_waves(const struct resources *k, int64_t wave) {
  const int64_t n = k->of[RESOURCE_REGISTERS];
  for (size_t i = 0; i < sizeof simds / sizeof *simds; i++) {
    const struct simd *s = &simds[i];
    if (s->wave32 != (wave == 32) || !is_among(s->archs, k->arch) || n < 0 || n > s->registers)
      continue;
    unsigned used = n ? ((unsigned)n + s->unit - 1) / s->unit * s->unit : s->unit,
             waves = s->registers / used,
             most = waves_of_scalars(s, k->of[RESOURCE_SCALAR_REGISTERS]);
    return waves < most ? waves : most;
  }
  return RESOURCE_UNKNOWN;
}

/* Read the map of PAIRS of one kernel; false if it is torn. */
static bool read_kernel(struct resources_list *all, const char *arch, struct pack *p,
                        uint64_t pairs) {
  struct resources *k = add(all, arch);
  int64_t wave = 64;
  bool good = true;
  for (; good && pairs; pairs--) {
    struct item key = next_item(p), value = next_item(p);
    for (size_t i = 0; i < sizeof amd_keys / sizeof *amd_keys; i++)
      if (text_is(&key, amd_keys[i].key) && value.type == PACK_NUMBER && value.n <= INT32_MAX)
        k->of[amd_keys[i].is] = (int64_t)value.n;
    if (text_is(&key, ".wavefront_size") && value.type == PACK_NUMBER)
      wave = value.n == 32 ? 32 : 64;
    if (text_is(&key, ".name") && value.type == PACK_TEXT && !k->kernel)
      k->kernel = xstrndup(value.text, value.n);
    good = key.type != PACK_BAD && skip(p, value);
  }
  k->of[RESOURCE_WAVES] = amd_waves(k, wave);
  if (k->kernel)
    return good;
  free(k->arch);
  all->n--;
  return false;
}

static void read_amd(struct resources_list *all, const char *arch, const struct elf *e) {
  enum { METADATA = 32 }; /* NT_AMDGPU_METADATA */
  size_t n = 0;
  const unsigned char *desc = find_note(e, "AMDGPU", METADATA, &n);
  struct pack p = {desc, desc + n};
  struct item top = desc ? next_item(&p) : (struct item){.type = PACK_BAD};
  for (uint64_t pairs = top.type == PACK_MAP ? top.n : 0; pairs; pairs--) {
    struct item key = next_item(&p), value = next_item(&p);
    if (!text_is(&key, "amdhsa.kernels") || value.type != PACK_LIST) {
      if (key.type == PACK_BAD || !skip(&p, value))
        return;
      continue;
    }
    for (uint64_t i = 0; i < value.n; i++) {
      struct item kernel = next_item(&p);
      if (kernel.type != PACK_MAP || !read_kernel(all, arch, &p, kernel.n))
        return;
    }
  }
}

/* ---- NVIDIA ---- */

/* Attributes of .nv.info: a byte of form (4: a size follows, then that many bytes), a byte of kind,
 * 16 bits of value or size. */
enum {
  NV_SIZED = 4,
  NV_MAX_THREADS = 0x05, /* three numbers */
  NV_FRAME = 0x11,       /* symbol, bytes */
  NV_REGISTERS = 0x2f,   /* symbol, number */
  NV_MARKS = 0x55,       /* pairs: a kind, the offset of an instruction */
  NV_MARK_SPILL = 1,
};

struct nv_attribute {
  unsigned kind;
  const unsigned char *data;
  size_t n;
};

static bool nv_next(struct nv_attribute *a, const struct elf_section *s, size_t *at) {
  uint16_t size;
  if (!s->data || s->size - *at < 4)
    return false;
  memcpy(&size, s->data + *at + 2, sizeof size);
  *a = (struct nv_attribute){.kind = s->data[*at + 1], .data = s->data + *at + 4};
  if (s->data[*at] == NV_SIZED)
    a->n = size;
  *at += 4;
  if (a->n > s->size - *at)
    return false;
  *at += a->n;
  return true;
}

static uint32_t nv_number(const struct nv_attribute *a, size_t i) {
  uint32_t n = 0;
  if ((i + 1) * sizeof n <= a->n)
    memcpy(&n, a->data + i * sizeof n, sizeof n);
  return n;
}

/* The number of attribute KIND for the function with SYMBOL in the section .nv.info of all. */
static int64_t nv_of_symbol(const struct elf *e, unsigned kind, size_t symbol) {
  struct elf_section s;
  struct nv_attribute a;
  size_t index = 0;
  if (!elf_find(e, ".nv.info", &index, &s))
    return RESOURCE_UNKNOWN;
  for (size_t at = 0; nv_next(&a, &s, &at);)
    if (a.kind == kind && a.n == 2 * sizeof(uint32_t) && nv_number(&a, 0) == symbol)
      return nv_number(&a, 1);
  return RESOURCE_UNKNOWN;
}

static void nv_of_kernel(struct resources *k, const struct elf_section *s) {
  struct nv_attribute a;
  int64_t spills = 0;
  for (size_t at = 0; nv_next(&a, s, &at);) {
    if (a.kind == NV_MAX_THREADS && a.n == 3 * sizeof(uint32_t))
      k->of[RESOURCE_MAX_THREADS] =
          (int64_t)nv_number(&a, 0) * nv_number(&a, 1) * nv_number(&a, 2) & INT32_MAX;
    for (size_t i = 0; a.kind == NV_MARKS && 2 * i + 1 < a.n / sizeof(uint32_t); i++)
      spills += nv_number(&a, 2 * i) == NV_MARK_SPILL;
  }
  k->of[RESOURCE_SPILLS] = spills;
}

/* Code for sm_90 and later sets a KiB of a block's shared memory aside, for the system; the section
 * has it too. Without a section there is no static variable. */
static int64_t nv_shared(const struct elf *e, const char *kernel) {
  enum { SYSTEM = 1024 };
  struct elf_section s, reserved;
  size_t index = 0, other = 0;
  autofree char *name = xasprintf(".nv.shared.%s", kernel);
  bool has = elf_find(e, name, &index, &s),
       set_aside = elf_find(e, ".nv.shared.reserved.0", &other, &reserved);
  if (!has || (set_aside && s.size < SYSTEM))
    return 0;
  return (int64_t)(set_aside ? s.size - SYSTEM : s.size);
}

/* A multiprocessor has four parts with 16,384 registers each, which a warp gets in units of 256,
 * and 32, 48 or 64 warps. Source: CUDA C++ Programming Guide, "Compute Capabilities". */
static int64_t nv_waves(const char *arch, int64_t registers) {
  enum { PARTS = 4, UNITS = 64, OF_THREAD = 8 };
  static const struct {
    unsigned arch, waves;
  } most[] = {{75, 32}, {80, 64},  {86, 48},  {87, 48},  {88, 48}, {89, 48},
              {90, 64}, {100, 64}, {103, 64}, {120, 48}, {121, 48}};
  unsigned is = str_starts(arch, "sm_") ? (unsigned)strtoul(arch + strlen("sm_"), NULL, 10) : 0;
  for (size_t i = 0; i < sizeof most / sizeof *most; i++)
    if (most[i].arch == is && registers > 0) {
      int64_t waves = PARTS * (UNITS / ((registers + OF_THREAD - 1) / OF_THREAD));
      return waves < most[i].waves ? waves : most[i].waves;
    }
  return RESOURCE_UNKNOWN;
}

/* Each kernel has a separate section with its attributes, for its section of code. */
static void read_nvidia(struct resources_list *all, const char *arch, const struct elf *e) {
  static const char info[] = ".nv.info.";
  struct elf_symtab syms;
  struct elf_symbol sym;
  struct elf_section s;
  if (!elf_symtab(e, SHT_SYMTAB, &syms))
    return;
  for (size_t i = 1; elf_section(e, i, &s); i++) {
    if (!str_starts(s.name, info))
      continue;
    size_t symbol = 0;
    for (size_t n = 1; n < syms.count && !symbol; n++)
      if (elf_symbol(&syms, n, &sym) && sym.type == STT_FUNC && sym.section == s.info &&
          strcmp(sym.name, s.name + strlen(info)) == 0)
        symbol = n;
    if (!symbol)
      continue;
    struct resources *k = add(all, arch);
    k->kernel = xstrdup(s.name + strlen(info));
    k->of[RESOURCE_REGISTERS] = nv_of_symbol(e, NV_REGISTERS, symbol);
    k->of[RESOURCE_STACK] = nv_of_symbol(e, NV_FRAME, symbol);
    k->of[RESOURCE_SHARED] = nv_shared(e, k->kernel);
    nv_of_kernel(k, &s);
    k->of[RESOURCE_WAVES] = nv_waves(arch, k->of[RESOURCE_REGISTERS]);
  }
}

/* ---- both ---- */

void resources_read(struct resources_list *all, const char *arch, const void *code, size_t size) {
  struct elf e;
  if (!elf_open(&e, code, size, NULL))
    return;
  if (e.machine == AMD)
    read_amd(all, arch, &e);
  else if (e.machine == NVIDIA)
    read_nvidia(all, arch, &e);
}

void resources_free(struct resources_list *all) {
  for (size_t i = 0; i < all->n; i++) {
    free(all->list[i].kernel);
    free(all->list[i].arch);
  }
  free(all->list);
  *all = (struct resources_list){0};
}

/* The text of BYTES that has WORD, between two NULs; free() it. NULL: there is none. */
static char *text_with(const unsigned char *bytes, size_t n, const char *word) {
  const unsigned char *at = bytes ? memmem(bytes, n, word, strlen(word)) : NULL;
  if (!at)
    return NULL;
  const unsigned char *start = at, *end = memchr(at, 0, n - (size_t)(at - bytes));
  while (start > bytes && start[-1])
    start--;
  return xstrndup((const char *)start, (size_t)((end ? end : bytes + n) - start));
}

char *resources_compiler(const void *code, size_t size) {
  enum { TOOLS = 2000 }; /* the note of .note.nv.tkinfo */
  struct elf e;
  struct elf_section s;
  size_t index = 0, n = 0;
  if (!elf_open(&e, code, size, NULL))
    return NULL;
  if (e.machine == AMD)
    return elf_find(&e, ".comment", &index, &s) ? text_with(s.data, s.size, "clang version") : NULL;
  const unsigned char *tools = find_note(&e, "NVIDIA Corp", TOOLS, &n);
  return text_with(tools, n, "compilation tools");
}
