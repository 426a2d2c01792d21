/* page.c - see page.h. */
#include "page.h"
#include "core/base/install.h"
#include "core/base/path.h"

#include <dirent.h>

static const char suffix[] = ".md";

void page_print_line(const char *line) {
  const char *end = line + strcspn(line, "\n");
  line += strspn(line, "#");
  line += *line == ' ' && line[-1] == '#';
  while (line < end) {
    const char *open = memchr(line, '[', (size_t)(end - line)),
               *middle = open ? memmem(open, (size_t)(end - open), "](", 2) : NULL,
               *close = middle ? memchr(middle, ')', (size_t)(end - middle)) : NULL;
    if (!close)
      break;
    fwrite(line, 1, (size_t)(open - line), stdout);
    bool same = middle - open - 1 <= close - middle - 2 &&
                memcmp(open + 1, middle + 2, (size_t)(middle - open - 1)) == 0;
    if (!same)
      printf("%.*s (", (int)(middle - open - 1), open + 1);
    printf("%.*s", (int)(close - middle - 2), middle + 2);
    if (!same)
      putchar(')');
    line = close + 1;
  }
  printf("%.*s\n", (int)(end - line), line);
}

void page_names(struct argv *names) {
  autofree char *dir = install_share("doc");
  DIR *d = opendir(dir);
  for (struct dirent *e; d && (e = readdir(d));)
    if (str_ends(e->d_name, suffix))
      argv_add_own(names, xstrndup(e->d_name, strlen(e->d_name) - strlen(suffix)));
  if (d)
    closedir(d);
  argv_unique(names);
}

/* The file of the page NAME, a name or a link as in other pages; free() it. NULL: there is no such
 * page. */
static char *file_of(const char *name) {
  static const char *const dirs[] = {"docs/", "../"};
  for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++)
    if (str_starts(name, dirs[i]))
      name += strlen(dirs[i]);
  autofree char *page = xstrndup(name, strcspn(name, "#"));
  if (str_ends(page, suffix))
    page[strlen(page) - strlen(suffix)] = '\0';
  autofree char *file = *page && !strchr(page, '/') ? xasprintf("doc/%s%s", page, suffix) : NULL;
  return file ? install_share(file) : NULL;
}

bool page_print(const char *name) {
  autofree char *file = file_of(name);
  size_t len;
  autofree char *text = file ? file_read(file, &len) : NULL;
  for (const char *line = text; line && *line;) {
    page_print_line(line);
    line += strcspn(line, "\n");
    line += *line == '\n';
  }
  return text;
}
