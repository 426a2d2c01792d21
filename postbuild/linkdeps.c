/* linkdeps.c - see linkdeps.h. It is for CMake 3.27 and later, whose Ninja files rely on the linker's own
 * list of inputs (CMAKE_LINK_DEPENDS_USE_LINKER). */
#include "linkdeps.h"
#include "core/base/path.h"

#include <stdlib.h>
#include <string.h>

/* The value of --dependency-file in WORD, the pieces of a -Wl, with commas between; NULL if it is not there.
 * *NEXT: the option is the last piece, and its value is the next word of the linker's. */
static char *value_in(const char *word, bool *next) {
  static const char option[] = "-dependency-file";
  char *value = NULL;
  *next = false;
  for (const char *p = word;;) {
    size_t n = strcspn(p, ",");
    const char *name = p + (p[0] == '-' && p[1] == '-');
    if (*next) {
      free(value);
      value = xstrndup(p, n);
      *next = false;
    } else if (str_starts(name, option) && name[sizeof option - 1] == '=') {
      free(value);
      value = xstrndup(name + sizeof option, n - (size_t)(name - p) - sizeof option);
    } else if (str_starts(name, option) && name + sizeof option - 1 == p + n) {
      *next = true;
    }
    if (!p[n])
      return value;
    p += n + 1;
  }
}

char *linkdeps_file(const struct argv *words, const char *cwd) {
  char *file = NULL;
  bool next = false;
  for (size_t i = 0; i < words->n; i++) {
    const char *word = words->args[i], *piece = NULL;
    if (str_starts(word, "-Wl,"))
      piece = word + 4;
    else if (str_starts(word, "-Xlinker=")) /* nvcc */
      piece = word + strlen("-Xlinker=");
    else if (strcmp(word, "-Xlinker") == 0 && i + 1 < words->n)
      piece = words->args[++i];
    if (!piece)
      continue;
    bool wanted = next;
    char *value = wanted ? xstrdup(piece) : value_in(piece, &next);
    next = next && !wanted;
    if (value) {
      free(file);
      file = path_abs_in(cwd, value);
      free(value);
    }
  }
  return file;
}

/* PATH as linkers write it into such a file */
static char *escaped(const char *path) {
  struct buf b = {0};
  for (const char *p = path; *p; p++) {
    if (*p == ' ' || *p == '#')
      buf_putc(&b, '\\');
    if (*p == '$')
      buf_putc(&b, '$');
    buf_putc(&b, *p);
  }
  return b.data;
}

void linkdeps_clean(const char *file, const char *made, const char *output, const char *work) {
  size_t len, dir;
  char *text = file_read(file, &len), *from = escaped(made), *to = escaped(output), *below = escaped(work);
  struct buf out = {0};
  dir = strlen(below);
  for (const char *line = text; line && *line;) {
    size_t n = strcspn(line, "\n"), size = n + (line[n] == '\n');
    const char *name = line + strspn(line, " ");
    if (name == line && str_starts(line, from) && line[strlen(from)] == ':')
      buf_printf(&out, "%s%.*s", to, (int)(size - strlen(from)), line + strlen(from));
    else if (!(str_starts(name, below) && name[dir] == '/'))
      buf_add(&out, line, size);
    line += size;
  }
  if (out.len)
    file_overwrite(file, out.data, out.len, 0666);
  buf_free(&out);
  free(text);
  free(from);
  free(to);
  free(below);
}
