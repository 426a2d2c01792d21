/* hoststub.c - see hoststub.h.
 *
 * nvcc has cicc write a stub: for each kernel a function that launches it, and a list that
 * registers all of them, by names that only a front end knows that has instantiated the templates.
 * But the host's compiler instantiates them as well, and names the functions. So this file writes
 * the launches into cudafe++'s output:
 *
 *     template< int N> static void times(int *p) {__wrapper__device_stub_times<N>(p);return;}
 *         nvcc's: cicc specialises the wrapper
 *     template< int N> static __attribute__((noipa)) void times(int *p) {… CKJIT_LAUNCH(times<N>)}
 *         here
 *
 * CKJIT_LAUNCH writes a row, by the assembler: the function's address and its symbol. A function
 * that may not be cloned has one row, an unreferenced one has none, and a launch needs the
 * function's address. The stub registers the rows. In the finished object each symbol is replaced
 * by the name that the kernel has on the device (devicename.c).
 *
 * Texts that this module does not fully understand get cicc's stub. Variables of the device that
 * the host refers to must be registered as well (hostvariables.c).
 */
#include "hoststub.h"
#include "devicename.h"
#include "hostvariables.h"
#include "abi/ck_jit_unit.h"
#include "core/base/path.h"
#include "core/cc/gpucalls.h"
#include "core/cxx/cxxlex.h"
#include "core/cxx/devicedecl.h"

#include <ctype.h>
#include <fcntl.h>
#include <unistd.h>

#define ROWS ".data.rel.ro.ckjit_kernels"
#define WRAPPER "__wrapper__device_stub_"

/* ---- the code that is added ---- */

/* Follows the include of CUDA's types. The launch itself is a function of the stub: in each kernel
 * it would take gcc 4 ms. A row is between the beginning and the end that the stub defines. %zu:
 * room after each name, for a longer one. */
static const char launch[] =
    "static void ckjit_launch(const void *, cudaKernel_t *, void **);\n"
    "#define CKJIT_LAUNCH(...) __asm__ volatile (\".pushsection " REGISTERED_NAMES
    ",\\\"a\\\",%%%%progbits\\n"
    "9: .asciz \\\"%%c0\\\"\\n.skip %zu\\n.popsection\\n.pushsection " ROWS
    ",1,\\\"aw\\\",%%%%progbits\\n"
    ".8byte %%c0,9b\\n.popsection\" : : \"i\"(__VA_ARGS__)); static cudaKernel_t ckjit_handle; "
    "ckjit_launch((const void *)(__VA_ARGS__), &ckjit_handle, ckjit_args)\n";

/* The beginning and end of cicc's stub. %s: the file with the fat binary; the code for variables,
 * at namespace scope and within a function. A launch does what nvcc's does (crt/host_runtime.h),
 * except that an unavailable kernel is requested again at the next launch. */
