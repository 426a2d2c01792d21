/* check.c - the checks of a full build that are possible before anything is made. Nobody forgives a
 * build that fails after ten minutes because of a typing error. */
#include "fakehome.h"
#include "full.h"
#include "abi/ck_jit_arch.h"
#include "core/base/childenv.h"
#include "core/base/path.h"
#include "core/base/pool.h"

#include <ctype.h>

void check_aiter(const struct full *f) {
  const char *needed = f->api[QOLA] ? "aiter/jit/core.py" : BUILD_SCRIPT;
  autofree char *script = path_join(f->aiter, needed);
  if (!file_is_dir(f->aiter))
    die(EXIT_FAILED, "--aiter-dir %s: no such directory; expected a checkout of aiter", f->aiter);
  if (!file_exists(script))
    die(EXIT_FAILED, "--aiter-dir %s: no %s in it; expected a checkout of aiter", f->aiter, needed);
  /* A clone without its submodules: aiter itself fails late, and names a file that it meant to
   * write. */
  autofree char *ck = path_join(f->aiter, "3rdparty/composable_kernel"),
                *include = path_join(ck, "include");
  if (!getenv("CK_DIR") && file_is_dir(ck) && !file_is_dir(include))
    die(EXIT_FAILED,
        "%s: composable kernel is not there; "
        "run `git submodule update --init` in %s, or name another one with CK_DIR",
        include, f->aiter);
  autofree char *python = path_which("python3");
  if (!python)
    die(EXIT_FAILED, "no python3 on the PATH, which runs aiter's build; install it");
}

/* `gfx942`, with features `gfx942:sramecc+:xnack-`, or the compiler's own `native`. */
static bool arch_is_well_formed(const char *arch) {
  if (strcmp(arch, "native") == 0)
    return true;
  if (!str_starts(arch, "gfx") || !isxdigit((unsigned char)arch[3]))
    return false;
  const char *s = arch + 3 + strspn(arch + 3, "0123456789abcdef");
  while (*s == ':') {
    size_t n = strspn(s + 1, "abcdefghijklmnopqrstuvwxyz0123456789");
    if (!n || !strchr("+-", s[1 + n]) || !s[1 + n])
      return false;
    s += n + 2;
  }
  return *s == 0;
}

/* The environment for the real compiler, without a fake home. */
static void real_env(const struct full *f, struct argv *env) {
  childenv_copy(env);
  autofree_argv vars = {0};
  fakehome_vars(&vars, f->profile, &f->tools);
  for (size_t i = 0; i < vars.n; i++) {
    char *value = strchr(vars.args[i], '=');
    if (value)
      *value++ = 0;
    if (value)
      childenv_set(env, vars.args[i], value);
    else
      childenv_unset(env, vars.args[i]);
  }
}

/* The errors in a compiler's output: Debian's hipcc prints a screen of warnings about unused -l
 * before them. All of the output if no line is marked as an error. free() it. */
static char *errors_in(const struct buf *output) {
  struct buf errors = {0};
  for (const char *s = output->data; s && *s;) {
    size_t n = strcspn(s, "\n");
    if (memmem(s, n, "error", strlen("error")))
      buf_printf(&errors, "%s%.*s", errors.len ? "\n" : "", (int)n, s);
    s += n + (s[n] == '\n');
  }
  return errors.len ? errors.data : xstrdup(output->len ? output->data : "(nothing)");
}

/* ckjit accepts several separators (abi/ck_jit_arch.h), but aiter and PyTorch only ';', so they get
 * that. */
char *read_archs(const char *text) {
  char archs[CKJIT_ARCHS_SIZE] = "";
  const char *at = text, *word;
  for (size_t n; (word = ckjit_arch_next(&at, &n));)
    if (!ckjit_arch_add(archs, word, n))
      die(EXIT_FAILED, "--gpu-archs: more than %d characters", CKJIT_ARCHS_SIZE - 2);
  if (!*archs)
    die(EXIT_FAILED, "--gpu-archs '%s': no architecture in it; expected such as \"gfx942;gfx950\"",
        text);
  return xstrdup(archs);
}

/* It asks the compiler which architectures exist, because a list in ckjit would soon be out of
 * date. A syntax-only run of an empty device pass for each writes nothing and takes a third of a
 * second. */
void check_archs(const struct full *f) {
  static const char probe[] = "-x hip -fsyntax-only --offload-device-only /dev/null";
  autofree_argv archs = {0}, env = {0};
  const char *at = f->archs, *word;
  for (size_t n; (word = ckjit_arch_next(&at, &n));)
    argv_add_own(&archs, xstrndup(word, n));
  real_env(f, &env);
  autofree struct job *jobs = xcalloc(archs.n, sizeof *jobs);
  autofree struct argv *commands = xcalloc(archs.n, sizeof *commands);
  for (size_t i = 0; i < archs.n; i++) {
    if (!arch_is_well_formed(archs.args[i]))
      die(EXIT_FAILED,
          "--gpu-archs: unknown architecture '%s'; "
          "expected names such as gfx90a, gfx942 or gfx950, separated by ';' or ','",
          archs.args[i]);
    argv_add(&commands[i], f->tools.compiler);
    compiler_add_arch(&commands[i], f->tools.kind->dialect, archs.args[i], strlen(archs.args[i]));
    argv_split(&commands[i], probe, strlen(probe));
    jobs[i] = (struct job){.args = commands[i].args, .env = env.args};
  }
  pool_run(jobs, archs.n, 0, NULL, NULL);
  for (size_t i = 0; i < archs.n; i++) {
    if (jobs[i].status)
      die(EXIT_FAILED, "--gpu-archs: %s does not compile for '%s'; it says:\n%s", f->tools.compiler,
          archs.args[i], errors_in(&jobs[i].output));
  }
}
