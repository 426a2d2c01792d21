/* embed.h - the content of a file within a program, for an installation has no other files.
 *
 *     EMBED(linked, "runtime/ck_jit_cuda_link.c"); at the top of a source file
 *     write(fd, side_begin, (size_t)(side_end - side_begin));
 *
 * FILE is named from the top directory, where the compiler runs. The Makefile has to be told of it,
 * as the assembler writes no depfile. Behind the content is a NUL. Thread safety: constants.
 */
#ifndef CKJIT_EMBED_H
#define CKJIT_EMBED_H

#define EMBED(name, file)                                                                          \
  __asm__(".pushsection .rodata\n" #name "_begin: .incbin \"" file "\"\n" #name "_end: .byte 0\n"  \
          ".popsection\n");                                                                        \
  extern const char name##_begin[] __attribute__((visibility("hidden")));                          \
  extern const char name##_end[] __attribute__((visibility("hidden")))

#endif