static const char stub[] =
    "#pragma GCC diagnostic push\n"
    "#pragma GCC diagnostic ignored \"-Wunused-function\"\n"
    "#pragma GCC diagnostic ignored \"-Wcast-qual\"\n"
    "#define __NV_CUBIN_HANDLE_STORAGE__ static\n"
    "#if !defined(__CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__)\n"
    "#define __CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__\n"
    "#endif\n"
    "#include \"crt/host_runtime.h\"\n"
    "#include \"%s\"\n"
    "struct ckjit_row { const char *host, *name; };\n"
    "extern \"C\" const ckjit_row ckjit_rows[] __asm__(\".Lckjit_kernels\") "
    "__attribute__((visibility(\"hidden\")));\n"
    "__asm__(\".pushsection " ROWS ",0,\\\"aw\\\",%%progbits\\n.balign "
    "8\\n.Lckjit_kernels:\\n.popsection\\n"
    ".pushsection " ROWS ",2,\\\"aw\\\",%%progbits\\n.8byte 0,0\\n.popsection\");\n"
    "extern \"C\" cudaError_t __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *);\n"
    "static __attribute__((noinline)) void ckjit_launch(const void *host, cudaKernel_t *handle,\n"
    "                                                   void **args) {\n"
    "  cudaKernel_t kernel = __atomic_load_n(handle, __ATOMIC_ACQUIRE);\n"
    "  dim3 grid, block;\n"
    "  size_t shared;\n"
    "  cudaStream_t stream;\n"
    "  if (!kernel) {\n"
    "    if (__cudaGetKernel(&kernel, host) == cudaSuccess)\n"
    "      __atomic_store_n(handle, kernel, __ATOMIC_RELEASE);\n"
    "    else\n"
    "      kernel = 0;\n"
    "  }\n"
    "  if (__cudaPopCallConfiguration(&grid, &block, &shared, &stream) == cudaSuccess)\n"
    "    (void)__cudaLaunchKernel_helper(kernel, grid, block, args, shared, stream);\n"
    "}\n"
    "%sstatic void __nv_cudaEntityRegisterCallback(void **handle) {\n"
    "  __nv_dummy_param_ref(handle); __nv_save_fatbinhandle_for_managed_rt(handle);\n"
    "  for (const ckjit_row *r = ckjit_rows; r->host; r++)\n"
    "    __cudaRegisterFunction(handle, r->host, const_cast<char *>(r->name), r->name, -1, 0, 0, "
    "0, 0, 0);\n"
    "%s}\n"
    "static void __sti____cudaRegisterAll(void) __attribute__((__constructor__));\n"
    "static void __sti____cudaRegisterAll(void) { "
    "__cudaRegisterBinary(__nv_cudaEntityRegisterCallback); }\n"
    "#pragma GCC diagnostic pop\n";

bool hoststub_not_own(struct hoststub *hs, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  if (!hs->why)
    hs->why = xvasprintf(fmt, ap);
  va_end(ap);
  return false;
}

/* ---- is an own stub possible? ---- */

/* Skip blanks, line ends, and preprocessor directives: words of one source line may be on several
 * lines. */
static const char *behind_blanks(const char *p) {
  while (isspace((unsigned char)*p) || (*p == '#' && p[-1] == '\n'))
    p += *p == '#' ? strcspn(p, "\n") : 1;
  return p;
}

/* The text after WORD at P; NULL: there is another word. */
static const char *behind_word(const char *p, const char *word) {
  size_t n = strlen(word);
  bool is = strncmp(p, word, n) == 0 && !isalnum((unsigned char)p[n]) && p[n] != '_';
  return is ? behind_blanks(p + n) : NULL;
}

/* Is there a closure with __device__, `[=] __attribute__((device))`? cicc then names the enclosing
 * function. The attribute may be on another line, after the line markers that gcc puts around a
 * macro of a system header. An attribute after one of the other form does not count, `[[nodiscard]]
 * __attribute__((…))`: PyTorch's headers have many. */
static bool has_device_closure(const char *text) {
  for (const char *p = text; (p = strchr(p, ']')); p++) {
    const char *next = behind_blanks(p + 1);
    bool of_device =
        str_starts(next, "__attribute__((device))") || str_starts(next, "__attribute__((host))");
    if (of_device && (p == text || p[-1] != ']'))
      return true;
  }
  return false;
}

/* Is there a namespace with C linkage: `extern "C" namespace a`, and not `extern "C" { namespace
 * a`? cudafe++ drops the linkage, cicc does not. */
static bool has_namespace_of_c(const char *text) {
  for (const char *p = text; (p = strstr(p, "extern")); p++) {
    const char *linkage = behind_word(p, "extern"),
               *next = linkage ? behind_word(linkage, "\"C\"") : NULL;
    const char *in_line = next ? behind_word(next, "inline") : NULL;
    if (next && behind_word(in_line ? in_line : next, "namespace"))
      return true;
  }
  return false;
}

/* What the device's name of a kernel has more than the host's, besides the name of what is
 * internal: N100_INTERNAL and E, and NS10_ and E for each further thing that is internal. */
enum { MORE_ROOM = 64 };

