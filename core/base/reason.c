/* reason.c - see reason.h. */
#include "reason.h"

#define ELSEWHERE "move it to its own source file"
#define HEADER "move it to the header that declares the template"
#define SPECIALISE "call it from a function template that is specialised here"

static const struct rule_row rows[NRULES] = {
    [RULE_NONE] = {"none", "no rule is recorded: another version of ckjit wrote the record", false,
                   "judge it again: ckjit explain --replay"},

    [RULE_SPECIALISATIONS] =
        {"specialisations",
         "it defines explicit specialisations or instantiations of function templates "
         "and nothing else",
         false, NULL},
    [RULE_NAMESAKE] = {"namesake", "it defines the function of its name, in a header of its name",
                       false, NULL},
    [RULE_LATE] =
        {"late",
         "it defines functions and nothing that runs or is seen before one of them is called, so "
         "all of it is compiled when the first of them is called",
         false, NULL},
    [RULE_FRAGMENT] = {"fragment",
                       "it defines device functions and nothing else, compiled with -fgpu-rdc",
                       false, NULL},

    [RULE_UNIT] = {"unit",
                   "it is an ordinary unit: its host side is compiled now, each kernel when it is "
                   "first launched",
                   false, NULL},

    [RULE_FUNCTION] =
        {"function", "is an external definition", true,
         ELSEWHERE ", or make it static or inline; if it chooses among kernels by the arguments of "
                   "a call, name the source in `dispatchers` of the profile"},
    [RULE_VARIABLE] = {"variable", "is a variable that other units can use", true,
                       "make it constexpr or static, or " ELSEWHERE},
    [RULE_INITIALISER] =
        {"initialiser", "runs code when the library is loaded, with effects that others may notice",
         true,
         "give it a constant, or make it static in the function that needs it, or " ELSEWHERE
         "; if its type's constructor only fills the object, name the type in "
         "`harmless_types` of the profile"},
    [RULE_CLASS_VARIABLE] = {"class-variable", "defines a class and a variable of it at once", true,
                             "define the class alone, and " ELSEWHERE " what is declared after it"},
    [RULE_ASM] = {"asm", "is assembler at file scope", true, ELSEWHERE},
    [RULE_OWN_TEMPLATE] =
        {"own-template",
         "is made from a template that this file declares itself, so nobody else can call it", true,
         "declare the template in a header that its callers include"},
    [RULE_FOREIGN_KERNEL] =
        {"foreign-kernel",
         "is a kernel that another unit defines, which a separately loaded blob would lack", true,
         "include the header that defines the kernel"},
    [RULE_EXPLICIT_CLASS] = {"explicit-class", "instantiates a class, and with it all its members",
                             true, "instantiate function templates that use the class instead"},
    [RULE_EXPLICIT_VARIABLE] = {"explicit-variable",
                                "specialises or instantiates a variable template", true,
                                "make it inline or constexpr, or " ELSEWHERE},
    [RULE_EXPLICIT_MEMBER] = {"explicit-member", "specialises or instantiates a member of a class",
                              true, SPECIALISE},
    [RULE_EXPLICIT_KERNEL] = {"explicit-kernel",
                              "specialises or instantiates a kernel, which other units may launch",
                              true, "launch it from a function template that is specialised here"},
    [RULE_EXPLICIT_DEVICE] =
        {"explicit-device", "specialises or instantiates a device function", true,
         "put device functions alone into separate sources, compiled with -fgpu-rdc"},
    [RULE_EXPLICIT_OPERATOR] = {"explicit-operator", "specialises or instantiates an operator",
                                true, SPECIALISE},
    [RULE_EXPLICIT_CONSTEXPR] = {"explicit-constexpr", "is constexpr, so callers may evaluate it",
                                 true, HEADER},
    [RULE_EXPLICIT_INTERNAL] = {"explicit-internal",
                                "specialises a template of an unnamed namespace", true,
                                "declare the template in a header, in a namespace with a name"},

    [RULE_NOTHING] = {"nothing", "its own text defines nothing that other units could call", false,
                      "write the specialisations or instantiations into the source itself"},
    [RULE_MACRO] = {"macro", "could be anything, most likely a macro", true,
                    "write out what it stands for, or define the macro in the source"},
    [RULE_DELETED] = {"deleted", "is a specialisation with a `=` in place of its body", true,
                      HEADER},
    [RULE_DECLARATOR] = {"declarator", "is declared in a form that ckjit cannot parse", true,
                         "write it plainly, with an alias for its type"},
    [RULE_CONDITIONAL] = {"conditional", "has a conditional directive within the declaration", true,
                          "put the whole declaration into each arm"},
    [RULE_NOT_READ] = {"not-read", "ckjit cannot parse the text from here on", false,
                       "close brackets within the arm of the conditional that opened them"},

    [RULE_YES] = {"yes", "`yes` of the profile names it", false, NULL},
    [RULE_NO] = {"no", "`no` of the profile names it", false,
                 "take that glob out of `no` of the profile"},
    [RULE_FAMILY] = {"family", "its content is ambiguous, and `families` of the profile names it",
                     false, NULL},
    [RULE_DISPATCHER] = {"dispatcher", "`dispatchers` of the profile names it", false, NULL},

    [RULE_UNREADABLE] = {"unreadable", "it cannot be read", false, "see what the compiler says"},
    [RULE_LANGUAGE] = {"language", "this call does not compile it as C++, HIP or CUDA", false,
                       "give -x, or a suffix of these languages, on the command line itself"},
    [RULE_SOURCES] = {"sources", "the call compiles several sources, or none", false,
                      "compile each with a separate call"},
    [RULE_LINKS] = {"links", "the call compiles and links at once", false,
                    "compile with -c, and link with another call"},
    [RULE_INPUTS] = {"inputs", "the call has other inputs than the source", false,
                     "give them to the link"},
    [RULE_OUTPUTS] = {"outputs",
                      "an option makes the compiler write something other than an object, or may",
                      false, "leave the option out"},
    [RULE_ENVIRONMENT] = {"environment", "an environment variable changes the compiler's output",
                          false, "unset it"},
    [RULE_RESPONSE_FILE] = {"response-file",
                            "the arguments in a response file or variable are uncertain", false,
                            "put them on the command line"},
    [RULE_NAME] = {"name",
                   "the source and the object have the same name, or a name has a special meaning "
                   "to the compiler, or is not UTF-8",
                   false, "name them differently, or put a directory before the name"},
    [RULE_STREAM] = {"stream", "a source or an output is not a regular file", false,
                     "compile a file to a file"},
    [RULE_REFUSED] = {"refused",
                      "the real compiler rejects these options, or writes nothing with them", false,
                      "compile it with the real compiler, and read its message"},
    [RULE_OBJECT] =
        {"object",
         "its object is a symbolic link, or ckjit cannot write it, its depfile or its record",
         false, "remove the link, or let the step write to the work directory"},
    [RULE_TAKES] = {"takes", "its text includes a file that no depfile names, such as with .incbin",
                    false, "write the data into a header, or " ELSEWHERE},
    [RULE_OPTION_FILE] =
        {"option-file", "an option names a file that ckjit cannot track", false,
         "give the file by an absolute name, if it is there and names no other files"},
    [RULE_MACHINE] = {"machine", "an option depends on the processor of the compiling machine",
                      false, "name the processor, as in -march=x86-64-v3"},
};

