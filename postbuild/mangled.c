/* mangled.c - see mangled.h. */
#include "mangled.h"

#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

/* Behind the template arguments or parameters that begin at P with OPEN. */
static const char *skip_group(const char *p) {
  int depth = 0;
  for (; *p; p++) {
    depth += *p == '<' || *p == '(' || *p == '{' || *p == '[';
    depth -= (*p == '>' && p[-1] != '-') || *p == ')' || *p == '}' || *p == ']';
    if (!depth)
      return p + 1;
  }
  return p;
}

/* Append the components of the demangled NAME, which has no parameters. */
static void split_name(struct argv *names, const char *name) {
  struct buf part = {0};
  for (const char *p = name;;) {
    if (str_starts(p, "operator") && !part.len &&
        !(p[8] == '_' || (p[8] >= '0' && p[8] <= '9') || (p[8] >= 'A' && p[8] <= 'Z') ||
          (p[8] >= 'a' && p[8] <= 'z'))) {
      argv_add(names, "operator");
      break;
    }
    if (*p == '<' || *p == '(' || *p == '[' || *p == '{') {
      p = skip_group(p);
    } else if (!*p || str_starts(p, "::")) {
      if (part.len)
        argv_add(names, part.data);
      buf_free(&part);
      if (!*p)
        break;
      p += 2;
    } else {
      if (*p != '~')
        buf_putc(&part, *p);
      p++;
    }
  }
  buf_free(&part);
}

void mangled_names(struct argv *names, const char *symbol, bool *of_class) {
  *of_class = false;
  char *text = str_starts(symbol, "_Z") ? cplus_demangle_v3(symbol, 0) : NULL;
  if (!text) {
    argv_add(names, symbol);
    return;
  }
  static const char *const marks[] = {"vtable for ", "VTT for ", "typeinfo for ", "typeinfo name for ",
                                      "construction vtable for "};
  const char *name = text;
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
    if (str_starts(text, marks[i])) {
      *of_class = true;
      name = text + strlen(marks[i]);
    }
  split_name(names, name);
  free(text);
}

int mangled_parameters(const char *symbol) {
  char *text = str_starts(symbol, "_Z") ? cplus_demangle_v3(symbol, DMGL_PARAMS) : NULL;
  const char *last = text ? strrchr(text, ')') : NULL, *open = NULL;
  int depth = 0, n = -1;
  /* `const` and a clone's name may follow */
  for (const char *p = last; p && p >= text && !open; p--) {
    depth += *p == ')' || *p == '>' || *p == ']' || *p == '}';
    depth -= *p == '(' || (*p == '<' && (p == text || p[-1] != '<')) || *p == '[' || *p == '{';
    open = *p == '(' && depth == 0 ? p : NULL;
  }
  if (open && open > text)
    n = open[1] != ')';
  for (const char *p = open ? open + 1 : last; n > 0 && p < last;)
    if (*p == '(' || *p == '<' || *p == '[' || *p == '{')
      p = skip_group(p);
    else
      n += *p++ == ',';
  free(text);
  return n;
}
