/* ck_jit_x86_64.h - x86-64: see ck_jit_machine.h.
 *
 *     stub    mov slot(%rip), %r11; test %r11, %r11; je 1f; jmp *%r11
 *             1: mov $index, %r11d; jmp cold
 *     cold    push %r11; push $unit; lea slots(%rip), %r11; jmp ckjit_trampoline
 *
 * A load is an acquire load, and r11 is free at a call.
 */
#ifndef CK_JIT_X86_64_H
#define CK_JIT_X86_64_H

static const struct ckjit_machine ckjit_x86_64 = {
    .name = "x86_64",
    .toolkit = "x86_64-linux",
    .elf = EM_X86_64,
    .relative32 = R_X86_64_PC32,
    .absolute64 = R_X86_64_64,
    .got = R_X86_64_GLOB_DAT,
    .got_of_calls = R_X86_64_JUMP_SLOT,
    .thread_module = R_X86_64_DTPMOD64,
    .distance64 = R_X86_64_PC64,
    .behind = {R_X86_64_PC32, R_X86_64_PLT32},
    .fill = 0xcc,
    .cold = {.size = 32,
             .code = 19,
             .bytes = {0x41, 0x53, 0x68, 0, 0, 0, 0, 0x4c, 0x8d, 0x1d, 0, 0, 0, 0, 0xe9},
             .holes = {{CKJIT_HOLE_UNIT, CKJIT_AS_WORD, 3, 0, 0, 0},
                       {CKJIT_HOLE_SLOTS, CKJIT_AS_NEXT32, 10, 0, R_X86_64_PC32, -4},
                       {CKJIT_HOLE_TRAMPOLINE, CKJIT_AS_NEXT32, 15, 0, R_X86_64_PC32, -4}}},
    .stub = {.size = 32,
             .code = 26,
             .bytes = {0x4c, 0x8b, 0x1d, 0,    0,    0,    0, 0x4d, 0x85, 0xdb, 0x74,
                       0x03, 0x41, 0xff, 0xe3, 0x41, 0xbb, 0, 0,    0,    0,    0xe9},
             .holes = {{CKJIT_HOLE_SLOT, CKJIT_AS_NEXT32, 3, 0, R_X86_64_PC32, -4},
                       {CKJIT_HOLE_INDEX, CKJIT_AS_WORD, 17, 0, 0, 0},
                       {CKJIT_HOLE_COLD, CKJIT_AS_NEXT32, 22, 0, 0, 0}}},
    .thread = {.size = 32,
               .code = 29,
               .bytes = {0xf3, 0x0f, 0x1e, 0xfa,             /*  0: endbr64 */
                         0x48, 0x83, 0xec, 0x08,             /*  4: sub $8, %rsp */
                         0x66, 0x48, 0x8d, 0x3d, 0, 0, 0, 0, /*  8: lea variable@tlsgd, %rdi */
                         0x66, 0x66, 0x48, 0xe8, 0, 0, 0, 0, /* 16: call __tls_get_addr */
                         0x48, 0x83, 0xc4, 0x08,             /* 24: add $8, %rsp */
                         0xc3},                              /* 28: ret */
               .holes = {{CKJIT_HOLE_VARIABLE, CKJIT_AS_LINKER_IS, 12, 0, R_X86_64_TLSGD, -4},
                         {CKJIT_HOLE_GETTER, CKJIT_AS_LINKER_IS, 20, 0, R_X86_64_PLT32, -4}}},
    .leads = {.absolute = {{R_X86_64_64, R_X86_64_64}, {R_X86_64_32, R_X86_64_32S}},
              .relative = {{R_X86_64_PC32, R_X86_64_PC32},
                           {R_X86_64_PLT32, R_X86_64_PLT32},
                           {R_X86_64_GOTPCREL, R_X86_64_GOTPCREL},
                           {R_X86_64_GOTPCRELX, R_X86_64_REX_GOTPCRELX}},
              .behind = 4,
              .step = 1,
              .jumps = {{0xfe, 0xe8, 8, 32, 1, 5},      /* call, jmp */
                        {0xf0ff, 0x800f, 16, 32, 1, 6}, /* jcc */
                        {0xc7, 0x05, 8, 32, 1, 5},      /* an address: ModRM, rip-relative */
                        {0xff, 0xeb, 8, 8, 1, 2},       /* the short ones: jmp … */
                        {0xf0, 0x70, 8, 8, 1, 2},       /* … jcc … */
                        {0xfc, 0xe0, 8, 8, 1, 2}},      /* … loop, jrcxz */
              .nothing_size = 1,
              .nothing = {0xc3}}, /* ret */
};

#ifdef __x86_64__
#define CKJIT_OWN ckjit_x86_64
#define CKJIT_OWN_FILE "ck_jit_x86_64.h"

/* ---- for ck_jit_registry.h ---- */

