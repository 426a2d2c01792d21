/* variant.c - the build id of what is made by another compiler, or with other system headers, than the
 * library's.
 *
 * Three things make a variant, and T->variant collects them, a line for each: a header of the system that is
 * not as the list of inputs has it (inputs.c), a file of the library's compiler that is not (an upgraded
 * package), and flags that were added by hand. The second part of the build id is then a hash of these lines
 * and the architectures, in place of the architectures alone.
 *
 * Two more are not known before the compile. A compiler that is not the library's own by its name
 * (CK_JIT_HIPCC, one found on the PATH) may be a wrapper of it (ccache, a counter) or another version.
 * That shows in section .comment of what it makes. And what a compile runs and reads may be something else than
 * the list says, though all in the list is unchanged (verify.c). Both are kept in <cache>/.compilers (memo.h,
 * learnt.h), so that only the first result has to have its build id corrected.
 */
#include "variant.h"
#include "environment.h"
#include "learnt.h"
#include "memo.h"
#include "seen.h"
#include "place.h"
#include "core/base/path.h"
#include "core/cache/key.h"
#include "core/cache/owned.h"
#include "core/cache/toolchain.h"

#include <blake2.h>
#include <fcntl.h>
#include <unistd.h>

/* ---- the compiler ---- */

bool variant_is_own_compiler(const struct compile_task *t, const struct inputs *in) {
  autofree char *ours = realpath(t->compiler, NULL);
  /* What the name in the list stands for by now may be another: the first tool is the program that was asked then. */
  const char *theirs = in->ntools ? in->tools[0].path : in->program;
  return strcmp(ours ? ours : t->compiler, theirs) == 0;
}

static void compare_tools(struct buf *changes, const struct inputs *in) {
  char found[DIGEST_HEX];
  for (size_t i = 0; i < in->ntools; i++) {
    digest_file(found, in->tools[i].path);
    if (strcmp(found, in->tools[i].digest) != 0)
      buf_printf(changes, "tool %s %s\n", in->tools[i].digest, found);
  }
}

/* Which of IN's tools are another by now, as lines "tool OLD NEW". They are 200 MB: while none of their
 * time stamps changes, they are not read again, and of all processes of a job one reads them. */
static const char *changed_tools(const struct compile_task *t, const struct inputs *in) {
  static struct buf name; /* what was asked last, and the answer */
  static char *answer;
  struct buf asked = {0}, changes = {0};
  buf_puts(&asked, "tools\n");
  for (size_t i = 0; i < in->ntools; i++) {
    char stamp[STAMP_SIZE];
    toolchain_stamp(stamp, in->tools[i].path);
    buf_printf(&asked, "%s %s %s\n", in->tools[i].digest, in->tools[i].path, stamp);
  }
  if (answer && strcmp(asked.data, name.data) == 0) {
    buf_free(&asked);
    return answer;
  }
  buf_free(&name);
  free(answer);
  name = asked;
  autofree char *known = memo_read(t, name.data);
  struct memo_turn turn = {.fd = -1};
  if (!known) {
    memo_enter(&turn, t, name.data);
    known = memo_read(t, name.data);
  }
  buf_puts(&changes, known ? known : "");
  if (!known)
    compare_tools(&changes, in);
  if (!known)
    memo_write(t, name.data, changes.data);
  memo_leave(&turn);
  return answer = changes.data;
}

/* What T's compiler answers to IN's question in ENV. SAME_TOOLS: the tools are those of the list. A script may take
 * longer to answer than a kernel takes, so it is asked once for each process that we work for: settings that change
 * while that runs are its next start's. A memo has the answers to the last ones. */
static bool ask_plan(char now[DIGEST_HEX], const struct compile_task *t, const struct inputs *in,
                     char *const *env, bool same_tools) {
  enum { JOBS = 16, DIGITS = DIGEST_HEX - 1 };
  autofree_buf name = {0}, text = {0};
  char stamp[STAMP_SIZE];
  autofree char *words = argv_join(in->question.args), *variables = argv_join(env);
  autofree char *job = same_tools ? owned_word(t->starter) : NULL;
  toolchain_stamp(stamp, t->compiler);
  buf_printf(&name, "plan %s %s %s %s", t->compiler, stamp, words, variables);
  autofree char *said = job ? memo_read(t, name.data) : NULL;
  char *at = said ? strstr(said, job) : NULL;
  bool known = at && strlen(at) > strlen(job) + DIGITS;
  if (known) {
    snprintf(now, DIGEST_HEX, "%s", at + strlen(job) + 1);
  } else if ((known = toolchain_plan(now, t->compiler, t->kind, &in->question, env)) && job) {
    size_t keep = 0;
    for (int i = 1; said && said[keep] && i < JOBS; i++)
      keep += strcspn(said + keep, "\n") + 1;
    buf_printf(&text, "%s %s\n%.*s", job, now, (int)keep, said ? said : "");
    memo_write(t, name.data, text.data);
  }
  return known;
}

