/* wrap.h - the parts of ckjit-wrap: the class of a call (main.c), whether the compiler accepts it
 * (ask.c), the answer to ccache (launched.c), an ordinary unit (unit.c), recording a call
 * (record.c), and passing one on to the real program (exec.c). One call a process: nothing is
 * freed, nothing is thread-safe. */
#ifndef CKJIT_WRAP_H
#define CKJIT_WRAP_H

#include "core/cc/ccargs.h"
#include "core/cc/compiler.h"
#include "core/files/home.h"
#include "core/files/record.h"

/* One start of the wrapper. */
struct call {
  /* The name by which it was started: hipcc, c++, hipconfig … */
  const char *name;
  char **argv; /* As given, including argv[0]. */
  struct home *home;
  /* The kind of the home's `compilers`; NULL: this name is a C++ compiler. */
  const struct compiler *of_home;
  char *work;                  /* home->work, or CK_JIT_TMP_DIR */
  char *compiler;              /* The real compiler. */
  const struct compiler *kind; /* Its kind. */
  char *cwd;
  /* Without argv[0], with response files expanded and the options of the environment added
   * (wrap_arguments). */
  struct argv args;
  /* The words of a response file are not certain, and it may be gone later. */
  bool unclear;
  struct ccargs cc;
  /* It compiles one existing source into one object, and makes nothing else. */
  bool compiles;
  /* The reason for the kind of its record. */
  struct reason why;
  /* Why it is not a lazy unit, if that was requested and neither WHY nor the source's language
   * shows it. */
  const char *not_lazy;
  /* Its category in a trace, for a call that is passed on. */
  const char *what;
  /* The source's content if it was read, for the verdict and the depfile. */
  char *text;
  size_t len;
};

/* May C's source, if it only defines functions, be compiled as a whole when one of them is
 * called? */
bool wrap_wants_late(const struct call *c);
/* Can it have kernels, by its language or by the text of its files? A library that is HIP has many
 * sources without one. If not, sets not_lazy: ckjit-unit would read the same files again. */
bool wrap_may_have_kernels(struct call *c);
/* The same by the text alone; with -fgpu-rdc, can it have any device code? */
bool wrap_has_device_words(struct call *c);

/* Writes stub object and depfile and appends the record, for KIND blob, dispatcher or fragment.
 * Returns false if no output is left: then the compiler gets the call. It reports why an output
 * cannot be written, and needs no work directory. */
bool wrap_record(const struct call *c, enum record_kind kind);

/* Does the real compiler accept the options of this unit? It is asked if there is a doubt, once for
 * all units with the same options. */
bool wrap_ask(const struct call *c);

/* Write the depfile of C, which asks for one; false with errno. */
bool wrap_write_depfile(const struct call *c);

/* Is C the question of a launcher for the preprocessed text of a unit (-E)? COMPILE is then the
 * compile that it asks about. */
bool wrap_is_question(const struct call *c, struct call *compile);
/* Answers it with the contents of the stub object of COMPILE, a recorded unit. Returns the exit
 * status. */
int wrap_answer(const struct call *c, const struct call *compile);

/* The same for COMPILE, a lazy unit: its preprocessed text, and the other contents of its
 * object. */
int wrap_answer_unit(const struct call *c, const struct call *compile);

/* Was the wrapper started by ccache or sccache? */
bool wrap_is_launched(void);

/* Is every -x of ARGS for HIP? */
bool wrap_says_hip(char *const *args);

/* Is C, a host source, for ckjit-unit? */
bool wrap_is_lazy_unit(struct call *c);
/* Replaces this program by ckjit-unit. Returns if that is impossible. */
void wrap_exec_unit(struct call *c);

/* Fills in c->args. A unit is compiled later, in another environment: values that the compiler
 * takes from the environment of this call become options. */
void wrap_arguments(struct call *c);

/* Append a record of a call that goes to the real compiler. It is a log for people and tests, and
 * nothing is built from it: if it cannot be written, the call goes on. */
void wrap_note(const struct call *c, enum record_kind kind);

/* Append the record of C, of kind KIND, to OUT. */
void wrap_format(struct buf *out, const struct call *c, enum record_kind kind);

/* Print the record of a call of kind KIND, and do nothing else: for `ckjit explain`. Exit
 * status. */
int wrap_say(const struct call *c, enum record_kind kind);

/* Set compiler and kind: the real compiler that the name stands for, from the environment or the
 * home. If there is none, or it is this wrapper, ends the program with a message that names the key
 * and the variable. */
void wrap_compiler(struct call *c);

/* CK_JIT_TRACE (trace.c). wrap_trace_start takes the time; the others tell whether there is a
 * trace, and write the call as CATEGORY, with STATUS. */
void wrap_trace_start(void);
bool wrap_is_traced(void);
void wrap_trace(const struct call *c, const char *category, const char *status);
/* Runs PATH, writes how long it took, and ends as it does. Returns if no other process can be
 * started. */
void wrap_run_traced(const struct call *c, const char *path, char **argv);

/* Replaces this program by the real compiler, with the arguments as given. */
_Noreturn void wrap_exec_compiler(const struct call *c);
/* Replaces this program by home->real_home/bin/NAME. */
_Noreturn void wrap_exec_tool(const struct call *c);
/* Replaces this program by the one of the PATH that is called NAME and shows or changes symbols of
 * objects (symbols.c). If one of these is recorded, ckjit-link prepares its symbols first. */
_Noreturn void wrap_exec_symbols(struct call *c);
/* Set cwd and work. */
void wrap_find_work(struct call *c);
/* End the program if PATH is not a program, or is the wrapper. ORIGIN says where PATH comes from,
 * HINT what to do. */
void wrap_check_program(const struct home *h, const char *path, const char *origin,
                        const char *hint);
/* Replaces this program by PATH, outside of the fake home. */
_Noreturn void wrap_become(const struct call *c, const char *path, char **argv);
/* Replaces this program by the post-build linker. */
/* KIND: of C's compiler. SYMBOLS: the effect of a program that only names objects on their symbols,
 * "shown" or "changed"; NULL: it is a link. */
_Noreturn void wrap_exec_link(const struct call *c, const char *kind, const char *symbols);

#endif
