/* ck_jit_riscv64.h - RISC-V of 64 bits, by the ABI lp64d: see ck_jit_machine.h.
 *
 *     stub    1: auipc t1, 0; lw t3, 44(t1); add t1, t1, t3; ld t3, 44(t1); fence r, rw; beqz t3, 2f; jr t3
 *             2: auipc t3, 0; lw t4, 20(t3); add t3, t3, t4; jr t3; .word slot - ., cold - 2b, index
 *     cold    addi sp, sp, -16; addi t1, t1, 44; sd t1, 0(sp); 1: auipc t3, 0; addi t3, t3, 28; sd t3, 8(sp)
 *             lw t1, 0(t3); add t1, t1, t3; jr t1; .word unit; 2: .word ckjit_trampoline - 2b, slots - 2b
 *
 * t1, t3 and t4 are free at a call: t0 is the return address of what is called by another road, t2 the static chain and the label of a landing pad. What is further
 * away is reached by distances of 32 bits in the code. The linker's own pair of auipc and a low part would need a symbol of its own for each stub, and a jump
 * reaches 1 MB.
 *
 * Memory order as in ck_jit_aarch64.h: the slot is loaded with acquire, which is a load and a fence r, rw here. Instructions: the pages were mapped by
 * the kernel, which lets each processor fetch anew what it maps.
 *
 * There is no .leads: the assembler leaves distances within a section to the linker, or not, in forms that are not read. HIP blobs with functions that launch
 * nothing are compiled whole.
 */
#ifndef CK_JIT_RISCV64_H
#define CK_JIT_RISCV64_H

#ifndef CKJIT_WANTS_SIDE /* which has no header of libc */
/* Older versions of glibc's elf.h lack some of these. */
enum { CKJIT_R_RISCV_32_PCREL = 57, CKJIT_RISCV_DOUBLE = 4, CKJIT_STO_RISCV_VARIANT_CC = 0x80 };

static const struct ckjit_machine ckjit_riscv64 = {
    .name = "riscv64",
    .elf = EM_RISCV,
    .elf_flags = CKJIT_RISCV_DOUBLE,
    .relative32 = CKJIT_R_RISCV_32_PCREL,
    .calls = {.bits = CKJIT_STO_RISCV_VARIANT_CC,
              .words = {"riscv_vector_cc", "riscv::vector_cc", "__rvv_", "vint", "vuint", "vfloat", "vbool"}},
    .fill = 0,
    .cold = {.size = 64,
             .code = 48,
             .bytes = {0x13, 0x01, 0x01, 0xff,  /*  0: addi sp, sp, -16 */
                       0x13, 0x03, 0xc3, 0x02,  /*  4: addi t1, t1, 44 */
                       0x23, 0x30, 0x61, 0x00,  /*  8: sd t1, 0(sp) */
                       0x17, 0x0e, 0x00, 0x00,  /* 12: auipc t3, 0 */
                       0x13, 0x0e, 0xce, 0x01,  /* 16: addi t3, t3, 28 */
                       0x23, 0x34, 0xc1, 0x01,  /* 20: sd t3, 8(sp) */
                       0x03, 0x23, 0x0e, 0x00,  /* 24: lw t1, 0(t3) */
                       0x33, 0x03, 0xc3, 0x01,  /* 28: add t1, t1, t3 */
                       0x67, 0x00, 0x03, 0x00}, /* 32: jr t1 */
             .holes = {{CKJIT_HOLE_UNIT, CKJIT_AS_WORD, 36, 0, 0, 0},
                       {CKJIT_HOLE_TRAMPOLINE, CKJIT_AS_DISTANCE32, 40, 40, CKJIT_R_RISCV_32_PCREL, 0},
                       {CKJIT_HOLE_SLOTS, CKJIT_AS_DISTANCE32, 44, 40, CKJIT_R_RISCV_32_PCREL, 4}}},
    .stub = {.size = 64,
             .code = 56,
             .bytes = {0x17, 0x03, 0x00, 0x00,  /*  0: auipc t1, 0 */
                       0x03, 0x2e, 0xc3, 0x02,  /*  4: lw t3, 44(t1) */
                       0x33, 0x03, 0xc3, 0x01,  /*  8: add t1, t1, t3 */
                       0x03, 0x3e, 0xc3, 0x02,  /* 12: ld t3, 44(t1) */
                       0x0f, 0x00, 0x30, 0x02,  /* 16: fence r, rw */
                       0x63, 0x04, 0x0e, 0x00,  /* 20: beqz t3, 28 */
                       0x67, 0x00, 0x0e, 0x00,  /* 24: jr t3 */
                       0x17, 0x0e, 0x00, 0x00,  /* 28: auipc t3, 0 */
                       0x83, 0x2e, 0x4e, 0x01,  /* 32: lw t4, 20(t3) */
                       0x33, 0x0e, 0xde, 0x01,  /* 36: add t3, t3, t4 */
                       0x67, 0x00, 0x0e, 0x00}, /* 40: jr t3 */
             .holes = {{CKJIT_HOLE_SLOT, CKJIT_AS_LINKER_IS, 44, 0, CKJIT_R_RISCV_32_PCREL, 0},
                       {CKJIT_HOLE_COLD, CKJIT_AS_DISTANCE32, 48, 28, 0, 0},
                       {CKJIT_HOLE_INDEX, CKJIT_AS_WORD, 52, 0, 0, 0}}},
    .marks = {{"$x", 0}, {"$d", 36}, {"$x", 48}},
};
#endif