/* Add what IN's program answers now to the question of the link, if that differs: a file that it
 * reads, and that is not among IN's tools, has changed what it tells the compiler. It is not asked
 * if there is no such file. */
static void vary_plan(struct compile_task *t, const struct inputs *in, bool same_tools) {
  char now[DIGEST_HEX];
  char *const *env = compile_environment(t);
  if (in->settled && same_tools && !t->passed.n && toolchain_same_answer(in, t->compiler, env))
    return;
  if (!in->question.n || !ask_plan(now, t, in, env, same_tools) || strcmp(now, in->plan) == 0)
    return;
  if (t->verbose)
    note("%s: %s passes other arguments to its compiler than when the library was linked", t->stem,
         t->compiler);
  buf_printf(&t->variant, "plan %s %s\n", in->plan, now);
}

void variant_tools(struct compile_task *t, const struct inputs *in) {
  const char *changed = changed_tools(t, in);
  buf_puts(&t->variant, changed);
  vary_plan(t, in, !*changed);
}

void variant_digest(const struct compile_task *t, const struct inputs *in, const char *file,
                    char digest[DIGEST_HEX]) {
  for (size_t i = 0; i < in->ntools; i++) {
    if (strcmp(in->tools[i].path, file) != 0)
      continue;
    autofree char *line = xasprintf("tool %s ", in->tools[i].digest);
    const char *change = strstr(changed_tools(t, in), line);
    snprintf(digest, DIGEST_HEX, "%s", change ? change + strlen(line) : in->tools[i].digest);
    return;
  }
  learnt_digest(t, file, digest);
}

bool variant_knows_tool(const struct compile_task *t, const struct inputs *in, const char *digest) {
  for (size_t i = 0; i < in->ntools; i++)
    if (strcmp(in->tools[i].digest, digest) == 0)
      return true;
  return t->variant.len && strstr(t->variant.data, digest);
}

/* what is remembered of a compiler that is not the library's: its .comment */
static char *name_of_comment(const struct compile_task *t) {
  char stamp[STAMP_SIZE];
  autofree char *real = realpath(t->compiler, NULL);
  toolchain_stamp(stamp, t->compiler);
  return xasprintf("comment %s %s", real ? real : t->compiler, stamp);
}

/* The strings of section .comment, N bytes, a line each; free() it. */
static char *comment_lines(const char *comment, size_t n) {
  struct buf b = {0};
  buf_puts(&b, "");
  for (const char *p = comment; p < comment + n; p += strlen(p) + 1)
    if (*p)
      buf_printf(&b, "%s\n", p);
  return b.data;
}

/* Is WANTED, that of the library's compiler, among LINES? The linker adds those of the C library's start files. */
static bool comment_has(const char *lines, const char *wanted) {
  size_t n = strlen(wanted);
  for (const char *p = lines; *p; p = strchr(p, '\n') + 1)
    if (strncmp(p, wanted, n) == 0 && p[n] == '\n')
      return true;
  return false;
}

/* If T's compiler is remembered as another than the library's, that goes into VARIANT. */
static void check_other(const struct compile_task *t, struct buf *variant) {
  autofree char *name = name_of_comment(t), *comment = *t->inputs->comment ? memo_read(t, name) : NULL;
  if (comment && !comment_has(comment, t->inputs->comment))
    buf_printf(variant, "comment %s", comment);
}

/* ---- the build id ---- */

