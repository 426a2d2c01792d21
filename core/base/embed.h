/* embed.h - the content of a file as data of a program, because an installation lacks the file.
 *
 *     EMBED(linked, "runtime/ck_jit_cuda_link.c"); at the top of a source file
 *     write(fd, linked_begin, (size_t)(linked_end - linked_begin));
 *
 * FILE is relative to the top directory, where the compiler runs. Add it to the Makefile, because
 * the assembler writes no depfile. A NUL follows the content. Thread safety: constants.
 */
#ifndef CKJIT_EMBED_H
#define CKJIT_EMBED_H

#define EMBED(name, file)                                                                          \
  __asm__(".pushsection .rodata\n" #name "_begin: .incbin \"" file "\"\n" #name "_end: .byte 0\n"  \
          ".popsection\n");                                                                        \
  extern const char name##_begin[] __attribute__((visibility("hidden")));                          \
  extern const char name##_end[] __attribute__((visibility("hidden")))

#endif
