/* compile.h - ckjit-compile's parts: what to compile, by which command, under which lock, and where the
 * result goes.
 *
 * Errors: a function that can fail returns NULL
 * or a message without the program's name, which is the caller's to print and free(). A message has the stem,
 * what went wrong and what to do; it may have several lines.
 */
#ifndef CKJIT_COMPILE_H
#define CKJIT_COMPILE_H

#include "core/base/argv.h"
#include "core/cache/cachedir.h"
#include "core/files/export.h"
#include "core/cache/inputs.h"
#include "abi/ck_jit_arch.h"
#include "abi/ck_jit_entry.h"

#include <sys/types.h>

/* the command line, as given; NULL where an option was not */
struct compile_options {
  const char *source, *flags;  /* direct mode */
  const char *blob, *manifest; /* manifest mode */
  const char *output, *root, *link, *arch, *build_id, *hipcc, *kind, *inputs;
  const char *add_flags;
  const char *kernel, *entry; /* one kernel of a blob of CUDA */
  const char *per_kernel;     /* the build id of the blob compiled whole */
  int output_fd;              /* -1: none */
  bool cache, verbose;
  enum export_format format; /* EXPORT_NONE: an entry of a cache */
  const char *soname, *built;
  struct argv symbols, parts;
  bool probe;
};

/* what is to be compiled, all of it known */
struct compile_task {
  char *stem, *source;          /* source: absolute */
  char *output, *dir;           /* the file wanted, absolute; its directory */
  struct argv flags, link;      /* {root} expanded */
  char archs[CKJIT_ARCHS_SIZE]; /* ';' list, "" for a compiler that is not told any */
  char *root;                   /* what {root} stands for */
  int output_fd;                /* what is made goes there and nowhere else; -1: it has a name, OUTPUT */
  char *said_flags, *said_link; /* the same as they are in the key, {root} not expanded */
  char *added_flags;            /* --add-flags, which are in FLAGS as well; NULL: none */
  char *inputs_file;            /* of --inputs or the manifest; NULL where there is none */
  struct inputs *inputs;        /* what it says */
  struct buf variant;           /* what is not as it says */
  char *stamps;                 /* of the source and the headers before the compile */
  uint8_t asked[CKJIT_BUILD_ID_SIZE];
  uint8_t id[CKJIT_BUILD_ID_SIZE];   /* to be written into the result: the one asked for, or a variant */
  char hex[CKJIT_BUILD_ID_HEX_SIZE]; /* the same */
  char *compiler;                    /* program, a path */
  struct argv launcher;              /* CK_JIT_COMPILER_LAUNCHER's words; none: there is none */
  double timeout, patience;          /* seconds: CK_JIT_COMPILE_TIMEOUT, CK_JIT_LOCK_PATIENCE; 0: none */
  struct cachedir_limits limits;
  char placed[NAME_MAX + 1]; /* base name of the entry that was made; "" before */
  /* what is exported (compile/export/export.h); all of it borrowed from the options */
  enum export_format format; /* EXPORT_NONE: nothing is */
  const char *soname;        /* of EXPORT_SO; NULL: it has none */
  const char *built; /* the architectures that the library was built for, as a ';' list; may be NULL */
  bool probe;        /* only whether the compiler knows the architectures */
  const struct argv *symbols; /* NAME or OLD=NAME */
  const struct argv *parts;   /* files to be joined, in place of the source; none: the source is compiled */
  bool cache, verbose;
  /* of CUDA, compile/cuda/cuda.h */
  const char *kernel; /* the one to be compiled, SOURCE being the entry of its blob; NULL: it is a blob */
  bool asked_per_kernel,
      per_kernel; /* the kernels of the blob are compiled one by one: wanted; and it can be done */
  uint8_t whole[CKJIT_BUILD_ID_SIZE]; /* its build id where it cannot */
  bool fragment;                      /* an object, not an entry: fragments.c */
  bool device_only;                   /* of it: nothing in it is the host's */
};

/* task.c: work out the task from the options, reading the manifest in manifest mode */
char *compile_task_read(struct compile_task *t, const struct compile_options *o);
void compile_task_free(struct compile_task *t);

/* command.c: the compiler of KIND (NULL: as DEFAULT is) by --hipcc, the kind's variable, DEFAULT (the
 * manifest's; may be NULL), PATH, the usual places */
