/* outputs.c - writes all files that the build expects. The object comes last: an interrupted make
 * checks the object only, and repeats a call that did not get that far. */
#include "unit.h"
#include "core/base/path.h"
#include "core/files/linkedunit.h"

#include <unistd.h>

static bool place_text(struct unit *u) {
  autofree char *err = NULL;
  if (unittext_write(u->record.device_text, u->texts, u->ntexts, &u->names, &err))
    return true;
  unit_not_lazy(u, "%s", err);
  return false;
}

/* Write the facts that kernels of other units may need. */
static bool place_linked(struct unit *u) {
  if (!unit_is_linked(u))
    return true;
  autofree char *tag = linkedunit_tag(u->texts[0].text);
  return linkedunit_write(u->record.device_text, tag, u->code, u->ntexts) ||
         unit_not_lazy(u, "%s: %s", u->record.device_text, strerror(errno));
}

static bool place_depfile(struct unit *u) {
  if (!u->record.cc.deps.wanted)
    return true;
  autofree char *name = ccargs_depfile(&u->record.cc);
  size_t len;
  autofree char *text = file_read(u->depfile, &len);
  bool placed = text && file_overwrite(name, text, len, 0666);
  if (!placed)
    unit_not_lazy(u, "%s: %s", name, strerror(errno));
  return placed;
}

static bool place_record(struct unit *u) {
  if (u->at_link)
    return true;
  autofree char *manifest = path_join(u->work, RECORD_FILE);
  autofree_buf line = {0};
  u->record.kernels = (unsigned)u->names.n;
  record_format(&line, &u->record);
  bool placed = record_append(manifest, line.data, line.len);
  if (!placed)
    unit_not_lazy(u, "%s: %s", manifest, strerror(errno));
  return placed;
}

bool unit_place(struct unit *u) {
  if (!place_text(u) || !place_linked(u))
    return false;
  if (u->text_of)
    return true;
  if (!place_depfile(u) || !place_record(u))
    return false;
  return file_copy(u->object, u->output) || unit_not_lazy(u, "%s: %s", u->output, strerror(errno));
}
