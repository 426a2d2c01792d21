/* ck_jit_aarch64.h - AArch64, little-endian, with the AAPCS64: see ck_jit_machine.h.
 *
 *     stub    bti c; adrp x16, slot; add x16, x16, :lo12:slot; ldar x17, [x16]; cbz x17, 1f
 *             br x17; 1: b cold; .word index
 *     cold    adr x17, 2f; stp x16, x17, [sp, #-16]!; ldr x16, [x17]; add x16, x16, x17; br x16
 *             .word unit; 2: .xword ckjit_trampoline - 2b; .xword slots - 2b
 *
 * Only x16 and x17 are free at a call. Code that a linker inserts between a call and its callee
 * uses them too, so no value is passed in them through a jump that a linker might lengthen. The
 * trampoline is reached by a distance of 64 bits, the slots by adrp (4 GB either way), the cold
 * part by a branch within its section. A linker may replace adrp and add by another pair of
 * instructions; readers of a stub skip both.
 *
 * A function that is called through a register begins with bti c, and br by x16 or x17 may go
 * there. The note declares this, and a library keeps branch target identification if all its
 * objects declare it. On processors without it bti does nothing.
 *
 * Memory order. Another thread has loaded the blob, written its relocated data, and stored its
 * address into the slot with release (ckjit_fill). The blob's code addresses its data relative to
 * pc, so none of its loads depends on the value of the slot, and neither a dependency nor a branch
 * orders them after the load of the slot. So the stub loads the slot with acquire: all later code
 * sees everything that was written before the store. The stub uses ldar and not ldapr, which needs
 * ARMv8.3: the two differ only while a store with release of the same thread is under way. The
 * instructions themselves need no barrier: the kernel mapped the pages and keeps the instruction
 * caches of all processors coherent with its mappings, and no processor can have fetched from an
 * address before it was mapped.
 */
#ifndef CK_JIT_AARCH64_H
#define CK_JIT_AARCH64_H

/* Older versions of glibc's elf.h lack some of these. */
enum {
  CKJIT_R_AARCH64_ABS64 = 257,
  CKJIT_R_AARCH64_GLOB_DAT = 1025,
  CKJIT_R_AARCH64_JUMP_SLOT = 1026,
  CKJIT_R_AARCH64_ABS32 = 258,
  CKJIT_R_AARCH64_PREL64 = 260,
  CKJIT_R_AARCH64_PREL32 = 261,
  CKJIT_R_AARCH64_ADRP = 275,
  CKJIT_R_AARCH64_LO12 = 277,
  CKJIT_R_AARCH64_LDST128 = 299,
  CKJIT_R_AARCH64_GOT_LD_PREL19 = 309,
  CKJIT_R_AARCH64_GOTPCREL32 = 315,
  CKJIT_R_AARCH64_TLSDESC_ADR_PAGE21 = 562,
  CKJIT_R_AARCH64_TLSDESC_LD64_LO12 = 563,
  CKJIT_R_AARCH64_TLSDESC_ADD_LO12 = 564,
  CKJIT_R_AARCH64_TLSDESC_CALL = 569,
  CKJIT_R_AARCH64_TLS_DTPMOD = 1028,
  CKJIT_STO_AARCH64_VARIANT_PCS = 0x80
};