bool hoststub_may(struct hoststub *hs, const char *text, size_t len, const char *module) {
  const struct nvcc_step *front = hs->plan->first[NVCC_FRONT],
                         *host = hs->plan->first[NVCC_HOST_TEXT];
  struct split_text split;
  hs->room = strlen(module) + MORE_ROOM;
  if (!nvcc_value(front, "--gnu_version") || !argv_has(&host->words, "-D__CUDACC_VER_MAJOR__=13"))
    return hoststub_not_own(hs, "what the host's code of this nvcc is like is not known");
  if (argv_has_prefix(&host->words, "-D__NV_LEGACY_LAUNCH"))
    return hoststub_not_own(hs, "it asks for another kind of launch");
  if (strstr(text, "((tile_global))"))
    return hoststub_not_own(hs, "it has kernels of tiles");
  if (has_namespace_of_c(text))
    return hoststub_not_own(hs, "it has a namespace of C's linkage");
  if (argv_has(&front->words, "--extended-lambda") && has_device_closure(text))
    return hoststub_not_own(hs, "it has closures of the device's");
  bool read = split_read(&split, text, len) &&
              (hs->kernels = devicetext_split_without_bodies(&split, &hs->emptied)) &&
              devicetext_split_names(&split, module, &hs->variables, &hs->nvariables);
  split_free(&split);
  return read || hoststub_not_own(hs, "the device's text is not understood");
}

void hoststub_free_texts(struct hoststub *hs) {
  buf_free(&hs->emptied);
  buf_free(&hs->before);
}

/* ---- a kernel in cudafe++'s output ---- */

/* The header of a function: static void k< 3> (int *p). */
struct header {
  /* Tokens. TYPE: the first of its type. BEHIND: the one after the parameters. */
  uint32_t begin, type, name, params, behind;
};

/* Token I, or the next one outside directives. */
static uint32_t no_directive(const struct cxx_text *t, uint32_t i) {
  while (i < t->n && t->toks[i].kind == TOK_DIRECTIVE)
    i++;
  return i;
}

/* `# 70`, or the same with a file. */
static bool is_marker(const struct cxx_text *t, uint32_t i) {
  return t->toks[i].kind == TOK_DIRECTIVE &&
         devicetext_is_marker(t->text + t->toks[i].at, t->toks[i].len);
}

/* First token of the declaration ending before END, i.e. the one after the previous ';' or
 * brace. */
static uint32_t begin_of(const struct cxx_text *t, uint32_t end) {
  uint32_t i = end;
  for (unsigned depth = 0; i; i--) {
    char c = cxx_punct(t, i - 1);
    depth += c == ')' || c == ']';
    if (depth)
      depth -= c == '(' || c == '[';
    else if (c == ';' || c == '{' || c == '}' ||
             (t->toks[i - 1].kind == TOK_DIRECTIVE && !is_marker(t, i - 1)))
      break;
  }
  return no_directive(t, i);
}

/* The token after the attributes at I, of either form. */
static uint32_t behind_attributes(const struct cxx_text *t, uint32_t i) {
  for (;;) {
    i = no_directive(t, i);
    if ((cxx_is(t, i, "__attribute__") || cxx_is(t, i, "__attribute")) &&
        cxx_punct(t, i + 1) == '(')
      i = cxx_skip_group(t, i + 1, t->n);
    else if (cxx_punct(t, i) == '[' && cxx_punct(t, i + 1) == '[')
      i = cxx_skip_group(t, i, t->n);
    else
      return i;
  }
}

/* The token after `requires(…)` at I, as cudafe++ writes a template's constraint: in one pair of
 * parentheses. I itself: there is no constraint. */
static uint32_t behind_constraint(const struct cxx_text *t, uint32_t i, uint32_t end) {
  i = no_directive(t, i);
  uint32_t open = no_directive(t, i + 1);
  bool is = cxx_is(t, i, "requires") && cxx_punct(t, open) == '(';
  return is ? no_directive(t, cxx_skip_group(t, open, end)) : i;
}