#define CKJIT_ARGUMENT_0 "rdi"
#define CKJIT_ARGUMENT_1 "rsi"
#define CKJIT_ARGUMENT_2 "rdx"
#define CKJIT_ARGUMENT_3 "rcx"
#define CKJIT_ARGUMENT_4 "r8"
#define CKJIT_ARGUMENT_5 "r9"

/* All registers that hold arguments are preserved for the real function, which sees the stack as
 * its caller left it. An exception of ckjit_kernel_need passes through, because the frame has
 * unwind information. */
/* clang-format off */
#define CKJIT_PUSH(reg) "  push %" reg "\n  .cfi_adjust_cfa_offset 8\n"
#define CKJIT_POP(reg) "  pop %" reg "\n  .cfi_adjust_cfa_offset -8\n"
#define CKJIT_IS_KNOWN(arg)                                           \
          "  mov %" CKJIT_ARGUMENT_##arg ", %r11\n"                   \
          "  shr $" CKJIT_TEXT(CKJIT_KNOWN_SHIFT) ", %r11d\n"         \
          "  and $" CKJIT_TEXT(CKJIT_KNOWN) "-1, %r11d\n"             \
          "  lea ckjit_known(%rip), %r10\n"                           \
          "  cmp %" CKJIT_ARGUMENT_##arg ", (%r10,%r11,8)\n"          \
          "  je 1f\n"
#define CKJIT_CALL_TRAMPOLINE(name, arg, known, callee)               \
  __asm__(".text\n"                                                   \
          "  .globl __wrap_" name "\n"                                \
          "  .hidden __wrap_" name "\n"                               \
          "  .type __wrap_" name ", @function\n"                      \
          "__wrap_" name ":\n"                                        \
          "  .cfi_startproc\n"                                        \
          known                                                       \
          CKJIT_PUSH("rdi") CKJIT_PUSH("rsi") CKJIT_PUSH("rdx")       \
          CKJIT_PUSH("rcx") CKJIT_PUSH("r8") CKJIT_PUSH("r9")         \
          "  sub $8, %rsp\n"                                          \
          "  .cfi_adjust_cfa_offset 8\n"                              \
          "  mov %" CKJIT_ARGUMENT_##arg ", %rdi\n"                   \
          "  call " callee "\n"                                       \
          "  mov %rax, 48-8*" #arg "(%rsp)\n"                         \
          "  add $8, %rsp\n"                                          \
          "  .cfi_adjust_cfa_offset -8\n"                             \
          CKJIT_POP("r9") CKJIT_POP("r8") CKJIT_POP("rcx")            \
          CKJIT_POP("rdx") CKJIT_POP("rsi") CKJIT_POP("rdi")          \
          "1:\n"                                                      \
          "  jmp __real_" name "@PLT\n"                               \
          "  .cfi_endproc\n"                                          \
          "  .size __wrap_" name ", .-__wrap_" name "\n");
/* clang-format on */
#endif
#endif

/* ---- ckjit_trampoline, for ck_jit_trampoline.c ----
 *
 * The registers that can carry an argument are, in the System V ABI (3.2.3): rdi rsi rdx rcx r8 r9,
 * al (vector registers used by varargs), r10 (static chain), and xmm, ymm or zmm 0 to 7. rax and
 * the upper vector registers and masks are preserved too: other calling conventions (regcall,
 * vectorcall) use them.
 *
 * xsave stores the vector state, as in glibc's _dl_runtime_resolve: only the processor knows its
 * size (cpuid leaf 0xD), and saving only xmm would cut a __m256 in half. The mask has x87, SSE, AVX
 * and AVX-512. AMX tiles and protection keys carry no argument; restoring keys would even undo a
 * change that the process made meanwhile. cpuid traps under virtualisation (14 us were measured),
 * which does not matter beside a dlopen, but would in each call that CK_JIT_CAPTURE counts: it is
 * called once.
 *
 * On entry r11 has the slots; on the stack are
 *
 *      0(%rsp)  unit            16(%rsp)  return address
 *      8(%rsp)  index
 *
 * The frame; the vector state is below it, 64-byte aligned, at rsp:
 *
 *     24(%rbp)  return address  -24(%rbp)  rcx    -64(%rbp)  r9
 *     16(%rbp)  index           -32(%rbp)  rdx    -72(%rbp)  r10
 *      8(%rbp)  unit            -40(%rbp)  rsi    -80(%rbp)  r12
 *      0(%rbp)  rbp             -48(%rbp)  rdi
 *     -8(%rbp)  rbx             -56(%rbp)  r8
 *    -16(%rbp)  rax
 */
#if defined(CKJIT_WANTS_TRAMPOLINE) && defined(__x86_64__)
/* 0xe7: x87, SSE, AVX, opmask, ZMM_Hi256, Hi16_ZMM (the bits of XCR0; disabled ones are
 * ignored). */
