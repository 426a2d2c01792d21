/* reason.c - see reason.h. */
#include "reason.h"

#include <string.h>

#define PROFILE_YES "if it is a blob all the same, name it in `yes` of the profile"

static const struct rule_row rows[NRULES] = {
    [RULE_NONE] = {"none", "no rule is recorded", "judge it again: ckjit-build explain --replay"},

    [RULE_SPECIALISATIONS] = {"specialisations",
                              "it defines explicit specialisations or instantiations and nothing else", NULL},
    [RULE_FRAGMENT] = {"fragment",
                       "it defines device functions and nothing else, and is compiled with -fgpu-rdc", NULL},

    [RULE_FUNCTION] = {"function", "is an external definition",
                       "move it to a source of its own, or make it static or inline"},
    [RULE_VARIABLE] = {"variable", "is a variable that others can see, or that runs code when it is loaded",
                       "make it constexpr or static with a constant, or move it to a source of its own"},
    [RULE_CLASS_VARIABLE] = {"class-variable", "defines a class and a variable of it",
                             "separate the two, and move the variable to a source of its own"},
    [RULE_ASM] = {"asm", "is assembler at file scope", "move it to a source of its own"},
    [RULE_OWN_TEMPLATE] = {"own-template",
                           "specialises a template that this file declares itself, so no other can call it",
                           "declare the template in a header; " PROFILE_YES},
    [RULE_EXPLICIT_CLASS] = {"explicit-class", "instantiates a class, and with it all its members",
                             "instantiate the functions that are called instead"},
    [RULE_EXPLICIT_VARIABLE] = {"explicit-variable", "specialises or instantiates a variable template",
                                "make it inline or constexpr, or move it to a source of its own"},
    [RULE_EXPLICIT_MEMBER] = {"explicit-member", "specialises or instantiates a member of a class",
                              "call it through a function template that is specialised here"},
    [RULE_EXPLICIT_KERNEL] = {"explicit-kernel",
                              "specialises or instantiates a kernel, which others may launch",
                              "launch it from a function template that is specialised here"},
    [RULE_EXPLICIT_DEVICE] = {"explicit-device", "specialises or instantiates a device function",
                              "compile with -fgpu-rdc what has device functions alone; docs/fragments.md"},
    [RULE_EXPLICIT_OPERATOR] = {"explicit-operator", "specialises or instantiates an operator",
                                "call it through a function template that is specialised here"},
    [RULE_EXPLICIT_CONSTEXPR] = {"explicit-constexpr",
                                 "is a constexpr specialisation, which callers evaluate",
                                 "move it to the header that declares the template"},
    [RULE_EXPLICIT_INTERNAL] = {"explicit-internal", "specialises a template of an unnamed namespace",
                                "declare the template in a header, in a namespace with a name"},

    [RULE_NOTHING] =
        {"nothing", "it defines nothing that others could call, as far as its own text says",
         "if a macro or a header defines its kernels, name it in `families` or `yes` of the profile"},
    [RULE_MACRO] =
        {"macro", "could be anything, a macro most likely",
         "if it makes explicit specialisations, name the source in `families` or `yes` of the profile"},
    [RULE_DELETED] = {"deleted", "is a specialisation with `=`, deleted or pure", "move it to the header"},
    [RULE_DECLARATOR] = {"declarator", "is declared in a form that is not understood",
                         "write it plainly, with an alias for its type; " PROFILE_YES},
    [RULE_CONDITIONAL] = {"conditional", "has a conditional directive within the declaration",
                          "put the whole declaration into each arm; " PROFILE_YES},
    [RULE_NOT_READ] = {"not-read", "the text is not understood from here on", PROFILE_YES},

    [RULE_YES] = {"yes", "`yes` of the profile names it", NULL},
    [RULE_NO] = {"no", "`no` of the profile names it", "take the glob out of `no`"},
    [RULE_FAMILY] = {"family", "its content leaves a doubt, and `families` of the profile names it", NULL},
    [RULE_DISPATCHER] = {"dispatcher", "`dispatchers` of the profile names it", NULL},

    [RULE_UNREADABLE] = {"unreadable", "it cannot be read", "the compiler says why"},
    [RULE_LANGUAGE] = {"language", "it is not compiled as C++, HIP or CUDA as the call stands",
                       "give -x, or a suffix of C++, on the command line itself"},
    [RULE_SOURCES] = {"sources", "the call compiles several sources", "compile each with a call of its own"},
    [RULE_LINKS] = {"links", "the call compiles and links at once",
                    "compile with -c, and link with another call"},
    [RULE_INPUTS] = {"inputs", "the call has other inputs than the source", "leave them to the link"},
    [RULE_OUTPUTS] =
        {"outputs", "with this option the compiler makes more than an object, or what it makes is not known",
         "leave the option out"},
    [RULE_ENVIRONMENT] = {"environment", "a variable of the environment changes what the compiler makes",
                          "unset it"},
    [RULE_RESPONSE_FILE] = {"response-file",
                            "the words of a response file or of a variable are not known for sure",
                            "put them on the command line"},
    [RULE_NAME] = {"name", "the name of the source or the object means something else to a compiler",
                   "rename it, or give its directory"},
    [RULE_STREAM] = {"stream", "a source or output is no regular file", "compile a file to a file"},
    [RULE_REFUSED] = {"refused", "the real compiler does not take these options, or makes nothing with them",
                      "compile it with the real compiler, and see what it says"},
    [RULE_OBJECT] = {"object", "the object is a symbolic link, which only the compiler follows as it does", "remove the link"},
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
    if (space)
      r->text[n++] = ' ';
    space = false;
    r->text[n++] = (char)c;
  }
  r->text[n] = 0;
}
