/* hostonly.c - which functions of an object are of the host alone (compile/hostonly/functions.h): of the same text,
 * compiled with several options by cc, by clang, and by both for AArch64 if they are there, the answers are the same, and none is wrong in the
 * dangerous direction. What the assembler resolves without a relocation is among it. A damaged object is refused or answered, and never read
 * beyond. */
// tier: check
#include "check.h"
#include "compile/hostonly/functions.h"
#include "core/base/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[] = "/tmp/ckjit-hostonly.XXXXXX";
static const char *compiler = "cc";

/* What goes to another function of the section, and the assembler resolves. The first is a plain jump. */
static const char *const of_x86_64[] = {"jmp target",
                                        "call target",
                                        "je target",
                                        "{disp32} jmp target",
                                        "{disp32} je target",
                                        "jrcxz target",
                                        "loop target",
                                        "lea target(%rip), %rax",
                                        NULL};
static const char *const of_aarch64[] = {"b target",
                                         "bl target",
                                         "b.eq target",
                                         "cbz x0, target",
                                         "cbnz w9, target",
                                         "tbz x0, #3, target",
                                         "tbnz x1, #40, target",
                                         "adr x0, target",
                                         "ldr x0, target",
                                         "b target + 4", /* into the middle of it */
                                         "cbz x0, target + 8",
                                         NULL};
#ifdef __aarch64__
static const char *const *jumps = of_aarch64;
#else
static const char *const *jumps = of_x86_64;
#endif

/* Functions called yes_… are of the host alone, those called no_… are not; of those called may_… nothing is said. */
static const char text[] =
    "typedef void fn(void);\n"
    "int hipLaunchKernel(const void *); int __hipRegisterFatBinary(void *); int puts(const char *); int outside(fn *);\n"
    "#define ALONE __attribute__((noinline, noclone, noipa))\n"
    "static ALONE int stub(void) { return hipLaunchKernel(0); }\n"
    "static ALONE int quiet(int x) { return x * 7 + 1; }\n"
    "static int kernel_; static int *const kernel = &kernel_;\n"
    "static const char *const names[] = {\"a\", \"b\", \"c\"};\n"
    "static fn *const launchers[] = {(fn *)stub, 0};\n"
    "static int counter; static __thread int each; int common;\n"
    "extern int elsewhere;\n"
    "int yes_constant(void) { return 5; }\n"
    "const char *yes_text(int i) { return i ? \"one\" : \"other\"; }\n"
    "int yes_calls_quiet(int x) { return quiet(x) + puts(\"x\"); }\n"
    "int yes_switch(int x) { switch (x) { case 1: return puts(\"1\"); case 2: return puts(\"22\"); case 3: return quiet(3);\n"
    "  case 4: return puts(\"4444\"); case 5: return x * 3; case 6: return puts(\"6\"); } return 0; }\n"
    "int yes_elsewhere(void) { return elsewhere; }\n"
    "int yes_hands_quiet(void) { return outside((fn *)quiet); }\n"
    "const char *may_names(int i) { return names[i]; }\n"
    "int hipGetDevice(int *); int hipGetLastError(void);\n"
    "int yes_asks(void) { int d = 0; return hipGetDevice(&d) + d; }\n"
    "int no_asks_and_launches(void) { return hipGetLastError() + hipLaunchKernel(0); }\n"
    "int no_launches(void) { return hipLaunchKernel(0); }\n"
    "int no_calls_stub(void) { return stub() + 1; }\n"
    "int no_jumps_to_stub(void) { return stub(); }\n"
    "fn *no_returns_stub(void) { return (fn *)stub; }\n"
    "int no_hands_stub(void) { return outside((fn *)stub); }\n"
    "static ALONE int deep3(void) { return stub() + 3; }\n"
    "static ALONE int deep2(void) { return deep3() + 2; }\n"
    "int no_deep(void) { return deep2() + 1; }\n"
    "int no_through_other(void) { return no_deep() + 1; }\n"
    "int no_table(int i) { launchers[i](); return 0; }\n"
    "int no_counter(int x) { return counter += x; }\n"
    "int no_each(int x) { return each += x; }\n"
    "int no_common(int x) { return common += x; }\n"
    "int *no_address(void) { return &counter; }\n"
    "const void *no_kernel(void) { return kernel; }\n"
    "int no_registers(void) { return __hipRegisterFatBinary(0); }\n"
    "int no_conditional(int x) { if (x) return stub(); return 0; }\n"
    "static int hidden_(void) { return 0; }\n"
    "__attribute__((visibility(\"hidden\"))) int no_hidden(void) { return hidden_(); }\n";