char *compile_find_compiler(char **compiler, const char *kind, const char *option, const char *by_default);
/* the command that compiles T into OUTPUT */
void compile_command(struct argv *command, const struct compile_task *t, const char *output);
/* The command that compiles T into OBJECT, behind the words of LAUNCHER (NULL: none) and with SEED (see
 * core/cc/launcher.h; may be NULL). */
void compile_command_object(struct argv *command, const struct compile_task *t, const struct argv *launcher,
                            const char *seed, const char *object);
/* the command that links OBJECT, all of T, into OUTPUT */
void compile_command_link_object(struct argv *command, const struct compile_task *t, const char *object,
                                 const char *output);
/* the command that links the OBJECTS (NULL: none) of T's parts into OUTPUT */
void compile_command_link(struct argv *command, const struct compile_task *t, const char *output,
                          const struct argv *objects);

/* launched.c: behind T's launcher, with TEMPORARY for what comes in between. False where the plain
 * command has to be run: there is no launcher, or it failed, which was said. */
/* make OUTPUT, a shared object */
bool compile_launched(const struct compile_task *t, const char *temporary, const char *output);
/* make OBJECT */
bool compile_launched_object(const struct compile_task *t, const char *temporary, const char *object);
/* run COMMAND, which has no launcher yet */
bool compile_launched_command(const struct compile_task *t, const char *temporary,
                              const struct argv *command);

/* inputs.c: hold what is there against what the key was made from, where a list of that was given */
/* Before anything is done: NULL and the build id under which the result is to be found, or why it must not be
 * compiled; free() it. */
char *compile_inputs_check(struct compile_task *t);
/* The build id once more: another process may have learnt what T's compiler is. */
void compile_inputs_identify(struct compile_task *t);
/* After the compile: NULL, or why the result must not be kept. */
char *compile_inputs_again(struct compile_task *t);
/* Look which compiler has made FILE, and give it, and T, the build id for that. NULL or why not. */
char *compile_inputs_made(struct compile_task *t, const char *file);
/* The same for an object, which has no build id in it. */
char *compile_inputs_learn(struct compile_task *t, const char *file);
/* The key of SOURCE as it is now with these flags, and what IN says of headers and compiler; false with
 * errno. */
bool compile_inputs_key(uint8_t key[CKJIT_KEY_SIZE], const char *source, const char *flags, const char *link,
                        const struct inputs *in);
/* Write build id TO over FROM in the note of FILE. */
bool compile_inputs_replace_id(const char *file, const uint8_t from[CKJIT_BUILD_ID_SIZE],
                               const uint8_t to[CKJIT_BUILD_ID_SIZE]);
/* Print the build id where it is not the one asked for. */
void compile_inputs_tell(const struct compile_task *t);

/* lock.c: one compile of a key at a time, among all processes that share the cache */
struct compile_lock {
  int fd; /* -1: not held */
  char *path, *failed;
};
enum compile_turn {
  COMPILE_OURS,   /* compile; the lock is held, or the file system has none */
  COMPILE_READY,  /* the entry is there */
  COMPILE_FAILED, /* whoever held the lock while we waited failed */
};
/* Lock PATH, waiting for it; *WAITED where somebody else held it. One who shows no life for PATIENCE seconds
 * (0: for ever) loses it. The descriptor; -1 with *WHY NULL on a file system without locks; -1 and *WHY. */
int compile_lock_file(const char *path, double patience, bool *waited, char **why);
/* Release what compile_lock_file gave, and remove the file unless it is another's by now. */
void compile_lock_release(int fd, const char *path);
/* Show life on all locks that are held: whoever waits long calls it every second or more often. */
void compile_lock_beat(void);
/* Wait for the lock of T. For COMPILE_FAILED, *WHY is the other's message or why there can be no lock. */
enum compile_turn compile_lock_enter(struct compile_lock *lock, struct compile_task *t, char **why);
/* fragments.c: whether the cache has the object that T says */
bool compile_fragment_is_there(const struct compile_task *t);
/* whether the cache has what T says */
bool compile_entry_is_there(const struct compile_task *t);
/* End our turn: with WHY as the failure that those who wait are told, or NULL. */
void compile_lock_leave(struct compile_lock *lock, const char *why);

