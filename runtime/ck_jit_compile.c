/* ck_jit_compile.c - runs ckjit-compile for a wanted entry.
 *
 * The command says what is compiled (a blob by its source or by a manifest, or a kernel), how
 * (architectures, compiler, build id) and into which file. Its output reports the result. But the
 * entry in the cache decides.
 */
#include "ck_jit_compile.h"
#include "ck_jit_access.h"
#include "ck_jit_alone.h"
#include "ck_jit_ahead.h"
#include "ck_jit_api.h"
#include "ck_jit_bundle.h"
#include "ck_jit_capture.h"
#include "ck_jit_clock.h"
#include "ck_jit_entry.h"
#include "ck_jit_manifest.h"
#include "ck_jit_miss.h"
#include "ck_jit_place.h"
#include "ck_jit_protocol.h"
#include "ck_jit_record.h"
#include "ck_jit_say.h"
#include "ck_jit_settings.h"
#include "ck_jit_span.h"
#include "ck_jit_spawn.h"
#include "ck_jit_start.h"
#include "ck_jit_unlinked.h"

#include <stdlib.h>
#include <sys/wait.h>

/* ---- the words of a command, each with its NUL, in one text ---- */

static void ckjit_word(struct ckjit_text *words, const char *word) {
  ckjit_add_bytes(words, word, strlen(word) + 1);
}

static void ckjit_option(struct ckjit_text *words, const char *option, const char *value) {
  ckjit_word(words, option);
  ckjit_word(words, value);
}

/* WORDS as an argument vector, which points into them (free() the vector), and quoted as COMMAND.
 * NULL: no memory. */
