/* functionnames.c - the names of a kernel's functions: mangled, demangled, and by their template.
 *
 * The manifest has the mangled names (docs/formats.md); the others are derived from them. The
 * demangler is libiberty's, as in c++filt, nm and gdb. It also returns a name as a tree, and one
 * node of the tree is the name of the template.
 */
#include "functionnames.h"
#include "prebuild.h"

#include <libiberty/demangle.h>

enum { STYLE = DMGL_PARAMS | DMGL_ANSI };

char *symbol_signature(const char *mangled) {
  char *text = cplus_demangle_v3(mangled, STYLE);
  return text ? text : xstrdup(mangled);
}

/* The node of the template's name in a function's name: without the parameters, the qualifiers of a
 * member function and the template arguments. */
static struct demangle_component *template_name(struct demangle_component *node) {
  for (;;) {
    switch (node->type) {
    case DEMANGLE_COMPONENT_TYPED_NAME:
    case DEMANGLE_COMPONENT_TEMPLATE:
    case DEMANGLE_COMPONENT_TAGGED_NAME:
    case DEMANGLE_COMPONENT_CONST_THIS:
    case DEMANGLE_COMPONENT_VOLATILE_THIS:
    case DEMANGLE_COMPONENT_REFERENCE_THIS:
    case DEMANGLE_COMPONENT_RVALUE_REFERENCE_THIS:
      node = node->u.s_binary.left;
      break;
    default:
      return node;
    }
  }
}

char *symbol_template(const char *mangled) {
  autofree void *memory = NULL;
  struct demangle_component *tree = cplus_demangle_v3_components(mangled, STYLE, &memory);
  size_t allocated;
  char *name = tree ? cplus_demangle_print(STYLE, template_name(tree), 64, &allocated) : NULL;
  return name ? name : xstrdup(mangled);
}

/* The last bracket that is open in SIGNATURE, N bytes that end with a closing one; n: there is
 * none. */
static size_t opening(const char *signature, size_t n) {
  int depth = 0;
  for (size_t i = n; i-- > 0;) {
    depth += signature[i] == ')' ? 1 : signature[i] == '(' ? -1 : 0;
    if (!depth)
      return i;
  }
  return n;
}

static void add_type(struct argv *types, const char *text, size_t n) {
  while (n && *text == ' ')
    text++, n--;
  if (n)
    argv_add_own(types, xstrndup(text, n));
}

bool symbol_parameters(struct argv *types, const char *signature) {
  size_t n = strlen(signature), from = n && signature[n - 1] == ')' ? opening(signature, n) : n;
  int depth = 0;
  if (!from || from >= n)
    return false;
  for (size_t i = ++from; i < n; i++) {
    depth += strchr("([{<", signature[i]) ? 1 : strchr(")]}>", signature[i]) ? -1 : 0;
    if (depth < 0 || (!depth && signature[i] == ',')) {
      add_type(types, signature + from, i - from);
      from = i + 1;
    }
  }
  return true;
}

bool symbol_is_called(const char *mangled, const char *name) {
  if (strcmp(mangled, name) == 0)
    return true;
  autofree char *template = symbol_template(mangled), *signature = symbol_signature(mangled);
  /* "f", or "space::f". */
  size_t n = strlen(template), m = strlen(name);
  return strcmp(signature, name) == 0 ||
         (n >= m && strcmp(template + n - m, name) == 0 && (n == m || template[n - m - 1] == ':'));
}
