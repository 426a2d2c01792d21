/* ck_jit_runtime.c - the part of ckjit that lives in the user's library.
 *
 * A library that ckjit linked has a forwarding stub in place of each kernel: a jump through a slot. While the
 * slot is empty the stub goes to ckjit_trampoline and from there to ckjit_resolve, below, which
 *
 *     finds out which blob defines the function          the embedded manifest
 *     looks the compiled blob up in the cache            ck_jit_entry.h, by content
 *     on a miss has it compiled                          ckjit-compile, a process of its own
 *     loads it and finds the function in it              ck_jit_load.h
 *     fills the slot                                     and is never called for this function again.
 *
 * The hot path is the stub alone: one load, one test, one jump. Everything in this directory that is named
 * ck_jit_* is the cold path; it may take its time but must not take liberties, for it runs in somebody else's
 * process. No constructor, no thread, no signal handler, no thread-local variable, no library but libc;
 * nothing happens before the first call of a kernel, and the environment is read then.
 *
 * Concurrency: one mutex guards the list of flights (compiles of a blob) and is held for a few instructions
 * at a time, never while anything is looked up, compiled or loaded; so different blobs are compiled and
 * loaded at the same time, and the same blob once. Between processes it is ckjit-compile that waits. A thread
 * that comes while a flight is up waits for it and loads what it brings, or gets its error. Whoever comes
 * after a failure tries anew.
 *
 * This is one translation unit, compiled with -I for the generated header, so that all of it can be static: a
 * library linked by ckjit exports nothing of it.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "ck_jit_abi.h"
#include "ck_jit_manifest_embedded.h"

#if CKJIT_FORMAT != 4
#error "ck_jit_manifest_embedded.h was written by another version of ckjit than this runtime"
#endif

#ifndef CKJIT_COMPILER_KIND /* core/cc/compiler.h */
#define CKJIT_COMPILER_KIND "hip"
#define CKJIT_COMPILER_VARIABLE "CK_JIT_HIPCC"
#endif

#include "ck_jit_arch.h"
#include "ck_jit_capture.h"
#include "ck_jit_entry.h"
#include "ck_jit_load.h"
#include "ck_jit_place.h"
#include "ck_jit_spawn.h"
#include "ck_jit_table.h"
#include "ck_jit_text.h"
#include "ck_jit_trace.h"
#include "ck_jit_trampoline.h"
#include "ck_jit_unlinked.h"

#include <pthread.h>
#include <time.h>

enum {
  CKJIT_MESSAGE_MAX = 24 * 1024, /* of an error; it is copied to the stack for throwing */
  CKJIT_ATTEMPTS = 8, /* look-ups after a compile that said it succeeded; a small CK_JIT_CACHE_MAX_SIZE and
                         many processes take away what was just made */
};

/* ---- what is wanted ---- */

/* All that is known about a blob before anything is done about it. */
struct ckjit_wanted {
  uint32_t blob;
  const char *stem; /* not terminated */
  size_t stem_len;
  char archs[CKJIT_ARCHS_SIZE];
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  struct ckjit_text cache, readonly; /* directories, absolute; readonly: empty where there is none */
  struct ckjit_text root, library;
  char ***environment;   /* where the process's is */
  const char *add_flags; /* to those of the blob; NULL: none */
  /* of CUDA, ck_jit_kernels.h */
  bool apart; /* the entry without kernels; whole: the build id of that with all */
  uint8_t whole[CKJIT_BUILD_ID_SIZE];
  const char *kernel, *entry; /* one kernel, and the entry of its blob; NULL: a blob */
  uint64_t kernel_hash;       /* 0: a blob */
  struct ckjit_text kernel_stem;
  bool unlinked; /* no cache: what is compiled comes in FILE (ck_jit_unlinked.h) */
  int file;      /* -1: none; this thread's */
};

static const char *ckjit_string(uint32_t offset) {
  return ckjit_strings + offset;
}

static const struct ckjit_group *ckjit_group_of(uint32_t blob) {
  return &ckjit_groups[ckjit_blobs[blob].group];
}

/* The stem of BLOB, *N bytes. */
static const char *ckjit_stem_of(uint32_t blob, size_t *n) {
#ifdef CKJIT_COMBINATIONS
  for (size_t i = 0; i < CKJIT_COMBINATIONS; i++)
    if (ckjit_combinations[i].blob == blob) {
      const char *stem = ckjit_string(ckjit_combinations[i].stem);
      *n = strlen(stem);
      return stem;
    }
#endif
  return ckjit_stem(ckjit_string(ckjit_blobs[blob].name), n);
}