/* keeper.c: from here on we are the child of a process that does nothing but tidy up where we are
 * killed. With FOR_PARENT, what we make is of use to our parent alone: where that dies, we stop, and the
 * keeper is not of its process group, so that it survives where all of that is killed.
 */
void compile_keeper(bool for_parent);
/* what it removes then; PATH is copied */
void compile_keeper_removes(const char *path);

/* run.c: children of ours, being told to stop, and time. Between catch and release a signal that
 * tells us to stop ends the children, removes TEMPORARY and ends the process by that signal: in
 * compile_child_wait and compile_stop_check, so what else may wait long calls the latter. */
enum { COMPILE_CHILDREN = 16 }; /* at the same time */
void compile_stop_catch(const char *temporary);
/* HANDLER for the signals that tell us to stop, but for those that are ignored: nohup stays. */
void compile_stop_handle(void (*handler)(int));
void compile_stop_check(void);
void compile_stop_release(void);
/* Children that still run SECONDS from now are ended, 0: never. */
void compile_deadline(double seconds);
bool compile_out_of_time(void);
/* Let a system call that waits be interrupted five times a second. */
void compile_ticks(bool on);
/* Start COMMAND, a path first, its output into LOG, in a process group of its own. 0 or an errno. */
int compile_child_start(pid_t *pid, const struct argv *command, char *const *env, int log);
struct child {
  const struct argv *command;
  int (*prepare)(void *data); /* called in the child, before COMMAND: its exit status, and COMMAND is not
                                 started, or -1; NULL: nothing is to be called */
  void *data;
};
/* the same, with something to be done first */
int compile_child_prepare(pid_t *pid, const struct child *c, char *const *env, int log);
/* Wait for any of them; -1 where there is none. */
pid_t compile_child_wait(int *status);
/* processor seconds of the one that compile_child_wait has returned last */
double compile_child_seconds(void);
/* kill them all and wait for them */
void compile_children_end(void);
/* Run COMMAND with its output in the file LOG, which also gets the command itself and must not be there yet.
 * The message of a failure has all but the log's final place. */
char *compile_run(const struct compile_task *t, const struct argv *command, const char *log);

/* trace.c: what took how long. The whole, which STARTER (a process) had begun at START; of what, once
 * it is known; its end, STATUS being "0" or why not. */
void compile_trace_start(long starter, uint64_t start);
void compile_trace_task(const struct compile_task *t);
void compile_trace_end(const char *status);
/* WHAT, which began at START (of core/base/trace.h), has ended. STATUS may be NULL. */
void compile_trace_span(const char *what, uint64_t start, const char *status);
/* A process was started at START; compile_child_wait has returned it: NAME tells for what it was, and whether
 * its time COUNTS for the cache.
 */
void compile_step_began(pid_t pid, uint64_t start);
void compile_step_ended(pid_t pid, const char *name, const char *program, int status, bool counts);
/* What counted so far came to nothing. */
void compile_time_anew(void);
/* Let the cache remember what counted. */
void compile_time_record(const struct compile_task *t);
/* main.c: print COMMAND, for --verbose */
void compile_say(const struct compile_task *t, const struct argv *command);

/* place.c: a directory for what is being made, beside the output. With LOCKED, what a killed
 * predecessor left of the same key is removed. */
char *compile_temporary(char **temporary, const struct compile_task *t, bool locked);
/* check that FILE has the task's build id, and give it its name */
char *compile_place(struct compile_task *t, const char *file);
/* unlinked.c: what is made goes into a descriptor, and nothing stays on any disk. */
/* the value of --output-fd; ends the program where it is none */
int compile_unlinked_option(const char *text);
/* As compile_temporary, in $TMPDIR or /tmp. It is TMPDIR for everything from here on. */
char *compile_unlinked_temporary(char **temporary, const struct compile_task *t);
/* copy FILE, which is whole, into the descriptor */
char *compile_unlinked_place(const struct compile_task *t, const char *file);

/* Put N bytes and the seal behind FILE, give it its mode and write it through. NULL or why not. */
char *compile_seal(const struct compile_task *t, const char *file, const void *bytes, size_t n);
/* write the names in DIR through; false with errno */
bool compile_sync_dir(const char *dir);
/* keep the log of a failed compile, its middle left out where it is long; where it is then, or NULL where it
 * could not be kept. free() it */
char *compile_keep_log(const struct compile_task *t, const char *log);

#endif
