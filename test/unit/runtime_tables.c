/* runtime_tables.c - writes what the post-build linker would: the tables, as C, and the stubs, in the
 * form of docs/formats.md, so that the runtime is tested without the rest of the road.
 *
 *   runtime_tables TABLES STUBS ROOT BUILD_ROOT COMPILE COMPILER FLAGS ARCHS KEY <lines of "SOURCE SYMBOL"
 *
 * All functions are in one unit. KEY, a number, is the first byte of every blob's key.
 */
#include "abi/ck_jit_abi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX = 1024 };

static void quoted(FILE *f, const char *s) {
  fputc('"', f);
  for (; *s; s++)
    fprintf(f, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
  fputc('"', f);
}

/* add TEXT to the strings; its offset */
static unsigned string(FILE *f, const char *text, unsigned *at) {
  unsigned offset = *at;
  fputs("  ", f);
  quoted(f, text);
  fputs(" \"\\0\"\n", f);
  *at += (unsigned)strlen(text) + 1;
  return offset;
}

#ifdef MACHINE_aarch64
/* The machine code of abi/ck_jit_aarch64.h. */
static void write_stubs(FILE *f, char symbols[][256], unsigned n) {
  fprintf(f, ".text\n.balign 32\n");
  fprintf(
      f, "ckjit_u0_cold:\n  adr x17, 2f\n  stp x16, x17, [sp, #-16]!\n  ldr x16, [x17]\n  add x16, x16, x17\n"
         "  br x16\n  .word 0\n2: .xword ckjit_trampoline - 2b\n  .xword ckjit_u0_slots - 2b\n");
  for (unsigned i = 0; i < n; i++)
    fprintf(f,
            ".globl %s\n.type %s, @function\n%s:\n  hint #34\n  adrp x16, ckjit_u0_slots+%u\n"
            "  add x16, x16, :lo12:ckjit_u0_slots+%u\n  ldar x17, [x16]\n  cbz x17, 1f\n  br x17\n"
            "1: b ckjit_u0_cold\n  .word %u\n.size %s, . - %s\n",
            symbols[i], symbols[i], symbols[i], 8 * i, 8 * i, i, symbols[i], symbols[i]);
  fprintf(f, ".local ckjit_u0_slots\n.comm ckjit_u0_slots, %u, 8\n.section .note.GNU-stack,\"\",@progbits\n",
          8 * n);
}
#else
/* The machine code of abi/ck_jit_x86_64.h: an assembler left alone takes shorter jumps. */
static void write_stubs(FILE *f, char symbols[][256], unsigned n) {
  fprintf(f, ".text\n");
  for (unsigned i = 0; i < n; i++)
    fprintf(f,
            ".globl %s\n.type %s, @function\n%s:\n"
            "  mov ckjit_u0_slots+%u(%%rip), %%r11\n  test %%r11, %%r11\n  je 1f\n  jmp *%%r11\n"
            "1: mov $%u, %%r11d\n  .byte 0xe9\n  .long ckjit_u0_cold - . - 4\n.size %s, . - %s\n",
            symbols[i], symbols[i], symbols[i], 8 * i, i, symbols[i], symbols[i]);
  fprintf(f,
          "ckjit_u0_cold:\n  push %%r11\n  .byte 0x68\n  .long 0\n  lea ckjit_u0_slots(%%rip), %%r11\n"
          "  .byte 0xe9\n  .long ckjit_trampoline - . - 4\n"
          ".local ckjit_u0_slots\n.comm ckjit_u0_slots, %u, 8\n.section .note.GNU-stack,\"\",@progbits\n",
          8 * n);
}
#endif

int main(int argc, char **argv) {
  static char sources[MAX][1024], symbols[MAX][256];
  static unsigned blob_of[MAX], source_at[MAX];
  unsigned blobs = 0, n = 0, at = 0;
  if (argc != 10)
    return 2;
  FILE *h = fopen(argv[1], "w"), *stubs = fopen(argv[2], "w");
  char source[1024];
  while (n < MAX && scanf("%1023s %255s", source, symbols[n]) == 2) {
    unsigned b = 0;
    while (b < blobs && strcmp(sources[b], source) != 0)
      b++;
    if (b == blobs)
      strcpy(sources[blobs++], source);
    blob_of[n++] = b;
  }
  if (!h || !stubs || !n)
    return 1;
  fprintf(h, "#include \"ck_jit_manifest.h\"\n#define PLACE __attribute__((section(CKJIT_BUILD_SECTION)))\n"
             "const char ckjit_build_inputs[] PLACE = \"\";\n");
  for (int i = 0; i < 2; i++) {
    fprintf(h, "const char ckjit_build_%s[] PLACE = ", i ? "compile" : "root");
    quoted(h, argv[4 + i]);
    fprintf(h, ";\n");
  }
  fprintf(h, "const char ckjit_inputs[] = \"\", ckjit_bundle[1], ckjit_bundle_end[1];\n");
  fprintf(h, "const struct ckjit_combination ckjit_combinations[1];\nconst uint32_t ckjit_linked[1];\n");
  fprintf(h, "struct ckjit_blob_state ckjit_blob_states[%u];\n", blobs);
  fprintf(h, "void **ckjit_slots_of_unit[1], *ckjit_captured_address[%u];\n", n);
  fprintf(h, "const char ckjit_strings[] =\n");
  string(h, "", &at);
  unsigned name = string(h, "ck_jit", &at), root = string(h, argv[3], &at),
           compiler = string(h, argv[6], &at);
  unsigned kind = string(h, "hip", &at), variable = string(h, "CK_JIT_HIPCC", &at);
  unsigned flags = string(h, argv[7], &at), archs = string(h, argv[8], &at);
  for (unsigned b = 0; b < blobs; b++)
    source_at[b] = string(h, sources[b], &at);
  fprintf(h, ";\nconst struct ckjit_group ckjit_groups[] = {{%u, 0, %u, 0}};\n", flags, archs);
  fprintf(h, "const struct ckjit_blob ckjit_blobs[] = {\n");
  for (unsigned b = 0; b < blobs; b++)
    fprintf(h, "  {0, %u, 0, {%s, %u, %u}},\n", source_at[b], argv[9], b % 256, b / 256);
  fprintf(h, "};\nconst struct ckjit_function ckjit_functions[] = {\n");
  for (unsigned i = 0; i < n; i++)
    fprintf(h, "  {%u, 0, 0x%llxu},\n", blob_of[i],
            (unsigned long long)ckjit_fnv1a(symbols[i], strlen(symbols[i])));
  fprintf(h, "};\nconst uint32_t ckjit_unit_first[] = {0, %u};\n", n);
  fprintf(h,
          "const struct ckjit_facts ckjit_facts = {.name = %u, .root = %u, .compiler = %u, .kind = %u, "
          ".variable = %u, .units = 1, .blobs = %u, .functions = %u};\n",
          name, root, compiler, kind, variable, blobs, n);
  write_stubs(stubs, symbols, n);
  return fclose(h) || fclose(stubs);
}