/* Read the tokens before END as the header of a kernel. */
static bool read_header(const struct cxx_text *t, uint32_t end, struct header *h) {
  static const char *const before[] = {
      "static", "inline", "__inline__", "extern", "__specialization_static", "\"C\""};
  uint32_t i = h->begin = begin_of(t, end);
  if (cxx_is(t, i, "template") && !(i = cxx_skip_angles(t, no_directive(t, i + 1), end)))
    return false;
  i = behind_constraint(t, i, end);
  for (bool more = true; more;) {
    more = false;
    i = behind_attributes(t, i);
    for (size_t k = 0; k < sizeof before / sizeof *before && !more; k++)
      more = cxx_is(t, i, before[k]);
    i += more;
  }
  h->type = i;
  if (!cxx_is(t, i, "void") && !cxx_is(t, i, "auto"))
    return false;
  for (i = behind_attributes(t, i + 1); cxx_is(t, i + 1, "::"); i += 2)
    if (!cxx_ident(t, i))
      return false;
  h->name = i;
  if (!cxx_ident(t, i) || cxx_is(t, i, "operator"))
    return false;
  i = no_directive(t, i + 1);
  if (cxx_punct(t, i) == '<')
    i = no_directive(t, cxx_skip_angles(t, i, end));
  h->params = i;
  h->behind = cxx_punct(t, i) == '(' ? cxx_skip_group(t, i, end) : 0;
  return h->behind && h->behind <= end;
}

/* Is there nothing between the parameters and END that changes the function? */
static bool ends_plainly(const struct cxx_text *t, const struct header *h, uint32_t end) {
  uint32_t i = no_directive(t, h->behind);
  if (cxx_is(t, i, "noexcept"))
    i = no_directive(t, cxx_punct(t, i + 1) == '(' ? cxx_skip_group(t, i + 1, end) : i + 1);
  if (cxx_is(t, i, "->") && cxx_is(t, no_directive(t, i + 1), "void"))
    i = no_directive(t, no_directive(t, i + 1) + 1);
  return i == end; /* not after a constraint, with which nvcc's own stub does not compile */
}

/* ---- arguments ---- */

/* The name of the parameter from token I to END; 0: not found. cudafe++ names each unnamed one. */
static uint32_t parameter(const struct cxx_text *t, uint32_t i, uint32_t end) {
  uint32_t name = 0;
  for (; i < end; i++) {
    char c = cxx_punct(t, i), next = cxx_punct(t, i + 1);
    if (c == '=' || c == '[')
      break;
    /* int (*f)(int), int (*f[2])(int) */
    if (c == '(' && (next == '*' || next == '&' || cxx_is(t, i + 1, "&&")))
      return parameter(t, i + 1, cxx_skip_group(t, i, end) - 1);
    if (c == '(')
      i = cxx_skip_group(t, i, end) - 1;
    else if (c == '<' && !(i = cxx_skip_angles(t, i, end)))
      return 0;
    else if (c == '<')
      i--;
    else if (cxx_ident(t, i))
      name = i;
  }
  return name;
}

/* The names of H's parameters. */
static bool parameters(const struct cxx_text *t, const struct header *h, struct argv *names) {
  uint32_t end = h->behind - 1, from = no_directive(t, h->params + 1);
  if (from == end || (cxx_is(t, from, "void") && no_directive(t, from + 1) == end))
    return true;
  for (uint32_t i = from; i <= end; i++) {
    char c = cxx_punct(t, i);
    if (i == end || c == ',') {
      uint32_t name = parameter(t, from, i);
      if (!name)
        return false;
      argv_add_own(names, cxx_spelling(t, name));
      from = i + 1;
    } else if (c == '(' || c == '[' || c == '{') {
      i = cxx_skip_group(t, i, end) - 1;
    } else if (c == '<') {
      uint32_t behind = cxx_skip_angles(t, i, end);
      if (!behind)
        return false;
      i = behind - 1;
    }
  }
  return true;
}