static const struct ckjit_machine ckjit_aarch64 = {
    .name = "aarch64",
    .toolkit = "sbsa-linux",
    .elf = EM_AARCH64,
    .relative32 = CKJIT_R_AARCH64_PREL32,
    .absolute64 = CKJIT_R_AARCH64_ABS64,
    .got = CKJIT_R_AARCH64_GLOB_DAT,
    .got_of_calls = CKJIT_R_AARCH64_JUMP_SLOT,
    .thread_module = CKJIT_R_AARCH64_TLS_DTPMOD,
    .distance64 = CKJIT_R_AARCH64_PREL64,
    .calls = {.bits = CKJIT_STO_AARCH64_VARIANT_PCS,
              .words = {"aarch64_vector_pcs", "__SV", "svbool", "svint", "svuint", "svfloat",
                        "svbfloat", "__arm_"}},
    .fill = 0,
    .cold = {.size = 64,
             .code = 40,
             .bytes = {0xd1, 0x00, 0x00, 0x10,  /*  0: adr x17, 24 */
                       0xf0, 0x47, 0xbf, 0xa9,  /*  4: stp x16, x17, [sp, #-16]! */
                       0x30, 0x02, 0x40, 0xf9,  /*  8: ldr x16, [x17] */
                       0x10, 0x02, 0x11, 0x8b,  /* 12: add x16, x16, x17 */
                       0x00, 0x02, 0x1f, 0xd6}, /* 16: br x16 */
             .holes = {{CKJIT_HOLE_UNIT, CKJIT_AS_WORD, 20, 0, 0, 0},
                       {CKJIT_HOLE_TRAMPOLINE, CKJIT_AS_DISTANCE, 24, 24, CKJIT_R_AARCH64_PREL64,
                        0},
                       {CKJIT_HOLE_SLOTS, CKJIT_AS_DISTANCE, 32, 24, CKJIT_R_AARCH64_PREL64, 8}}},
    .stub = {.size = 32,
             .code = 32,
             .bytes = {0x5f, 0x24, 0x03, 0xd5,  /*  0: bti c */
                       0x10, 0x00, 0x00, 0x90,  /*  4: adrp x16, slot */
                       0x10, 0x02, 0x00, 0x91,  /*  8: add x16, x16, :lo12:slot */
                       0x11, 0xfe, 0xdf, 0xc8,  /* 12: ldar x17, [x16] */
                       0x51, 0x00, 0x00, 0xb4,  /* 16: cbz x17, 24 */
                       0x20, 0x02, 0x1f, 0xd6,  /* 20: br x17 */
                       0x00, 0x00, 0x00, 0x14}, /* 24: b cold */
             /* NT_GNU_PROPERTY_TYPE_0 */
             .holes = {{CKJIT_HOLE_SLOT, CKJIT_AS_LINKER_IS, 4, 0, CKJIT_R_AARCH64_ADRP, 0},
                       {CKJIT_HOLE_SLOT, CKJIT_AS_LINKER_IS, 8, 0, CKJIT_R_AARCH64_LO12, 0},
                       {CKJIT_HOLE_COLD, CKJIT_AS_BRANCH26, 24, 0, 0, 0},
                       {CKJIT_HOLE_INDEX, CKJIT_AS_WORD, 28, 0, 0, 0}}},
    .thread = {.size = 40,
               .code = 40,
               .bytes = {0x5f, 0x24, 0x03, 0xd5,  /*  0: bti c */
                         0xfd, 0x7b, 0xbf, 0xa9,  /*  4: stp x29, x30, [sp, #-16]! */
                         0x00, 0x00, 0x00, 0x90,  /*  8: adrp x0, :tlsdesc:variable */
                         0x01, 0x00, 0x40, 0xf9,  /* 12: ldr x1, [x0, :tlsdesc_lo12:variable] */
                         0x00, 0x00, 0x00, 0x91,  /* 16: add x0, x0, :tlsdesc_lo12:variable */
                         0x20, 0x00, 0x3f, 0xd6,  /* 20: blr x1 */
                         0x41, 0xd0, 0x3b, 0xd5,  /* 24: mrs x1, tpidr_el0 */
                         0x00, 0x00, 0x01, 0x8b,  /* 28: add x0, x0, x1 */
                         0xfd, 0x7b, 0xc1, 0xa8,  /* 32: ldp x29, x30, [sp], #16 */
                         0xc0, 0x03, 0x5f, 0xd6}, /* 36: ret */
               .holes = {{CKJIT_HOLE_VARIABLE, CKJIT_AS_LINKER_IS, 8, 0,
                          CKJIT_R_AARCH64_TLSDESC_ADR_PAGE21, 0},
                         {CKJIT_HOLE_VARIABLE, CKJIT_AS_LINKER_IS, 12, 0,
                          CKJIT_R_AARCH64_TLSDESC_LD64_LO12, 0},
                         {CKJIT_HOLE_VARIABLE, CKJIT_AS_LINKER_IS, 16, 0,
                          CKJIT_R_AARCH64_TLSDESC_ADD_LO12, 0},
                         {CKJIT_HOLE_VARIABLE, CKJIT_AS_LINKER_IS, 20, 0,
                          CKJIT_R_AARCH64_TLSDESC_CALL, 0}}},
    .marks = {{"$x", 0}, {"$d", 20}, {"$x", 40}},
    .property_size = 32,
    .property = {4, 0, 0, 0, 16, 0, 0, 0, 5, 0, 0, 0, 'G', 'N', 'U', 0,
                 /* FEATURE_1_AND: BTI, PAC, GCS */
                 0, 0, 0, 0xc0, 4, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0},
    .option = "-mbranch-protection=standard",
    /* Types 300 to 308, between the two, are distances from the table of addresses. */
    .leads = {.absolute = {{CKJIT_R_AARCH64_ABS64, CKJIT_R_AARCH64_ABS32}},
              .relative = {{CKJIT_R_AARCH64_PREL64, CKJIT_R_AARCH64_LDST128},
                           {CKJIT_R_AARCH64_GOT_LD_PREL19, CKJIT_R_AARCH64_GOTPCREL32}},
              .behind = 0,
              .step = 4,
              .jumps = {{0x7c000000, 0x14000000, 0, 26, 4, 0},  /* b, bl */
                        {0xff000000, 0x54000000, 5, 19, 4, 0},  /* b.cond */
                        {0x7e000000, 0x34000000, 5, 19, 4, 0},  /* cbz, cbnz */
                        {0x7e000000, 0x36000000, 5, 14, 4, 0},  /* tbz, tbnz */
                        {0x3b000000, 0x18000000, 5, 19, 4, 0},  /* ldr of a nearby word */
                        {0x9f000000, 0x10000000, 5, 19, 4, 0}}, /* adr, to a word */
              .nothing_size = 8,
              .nothing = {0x5f, 0x24, 0x03, 0xd5, 0xc0, 0x03, 0x5f, 0xd6}, /* bti c; ret */
              .helpers = "__aarch64_"},
};