static char **ckjit_vector(const struct ckjit_text *words, struct ckjit_text *command) {
  size_t n = 0;
  if (!ckjit_whole(words))
    return NULL;
  const char *end = words->data + words->len;
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

/* ---- what is compiled ---- */

/* The list of W's inputs, as INPUTS; "" if there is none. */
static void ckjit_add_inputs(struct ckjit_text *inputs, const struct ckjit_wanted *w) {
  const struct ckjit_group *group = ckjit_group_of(w->blob);
  if (group->inputs)
    ckjit_find_inputs(inputs, ckjit_string(group->inputs), &w->root, &w->library);
}

/* The FLAGS of a group. */
static void ckjit_add_flags(struct ckjit_text *words, const char *option, const char *flags) {
  size_t from = words->len;
  bool hidden = *flags == CKJIT_SLASH; /* the library has a bundle */
  ckjit_option(words, option, flags + hidden);
  for (size_t i = from; hidden && i < words->len; i++)
    if (words->data[i] == CKJIT_SLASH)
      words->data[i] = '/';
}

/* Are the sources of W's library kept beside that list? Then ckjit-compile needs no source file. */
static bool ckjit_is_kept(const struct ckjit_wanted *w) {
  struct ckjit_text inputs = {0}, kept = {0};
  ckjit_add_inputs(&inputs, w);
  const char *slash = inputs.data ? strrchr(inputs.data, '/') : NULL;
  if (slash)
    ckjit_addf(&kept, "%.*s/ck_jit_sources", (int)(slash - inputs.data), inputs.data);
  bool is = kept.data && ckjit_may(kept.data, R_OK);
  ckjit_text_free(&inputs);
  ckjit_text_free(&kept);
  return is;
}

/* W's blob, by its SOURCE. */
static void ckjit_add_blob(struct ckjit_text *words, const struct ckjit_wanted *w,
                           const char *source) {
  const struct ckjit_group *group = ckjit_group_of(w->blob);
  ckjit_option(words, "--blob-source", source);
  ckjit_add_flags(words, "--blob-flags", ckjit_string(group->flags));
  ckjit_add_flags(words, "--link-flags", ckjit_string(group->link));
  ckjit_option(words, "--root", w->root.path.data);
  if (group->inputs) {
    struct ckjit_text inputs = {0};
    ckjit_add_inputs(&inputs, w);
    ckjit_option(words, "--inputs", inputs.data ? inputs.data : "");
    ckjit_text_free(&inputs);
  }
}

/* W's blob, by its stem in MANIFEST. */
static void ckjit_add_blob_of(struct ckjit_text *words, const struct ckjit_wanted *w,
                              const char *manifest) {
  struct ckjit_text absolute = {0};
  ckjit_add_absolute(&absolute, manifest);
  size_t n;
  const char *stem = ckjit_stem_of(w->blob, &n);
  ckjit_word(words, "--blob");
  ckjit_add_bytes(words, stem, n);
  ckjit_add_bytes(words, "", 1);
  ckjit_option(words, "--manifest", absolute.data ? absolute.data : manifest);
  ckjit_text_free(&absolute);
}

/* The kernel of an entry; or the blob, or the unit with the kernel: by its source in the root; if
 * that is gone, by a manifest that CK_JIT_MANIFEST names, or by the kept text of the source. False,
 * and the reason in ERROR, if all of these are missing. */
static bool ckjit_add_what(struct ckjit_text *words, const struct ckjit_wanted *w,
                           const char *source, struct ckjit_text *error) {
  const char *manifest = ckjit_env("CK_JIT_MANIFEST");
  if (w->kernel)
    ckjit_option(words, "--kernel", w->kernel);
  if (w->kernel && w->entry) {
    ckjit_option(words, "--entry", w->entry);
  } else if (w->bundle.len || ckjit_may(source, R_OK)) {
    ckjit_add_blob(words, w, source);
  } else if (manifest) {
    ckjit_add_blob_of(words, w, manifest);
  } else if (ckjit_is_kept(w)) {
    ckjit_add_blob(words, w, source);
  } else {
    ckjit_may(source, R_OK); /* its errno is for the message */
    ckjit_addf(error,
               "its source cannot be read: %s: %s [ckjit help no-source]\n"
               "set CK_JIT_ROOT to the ck_jit directory of the install (now: %s), "
               "or CK_JIT_MANIFEST to a manifest that names the source",
               source, strerror(errno), w->root.path.data);
    return false;
  }
  return true;
}

/* ---- how it is compiled ---- */

static void ckjit_add_how(struct ckjit_text *words, const struct ckjit_wanted *w) {
  char hex[CKJIT_BUILD_ID_HEX_SIZE];
  ckjit_build_id_hex(hex, w->id);
  ckjit_option(words, "--arch", w->archs);
  ckjit_option(words, "--build-id", hex);
  ckjit_option(words, "--kind", ckjit_string(ckjit_facts.kind));
  /* The compiler of the build, if it is on this machine and can be trusted, and the user names no
   * other. */
  if (!ckjit_env(ckjit_string(ckjit_facts.variable)))
    ckjit_option(words, "--build-hipcc", ckjit_string(ckjit_facts.compiler));
  if (w->apart) {
    ckjit_build_id_hex(hex, w->whole);
    ckjit_option(words, "--per-kernel", hex);
  }
  if (w->add_flags)
    ckjit_option(words, "--add-flags", w->add_flags);
  for (size_t i = 0; w->as && i < w->as->nsymbols; i++)
    ckjit_option(words, "--symbol", w->as->symbols[i]);
  if (w->as) {
    ckjit_option(words, "--format", w->as->format);
    ckjit_option(words, "--built-for", ckjit_string(ckjit_group_of(w->blob)->archs));
  }
  if (w->function) {
    snprintf(hex, sizeof hex, "%016llx", (unsigned long long)w->function);
    ckjit_option(words, "--function", hex);
    if (ckjit_hardly_launches(w))
      ckjit_word(words, "--likely");
  }
}

/* Into the file OUTPUT, or the unlinked one. */
static void ckjit_add_where(struct ckjit_text *words, const struct ckjit_wanted *w,
                            const char *output) {
  char number[16];
  if (w->unlinked) {
    snprintf(number, sizeof number, "%d", CKJIT_RESULT_FD);
    ckjit_option(words, "--output-fd", number);
  } else {
    ckjit_word(words, "--cache");
    ckjit_option(words, "--output", output);
  }
}

bool ckjit_command(const struct ckjit_wanted *w, struct ckjit_text *words,
                   struct ckjit_text *error) {
  struct ckjit_text program = {0}, source = {0};
  const char *root = ckjit_whole(&w->root.path);
  char output[PATH_MAX];
  bool ok =
      root && (w->unlinked || ckjit_entry_path(output, w->cache.data, w->stem, w->stem_len, NULL));
  if (ok)
    ckjit_find_source(&source, w->blob, root);
  ok = ok && ckjit_check_root(&w->root, error) &&
       ckjit_find_program(&program, &w->root, ckjit_reason(&w->library), error) &&
       ckjit_whole(&program) && ckjit_whole(&source);
  if (ok) {
    ckjit_word(words, program.data);
    if (w->bundle.len)
      ckjit_option(words, "--bundle", w->bundle.data);
    ok = ckjit_add_what(words, w, source.data, error);
  } else if (!error->len) {
    ckjit_add(error, "out of memory, or the name of its cache entry is too long");
  }
  if (ok) {
    ckjit_add_how(words, w);
    ckjit_add_where(words, w, output);
  }
  ckjit_text_free(&program);
  ckjit_text_free(&source);
  return ok;
}

/* ---- the result ---- */

/* The message for a compile that brought no entry. ckjit-compile's own message has the compiler's
 * command, its last lines and the log; if it printed none, only its command and exit status are
 * known. */
static void ckjit_report(struct ckjit_text *error, const struct ckjit_wanted *w,
                         const char *command, const struct ckjit_text *output, int status) {
  if (output->len) {
    ckjit_add(error, output->data);
    while (error->len && error->data[error->len - 1] == '\n')
      error->data[--error->len] = 0;
    if (!w->as)
      ckjit_add(error, "\nthe next call of this kernel compiles it again");
    return;
  }
  ckjit_add(error, "it could not be compiled: ");
  if (status == CKJIT_STATUS_UNKNOWN)
    ckjit_add(error, "the command printed nothing");
  else if (WIFSIGNALED(status))
    ckjit_addf(error, "the command was killed by signal %d (%s)", WTERMSIG(status),
               strsignal(WTERMSIG(status)));
  else if (WEXITSTATUS(status))
    ckjit_addf(error, "the command exited with status %d and printed nothing", WEXITSTATUS(status));
  else
    ckjit_add(error, "the command succeeded but wrote no output file");
  ckjit_addf(error, "\ncommand: %s", command);
}

/* ckjit-compile may have stored its result under another build id, because the compiler or a header
 * differs from the library's: then its OUTPUT has that id, which must have the same key. */
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

/* W was compiled in SECONDS, or waited for; OUTPUT says which. True: this process compiled it. */
static bool ckjit_compiled(const struct ckjit_wanted *w, const struct ckjit_text *output,
                           double seconds) {
  bool ours = !output->len || !strstr(output->data, CKJIT_MADE_BY_OTHERS);
  ckjit_tell(w, ours ? "compiled in %.1f s" : "compiled by another process; waited %.1f s",
             seconds);
  if (ours)
    ckjit_capture_compiled(w->blob, ckjit_is_lazy_unit(w->blob) ? w->kernel : NULL, seconds);
  return ours;
}

/* ckjit-compile records the kernels that calls wait for. */
static void ckjit_add_use(struct ckjit_text *words, const struct ckjit_wanted *w) {
  const char *name = ckjit_record_name(w);
  if (name && !w->unlinked && ckjit_warms() != CKJIT_WARM_NOT)
    ckjit_option(words, "--used-by", name);
}

static void ckjit_tell_unrecorded(const struct ckjit_text *output) {
  static int said;
  const char *line = output->len ? strstr(output->data, CKJIT_UNRECORDED) : NULL;
  if (line && !ckjit_is_on(ckjit_env("CK_JIT_QUIET")))
    ckjit_warn_once(&said,
                    "%.*s: its calls cannot be recorded, so its kernels are not compiled ahead "
                    "after an upgrade",
                    (int)strcspn(line + strlen(CKJIT_UNRECORDED), "\n"),
                    line + strlen(CKJIT_UNRECORDED));
}

static void ckjit_meanwhile(void *wanted) {
  ckjit_ahead(wanted);
}

/* Run ARGS, which COMMAND quotes. As ckjit_compile. */
static bool ckjit_run_compile(struct ckjit_wanted *w, char **args, const char *command,
                              struct ckjit_text *missing, bool *others) {
  struct ckjit_text output = {0};
  struct ckjit_waiting waiting;
  int status = CKJIT_STATUS_UNKNOWN;
  ckjit_waiting_begin(&waiting, w);
  ckjit_tell(w, "compiling: %s", command);
  uint64_t traced = ckjit_span_start(), start = ckjit_microseconds();
  /* The other kernels of a function's row are needed only if the function launches: a program may
   * query rows that it does not use. And a compile that the other kernels would wait for must not
   * start after them. */
  const struct ckjit_meanwhile meanwhile = {ckjit_meanwhile, w, w->apart ? CKJIT_LAUNCHES : NULL};
  int error = ckjit_run(args, *w->environment, w->file, &waiting, &output, &status, &meanwhile);
  double seconds = (double)(ckjit_microseconds() - start) / 1e6;
  ckjit_span_end_compile(w, traced, error, status);
  bool done = !error && (status == 0 || status == CKJIT_STATUS_UNKNOWN);
  ckjit_tell_unrecorded(&output);
  if (done)
    ckjit_take_stored(w, &output);
  if (done && w->as)
    done = lseek(w->file, 0, SEEK_END) > 0;
  else if (done && w->unlinked)
    done = ckjit_unlinked_is(w->file, w->id);
  if (error) {
    char why[256];
    ckjit_start_why(why, sizeof why, error);
    ckjit_addf(missing, "%s cannot be run: %s", args[0], why);
  } else {
    ckjit_report(missing, w, command, &output, status);
  }
  if (done && !ckjit_compiled(w, &output, seconds) && others)
    *others = true;
  ckjit_text_free(&output);
  return done;
}

bool ckjit_compile(struct ckjit_wanted *w, struct ckjit_text *missing, bool *others) {
  struct ckjit_text words = {0}, command = {0};
  bool done = false;
  ckjit_want_root(w);
  if (ckjit_never_compiles()) {
    ckjit_tell_miss(w, missing);
    return false;
  }
  if (!ckjit_want_bundle(w, missing))
    return false;
  if (w->unlinked && (w->file = ckjit_unlinked_open(w->stem, w->stem_len, missing)) < 0)
    return false;
  if (ckjit_command(w, &words, missing)) {
    ckjit_word(&words, "--progress");
    ckjit_add_use(&words, w);
    char **args = ckjit_vector(&words, &command);
    if (args && ckjit_whole(&command))
      done = ckjit_run_compile(w, args, command.data, missing, others);
    else
      ckjit_addf(missing, "ckjit-compile cannot be run: %s", strerror(ENOMEM));
    free(args);
  }
  ckjit_text_free(&words);
  ckjit_text_free(&command);
  return done;
}