/* The words between the parentheses before END: p,a... */
static void words_before(const char *begin, const char *end, struct argv *names) {
  while (begin < end) {
    const char *comma = memchr(begin, ',', (size_t)(end - begin)), *to = comma ? comma : end;
    begin += strspn(begin, " ");
    argv_add_own(names, xstrndup(begin, (size_t)(to - begin)));
    begin = comma ? comma + 1 : end;
  }
}

/* Write each of NAMES between BEGIN and END, followed by the dots of a pack. */
static void put_each(struct buf *out, const struct argv *names, const char *begin, const char *end,
                     const char *separator) {
  for (size_t i = 0; i < names->n; i++) {
    size_t n = strcspn(names->args[i], ".");
    buf_printf(out, "%s%s%.*s%s%s", i ? separator : "", begin, (int)n, names->args[i], end,
               names->args[i] + n);
  }
}

/* The body of the kernel that is called KERNEL within it. */
static void put_launch(struct buf *out, const char *kernel, const struct argv *names) {
  buf_puts(out, "{ void *ckjit_args[] = {");
  put_each(out, names, "const_cast<void *>(static_cast<const volatile void *>(__builtin_addressof(",
           ")))", ", ");
  buf_printf(out, "%s0}; CKJIT_LAUNCH((char *)(void (*)(", names->n ? ", " : "");
  put_each(out, names, "decltype(", ")", ", ");
  buf_printf(out, "))%s); }", kernel);
}

/* ---- all kernels ---- */

/* The wrapper in the body that begins with the { at I:
 * {::ns::__wrapper__device_stub_times<N>(p);return;}. 0: the body has another form. */
static uint32_t wrapper_in(const struct cxx_text *t, uint32_t i) {
  if (cxx_punct(t, i) != '{')
    return 0;
  for (i++; cxx_is(t, i, "::") || cxx_is(t, i + 1, "::"); i++)
    ;
  return cxx_ident(t, i) && str_starts(t->text + t->toks[i].at, WRAPPER) ? i : 0;
}

/* `void k(int *p) ;`, a body that was omitted. */
static bool is_plain_body(const struct cxx_text *t, uint32_t i) {
  static const char left_out[] = "#if 0";
  return cxx_punct(t, i) == ';' && i + 1 < t->n && t->toks[i + 1].kind == TOK_DIRECTIVE &&
         strncmp(t->text + t->toks[i + 1].at, left_out, sizeof left_out - 1) == 0 &&
         cxx_punct(t, no_directive(t, i + 1)) == '{';
}

/* The kernel, ::ns::times<N>, and the arguments in the wrapper's call from token I to LAST. The
 * `return;` after it is on the line of the body's end. */
static bool called(const struct cxx_text *t, uint32_t i, uint32_t last, struct buf *kernel,
                   struct argv *names) {
  uint32_t name = wrapper_in(t, i - 1), open = name + 1;
  if (cxx_punct(t, open) == '<')
    open = cxx_skip_angles(t, open, last);
  uint32_t behind = open && cxx_punct(t, open) == '(' ? cxx_skip_group(t, open, last) : 0,
           end = no_directive(t, behind + 1);
  bool plain = behind && cxx_punct(t, behind) == ';' && cxx_is(t, end, "return") &&
               cxx_punct(t, no_directive(t, end + 1)) == ';';
  for (uint32_t k = i; plain && k < behind; k++)
    plain = t->toks[k].kind != TOK_DIRECTIVE;
  if (!plain)
    return false;
  const char *from = t->text + t->toks[i].at, *at = t->text + t->toks[name].at,
             *list = t->text + t->toks[open].at;
  buf_add(kernel, from, (size_t)(at - from));
  at += sizeof WRAPPER - 1;
  buf_add(kernel, at, (size_t)(list - at));
  words_before(list + 1, t->text + t->toks[behind - 1].at, names);
  return true;
}

/* The kernel whose body, or the ; in place of it, is at token I. *DONE: the length of the text that
 * is in OUT already. */