#ifdef __aarch64__
#define CKJIT_OWN ckjit_aarch64
#define CKJIT_OWN_FILE "ck_jit_aarch64.h"

#ifndef __AARCH64EL__
#error "ckjit's stubs are for little-endian AArch64"
#endif

/* By default compilers call functions of libgcc for atomic exchanges (-moutline-atomics), and
 * these come with a constructor. The runtime must add no constructor to a user's library. Also,
 * libgcc of Debian 12 has no `bti c`, so in a library with -z force-bti that constructor ended
 * the process. */
#if defined(__clang__)
/* _Pragma takes one string, so this line cannot be broken. */
/* clang-format off */
#define CKJIT_CODE_BEGIN \
  _Pragma("clang attribute push(__attribute__((target(\"no-outline-atomics\"))),apply_to=function)")
/* clang-format on */
#define CKJIT_CODE_END _Pragma("clang attribute pop")
#elif __GNUC__ >= 10
#define CKJIT_CODE_BEGIN _Pragma("GCC target(\"no-outline-atomics\")")
#endif

/* In a library whose other code signs return addresses on the stack (-mbranch-protection), the
 * trampoline signs its own, with the same key. At that moment the stack pointer has its value from
 * the call, which the unwinder assumes. These instructions are hints, which older processors
 * ignore. */
#if !defined(__ARM_FEATURE_PAC_DEFAULT)
#define CKJIT_SIGN ""
#define CKJIT_CHECK ""
#elif __ARM_FEATURE_PAC_DEFAULT & 2
#define CKJIT_SIGN "  .cfi_b_key_frame\n  hint #27\n  .cfi_negate_ra_state\n"
#define CKJIT_CHECK "  hint #31\n  .cfi_negate_ra_state\n"
#else
#define CKJIT_SIGN "  hint #25\n  .cfi_negate_ra_state\n"
#define CKJIT_CHECK "  hint #29\n  .cfi_negate_ra_state\n"
#endif

/* ---- for ck_jit_registry.h ---- */

#define CKJIT_ARGUMENT_0 "x0"
#define CKJIT_ARGUMENT_1 "x1"
#define CKJIT_ARGUMENT_2 "x2"
#define CKJIT_ARGUMENT_3 "x3"
#define CKJIT_ARGUMENT_4 "x4"
#define CKJIT_ARGUMENT_5 "x5"

/* The functions take integers and pointers only, so their arguments are in x0 to x7 and on the
 * stack, which the real function sees as its caller left it. An exception of the callee passes
 * through, because the frame has unwind information. */