__asm__(
    ".pushsection .text\n"
    ".globl ckjit_trampoline\n"
    ".hidden ckjit_trampoline\n"
    ".type ckjit_trampoline, @function\n"
    ".p2align 4\n"
    "ckjit_trampoline:\n"
    "  .cfi_startproc\n"
    "  .cfi_def_cfa_offset 24\n"
    "  pushq %rbp\n"
    "  .cfi_def_cfa_offset 32\n"
    "  .cfi_offset %rbp, -32\n"
    "  movq %rsp, %rbp\n"
    "  .cfi_def_cfa_register %rbp\n"
    "  pushq %rbx\n"
    "  .cfi_offset %rbx, -40\n"
    "  pushq %rax\n"
    "  pushq %rcx\n"
    "  pushq %rdx\n"
    "  pushq %rsi\n"
    "  pushq %rdi\n"
    "  pushq %r8\n"
    "  pushq %r9\n"
    "  pushq %r10\n"
    "  pushq %r12\n"
    "  .cfi_offset %r12, -112\n"

    /* r12: bytes that xsave needs for the mask, or 1 if the system does not save vector state by it
     * (leaf 1, ecx bit 27: OSXSAVE). They end with Hi16_ZMM (sub-leaf 7), on a processor without
     * AVX-512 with AVX (2), otherwise with the header. The size of all that is enabled (0) has the
     * 8 KiB of AMX's tiles, too large for a signal stack. The first thread to come finds out. */
    "  movl ckjit_vector_state(%rip), %ebx\n"
    "  testl %ebx, %ebx\n"
    "  jnz 6f\n"
    "  movl $1, %eax\n"
    "  cpuid\n"
    "  movl $1, %ebx\n"
    "  btl $27, %ecx\n"
    "  jnc 5f\n"
    "  movl $0xd, %eax\n"
    "  movl $7, %ecx\n"
    "  cpuid\n"
    "  addl %eax, %ebx\n"
    "  jnz 5f\n"
    "  movl $0xd, %eax\n"
    "  movl $2, %ecx\n"
    "  cpuid\n"
    "  addl %eax, %ebx\n"
    "  jnz 5f\n"
    "  movl $576, %ebx\n"
    "5:\n"
    "  movl %ebx, ckjit_vector_state(%rip)\n"
    "6:\n"
    "  movl %ebx, %r12d\n"
    "  cmpl $1, %ebx\n"
    "  je 1f\n"
    "  subq %rbx, %rsp\n"
    "  andq $-64, %rsp\n"
    /* xsave writes only the first word of its header, and xrstor faults if the others are not
     * zero */
    "  xorl %eax, %eax\n"
    "  movq %rax, 512(%rsp)\n"
    "  movq %rax, 520(%rsp)\n"
    "  movq %rax, 528(%rsp)\n"
    "  movq %rax, 536(%rsp)\n"
    "  movq %rax, 544(%rsp)\n"
    "  movq %rax, 552(%rsp)\n"
    "  movq %rax, 560(%rsp)\n"
    "  movq %rax, 568(%rsp)\n"
    "  movl $0xe7, %eax\n"
    "  xorl %edx, %edx\n"
    "  xsave (%rsp)\n"
    "  jmp 2f\n"
    "1:\n"
    "  subq $512, %rsp\n"
    "  andq $-64, %rsp\n"
    "  fxsave (%rsp)\n"

    "2:\n"
    "  movq %r11, %rdi\n"
    "  movq 8(%rbp), %rsi\n"
    "  movq 16(%rbp), %rdx\n"
    "  call ckjit_resolve\n"
    "  movq %rax, %r11\n"

    "  cmpl $1, %r12d\n"
    "  je 3f\n"
    "  movl $0xe7, %eax\n"
    "  xorl %edx, %edx\n"
    "  xrstor (%rsp)\n"
    "  jmp 4f\n"
    "3:\n"
    "  fxrstor (%rsp)\n"
    "4:\n"
    "  movq -80(%rbp), %r12\n"
    "  .cfi_restore %r12\n"
    "  movq -72(%rbp), %r10\n"
    "  movq -64(%rbp), %r9\n"
    "  movq -56(%rbp), %r8\n"
    "  movq -48(%rbp), %rdi\n"
    "  movq -40(%rbp), %rsi\n"
    "  movq -32(%rbp), %rdx\n"
    "  movq -24(%rbp), %rcx\n"
    "  movq -16(%rbp), %rax\n"
    "  movq -8(%rbp), %rbx\n"
    "  .cfi_restore %rbx\n"
    "  movq %rbp, %rsp\n"
    "  .cfi_def_cfa_register %rsp\n"
    "  popq %rbp\n"
    "  .cfi_def_cfa_offset 24\n"
    "  .cfi_restore %rbp\n"
    "  leaq 16(%rsp), %rsp\n" /* drop unit and index; lea leaves the flags alone */
    "  .cfi_def_cfa_offset 8\n"
    "  jmpq *%r11\n"
    "  .cfi_endproc\n"
    ".size ckjit_trampoline, . - ckjit_trampoline\n"
    ".lcomm ckjit_vector_state, 4\n"
    ".popsection\n");
#endif