const struct rule_row *rule_row(enum rule rule) {
  return &rows[rule < NRULES ? rule : RULE_NONE];
}

enum rule rule_by_id(const char *id) {
  for (int i = 0; i < NRULES; i++)
    if (strcmp(rows[i].id, id) == 0)
      return (enum rule)i;
  return RULE_NONE;
}

void reason_sentence(struct buf *out, const struct reason *r) {
  const struct rule_row *row = rule_row(r->rule);
  if (row->about_text && *r->text)
    buf_printf(out, "`%s` %s", r->text, row->says);
  else
    buf_printf(out, "%s%s%s", row->says, *r->text ? ": " : "", r->text);
}

void reason_text(struct reason *r, const char *text, size_t len) {
  static const char cut[] = "...";
  size_t n = 0;
  bool space = false;
  for (size_t i = 0; i < len; i++) {
    unsigned char c = (unsigned char)text[i];
    if (c <= ' ' || c == 0x7f) {
      space = n > 0;
      continue;
    }
    if (n + space + 1 + sizeof cut > sizeof r->text) {
      while (n && ((unsigned char)r->text[n - 1] & 0xC0) == 0x80) /* not within a character */
        n--;
      if (n && (unsigned char)r->text[n - 1] >= 0xC0)
        n--;
      memcpy(r->text + n, cut, sizeof cut);
      return;
    }
    if (space && c != ',' && c != ')') /* a comment may have been there */
      r->text[n++] = ' ';
    space = false;
    r->text[n++] = (char)c;
  }
  r->text[n] = 0;
}
