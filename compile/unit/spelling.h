/* spelling.h - a kernel's mangled name as C++ has it, where that has it: the line that asks for one
 * instance of a template.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_COMPILE_UNIT_SPELLING_H
#define CKJIT_COMPILE_UNIT_SPELLING_H

/* Returns the explicit instantiation of the kernel with this mangled name, `template
 * __attribute__((global)) void n::k<int>(int*);`; "" if it is not an instance of a template, and
 * needs none; NULL if it cannot be spelled at the end of its text: a lambda or an unnamed type is
 * among its arguments, or it is local to a function. The compiler may still refuse the spelled
 * text, or find it ambiguous. free() it. */
char *spelling_instance(const char *mangled);

#endif