/* clang-format off */
#define CKJIT_IS_KNOWN(arg)                                                 \
          "  lsr x17, " CKJIT_ARGUMENT_##arg ", #" CKJIT_TEXT(CKJIT_KNOWN_SHIFT) "\n" \
          "  and x17, x17, #" CKJIT_TEXT(CKJIT_KNOWN) "-1\n"               \
          "  adrp x16, ckjit_known\n"                                      \
          "  add x16, x16, :lo12:ckjit_known\n"                            \
          "  add x16, x16, x17, lsl #3\n"                                  \
          "  ldar x16, [x16]\n"                                            \
          "  cmp x16, " CKJIT_ARGUMENT_##arg "\n"                          \
          "  b.eq 1f\n"
#define CKJIT_CALL_TRAMPOLINE(name, arg, known, callee)                     \
  __asm__(".text\n"                                                        \
          "  .p2align 2\n"                                                 \
          "  .globl __wrap_" name "\n"                                     \
          "  .hidden __wrap_" name "\n"                                    \
          "  .type __wrap_" name ", %function\n"                           \
          "__wrap_" name ":\n"                                             \
          "  .cfi_startproc\n"                                             \
          "  hint #34\n" /* bti c */                                       \
          known                                                            \
          "  .cfi_remember_state\n"                                        \
          CKJIT_SIGN                                                       \
          "  stp x29, x30, [sp, #-96]!\n"                                  \
          "  .cfi_def_cfa_offset 96\n"                                     \
          "  .cfi_offset x29, -96\n"                                       \
          "  .cfi_offset x30, -88\n"                                       \
          "  mov x29, sp\n"                                                \
          "  stp x0, x1, [sp, #16]\n"                                      \
          "  stp x2, x3, [sp, #32]\n"                                      \
          "  stp x4, x5, [sp, #48]\n"                                      \
          "  stp x6, x7, [sp, #64]\n"                                      \
          "  str x8, [sp, #80]\n"                                          \
          "  mov x0, " CKJIT_ARGUMENT_##arg "\n"                           \
          "  bl " callee "\n"                                              \
          "  str x0, [sp, #16+8*" #arg "]\n"                               \
          "  ldp x0, x1, [sp, #16]\n"                                      \
          "  ldp x2, x3, [sp, #32]\n"                                      \
          "  ldp x4, x5, [sp, #48]\n"                                      \
          "  ldp x6, x7, [sp, #64]\n"                                      \
          "  ldr x8, [sp, #80]\n"                                          \
          "  ldp x29, x30, [sp], #96\n"                                    \
          "  .cfi_def_cfa_offset 0\n"                                      \
          "  .cfi_restore x29\n"                                           \
          "  .cfi_restore x30\n"                                           \
          CKJIT_CHECK                                                      \
          "  .cfi_restore_state\n"                                         \
          "1:\n"                                                           \
          "  b __real_" name "\n"                                          \
          "  .cfi_endproc\n"                                               \
          "  .size __wrap_" name ", .-__wrap_" name "\n");
/* clang-format on */
#endif
#endif