/* Set T's build id: the key, and of VARIANT, unless it is empty, another second part than the one asked for. */
static void set_id(struct compile_task *t, const struct buf *variant) {
  bool whole = t->asked_per_kernel && !t->per_kernel;
  memcpy(t->id, whole ? t->whole : t->asked, sizeof t->id);
  if (variant->len) {
    static const char per_kernel[] = "per kernel\n";
    blake2b_state h;
    blake2b_init(&h, CKJIT_BUILD_ID_SIZE - CKJIT_KEY_SIZE);
    blake2b_update(&h, (const uint8_t *)t->archs, strlen(t->archs) + 1);
    blake2b_update(&h, (const uint8_t *)variant->data, variant->len);
    if (t->per_kernel)
      blake2b_update(&h, (const uint8_t *)per_kernel, strlen(per_kernel));
    if (t->kernel) /* of one key there are several */
      blake2b_update(&h, (const uint8_t *)t->kernel, strlen(t->kernel) + 1);
    blake2b_final(&h, t->id + CKJIT_KEY_SIZE, CKJIT_BUILD_ID_SIZE - CKJIT_KEY_SIZE);
  }
  ckjit_build_id_hex(t->hex, t->id);
}

void variant_identify(struct compile_task *t) {
  if (!t->inputs && !t->variant.len && !t->asked_per_kernel)
    return;
  autofree_buf variant = {0};
  buf_add(&variant, t->variant.data ? t->variant.data : "", t->variant.len);
  if (t->inputs && !variant_is_own_compiler(t, t->inputs))
    check_other(t, &variant);
  if (t->inputs && !t->export.format && !(t->seen && t->seen->compared))
    learnt_find(t);
  buf_add(&variant, t->learnt.len ? t->learnt.data : "", t->learnt.len);
  set_id(t, &variant);
  if (variant.len && t->per_kernel && t->cache && !place_has(t)) {
    t->per_kernel = false; /* an earlier compile may have found that its kernels cannot be left for later */
    set_id(t, &variant);
    if (!place_has(t)) {
      t->per_kernel = true;
      set_id(t, &variant);
    }
  }
}

/* ---- what made it ---- */

bool variant_replace_id(const char *file, const uint8_t from[CKJIT_BUILD_ID_SIZE],
                        const uint8_t to[CKJIT_BUILD_ID_SIZE]) {
  uint8_t wanted[sizeof(Elf64_Nhdr) + 4 + CKJIT_BUILD_ID_SIZE];
  const Elf64_Nhdr head = {.n_namesz = 4, .n_descsz = CKJIT_NOTE_SIZE, .n_type = NT_GNU_BUILD_ID};
  memcpy(wanted, &head, sizeof head);
  memcpy(wanted + sizeof head, "GNU", 4);
  memcpy(wanted + sizeof head + 4, from, CKJIT_BUILD_ID_SIZE);
  size_t len;
  autofree char *bytes = file_read(file, &len);
  char *at = bytes ? memmem(bytes, len, wanted, sizeof wanted) : NULL;
  autoclose fd = at ? open(file, O_WRONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
  off_t offset = at ? at - bytes + (off_t)(sizeof wanted - CKJIT_BUILD_ID_SIZE) : 0;
  return fd >= 0 && pwrite(fd, to, CKJIT_BUILD_ID_SIZE, offset) == CKJIT_BUILD_ID_SIZE;
}

/* Learn from the object FILE, which was just made, what T's compiler is, and set T's build id
 * accordingly. */
static void variant_learn(struct compile_task *t, const char *file) {
  if (t->export.format || !t->inputs)
    return;
  size_t n;
  autofree char *comment =
      *t->inputs->comment && !variant_is_own_compiler(t, t->inputs) ? inputs_comment(file, &n) : NULL;
  if (comment) {
    autofree char *name = name_of_comment(t), *lines = comment_lines(comment, n);
    memo_write(t, name, lines);
  }
  variant_identify(t);
}

bool variant_made(struct compile_task *t, const char *file, char **err) {
  if (!t->inputs)
    return true;
  uint8_t before[CKJIT_BUILD_ID_SIZE];
  memcpy(before, t->id, sizeof before);
  variant_learn(t, file);
  return memcmp(before, t->id, sizeof before) == 0 || t->fragment ||
         variant_replace_id(file, before, t->id) ||
         task_fail(t, err, "cannot write %s: %s", file, strerror(errno));
}

void variant_tell(const struct compile_task *t) {
  if (!t->export.format && memcmp(t->id, t->asked, sizeof t->id) != 0) {
    if (t->verbose)
      note(
          "%s: compiled with another compiler, other system headers or other flags than the library: its build id differs",
          t->stem);
    printf(CKJIT_STORED "%s\n", t->hex);
  }
}
