/* groupheaders.c - see groupheaders.h. */
#include "groupheaders.h"

#include "flags.h"
#include "step.h"
#include "units.h"

#include "core/base/path.h"
#include "core/cc/cc1.h"

#include <unistd.h>

struct step group_headers_step(const struct group *g, const char *source, const char *name, unsigned text,
                               const char *arch) {
  struct step s = {0};
  autofree char *object = xasprintf("%s-%s", name,
                                    !arch   ? "host"
                                    : *arch ? arch
                                            : "device"),
                *depfile = xasprintf("%s.d", object);
  flags_text(&s.args, g->sample, arch);
  flags_quote(&s.args, g->sample);
  if (g->sample->compiler_kind->whole)
    argv_add(&s.args, "--devices");
  if (arch && flags_is_hip(g->sample))
    cc1_depfile(&s.args, depfile);
  if (flags_is_hip(g->sample) && (!arch || *arch))
    s.text = text;
  step_source(&s, g->sample, source, object);
  s.arch = arch && *arch ? xstrdup(arch) : NULL;
  return s;
}

void group_add_digest(struct group *g, const char *digest) {
  autofree char *both = xasprintf("%s %s", g->headers_digest ? g->headers_digest : "", digest);
  char all[DIGEST_HEX];
  digest_bytes(all, both, strlen(both));
  free(g->headers_digest);
  g->headers_digest = xstrdup(all);
}

void group_add_headers(struct group *g, const struct step *s) {
  step_inputs(s->object, &g->inputs, &g->ninputs);
  group_add_digest(g, s->headers ? s->headers : "");
  if (truncate(s->object, 0)) /* the text itself is of no use */
    unlink(s->object);
}