/* ---- ckjit_trampoline, for ck_jit_trampoline.c ----
 *
 * The trampoline saves all registers that can carry an argument, and those that a call must
 * preserve but C may change: x0 to x15 and x18 (x8 holds the address of a large result; x9 to x15
 * and x18 are static chains and registers of other conventions, such as preserve_most); v0 to v31
 * whole, since a function of the vector calling convention preserves v8 to v23, and C only the
 * lower halves of v8 to v15. With SVE the same registers are z0 to z31, and p0 to p15 are added: z0
 * to z7 and p0 to p3 carry arguments, z8 to z23 and p4 to p15 are preserved. Only the processor
 * knows their length; rdvl and addvl read it.
 *
 * With SME a function may be called in streaming mode, and with the array ZA in use. C runs outside
 * streaming mode, and without ZA; leaving the mode clears all vectors. So the vectors are saved
 * first, in the length of the mode. ZA is saved if it is on and TPIDR2_EL0 is 0, that is, if the
 * function shares it with its caller. Otherwise ZA is dormant, and code that needs it saves it at
 * the address in TPIDR2_EL0.
 *
 * An exception reaches its handler outside streaming mode and without ZA, as the AAPCS64 demands.
 * But d8 to d15 must then have their values from the call, as after any function that changes the
 * mode, and changing the mode clears them: the unwind information says where the frame has them. It
 * also has VG, the length of the vectors in which frames of functions with SVE are measured,
 * because the mode may differ from the caller's.
 *
 * The trampoline calls getauxval for the processor's features, once in a process. getauxval
 * searches an array: neither glibc's nor musl's touches a vector, and the dynamic linker has put
 * its address into the table when it loaded the library, so none of the dynamic linker's code runs
 * in between. v0 to v31 are restored all the same, except on processors with SVE, where that would
 * clear the rest of z0 to z31. The instructions of SVE and SME are numbers here, because an
 * assembler accepts their names only if the compiler was given a processor that has them.
 *
 * On entry x16 and x17 of the cold part are on the stack, and the link register is the caller's:
 *
 *      0(sp)  address of the slot     8(sp)  data of the cold part; the unit's number is before it
 *
 * The frame; the vectors are below it, and ZA below these:
 *
 *      0(x29)  x29, x30      144(x29)  x18, x19 = features of the processor (ckjit_vector_state)
 *     16(x29)  x0 … x15      160(x29)  x20 = slot, later function; x21 = data, later SVCR or 0
 *    192(x29)  d8 … d15      176(x29)  x22 = address of the vectors; x23 = address of ZA, or 0
 *    256(x29)  VG, 0
 */
#if defined(CKJIT_WANTS_TRAMPOLINE) && defined(__aarch64__)
/* The bits of AT_HWCAP (16) and AT_HWCAP2 (26): SVE is bit 22 of the first, SME 23 and SME2 37 of
 * the second. */
#define CKJIT_ALL                                                                                  \
  "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"
#define CKJIT_HALF "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"