/* A setting that cannot be honoured is said once: jobs run for days, and have thousands of kernels. */
static void ckjit_warn_once(struct ckjit_text *why) {
  static int said;
  if (!why->len || __atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
    return;
  struct ckjit_text line = {0};
  ckjit_addf(&line, "ckjit: %s\n", why->data);
  ckjit_say(&line);
  ckjit_text_free(&line);
}

/* All that asks the dynamic linker stands here, before a flight. */
static bool ckjit_want(struct ckjit_wanted *w, uint32_t blob, struct ckjit_text *error) {
  *w = (struct ckjit_wanted){
      .blob = blob, .environment = ckjit_environ(), .unlinked = ckjit_file_off(), .file = -1};
  ckjit_find_root(&w->root);
  ckjit_add_library(&w->library);
  w->stem = ckjit_stem_of(blob, &w->stem_len);
  ckjit_archs(ckjit_string(ckjit_group_of(blob)->archs), w->archs);
  ckjit_build_id(w->id, ckjit_blobs[blob].key, w->archs);
  struct ckjit_text why = {0};
  if (!w->unlinked && !ckjit_find_readonly(&w->readonly, &why))
    ckjit_text_clear(&w->readonly);
  ckjit_memory_max(&why);
  ckjit_warn_once(&why);
  ckjit_text_free(&why);
  return w->unlinked ? ckjit_may_load(error) : ckjit_find_cache(&w->cache, error);
}

static void ckjit_wanted_free(struct ckjit_wanted *w) {
  ckjit_text_free(&w->cache);
  ckjit_text_free(&w->readonly);
  ckjit_text_free(&w->root);
  ckjit_text_free(&w->library);
  ckjit_text_free(&w->kernel_stem);
  if (w->file >= 0)
    close(w->file);
  w->file = -1;
}

/* One line about W with CK_JIT_VERBOSE. */
__attribute__((format(printf, 2, 3))) static void ckjit_tell(const struct ckjit_wanted *w, const char *fmt,
                                                             ...) {
  const char *verbose = ckjit_env("CK_JIT_VERBOSE");
  if (!verbose || strcmp(verbose, "0") == 0)
    return;
  char *said = NULL;
  struct ckjit_text line = {0};
  va_list ap;
  va_start(ap, fmt);
  int n = vasprintf(&said, fmt, ap);
  va_end(ap);
  if (n < 0)
    return;
  ckjit_addf(&line, "ckjit: %.*s: %s\n", (int)w->stem_len, w->stem, said);
  free(said);
  ckjit_say(&line);
  ckjit_text_free(&line);
}

/* ---- CK_JIT_TRACE ---- */

/* This process and this thread in the trace, once; a thread perhaps more often. */
static void ckjit_trace_names(const char *file) {
  static long process, threads[64];
  char name[17] = "";
  struct ckjit_event e;
  long pid = getpid(), thread = ckjit_trace_thread();
  if (__atomic_exchange_n(&process, pid, __ATOMIC_RELAXED) != pid) {
    ckjit_event_name(&e, "process_name", thread, program_invocation_short_name);
    ckjit_trace_append(file, &e);
  }
  if (__atomic_exchange_n(&threads[thread % 64], thread, __ATOMIC_RELAXED) != thread) {
    prctl(PR_GET_NAME, name);
    ckjit_event_name(&e, "thread_name", thread, name);
    ckjit_trace_append(file, &e);
  }
}

/* An event of W has ended that began at START, 0 where there was no trace; DETAIL may be NULL. Not inlined,
 * for its stack. */
__attribute__((noinline)) static void ckjit_trace(const struct ckjit_wanted *w, const char *what,
                                                  uint64_t start, const char *key, const char *detail) {
  const char *file = start ? ckjit_trace_file() : NULL;
  if (!file)
    return;
  char hex[CKJIT_BUILD_ID_HEX_SIZE];
  ckjit_build_id_hex(hex, w->id);
  const struct ckjit_trace_arg args[] = {{"stem", w->stem, w->stem_len},
                                         {"build_id", hex, strlen(hex)},
                                         {"archs", w->archs, strlen(w->archs)},
                                         {"library", w->library.data, w->library.len},
                                         {key, detail, detail ? strlen(detail) : 0}};
  bool whole = strcmp(what, "first call") == 0;
  struct ckjit_event e;
  ckjit_trace_names(file);
  ckjit_event_span(&e, what, whole ? w->stem : what, whole ? w->stem_len : strlen(what), ckjit_trace_thread(),
                   start, ckjit_trace_now(), args, sizeof args / sizeof *args);
  int error = ckjit_trace_append(file, &e);
  if (!error && strcmp(what, "compile") == 0) {
    ckjit_event_arrow(&e, "s", ckjit_trace_thread(), start, hex, getpid());
    ckjit_trace_append(file, &e);
  }
  static int said;
  if (!error || __atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
    return;
  struct ckjit_text line = {0};
  ckjit_addf(&line, "ckjit: CK_JIT_TRACE=%s: cannot be written: %s; events are left out\n", file,
             ckjit_trace_why(error));
  ckjit_say(&line);
  ckjit_text_free(&line);
}

/* The compile of W that began at START ended with ERROR, or STATUS of waitpid. */
static void ckjit_trace_compiled(const struct ckjit_wanted *w, uint64_t start, int error, int status) {
  char text[64];
  if (error)
    snprintf(text, sizeof text, "cannot be run: errno %d", error);
  else if (status == CKJIT_STATUS_UNKNOWN)
    snprintf(text, sizeof text, "not known");
  else
    snprintf(text, sizeof text, WIFSIGNALED(status) ? "signal %d" : "%d",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  ckjit_trace(w, "compile", start, "status", text);
}

/* ---- compiling ---- */

/* A command's words, one after the other in a text, each with its NUL. */
static void ckjit_word(struct ckjit_text *words, const char *word) {
  ckjit_add_bytes(words, word, strlen(word) + 1);
}

static void ckjit_option(struct ckjit_text *words, const char *option, const char *value) {
  ckjit_word(words, option);
  ckjit_word(words, value);
}

/* WORDS as an argument vector (borrowing them; free() the vector) and quoted, as COMMAND. NULL: no memory. */
static char **ckjit_vector(const struct ckjit_text *words, struct ckjit_text *command) {
  size_t n = 0;
  const char *end = words->data + words->len;
  if (!ckjit_whole(words))
    return NULL;
  for (const char *p = words->data; p < end; p += strlen(p) + 1)
    n++;
  char **args = calloc(n + 1, sizeof *args), **to = args;
  for (char *p = words->data; args && p < end; p += strlen(p) + 1) {
    if (to != args)
      ckjit_add(command, " ");
    ckjit_add_quoted(command, p);
    *to++ = p;
  }
  return args;
}

/* The list NAME of what keys were made from: in the root, where the library was built, or in the library. */
static void ckjit_find_inputs(struct ckjit_text *file, const struct ckjit_wanted *w, const char *name) {
  ckjit_addf(file, "%s/ck_jit_inputs/%s", w->root.data, name);
  if (ckjit_whole(file) && access(file->data, R_OK) == 0)
    return;
  ckjit_text_clear(file);
  ckjit_addf(file, "%s/%s", CKJIT_BUILD_INPUTS, name);
  if ((ckjit_whole(file) && access(file->data, R_OK) == 0) || !*ckjit_inputs)
    return;
  ckjit_text_clear(file);
  ckjit_add(file, w->library.data ? w->library.data : "");
}

/* The words of the command that compiles W. The source is taken from the root; where it is gone, from a
 * manifest that CK_JIT_MANIFEST names. False and why in ERROR where there is neither. */
static bool ckjit_command(const struct ckjit_wanted *w, struct ckjit_text *words, struct ckjit_text *error) {
  const struct ckjit_blob *blob = &ckjit_blobs[w->blob];
  const struct ckjit_group *group = ckjit_group_of(w->blob);
  const char *manifest = ckjit_env("CK_JIT_MANIFEST");
  struct ckjit_text program = {0}, source = {0}, absolute = {0};
  const char *root = ckjit_whole(&w->root);
  char hex[CKJIT_BUILD_ID_HEX_SIZE], output[PATH_MAX];
  ckjit_build_id_hex(hex, w->id);
  bool ok = root && (w->unlinked || ckjit_entry_path(output, w->cache.data, w->stem, w->stem_len, NULL));
  if (ok) {
    ckjit_find_program(&program, root);
    ckjit_add_expanded(&source, ckjit_string(blob->dir ? blob->dir : blob->name), root);
    ckjit_add(&source, blob->dir ? "/" : "");
    ckjit_add(&source, blob->dir ? ckjit_string(blob->name) : "");
  }
  ok = ok && ckjit_whole(&program) && ckjit_whole(&source);
  if (!ok) {
    ckjit_add(error, "out of memory, or the name of its cache entry is too long");
  } else if (w->kernel) {
    ckjit_word(words, program.data);
    ckjit_option(words, "--kernel", w->kernel);
    ckjit_option(words, "--entry", w->entry);
  } else if (access(source.data, R_OK) == 0) {
    ckjit_word(words, program.data);
    ckjit_option(words, "--blob-source", source.data);
    ckjit_option(words, "--blob-flags", ckjit_string(group->flags));
    ckjit_option(words, "--link-flags", ckjit_string(group->link));
    ckjit_option(words, "--root", root);
    if (group->inputs) {
      ckjit_find_inputs(&absolute, w, ckjit_string(group->inputs));
      ckjit_option(words, "--inputs", absolute.data ? absolute.data : "");
    }
  } else if (manifest) {
    ckjit_add_absolute(&absolute, manifest);
    ckjit_word(words, program.data);
    ckjit_word(words, "--blob");
    ckjit_add_bytes(words, w->stem, w->stem_len);
    ckjit_add_bytes(words, "", 1);
    ckjit_option(words, "--manifest", absolute.data ? absolute.data : manifest);
  } else {
    ckjit_addf(error,
               "its source cannot be read: %s: %s\n"
               "set CK_JIT_ROOT to the ck_jit directory of the install (now: %s), or CK_JIT_MANIFEST to a "
               "manifest that "
               "names the source",
               source.data, strerror(errno), root);
    ok = false;
  }
  if (ok) {
    ckjit_option(words, "--arch", w->archs);
    ckjit_option(words, "--build-id", hex);
    if (strcmp(CKJIT_COMPILER_KIND, "hip") != 0)
      ckjit_option(words, "--kind", CKJIT_COMPILER_KIND);
    /* The compiler of the build, where it is on this machine and the user names no other. */
    if (!ckjit_env(CKJIT_COMPILER_VARIABLE) && ckjit_is_program(CKJIT_COMPILER))
      ckjit_option(words, "--hipcc", CKJIT_COMPILER);
    if (w->apart) {
      ckjit_build_id_hex(hex, w->whole);
      ckjit_option(words, "--per-kernel", hex);
    }
    if (w->add_flags)
      ckjit_option(words, "--add-flags", w->add_flags);
    if (w->unlinked) {
      snprintf(output, sizeof output, "%d", CKJIT_RESULT_FD);
      ckjit_option(words, "--output-fd", output);
    } else {
      ckjit_word(words, "--cache");
      ckjit_option(words, "--output", output);
    }
  }
  ckjit_text_free(&program);
  ckjit_text_free(&source);
  ckjit_text_free(&absolute);
  return ok;
}

/* What the user is told of a compile that did not bring an entry. ckjit-compile's own message has the
 * compiler's command, its last lines and the log; where it said nothing, its command and how it ended are all
 * there is. */
static void ckjit_report(struct ckjit_text *error, const char *command, const struct ckjit_text *output,
                         int status) {
  if (output->len) {
    ckjit_add(error, output->data);
    while (error->len && error->data[error->len - 1] == '\n')
      error->data[--error->len] = 0;
    ckjit_add(error, "\nthe next call of this kernel compiles it again");
    return;
  }
  ckjit_add(error, "it could not be compiled: ");
  if (status == CKJIT_STATUS_UNKNOWN)
    ckjit_add(error, "the command ended without a word");
  else if (WIFSIGNALED(status))
    ckjit_addf(error, "the command was killed by signal %d (%s)", WTERMSIG(status),
               strsignal(WTERMSIG(status)));
  else if (WEXITSTATUS(status))
    ckjit_addf(error, "the command ended with status %d and without a word", WEXITSTATUS(status));
  else
    ckjit_add(error, "the command succeeded, but its output is not there");
  ckjit_addf(error, "\ncommand: %s", command);
}

/* ckjit-compile may have stored what it made under another build id, because the compiler or a header is not
 * the one that the library was built with: then its OUTPUT says which. It has to be of the same key. */
static void ckjit_take_stored(struct ckjit_wanted *w, const struct ckjit_text *output) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  const char *line = output->len ? strstr(output->data, CKJIT_STORED) : NULL;
  char hex[CKJIT_BUILD_ID_HEX_SIZE];
  if (!line)
    return;
  snprintf(hex, sizeof hex, "%s", line + strlen(CKJIT_STORED));
  if (ckjit_build_id_parse(id, hex) && memcmp(id, w->id, CKJIT_KEY_SIZE) == 0)
    memcpy(w->id, id, sizeof id);
}

/* Have W compiled into the cache, or into W's file: true where ckjit-compile ran and did not say that it
 * failed. MISSING collects what to tell should the entry not be there afterwards. */
static bool ckjit_compile(struct ckjit_wanted *w, struct ckjit_text *missing) {
  struct ckjit_text words = {0}, command = {0}, output = {0};
  struct timespec start, end;
  int status = CKJIT_STATUS_UNKNOWN, error = ENOMEM;
  bool done = false;
  if (w->unlinked && (w->file = ckjit_unlinked_open(w->stem, w->stem_len, missing)) < 0)
    return false;
  if (ckjit_command(w, &words, missing)) {
    char **args = ckjit_vector(&words, &command);
    const char *text = args ? ckjit_whole(&command) : NULL;
    if (text) {
      ckjit_tell(w, "compiling: %s", text);
      uint64_t traced = ckjit_trace_start();
      clock_gettime(CLOCK_MONOTONIC, &start);
      error = ckjit_run(args, *w->environment, w->file, &output, &status);
      clock_gettime(CLOCK_MONOTONIC, &end);
      ckjit_trace_compiled(w, traced, error, status);
      done = !error && (status == 0 || status == CKJIT_STATUS_UNKNOWN);
      if (done)
        ckjit_take_stored(w, &output);
      if (done && w->unlinked)
        done = ckjit_unlinked_is(w->file, w->id);
    }
    if (error)
      ckjit_addf(missing, "%s cannot be run: %s", args ? args[0] : "ckjit-compile", strerror(error));
    else
      ckjit_report(missing, text, &output, status);
    if (done) {
      double seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
      bool ours = !output.len || !strstr(output.data, CKJIT_MADE_BY_OTHERS);
      ckjit_tell(w, ours ? "compiled in %.1f s" : "compiled by another process; waited %.1f s", seconds);
      if (ours)
        ckjit_capture_compiled(w->blob, seconds);
    }
    free(args);
  }
  ckjit_text_free(&words);
  ckjit_text_free(&command);
  ckjit_text_free(&output);
  return done;
}

/* ---- loading ---- */

static void *ckjit_unlinked_handles[CKJIT_BLOBS]; /* of unlinked files; atomic, never reset */

/* Make HANDLE the one of BLOB: true, or false where another thread was first, whose handle *HANDLE is then.
 */
static bool ckjit_publish(uint32_t blob, void **handle) {
  void *ours = *handle;
  if (ckjit_enter(blob, handle))
    return true;
  dlclose(ours); /* mostly the same object; another one where the entry was removed and made again */
  return false;
}

_Noreturn static void ckjit_fail(struct ckjit_text *error);
static bool ckjit_attach(void *handle, const struct ckjit_wanted *w, const char *path);

/* Load the entry of W in DIR: its handle; NULL with ERROR empty where there is no entry, or with the reason.
 */
static void *ckjit_load_from(const struct ckjit_wanted *w, const struct ckjit_text *dir,
                             struct ckjit_text *error) {
  char path[PATH_MAX];
  const char *why = NULL;
  if (!dir->len)
    return NULL;
  uint64_t looked = ckjit_trace_start();
  bool found = ckjit_entry_find(path, dir->data, w->stem, w->stem_len, w->id, &why);
  ckjit_trace(w, "look up", looked, "status", found ? "hit" : why ? why : "miss");
  if (!found) {
    if (why)
      ckjit_tell(w, "%s is not loaded: it %s", path, why);
    return NULL;
  }
  struct ckjit_text reason = {0};
  /* Without the table each call wants what is in the cache now, not what was of that name when it was loaded.
   */
  struct stat st;
  uint64_t number = ckjit_memory_off() && stat(path, &st) == 0 ? st.st_ino : 0;
  uint64_t traced = ckjit_trace_start();
  void *handle = ckjit_load(path, number, w->id, &reason);
  ckjit_trace(w, "load", traced, "file", path);
  if (handle && strcmp(CKJIT_COMPILER_KIND, "cuda") == 0 && !w->kernel && !ckjit_attach(handle, w, path)) {
    dlclose(handle);
    handle = NULL;
  }
  if (handle && (w->kernel || ckjit_publish(w->blob, &handle)))
    ckjit_tell(w, "loaded from %s", path);
  /* where the file is gone somebody cleaned the cache this moment, and it is a miss */
  if (!handle && access(path, F_OK) == 0)
    ckjit_addf(
        error,
        "the compiled blob %s cannot be loaded: %s\nremove it if it is damaged: it will be compiled again",
        path, reason.data ? reason.data : "out of memory");
  ckjit_text_free(&reason);
  /* When it was used last, for CK_JIT_CACHE_MAX_SIZE: what was used longest ago goes first. */
  if (handle && dir == &w->cache)
    utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
  return handle;
}

/* Load W's file, or find what was loaded of such a one and has left the table. */
static void *ckjit_load_unlinked(const struct ckjit_wanted *w, struct ckjit_text *error) {
  void **kept = &ckjit_unlinked_handles[w->blob], *handle = __atomic_load_n(kept, __ATOMIC_ACQUIRE);
  if (handle && !ckjit_memory_off()) {
    ckjit_enter(w->blob, &handle);
    return handle;
  }
  if (w->file < 0 || !(handle = ckjit_unlinked_load(w->file, w->id, error)))
    return NULL;
  if (ckjit_publish(w->blob, &handle)) {
    ckjit_tell(w, "loaded from an unlinked file");
    if (!ckjit_memory_off())
      __atomic_store_n(kept, handle, __ATOMIC_RELEASE);
  }
  return handle;
}

/* The same from wherever it is. What an administrator put into the read-only directory and what cannot be
 * loaded is no reason to fail: it can be compiled. */
static void *ckjit_load_entry(const struct ckjit_wanted *w, struct ckjit_text *error) {
  struct ckjit_text why = {0};
  if (w->unlinked)
    return ckjit_load_unlinked(w, error);
  void *handle = ckjit_load_from(w, &w->readonly, &why);
  if (why.len)
    ckjit_tell(w, "%s", why.data);
  ckjit_text_free(&why);
  return handle ? handle : ckjit_load_from(w, &w->cache, error);
}

/* Whether there is an entry of W that somebody stored since this thread looked; without a cache, loaded. */
static bool ckjit_has_entry(const struct ckjit_wanted *w) {
  char path[PATH_MAX];
  const char *why;
  if (w->unlinked)
    return ckjit_loaded(w->blob);
  return ckjit_entry_find(path, w->cache.data, w->stem, w->stem_len, w->id, &why);
}

/* ---- flights: one compile of a blob at a time ----
 *
 * A flight is up for the time of ckjit-compile and needs nothing of the dynamic linker. Who waits for it may
 * have the linker locked: a kernel that is called by the constructor of a library. So each thread loads the
 * entry itself; for the linker that is one object. What is not in a cache, an unlinked file, is the flight's:
 * it stays in the list until one of them has loaded it, so that who comes meanwhile finds it. */

struct ckjit_flight {
  struct ckjit_flight *next;
  uint32_t blob;
  uint64_t kernel; /* of the blob: its hash; 0: the blob itself */
  unsigned aboard; /* threads that have yet to look at the result */
  bool landed, done;
  bool kept;                       /* landed and still in the list, which counts as one aboard */
  int file;                        /* -1: none */
  uint8_t id[CKJIT_BUILD_ID_SIZE]; /* under which it was stored */
  pthread_cond_t landing;
  struct ckjit_text missing; /* what to tell should the entry not be there */
};

static struct ckjit_flight *ckjit_flights; /* guarded by the mutex, as all that are in it */
static int ckjit_fork_prepared;            /* atomic */

/* A fork copies the mutex as it is, and the flights of threads that the child does not have. So fork waits
 * for the mutex, and the child starts with no flight: its next call compiles or, more often, waits in
 * ckjit-compile. */
static void ckjit_before_fork(void) {
  pthread_mutex_lock(&ckjit_captured.mutex);
  pthread_mutex_lock(&ckjit_mutex);
}

static void ckjit_after_fork_parent(void) {
  pthread_mutex_unlock(&ckjit_mutex);
  pthread_mutex_unlock(&ckjit_captured.mutex);
}

static void ckjit_after_fork_child(void) {
  ckjit_flights = NULL;
  ckjit_capture_after_fork();
  ckjit_after_fork_parent();
}

/* Before the mutex is taken for the first time. */
static void ckjit_prepare_fork(void) {
  if (!__atomic_load_n(&ckjit_fork_prepared, __ATOMIC_ACQUIRE) &&
      !__atomic_exchange_n(&ckjit_fork_prepared, 1, __ATOMIC_ACQ_REL) &&
      pthread_atfork(ckjit_before_fork, ckjit_after_fork_parent, ckjit_after_fork_child))
    __atomic_store_n(&ckjit_fork_prepared, 0, __ATOMIC_RELEASE);
}

/* The flight of BLOB, or of its KERNEL, a new one (*NEW) where none is up. The mutex is held. NULL: no
 * memory. */
static struct ckjit_flight *ckjit_board(uint32_t blob, uint64_t kernel, bool *new) {
  struct ckjit_flight *f = ckjit_flights;
  while (f && (f->blob != blob || f->kernel != kernel))
    f = f->next;
  *new = !f;
  if (!f) {
    f = calloc(1, sizeof *f);
    if (!f)
      return NULL;
    f->blob = blob;
    f->kernel = kernel;
    f->file = -1;
    pthread_cond_init(&f->landing, NULL);
    f->next = ckjit_flights;
    ckjit_flights = f;
  }
  f->aboard++;
  return f;
}

static void ckjit_unlist(const struct ckjit_flight *f) {
  struct ckjit_flight **at = &ckjit_flights;
  while (*at && *at != f)
    at = &(*at)->next;
  if (*at) /* not in the list where this thread forked and is the child's */
    *at = f->next;
}

/* The flight has its result. The mutex is held. */
static void ckjit_land(struct ckjit_flight *f) {
  f->kept = f->done && f->file >= 0 && !ckjit_memory_off();
  if (f->kept)
    f->aboard++;
  else
    ckjit_unlist(f);
  f->landed = true;
  pthread_cond_broadcast(&f->landing);
}

static void ckjit_disembark(struct ckjit_flight *f) {
  if (--f->aboard)
    return;
  pthread_cond_destroy(&f->landing);
  ckjit_text_free(&f->missing);
  if (f->file >= 0)
    close(f->file);
  free(f);
}

/* The unlinked file of BLOB was loaded, or cannot be. */
static void ckjit_arrive(uint32_t blob) {
  pthread_mutex_lock(&ckjit_mutex);
  struct ckjit_flight *f = ckjit_flights;
  while (f && !(f->blob == blob && f->kept))
    f = f->next;
  if (f) {
    ckjit_unlist(f);
    f->kept = false;
    ckjit_disembark(f);
  }
  pthread_mutex_unlock(&ckjit_mutex);
}

/* Take what the flight brought to W and MISSING and leave it. The mutex is held. */
static bool ckjit_leave(struct ckjit_flight *f, struct ckjit_wanted *w, struct ckjit_text *missing) {
  bool done = f->done;
  memcpy(w->id, f->id, sizeof w->id);
  if (f->missing.len)
    ckjit_add(missing, f->missing.data);
  w->unlinked |= f->file >= 0; /* the variable may have been set since W was worked out */
  if (done && f->file >= 0 && (w->file = fcntl(f->file, F_DUPFD_CLOEXEC, 3)) < 0) {
    ckjit_addf(missing, "its unlinked file cannot be opened: %s", strerror(errno));
    done = false;
  }
  ckjit_disembark(f);
  return done;
}

/* Have W compiled, by this thread or by the one that is at it: as ckjit_compile. */
static bool ckjit_fly(struct ckjit_wanted *w, struct ckjit_text *missing) {
  bool pilot = false;
  pthread_mutex_lock(&ckjit_mutex);
  struct ckjit_flight *f = ckjit_board(w->blob, w->kernel_hash, &pilot);
  if (!f) {
    pthread_mutex_unlock(&ckjit_mutex);
    ckjit_add(missing, "out of memory");
    return false;
  }
  if (pilot) {
    pthread_mutex_unlock(&ckjit_mutex);
    f->done = ckjit_has_entry(w) || ckjit_compile(w, &f->missing); /* this thread's alone until it lands */
    memcpy(f->id, w->id, sizeof f->id);
    f->file = w->file;
    w->file = -1;
    pthread_mutex_lock(&ckjit_mutex);
    ckjit_land(f);
  }
  uint64_t traced = f->landed ? 0 : ckjit_trace_start();
  while (!f->landed)
    pthread_cond_wait(&f->landing, &ckjit_mutex);
  bool done = ckjit_leave(f, w, missing);
  pthread_mutex_unlock(&ckjit_mutex);
  ckjit_trace(w, "wait", traced, "status", done ? "0" : "failed");
  return done;
}

#include "ck_jit_kernels.h"

/* ---- one blob: from the cache, or compiled into it ---- */

/* The handle of BLOB, or NULL and why in ERROR. What counts is always what lies in the cache: another process
 * may have compiled the entry while ours failed, and nobody may know how ours ended. */
static void *ckjit_handle(uint32_t blob, struct ckjit_text *error) {
  struct ckjit_wanted w;
  struct ckjit_text missing = {0};
  void *handle = ckjit_loaded(blob);
  if (handle)
    return handle;
  uint64_t traced = ckjit_trace_start();
  ckjit_prepare_fork();
  if (ckjit_want(&w, blob, error)) {
    handle = ckjit_load_entry(&w, error);
    if (!handle && !error->len && ckjit_per_kernel(&w)) {
      ckjit_want_apart(&w);
      handle = ckjit_load_entry(&w, error);
    }
    bool again = true;
    /* An entry that was made and is gone again (a cleaned cache) is made again, but not for ever. */
    for (int i = 0; i < CKJIT_ATTEMPTS && again && !handle && !error->len; i++) {
      ckjit_text_clear(&missing);
      again = ckjit_fly(&w, &missing);
      handle = ckjit_loaded(blob);
      if (!handle)
        handle = ckjit_load_entry(&w, error);
      if (w.unlinked) {
        ckjit_arrive(blob);
        if (w.file >= 0)
          close(w.file);
        w.file = -1;
      }
    }
    if (!handle && !error->len)
      ckjit_add(error, missing.len ? missing.data : "out of memory");
  }
  ckjit_trace(&w, "first call", traced, "status", handle ? "0" : "failed");
  ckjit_text_free(&missing);
  ckjit_wanted_free(&w);
  return handle;
}

/* ---- one function ---- */

/* The address of function F in HANDLE, or NULL and why in ERROR, a text that follows "ckjit: STEM: ". */
static void *ckjit_address(uint32_t f, void *handle, struct ckjit_text *error) {
  const struct ckjit_function *function = &ckjit_functions[f];
  size_t functions;
  const char *name = ckjit_function_name(handle, function->hash, &functions);
  void *address = name ? dlsym(handle, name) : NULL;
  if (address)
    return address;
  struct link_map *map = NULL;
  dlinfo(handle, RTLD_DI_LINKMAP, &map);
  ckjit_addf(error,
             "the compiled blob %s does not define the function whose mangled name has the FNV-1a hash "
             "%016llx among its "
             "%zu functions\nits source and the library are not of one build; was it compiled with "
             "-fvisibility=hidden?",
             map ? map->l_name : "", (unsigned long long)function->hash, functions);
  return NULL;
}

/* Throw ERROR, or print it and end the process. Frees ERROR. */
_Noreturn static void ckjit_fail(struct ckjit_text *error) {
  const char *mode = ckjit_env("CK_JIT_ON_ERROR");
  if (error->lost || !error->data) { /* no memory for the message either: not an empty one, then */
    static const char why[] = "ckjit: a kernel cannot be loaded: out of memory\n";
    ckjit_text_free(error);
    if (ckjit_throw && !(mode && strcmp(mode, "abort") == 0))
      ckjit_throw(why);
    if (write(STDERR_FILENO, why, sizeof why - 1) < 0)
      abort();
    abort();
  }
  if (error->len > CKJIT_MESSAGE_MAX - 1) { /* the compiler's last lines stand at the end: cut the middle */
    static const char cut[] = "\n[…]\n";
    size_t half = CKJIT_MESSAGE_MAX / 2 - sizeof cut;
    char *tail = error->data + error->len - half;
    memcpy(error->data + half, cut, sizeof cut - 1);
    memmove(error->data + half + sizeof cut - 1, tail, half + 1);
    error->len = 2 * half + sizeof cut - 1;
  }
  if (ckjit_throw && !(mode && strcmp(mode, "abort") == 0)) {
    /* ckjit_throw copies the message and does not come back to free it. */
    char *message = __builtin_alloca(error->len + 1);
    memcpy(message, error->data ? error->data : "", error->len);
    message[error->len] = 0;
    ckjit_text_free(error);
    ckjit_throw(message);
  }
  ckjit_add(error, "\n");
  ckjit_say(error);
  abort();
}

__attribute__((used)) void *ckjit_resolve(void **slots, uint64_t unit, uint64_t index) {
  int saved = errno, cancel;
  struct ckjit_text why = {0};
  void *address = NULL;
  /* A thread cancelled in here would leave its flight up for ever. */
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  uint64_t f = unit < CKJIT_UNITS ? ckjit_unit_first[unit] + index : CKJIT_FUNCTIONS;
  bool known = f < CKJIT_FUNCTIONS && f < ckjit_unit_first[unit + 1];
  bool counted = known && ckjit_capturing();
  if (counted && !ckjit_memory_off())
    address = ckjit_capture_known((uint32_t)f);
  if (known && !address) {
    void *handle = ckjit_handle(ckjit_functions[f].blob, &why);
    if (handle && (address = ckjit_address((uint32_t)f, handle, &why)) && !counted)
      ckjit_fill(slots, (uint32_t)unit, (uint32_t)index, handle, address);
  }
  if (!known)
    ckjit_add(&why, "a stub and the embedded manifest are not of one build");
  if (counted && address) {
    ckjit_prepare_fork();
    ckjit_capture_call((uint32_t)f, ckjit_functions[f].blob, address);
  }
  pthread_setcancelstate(cancel, NULL);
  if (!address) {
    struct ckjit_text error = {0};
    size_t n = 0;
    const char *stem = known ? ckjit_stem_of(ckjit_functions[f].blob, &n) : "";
    ckjit_addf(&error, "ckjit: %.*s: %s", (int)n, stem, why.data ? why.data : "out of memory");
    ckjit_text_free(&why);
    ckjit_fail(&error);
  }
  ckjit_text_free(&why);
  errno = saved;
  return address;
}

#include "ck_jit_ops.h"