/* Compile SOURCE with OPTIONS to FILE. */
static void compile(const char *source, const char *options, const char *file) {
  char *c = path_join(dir, "a.c"),
       *command = xasprintf("%s -w -c -fPIC %s %s -o %s", compiler, options, c, file);
  CHECK(file_write(c, source, strlen(source), 0600) && system(command) == 0, "%s", command);
  free(command);
  free(c);
}

static void check_answers(const char *with, const char *object) {
  size_t len;
  struct hostonly h = {0};
  char *bytes = file_read(object, &len), *options = xasprintf("%s %s", compiler, with);
  CHECK(bytes && hostonly_find(&h, bytes, len), "%s", options);
  const char *word = text;
  size_t yes = 0;
  for (; (word = strstr(word, "yes_")); word++) {
    char *name = xstrndup(word, strcspn(word, "("));
    CHECK(argv_has(&h.functions, name), "%s: %s is of the host alone", options, name);
    free(name);
    yes++;
  }
  CHECK(yes == 7, "%zu of them", yes);
  for (size_t i = 0; i < h.functions.n; i++)
    CHECK(!str_starts(h.functions.args[i], "no_"), "%s: %s is not of the host alone", options,
          h.functions.args[i]);
  hostonly_free(&h);
  free(options);
  free(bytes);
}

/* Each byte of the tables another, and each length. */
static void check_damaged(const char *object) {
  size_t len;
  char *bytes = file_read(object, &len);
  for (size_t n = 0; bytes && n < len; n += 37) {
    struct hostonly h = {0};
    char *part = xmalloc(n ? n : 1);
    memcpy(part, bytes, n);
    hostonly_find(&h, part, n);
    hostonly_free(&h);
    free(part);
  }
  for (size_t at = 0; bytes && at < len; at += 3) {
    struct hostonly h = {0};
    char *copy = xmalloc(len);
    memcpy(copy, bytes, len);
    copy[at] = (char)(copy[at] ^ (at % 2 ? 0xff : 0x81));
    hostonly_find(&h, copy, len);
    hostonly_free(&h);
    free(copy);
  }
  free(bytes);
}

/* What is registered is the device's, also if the host cannot write to it. */
static void check_registered(const char *object) {
  static const char source[] =
      "int __hipRegisterFatBinary(const void *), __hipRegisterVar(const void *);\n"
      "static const int shadow[2] = {1, 2}; static const int other[2] = {3, 4};\n"
      "static __attribute__((noinline, noipa)) void __hip_register_globals(void) { __hipRegisterVar(shadow); }\n"
      "static __attribute__((constructor)) void __hip_module_ctor(void) { __hipRegisterFatBinary(0); __hip_register_globals(); }\n"
      "const int *no(void) { return shadow; } int yes(int x) { return x * 3; }\n";
  struct hostonly h = {0};
  size_t len;
  compile(source, "-O1", object);
  char *bytes = file_read(object, &len);
  CHECK(bytes && hostonly_find(&h, bytes, len) && h.registers && argv_has(&h.functions, "yes") &&
            !argv_has(&h.functions, "no"),
        "what is registered");
  hostonly_free(&h);
  free(bytes);
}

/* What begins with a library, the registration aside, may call the C++ runtime. The registration is taken out. */
static void check_registers_nothing(const char *object) {
  static const char text_of[] =
      "int __hipRegisterFatBinary(void), __cxa_atexit(void), announce(void); int state;\n"
      "static __attribute__((constructor)) void __hip_module_ctor(void) { __hipRegisterFatBinary(); announce(); }\n"
      "static __attribute__((constructor)) void begins(void) { state = __cxa_atexit() + 1; %s; }\n";
  static const char none_of[] =
      "int __cxa_atexit(void), announce(void); int state;\n"
      "static __attribute__((constructor)) void begins(void) { state = __cxa_atexit() + 1; %s; }\n";
  static const char *const texts[] = {text_of, text_of, none_of, none_of};
  static const char *const calls[] = {"", "announce()", "", "announce()"};
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    size_t len;
    char *source = xasprintf(texts[i], calls[i]);
    compile(source, "-O1", object);
    char *bytes = file_read(object, &len), *before = file_read(object, &len);
    CHECK(hostonly_registers_nothing(bytes, len) == (i % 2 == 0),
          "'%s' when it is loaded, beside the registration", calls[i]);
    size_t differ = 0;
    for (size_t at = 0; at < len; at++)
      differ += bytes[at] != before[at];
    CHECK((differ > 0) == (i == 0) && differ <= 24, "%zu bytes were changed", differ);
    free(before);
    free(bytes);
    free(source);
  }
  /* what the linker would write into the code that does nothing is taken out, too */
  size_t len, differ = 0;
  compile(
      "int __hipRegisterFatBinary(const void *); static const int data[2] = {1};\n"
      "static __attribute__((constructor)) void __hip_module_ctor(void) { __hipRegisterFatBinary(data); }",
      "-O2", object);
  char *bytes = file_read(object, &len), *before = file_read(object, &len);
  CHECK(hostonly_registers_nothing(bytes, len), "%s: a short registration", compiler);
  for (size_t at = 0; at < len; at++)
    differ += bytes[at] != before[at];
  CHECK(jumps == of_x86_64 ? differ == 1 : differ > 8, "%s: %zu bytes were changed", compiler, differ);
  free(before);
  free(bytes);
  char none[] = "none";
  CHECK(!hostonly_registers_nothing(none, 4), "what is no object");
}

