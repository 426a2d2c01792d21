/* partial.c - `-r --hip-link -fgpu-rdc`: a partial link that links the device code of its objects
 * as well, so that a linker which knows no device code can use the result.
 *
 * A plain partial link needs no help: the linker appends the records of stub objects to each other.
 * This one unpacks the device code of each object first. A stub has none, and if all objects are
 * stubs the device's linker ends with "target emulation unknown". So
 *
 *     all objects are stubs                        the result is a stub of all their records; nothing is linked
 *     their kernels may wait for their first call  the build's own command: it links the real objects, and keeps the records
 *     device code of real objects and of stubs     everything is compiled here as without ckjit, because the result must hold it:
 *     needs each other, or a stub's kernels        the link after this one links no device code any more
 *     cannot wait
 *
 * The compiler's answer for the forwarding units shows whether they can wait; so these are compiled
 * here as well, and not linked.
 */
#include "link.h"

#include "core/files/stubobj.h"

static bool are_all_stubs(const struct linkline *l) {
  const struct ccargs *a = &l->scan;
  size_t stubs = 0;
  for (size_t i = 0; i < a->ninputs; i++) {
    bool stub = a->inputs[i].kind == CC_IN_FILE && l->is_stub[a->inputs[i].arg];
    if (!stub && a->inputs[i].kind != CC_IN_LIBDIR && a->inputs[i].kind != CC_IN_STATIC &&
        a->inputs[i].kind != CC_IN_DYNAMIC)
      return false;
    stubs += stub;
  }
  return stubs;
}

static bool add_line(const char *line, size_t len, const char *member, void *user) {
  (void)member;
  buf_add(user, line, len);
  buf_putc(user, '\n');
  return true;
}

/* One stub object of the records of all. */
static void write_stub(const struct linkline *l) {
  autofree_buf lines = {0};
  const struct ckjit_machine *machine = NULL;
  char *err;
  for (size_t i = 0; i < l->scan.ninputs; i++) {
    if (l->scan.inputs[i].kind == CC_IN_FILE && !machine)
      machine = stub_machine(l->scan.inputs[i].text);
    if (l->scan.inputs[i].kind == CC_IN_FILE &&
        !stub_records_file(l->scan.inputs[i].text, add_line, &lines, &err))
      die(EXIT_FAILED, "%s", err);
  }
  if (!stub_write(l->output, machine ? machine : &CKJIT_OWN, lines.data, lines.len))
    die(EXIT_FAILED, "%s: cannot write the stub object of this partial link: %s", l->output, strerror(errno));
}

bool link_is_late(const struct link *l) {
  bool late = l->line.scan.mode == CC_RELOCATABLE && are_all_stubs(&l->line);
  for (size_t i = 0; i < l->line.nrecords; i++)
    late &= l->line.records[i].kind == RECORD_FRAGMENT || l->line.records[i].why.rule == RULE_LATE;
  return late;
}

_Noreturn void link_partial(struct link *l) {
  const struct linkline *line = &l->line;
  if (l->no_rdc || l->fragments_are_code) {
    link_all_ahead(l,
                   l->no_rdc ? l->no_rdc : "an object that was compiled already needs device code of a stub",
                   "its partial link is built without ckjit");
    link_plan_output(l);
    link_output(l);
  } else if (are_all_stubs(line)) {
    write_stub(line);
  } else {
    link_become_given(l);
  }
  exit(EXIT_OK);
}