/* clang-format off */
__asm__(
    ".pushsection .text\n"
    ".globl ckjit_trampoline\n"
    ".hidden ckjit_trampoline\n"
    ".type ckjit_trampoline, %function\n"
    ".p2align 4\n"
    "ckjit_trampoline:\n"
    "  .cfi_startproc\n"
    "  .cfi_def_cfa_offset 16\n"
    "  hint #34\n" /* bti c */
    "  ldp x16, x17, [sp], #16\n"
    "  .cfi_def_cfa_offset 0\n"
    CKJIT_SIGN
    "  stp x29, x30, [sp, #-272]!\n"
    "  .cfi_def_cfa_offset 272\n"
    "  .cfi_offset x29, -272\n"
    "  .cfi_offset x30, -264\n"
    "  mov x29, sp\n"
    "  .cfi_def_cfa_register x29\n"
    "  stp x0, x1, [x29, #16]\n"
    "  stp x2, x3, [x29, #32]\n"
    "  stp x4, x5, [x29, #48]\n"
    "  stp x6, x7, [x29, #64]\n"
    "  stp x8, x9, [x29, #80]\n"
    "  stp x10, x11, [x29, #96]\n"
    "  stp x12, x13, [x29, #112]\n"
    "  stp x14, x15, [x29, #128]\n"
    "  stp x18, x19, [x29, #144]\n"
    "  .cfi_offset x19, -120\n"
    "  stp x20, x21, [x29, #160]\n"
    "  .cfi_offset x20, -112\n"
    "  .cfi_offset x21, -104\n"
    "  stp x22, x23, [x29, #176]\n"
    "  .cfi_offset x22, -96\n"
    "  .cfi_offset x23, -88\n"
    "  stp d8, d9, [x29, #192]\n"
    "  .cfi_offset b8, -80\n"
    "  .cfi_offset b9, -72\n"
    "  stp d10, d11, [x29, #208]\n"
    "  .cfi_offset b10, -64\n"
    "  .cfi_offset b11, -56\n"
    "  stp d12, d13, [x29, #224]\n"
    "  .cfi_offset b12, -48\n"
    "  .cfi_offset b13, -40\n"
    "  stp d14, d15, [x29, #240]\n"
    "  .cfi_offset b14, -32\n"
    "  .cfi_offset b15, -24\n"
    "  mov x20, x16\n"
    "  mov x21, x17\n"

    /* x19: 1, plus 2 with SVE, 4 with SME, 8 with SME2. The first thread finds out. */
    "  adrp x22, ckjit_vector_state\n"
    "  add x22, x22, :lo12:ckjit_vector_state\n"
    "  ldr w19, [x22]\n"
    "  cbnz w19, 1f\n"
    "  sub sp, sp, #512\n"
    "  .irp n," CKJIT_ALL "\n"
    "  str q\\n, [sp, #16 * \\n]\n"
    "  .endr\n"
    "  adrp x23, :got:getauxval\n"
    "  ldr x23, [x23, :got_lo12:getauxval]\n"
    "  mov x0, #16\n"
    "  blr x23\n"
    "  ubfx x19, x0, #22, #1\n"
    "  mov x0, #26\n"
    "  blr x23\n"
    "  ubfx x1, x0, #23, #1\n"
    "  ubfx x2, x0, #37, #1\n"
    "  lsl x19, x19, #1\n"
    "  orr x19, x19, x1, lsl #2\n"
    "  orr x19, x19, x2, lsl #3\n"
    "  orr x19, x19, #1\n"
    "  str w19, [x22]\n"
    "  tst w19, #6\n"
    "  b.ne 15f\n"
    "  .irp n," CKJIT_ALL "\n"
    "  ldr q\\n, [sp, #16 * \\n]\n"
    "  .endr\n"
    "15:\n"
    "  add sp, sp, #512\n"
    "1:\n"

    /* x1 of SVCR: bit 0 is set in streaming mode, bit 1 if ZA is in use. */
    "  mov x23, #0\n"
    "  mov x1, #0\n"
    "  tbz w19, #2, 2f\n"
    "  mrs x1, s3_3_c4_c2_2\n"
    "2:\n"
    "  tbnz w1, #0, 3f\n"
    "  tbnz w19, #1, 3f\n"
    "  mov x2, #2\n"
    "  str x2, [x29, #256]\n"
    "  sub sp, sp, #512\n"
    "  mov x22, sp\n"
    "  .irp n," CKJIT_ALL "\n"
    "  str q\\n, [x22, #16 * \\n]\n"
    "  .endr\n"
    "  b 4f\n"
    "3:\n"
    "  .inst 0x04e0e3e0 | 2\n" /* cntd x2 */
    "  str x2, [x29, #256]\n"
    "  .inst 0x043f501f | (32 << 5)\n" /* addvl sp, sp, #-32 */
    "  .inst 0x043f501f | (62 << 5)\n" /* addvl sp, sp, #-2 */
    /* str z<n>, [x22, #n, mul vl] */
    "  mov x22, sp\n"
    "  .irp n," CKJIT_ALL "\n"
    "  .inst 0xe5804000 | ((\\n / 8) << 16) | ((\\n % 8) << 10) | (22 << 5) | \\n\n"
    "  .endr\n"
    "  .inst 0x04365002 | (31 << 5)\n" /* addvl x2, x22, #31 */
    "  .inst 0x04225002 | (1 << 5)\n"  /* addvl x2, x2, #1 */
    /* str p<n>, [x2, #n, mul vl] */
    "  .irp n," CKJIT_HALF "\n"
    "  .inst 0xe5800000 | ((\\n / 8) << 16) | ((\\n % 8) << 10) | (2 << 5) | \\n\n"
    "  .endr\n"
    "4:\n"

    /* ZA has as many rows as a streaming vector has bytes, each of as many bytes. */
    "  tbz w1, #1, 6f\n"
    "  mrs x2, s3_3_c13_c0_5\n" /* TPIDR2_EL0 */
    "  cbnz x2, 6f\n"
    "  .inst 0x04bf5820 | 3\n" /* rdsvl x3, #1 */
    "  mul x2, x3, x3\n"
    "  sub sp, sp, x2\n"
    "  sub sp, sp, #64\n"
    "  mov x23, sp\n"
    "  tbz w19, #3, 5f\n"
    "  .inst 0xe13f8000 | (23 << 5)\n" /* str zt0, [x23] */
    "5:\n"
    "  add x2, x23, #64\n"
    "  mov w12, #0\n"
    "7:\n"
    "  .inst 0xe1200000 | (2 << 5)\n" /* str za[w12, 0], [x2] */
    "  add x2, x2, x3\n"
    "  add w12, w12, #1\n"
    "  cmp w12, w3\n"
    "  b.lo 7b\n"
    "  .inst 0xd503447f\n" /* smstop za */
    "6:\n"
    "  .cfi_offset 46, -16\n" /* VG */
    "  tbz w1, #0, 8f\n"
    "  .inst 0xd503427f\n" /* smstop sm */
    "8:\n"

    "  mov x3, x21\n"
    "  mov x21, x1\n"
    "  ldr x0, [x3, #8]\n"
    "  add x0, x0, x3\n"
    "  ldur w1, [x3, #-4]\n"
    "  sub x2, x20, x0\n"
    "  lsr x2, x2, #3\n"
    "  bl ckjit_resolve\n"
    "  mov x20, x0\n"

    "  tbz w21, #0, 9f\n"
    "  .inst 0xd503437f\n" /* smstart sm */
    "9:\n"
    "  .cfi_restore 46\n"
    "  cbz x23, 11f\n"
    "  .inst 0xd503457f\n"     /* smstart za */
    "  .inst 0x04bf5820 | 3\n" /* rdsvl x3, #1 */
    "  tbz w19, #3, 10f\n"
    "  .inst 0xe11f8000 | (23 << 5)\n" /* ldr zt0, [x23] */
    "10:\n"
    "  add x2, x23, #64\n"
    "  mov w12, #0\n"
    "12:\n"
    "  .inst 0xe1000000 | (2 << 5)\n" /* ldr za[w12, 0], [x2] */
    /* ldr p<n>, [x2, #n, mul vl] */
    "  add x2, x2, x3\n"
    "  add w12, w12, #1\n"
    "  cmp w12, w3\n"
    "  b.lo 12b\n"
    "11:\n"
    "  tbnz w21, #0, 13f\n"
    "  tbnz w19, #1, 13f\n"
    "  .irp n," CKJIT_ALL "\n"
    "  ldr q\\n, [x22, #16 * \\n]\n"
    "  .endr\n"
    "  b 14f\n"
    "13:\n"
    "  .inst 0x04365002 | (31 << 5)\n"
    "  .inst 0x04225002 | (1 << 5)\n"
    "  .irp n," CKJIT_HALF "\n"
    "  .inst 0x85800000 | ((\\n / 8) << 16) | ((\\n % 8) << 10) | (2 << 5) | \\n\n"
    /* ldr z<n>, [x22, #n, mul vl] */
    "  .endr\n"
    "  .irp n," CKJIT_ALL "\n"
    "  .inst 0x85804000 | ((\\n / 8) << 16) | ((\\n % 8) << 10) | (22 << 5) | \\n\n"
    "  .endr\n"
    "14:\n"
    "  mov x16, x20\n"
    "  ldp x0, x1, [x29, #16]\n"
    "  ldp x2, x3, [x29, #32]\n"
    "  ldp x4, x5, [x29, #48]\n"
    "  ldp x6, x7, [x29, #64]\n"
    "  ldp x8, x9, [x29, #80]\n"
    "  ldp x10, x11, [x29, #96]\n"
    "  ldp x12, x13, [x29, #112]\n"
    "  ldp x14, x15, [x29, #128]\n"
    "  ldp x18, x19, [x29, #144]\n"
    "  .cfi_restore x19\n"
    "  ldp x20, x21, [x29, #160]\n"
    "  .cfi_restore x20\n"
    "  .cfi_restore x21\n"
    "  ldp x22, x23, [x29, #176]\n"
    "  .cfi_restore x22\n"
    "  .cfi_restore x23\n"
    "  .cfi_restore b8\n"
    "  .cfi_restore b9\n"
    "  .cfi_restore b10\n"
    "  .cfi_restore b11\n"
    "  .cfi_restore b12\n"
    "  .cfi_restore b13\n"
    "  .cfi_restore b14\n"
    "  .cfi_restore b15\n"
    "  mov sp, x29\n"
    "  .cfi_def_cfa_register sp\n"
    "  ldp x29, x30, [sp], #272\n"
    "  .cfi_def_cfa_offset 0\n"
    "  .cfi_restore x29\n"
    "  .cfi_restore x30\n"
    CKJIT_CHECK
    "  br x16\n"
    "  .cfi_endproc\n"
    ".size ckjit_trampoline, . - ckjit_trampoline\n"
    ".local ckjit_vector_state\n.comm ckjit_vector_state, 4, 4\n"
    ".popsection\n");
/* clang-format on */
#endif