static const char registers_and[] =
    "int __hipRegisterFatBinary(void); void target(void); int r(void) { return __hipRegisterFatBinary(); }\n"
    "int yes(void) { return 2; }\n";

/* Of registers_and and MORE, which has a function called no: that one is not of the host alone. */
static void check_no(const char *object, const char *more, const char *what) {
  struct hostonly h = {0};
  size_t len;
  char *source = xasprintf("%s%s", registers_and, more);
  compile(source, "-O2", object);
  char *bytes = file_read(object, &len);
  CHECK(hostonly_find(&h, bytes, len) && !argv_has(&h.functions, "no") && argv_has(&h.functions, "yes"),
        "%s: %s", compiler, what);
  hostonly_free(&h);
  free(source);
  free(bytes);
}

/* Code without an end may go anywhere. A jump to another function is seen without a relocation. */
static void check_assembly(const char *object) {
  check_no(object, "__asm__(\".text\\ntarget: nop\\n\"); int no(void) { target(); return 1; }", "assembly");
  for (size_t i = 0; jumps[i]; i++) {
    char *more =
        xasprintf("__asm__(\".text\\n.type target, %%function\\n.balign 16\\ntarget: %s hipLaunchKernel\\n"
                  ".balign 16\\n.size target, . - target\\n.globl no\\n.type no, %%function\\n"
                  "no: nop\\n%s\\n.balign 16\\n.size no, . - no\\n\");",
                  jumps == of_x86_64 ? "jmp" : "b", jumps[i]);
    check_no(object, more, jumps[i]);
    free(more);
  }
}

static void check_compiler(const char *object) {
  static const char *const options[] = {"-O0",
                                        "-O1",
                                        "-O2",
                                        "-O3 -g",
                                        "-O2 -ffunction-sections -fdata-sections",
                                        "-Os",
                                        "-O2 -fno-plt -fno-jump-tables",
                                        "-O2 -fcommon -fno-asynchronous-unwind-tables"};
  bool all = strcmp(compiler, "cc") == 0; /* the others by every second, which is time enough */
  for (size_t i = 0; i < sizeof options / sizeof *options; i += all ? 1 : 2) {
    compile(text, options[i], object);
    check_answers(options[i], object);
  }
  compile(text, "-O1", object);
  if (!strstr(compiler, "clang"))
    check_damaged(object);
  struct hostonly h = {0};
  size_t len;
  compile("int yes(void) { return 1; }", "-O2", object);
  char *bytes = file_read(object, &len);
  CHECK(hostonly_find(&h, bytes, len) && !h.registers && argv_has(&h.functions, "yes"),
        "an object that registers nothing");
  hostonly_free(&h);
  free(bytes);
  check_assembly(object);
  check_registered(object);
  check_registers_nothing(object);
}

int main(void) {
  static const struct {
    const char *name, *command;
    const char *const *jumps;
  } others[] = {{"clang", "clang", NULL},
                {"aarch64-linux-gnu-gcc", "aarch64-linux-gnu-gcc", of_aarch64},
                {"clang", "clang --target=aarch64-linux-gnu", of_aarch64}};
  if (!mkdtemp(dir))
    return 1;
  char *object = path_join(dir, "a.o");
  check_compiler(object);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    char *found = path_which(others[i].name);
    if (!found)
      continue;
    compiler = others[i].command;
    jumps = others[i].jumps ? others[i].jumps : jumps;
    check_compiler(object);
    free(found);
  }
  free(object);
  dir_remove(dir);
  return bad;
}
