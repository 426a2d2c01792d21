/* spelling.h - a kernel's mangled name as C++ has it, where that has it: the line that asks for one instance of a template.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_COMPILE_UNIT_SPELLING_H
#define CKJIT_COMPILE_UNIT_SPELLING_H

/* The explicit instantiation of the kernel with this mangled name, `template __attribute__((global)) void n::k<int>(int*);`; "" if
 * it is no instance of a template, and needs none; NULL if it cannot be spelled at the end of its text: a lambda or an unnamed
 * type is among its arguments, or it is a function's own. What is spelled may still be refused by the compiler, or ambiguous.
 * free() it. */
char *spelling_instance(const char *mangled);

#endif
