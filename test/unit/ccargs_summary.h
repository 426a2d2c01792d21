/* ccargs_summary.h - what the scanner made of a command line, as a line of text, for test/unit/ccargs.c and
 * nvccargs.c.
 */
#ifndef CKJIT_CCARGS_SUMMARY_H
#define CKJIT_CCARGS_SUMMARY_H

#include "core/cc/ccargs.h"

#include <stdlib.h>

/* "mode | output | source:language … file … | depfile, targets | includes | side" as one line, empty parts
 * left out */
static char *summary(const struct ccargs *a) {
  static const char *const modes[] = {"query",    "preprocess", "syntax",  "ir",          "device",
                                      "assembly", "compile",    "archive", "relocatable", "link"};
  static const char *const langs[] = {"none", "c", "c++", "hip", "cuda", "asm", "header", "other"};
  static const char *const dirs[] = {"quote", "user", "system", "after"};
  struct buf b = {0};
  char *output = ccargs_output(a), *depfile = ccargs_depfile(a);
  buf_printf(&b, "%s > %s", modes[a->mode], output);
  for (size_t i = 0; i < a->ninputs; i++) {
    const struct cc_input *in = &a->inputs[i];
    switch (in->kind) {
    case CC_IN_SOURCE:
      buf_printf(&b, " %s:%s", in->text, langs[in->lang]);
      break;
    case CC_IN_FILE:
      buf_printf(&b, " %s", in->text);
      break;
    case CC_IN_LIBRARY:
      buf_printf(&b, " -l%s", in->text);
      break;
    case CC_IN_LIBDIR:
      buf_printf(&b, " -L%s", in->text);
      break;
    case CC_IN_STATIC:
      buf_puts(&b, " -Bstatic");
      break;
    case CC_IN_DYNAMIC:
      buf_puts(&b, " -Bdynamic");
      break;
    case CC_IN_RESPONSE:
      buf_printf(&b, " @%s", in->text);
      break;
    }
  }
  if (a->deps.wanted)
    buf_printf(&b, " deps=%s%s%s", depfile, a->deps.system ? ",system" : "", a->deps.phony ? ",phony" : "");
  for (size_t i = 0; i < a->deps.ntargets; i++)
    buf_printf(&b, " target=%s%s", a->deps.targets[i].text, a->deps.targets[i].quote ? ",quoted" : "");
  for (size_t i = 0; i < a->ndirs; i++)
    buf_printf(&b, " %s=%s", dirs[a->dirs[i].kind], a->dirs[i].dir);
  for (size_t i = 0; i < a->nforced; i++)
    buf_printf(&b, " forced=%s", a->forced[i]);
  if (a->side_output)
    buf_printf(&b, " side=%s", a->side_output);
  if (a->doubt && a->mode == CC_COMPILE && !a->side_output)
    buf_printf(&b, " doubt=%s", a->doubt);
  free(output);
  free(depfile);
  return b.data;
}

#endif