#if defined(__riscv) && __riscv_xlen == 64
#define CKJIT_OWN ckjit_riscv64
#define CKJIT_OWN_FILE "ck_jit_riscv64.h"

#ifndef __riscv_float_abi_double
#error "ckjit's stubs are for RISC-V by the ABI lp64d"
#endif

#define CKJIT_EACH_FLOAT(how) how("0") how("1") how("2") how("3") how("4") how("5") how("6") how("7")
#define CKJIT_EACH_ARGUMENT(how) how("0") how("1") how("2") how("3") how("4") how("5") how("6") how("7")
#define CKJIT_KEEP_ARGUMENT(n) "  sd a" n ", 16+8*" n "(sp)\n"
#define CKJIT_BRING_ARGUMENT(n) "  ld a" n ", 16+8*" n "(sp)\n"
#define CKJIT_KEEP_FLOAT(n) "  fsd fa" n ", 80+8*" n "(sp)\n"
#define CKJIT_BRING_FLOAT(n) "  fld fa" n ", 80+8*" n "(sp)\n"

/* ---- of ck_jit_registry.h ---- */

#define CKJIT_ARGUMENT_0 "a0"
#define CKJIT_ARGUMENT_1 "a1"
#define CKJIT_ARGUMENT_2 "a2"
#define CKJIT_ARGUMENT_3 "a3"
#define CKJIT_ARGUMENT_4 "a4"
#define CKJIT_ARGUMENT_5 "a5"

/* The functions take integers and pointers only, so their arguments are in a0 to a7 and on the stack. */
/* clang-format off */
#define CKJIT_IS_KNOWN(arg)                                                 \
          "  srli t1, " CKJIT_ARGUMENT_##arg ", " CKJIT_TEXT(CKJIT_KNOWN_SHIFT) "\n" \
          "  li t3, " CKJIT_TEXT(CKJIT_KNOWN) "-1\n"                       \
          "  and t1, t1, t3\n"                                             \
          "  lla t3, ckjit_known\n"                                        \
          "  slli t1, t1, 3\n"                                             \
          "  add t3, t3, t1\n"                                             \
          "  ld t3, 0(t3)\n"                                               \
          "  fence r, rw\n"                                                \
          "  beq t3, " CKJIT_ARGUMENT_##arg ", 1f\n"
#define CKJIT_CALL_TRAMPOLINE(name, arg, known, callee)                     \
  __asm__(".text\n"                                                        \
          "  .p2align 2\n"                                                 \
          "  .globl __wrap_" name "\n"                                     \
          "  .hidden __wrap_" name "\n"                                    \
          "  .type __wrap_" name ", %function\n"                           \
          "__wrap_" name ":\n"                                             \
          "  .cfi_startproc\n"                                             \
          known                                                            \
          "  addi sp, sp, -80\n"                                           \
          "  .cfi_adjust_cfa_offset 80\n"                                  \
          "  sd ra, 0(sp)\n"                                               \
          "  .cfi_offset ra, -80\n"                                        \
          CKJIT_EACH_ARGUMENT(CKJIT_KEEP_ARGUMENT)                         \
          "  mv a0, " CKJIT_ARGUMENT_##arg "\n"                            \
          "  call " callee "\n"                                            \
          "  sd a0, 16+8*" #arg "(sp)\n"                                   \
          CKJIT_EACH_ARGUMENT(CKJIT_BRING_ARGUMENT)                        \
          "  ld ra, 0(sp)\n"                                               \
          "  .cfi_restore ra\n"                                            \
          "  addi sp, sp, 80\n"                                            \
          "  .cfi_adjust_cfa_offset -80\n"                                 \
          "1:\n"                                                           \
          "  tail __real_" name "@plt\n"                                   \
          "  .cfi_endproc\n"                                               \
          "  .size __wrap_" name ", .-__wrap_" name "\n");
