/* spelling.c - see spelling.h.
 *
 * The name is libiberty's, as c++filt prints it. A name in an unnamed namespace is found without
 * the namespace's name, from the end of the same text; but a template that is named without any
 * qualifier can be instantiated in its own namespace only.
 */
#include "spelling.h"
#include "core/base/base.h"

#include <libiberty/demangle.h>

enum { STYLE = DMGL_PARAMS | DMGL_ANSI };

#define UNNAMED "(anonymous namespace)::"

/* Is the function of NODE an instance, or a member of one? */
static bool is_instance(const struct demangle_component *node) {
  switch (node->type) {
  case DEMANGLE_COMPONENT_TEMPLATE:
    return true;
  case DEMANGLE_COMPONENT_TYPED_NAME:
  case DEMANGLE_COMPONENT_TAGGED_NAME:
    return is_instance(node->u.s_binary.left);
  case DEMANGLE_COMPONENT_QUAL_NAME:
    return is_instance(node->u.s_binary.left) || is_instance(node->u.s_binary.right);
  default:
    return false;
  }
}

/* `{lambda(int)#1}`, `{unnamed type#1}`, f()::local, name[abi:tag], 'x': none can be written in a
 * declaration. */
static bool is_spelled(const char *name) {
  return !strpbrk(name, "{}[]#'\"@`") && !strstr(name, ")::");
}

static void remove_all(char *text, const char *what) {
  size_t n = strlen(what);
  for (char *at = text; (at = strstr(at, what));)
    memmove(at, at + n, strlen(at + n) + 1);
}

char *spelling_instance(const char *mangled) {
  autofree void *memory = NULL;
  struct demangle_component *tree =
      str_starts(mangled, "_Z") ? cplus_demangle_v3_components(mangled, STYLE, &memory) : NULL;
  size_t allocated;
  autofree char *name = tree ? cplus_demangle_print(STYLE, tree, 256, &allocated) : NULL;
  char *line = NULL;
  if (!str_starts(mangled, "_Z") || (tree && !is_instance(tree))) {
    line = xstrdup("");
  } else if (name) {
    /* a member's name has no type: a kernel's is void */
    const char *type = str_starts(name, "void ") ? "" : "void ";
    bool unnamed = str_starts(name + (*type ? 0 : strlen("void ")), UNNAMED);
    remove_all(name, UNNAMED);
    if (is_spelled(name))
      line = xasprintf("%stemplate __attribute__((global)) %s%s;%s", unnamed ? "namespace { " : "", type,
                       name, unnamed ? " }" : "");
  }
  return line;
}
