/* page.h - prints the documents, the pages of docs/, for `ckjit help PAGE`. They are installed in
 * share/ckjit/doc. */
#ifndef CKJIT_FRONT_PAGE_H
#define CKJIT_FRONT_PAGE_H

#include "core/base/argv.h"

/* Append the names of all installed pages, sorted. */
void page_names(struct argv *names);
/* Print the page NAME: cuda, cuda.md or docs/cuda.md, as pages and messages name it. False: there
 * is no such page. */
bool page_print(const char *name);
/* Print LINE, up to its newline, without number signs; of a link, [text](target), the text, and the
 * target if that differs. */
void page_print_line(const char *line);

#endif
