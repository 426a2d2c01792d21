/* ck_jit_trampoline.c - from a forwarding stub with an empty slot to ckjit_resolve, and on to the function.
 *
 * A stub is a jump through its slot, so arguments, hidden result pointers, varargs and stack arguments are
 * where the caller put them and the stub need not know what they are. The price is paid here, once for each
 * function: while the blob compiles, every register that can carry an argument must survive. Those are, in
 * the System V ABI (3.2.3): rdi rsi rdx rcx r8 r9, al (vector registers used by varargs), r10 (static chain),
 * and xmm, ymm or zmm 0 to 7. rax and the upper vector registers and masks are kept too: other calling
 * conventions (regcall, vectorcall) use them.
 *
 * The vector state goes through xsave, as in glibc's _dl_runtime_resolve: its size is the processor's to tell
 * (cpuid leaf 0xD), and a save of xmm only would cut a __m256 in half. x87, SSE, AVX and AVX-512 are asked
 * for. AMX tiles and protection keys carry no argument; restoring keys would even undo a change that the
 * process made meanwhile. cpuid traps under virtualisation (14 us were measured), which does not count beside
 * a dlopen, but would in each call that CK_JIT_CAPTURE counts: it is asked once.
 *
 * Unwinding: ckjit_resolve throws when a kernel cannot be compiled, so the frame below is described to the
 * unwinder at each instruction. The exception leaves through here into the caller of the stub, as if the
 * function had thrown it.
 *
 * On entry r11 has the slots; on the stack are
 *
 *      0(%rsp)  unit            16(%rsp)  return address
 *      8(%rsp)  index
 *
 * The frame, below which is the vector state, 64-byte aligned, at rsp:
 *
 *     24(%rbp)  return address  -24(%rbp)  rcx    -64(%rbp)  r9
 *     16(%rbp)  index           -32(%rbp)  rdx    -72(%rbp)  r10
 *      8(%rbp)  unit            -40(%rbp)  rsi    -80(%rbp)  r12
 *      0(%rbp)  rbp             -48(%rbp)  rdi
 *     -8(%rbp)  rbx             -56(%rbp)  r8
 *    -16(%rbp)  rax
 */
#ifndef __x86_64__
#error "ckjit's forwarding stubs are x86-64; see docs/formats.md"
#endif

/* 0xe7: x87, SSE, AVX, opmask, ZMM_Hi256, Hi16_ZMM (the bits of XCR0; those that are off are passed over). */
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

    /* r12: bytes that xsave needs for all that is enabled in XCR0, or 1 if the system does not save vector
           state by it (leaf 1, ecx bit 27: OSXSAVE). The first thread to come finds out. */
    "  movl ckjit_vector_state(%rip), %ebx\n"
    "  testl %ebx, %ebx\n"
    "  jnz 6f\n"
    "  movl $1, %eax\n"
    "  cpuid\n"
    "  movl $1, %ebx\n"
    "  btl $27, %ecx\n"
    "  jnc 5f\n"
    "  movl $0xd, %eax\n"
    "  xorl %ecx, %ecx\n"
    "  cpuid\n"
    "5:\n"
    "  movl %ebx, ckjit_vector_state(%rip)\n"
    "6:\n"
    "  movl %ebx, %r12d\n"
    "  cmpl $1, %ebx\n"
    "  je 1f\n"
    "  subq %rbx, %rsp\n"
    "  andq $-64, %rsp\n"
    /* xsave writes only the first word of its header, and xrstor faults if the others are not zero */
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
    "  leaq 16(%rsp), %rsp\n" /* unit and index; lea, for the flags are nobody's but need no touching */
    "  .cfi_def_cfa_offset 8\n"
    "  jmpq *%r11\n"
    "  .cfi_endproc\n"
    ".size ckjit_trampoline, . - ckjit_trampoline\n"
    ".lcomm ckjit_vector_state, 4\n"
    ".popsection\n");