static bool put_kernel(const struct cxx_text *t, uint32_t i, size_t *done, struct buf *out) {
  struct header h;
  autofree_argv names = {0};
  uint32_t last = i;
  bool plain = cxx_punct(t, i) == ';', read = read_header(t, i, &h) && ends_plainly(t, &h, i);
  autofree_buf kernel = {0};
  if (read && plain) {
    buf_add(&kernel, t->text + t->toks[h.name].at, t->toks[h.name].len);
    read = parameters(t, &h, &names);
  } else if (read) {
    last = cxx_skip_group(t, i, t->n) - 1;
    read = called(t, i + 1, last, &kernel, &names);
  }
  if (read) {
    buf_add(out, t->text + *done, t->toks[h.type].at - *done);
    /* used: otherwise gcc puts a static one into the COMDAT group of its only launcher, of which a
     * link keeps one copy. */
    buf_puts(out, "__attribute__((noipa, used)) ");
    buf_add(out, t->text + t->toks[h.type].at, t->toks[i].at - t->toks[h.type].at);
    put_launch(out, kernel.data, &names);
    *done = t->toks[last].at + 1;
  }
  return read;
}

/* Write TEXT with the kernels' bodies. There must be KERNELS of them. */
static bool put_kernels(struct hoststub *hs, const char *text, size_t len, struct buf *out) {
  static const char header[] = "#include \"crt/host_runtime.h\"\n";
  const char *behind = strstr(text, header);
  struct cxx_text t;
  size_t done = 0, found = 0;
  bool read = behind && cxx_lex(&t, text, len);
  if (!read)
    return hoststub_not_own(hs, "the output of cudafe++ is not as expected");
  done = (size_t)(behind - text) + sizeof header - 1;
  buf_add(out, text, done);
  buf_printf(out, launch, hs->room);
  for (uint32_t i = 0; read && i < t.n; i++) {
    struct header h;
    bool plain = is_plain_body(&t, i);
    if (!plain && !wrapper_in(&t, i))
      continue;
    /* cicc defines a separate wrapper for a specialisation, which is not called here. */
    if (plain && read_header(&t, i, &h) && str_starts(t.text + t.toks[h.name].at, WRAPPER))
      continue;
    read = put_kernel(&t, i, &done, out);
    found++;
  }
  buf_add(out, text + done, len - done);
  cxx_text_free(&t);
  return (read && found == hs->kernels) ||
         hoststub_not_own(hs, "the output of cudafe++ is not as expected");
}

bool hoststub_write(struct hoststub *hs, const char *code, const char *file, const char *binary) {
  autofree_buf out = {0};
  size_t len;
  autofree char *text = file_read(code, &len);
  bool done = text || hoststub_not_own(hs, "%s: %s", code, strerror(errno));
  done = done && put_kernels(hs, text, len, &out);
  if (done) {
    autofree_buf words = {0};
    bool has = hs->nvariables;
    buf_printf(&words, stub, binary, has ? hostvariables_declared : "",
               has ? hostvariables_registered : "");
    done = (file_write(code, out.data, out.len, 0600) &&
            file_write(file, words.data, words.len, 0600)) ||
           hoststub_not_own(hs, "%s: %s", code, strerror(errno));
  }
  if (done) {
    hs->before = (struct buf){.data = text, .len = len, .cap = len + 1};
    text = NULL;
  }
  return done;
}

/* ---- in place of the fat binary ---- */

/* It is in none of nvcc's sections: nvlink, which reads all objects of a link by nvcc, would expect
 * a fat binary there. */
void hoststub_stand_in(struct buf *out, const char *key) {
  buf_printf(out,
             "#include \"fatbinary_section.h\"\n"
             "static const char ckjit_unit[] __attribute__((aligned(8))) = \"" CKJIT_UNIT_MAGIC
             "%.*s\";\n"
             "static const __fatBinC_Wrapper_t __fatDeviceText __attribute__((aligned(8))) = {"
             "FATBINC_MAGIC, FATBINC_VERSION, (const unsigned long long *)ckjit_unit, 0};\n",
             CKJIT_UNIT_KEY_HEX, key);
}