/* clang-format on */

/* ---- of ck_jit_hip_side.c ---- */

/* The address of the function that was called is in t1. */
/* clang-format off */
#ifdef CKJIT_WANTS_SIDE
#define CKJIT_SIDE_FIRST                                                   \
  __asm__(".text\n"                                                        \
          "  .p2align 2\n"                                                 \
          "  .type ckjit_side_first, %function\n"                          \
          "ckjit_side_first:\n"                                            \
          "  .cfi_startproc\n"                                             \
          "  addi sp, sp, -144\n"                                          \
          "  .cfi_adjust_cfa_offset 144\n"                                 \
          "  sd ra, 0(sp)\n"                                               \
          "  .cfi_offset ra, -144\n"                                       \
          "  sd t1, 8(sp)\n"                                               \
          CKJIT_EACH_ARGUMENT(CKJIT_KEEP_ARGUMENT)                         \
          CKJIT_EACH_FLOAT(CKJIT_KEEP_FLOAT)                               \
          "  addi a0, sp, 16\n"                                            \
          "  call ckjit_side_need\n"                                       \
          CKJIT_EACH_FLOAT(CKJIT_BRING_FLOAT)                              \
          CKJIT_EACH_ARGUMENT(CKJIT_BRING_ARGUMENT)                        \
          "  ld t1, 8(sp)\n"                                               \
          "  ld ra, 0(sp)\n"                                               \
          "  .cfi_restore ra\n"                                            \
          "  addi sp, sp, 144\n"                                           \
          "  .cfi_adjust_cfa_offset -144\n"                                \
          "  jr t1\n"                                                      \
          "  .cfi_endproc\n"                                               \
          "  .size ckjit_side_first, .-ckjit_side_first\n");
#define CKJIT_NEEDS_CODE(name)                                             \
  __asm__(".text\n"                                                        \
          "  .p2align 2\n"                                                 \
          "  .globl __wrap_" name "\n"                                     \
          "  .hidden __wrap_" name "\n"                                    \
          "  .type __wrap_" name ", %function\n"                           \
          "__wrap_" name ":\n"                                             \
          "  .cfi_startproc\n"                                             \
          "  lla t1, ckjit_side_ready\n"                                   \
          "  lw t3, 0(t1)\n"                                               \
          "  fence r, rw\n"                                                \
          "  beqz t3, 1f\n"                                                \
          "  tail __real_" name "@plt\n"                                   \
          "1:\n"                                                           \
          "  auipc t1, %got_pcrel_hi(__real_" name ")\n"                   \
          "  ld t1, %pcrel_lo(1b)(t1)\n"                                   \
          "  j ckjit_side_first\n"                                         \
          "  .cfi_endproc\n"                                               \
          "  .size __wrap_" name ", .-__wrap_" name "\n");
#endif
/* clang-format on */
#endif

#endif

/* ---- ckjit_trampoline, for ck_jit_trampoline.c ----
 *
 * What can carry an argument: a0 to a7, fa0 to fa7, t2 (static chain), t0 (a return address of another road); with vectors v0 and v8 to v23, and a function of
 * the vector convention keeps v1 to v7 and v24 to v31 for its caller, which C does not: all of v0 to v31, by whole registers, which no setting of vl
 * changes. Whether there are vectors is asked of getauxval, once in a process (AT_HWCAP, the bit of the letter V); it touches none. The instructions are numbers
 * here: an assembler takes their names only if the compiler was told of such a processor.
 *
 * On entry t1 and t3 of the cold part are on the stack: 0(sp) where the slot is, 8(sp) data of the cold part; the unit's number is before it. The frame:
 *
 *      -8(s0)  ra       -32(s0)  s2, later the function    -56(s0)  t2
 *     -16(s0)  s0       -40(s0)  s3 = where vectors are    -120(s0)  a0 … a7
 *     -24(s0)  s1 = 1, and 2 with vectors   -48(s0)  t0    -184(s0)  fa0 … fa7
 */
#if defined(CKJIT_WANTS_TRAMPOLINE) && defined(__riscv) && __riscv_xlen == 64
#define CKJIT_KEEP_A(n) "  sd a" n ", -120+8*" n "(s0)\n"
#define CKJIT_BRING_A(n) "  ld a" n ", -120+8*" n "(s0)\n"
#define CKJIT_KEEP_FA(n) "  fsd fa" n ", -184+8*" n "(s0)\n"
#define CKJIT_BRING_FA(n) "  fld fa" n ", -184+8*" n "(s0)\n"

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
    "  ld t1, 0(sp)\n"
    "  ld t3, 8(sp)\n"
    "  addi sp, sp, 16\n"
    "  .cfi_def_cfa_offset 0\n"
    "  addi sp, sp, -192\n"
    "  .cfi_def_cfa_offset 192\n"
    "  sd ra, 184(sp)\n"
    "  .cfi_offset ra, -8\n"
    "  sd s0, 176(sp)\n"
    "  .cfi_offset s0, -16\n"
    "  addi s0, sp, 192\n"
    "  .cfi_def_cfa s0, 0\n"
    "  sd s1, -24(s0)\n"
    "  .cfi_offset s1, -24\n"
    "  sd s2, -32(s0)\n"
    "  .cfi_offset s2, -32\n"
    "  sd s3, -40(s0)\n"
    "  .cfi_offset s3, -40\n"
    "  sd t0, -48(s0)\n"
    "  sd t2, -56(s0)\n"
    CKJIT_EACH_ARGUMENT(CKJIT_KEEP_A)
    CKJIT_EACH_FLOAT(CKJIT_KEEP_FA)
    "  mv s2, t1\n"
    "  mv s3, t3\n"
    "  lla t0, ckjit_vector_state\n"
    "  lw s1, 0(t0)\n"
    "  bnez s1, 1f\n"
    "  li a0, 16\n"
    "  call getauxval@plt\n"
    "  srli a0, a0, 21\n"
    "  andi a0, a0, 1\n"
    "  slli a0, a0, 1\n"
    "  ori s1, a0, 1\n"
    "  lla t0, ckjit_vector_state\n"
    "  sw s1, 0(t0)\n"
    "1:\n"
    /* a0, a1, a2: slots, unit, index */
    "  lw a0, 4(s3)\n"
    "  add a0, a0, s3\n"
    "  lwu a1, -4(s3)\n"
    "  sub a2, s2, a0\n"
    "  srli a2, a2, 3\n"
    "  andi t0, s1, 2\n"
    "  beqz t0, 2f\n"
    "  .4byte 0xc22022f3\n" /* csrr t0, vlenb */
    "  slli t1, t0, 5\n"
    "  sub sp, sp, t1\n"
    "  andi sp, sp, -16\n"
    "  mv s3, sp\n"
    "  slli t0, t0, 3\n"
    "  mv t1, s3\n"
    "  .irp n,0,8,16,24\n"
    "  .4byte 0xe2800027 | (6 << 15) | (\\n << 7)\n" /* vs8r.v v<n>, (t1) */
    "  add t1, t1, t0\n"
    "  .endr\n"
    "2:\n"
    "  call ckjit_resolve\n"
    "  mv t1, a0\n"
    "  andi t0, s1, 2\n"
    "  beqz t0, 3f\n"
    "  .4byte 0xc22022f3\n" /* csrr t0, vlenb */
    "  slli t0, t0, 3\n"
    "  .irp n,0,8,16,24\n"
    "  .4byte 0xe2800007 | (19 << 15) | (\\n << 7)\n" /* vl8r.v v<n>, (s3) */
    "  add s3, s3, t0\n"
    "  .endr\n"
    "3:\n"
    CKJIT_EACH_FLOAT(CKJIT_BRING_FA)
    CKJIT_EACH_ARGUMENT(CKJIT_BRING_A)
    "  ld t0, -48(s0)\n"
    "  ld t2, -56(s0)\n"
    "  ld s1, -24(s0)\n"
    "  .cfi_restore s1\n"
    "  ld s2, -32(s0)\n"
    "  .cfi_restore s2\n"
    "  ld s3, -40(s0)\n"
    "  .cfi_restore s3\n"
    "  addi sp, s0, -192\n"
    "  .cfi_def_cfa sp, 192\n"
    "  ld ra, 184(sp)\n"
    "  .cfi_restore ra\n"
    "  ld s0, 176(sp)\n"
    "  .cfi_restore s0\n"
    "  addi sp, sp, 192\n"
    "  .cfi_def_cfa_offset 0\n"
    "  jr t1\n"
    "  .cfi_endproc\n"
    ".size ckjit_trampoline, . - ckjit_trampoline\n"
    ".local ckjit_vector_state\n.comm ckjit_vector_state, 4, 4\n"
    ".popsection\n");
/* clang-format on */
#endif
