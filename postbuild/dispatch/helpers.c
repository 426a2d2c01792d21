/* helpers.c - all helpers that one translation unit can call: found in the dispatcher and in its headers, and
 * looked up by the calls of branches. */
#include "helper.h"

#include "core/base/vec.h"

#include <stdlib.h>
#include <string.h>

static void add(struct helpers *hs, const struct cxx_scan *s, struct range r, uint32_t name,
                const struct functions *f, bool member, bool in_header) {
  struct helper h = {.member = member, .in_header = in_header, .number = (unsigned)hs->n};
  struct helper_names n = {f, hs};
  h.name = xstrndup(s->code.text + s->code.toks[name].at, s->code.toks[name].len);
  if (!helper_read(&h, s, r, name, &n)) {
    free(h.name);
    return;
  }
  vec_push(hs->all, hs->n, h);
}

/* Append those of the member templates that the class IT defines. */
static void add_members(struct helpers *hs, const struct cxx_scan *s, const struct cxx_item *it,
                        const struct functions *f) {
  const struct cxx_text *t = &s->code;
  uint32_t i = it->begin;
  while (i < it->end && !punct(t, i, '{') && !cxx_is(t, i, "template"))
    i++;
  if (!punct(t, i, '{')) /* a class template: rows would have to know its arguments */
    return;
  uint32_t end = cxx_skip_group(t, i, it->end) - 1;
  for (i++; i < end; i++) {
    uint32_t from = i;
    if (cxx_is(t, i, "template") && punct(t, i + 1, '<')) {
      uint32_t name = 0;
      for (i = cxx_skip_angles(t, i + 1, end); i && i < end; i++) {
        if (punct(t, i, '<') && !(i = cxx_skip_angles(t, i, end)))
          return;
        if (punct(t, i, '(') && !name)
          name = i - 1;
        if (punct(t, i, ';') || punct(t, i, '{'))
          break;
        if (punct(t, i, '('))
          i = cxx_skip_group(t, i, end) - 1;
      }
      if (!i)
        return;
      if (punct(t, i, '{') && ident(t, name)) {
        i = cxx_skip_group(t, i, end);
        add(hs, s, (struct range){from, i}, name, f, true, true);
        i--;
      }
    } else if (punct(t, i, '{') || punct(t, i, '(')) {
      i = cxx_skip_group(t, i, end) - 1;
    }
  }
}

void helpers_find(struct helpers *hs, const struct cxx_scan *s, const struct functions *f, bool in_header) {
  for (size_t i = 0; i < s->nitems && !s->odd; i++) {
    const struct cxx_item *it = &s->items[i];
    if (it->kind == ITEM_TEMPLATE && it->name_end == it->name + 1)
      add(hs, s, (struct range){it->begin, it->end}, it->name, f, false, in_header);
    else if (it->kind == ITEM_TYPE && in_header)
      add_members(hs, s, it, f);
  }
}

const struct helper *helpers_at(const struct helpers *hs, const struct cxx_text *t, uint32_t i) {
  const struct helper *found = NULL;
  for (size_t k = 0; k < hs->n; k++)
    if (cxx_is(t, i, hs->all[k].name) && !hs->all[k].elsewhere) {
      if (found)
        return NULL;
      found = &hs->all[k];
    }
  return found;
}

void helpers_keep(struct helpers *hs, struct cxx_scan *s, char *text) {
  vec_reserve(hs->texts, hs->nscans, 1);
  hs->texts[hs->nscans] = text;
  vec_push(hs->scans, hs->nscans, s);
}

void helpers_cut(struct helpers *hs, size_t n) {
  while (hs->n > n)
    free(hs->all[--hs->n].name);
}

void helpers_free(struct helpers *hs) {
  helpers_cut(hs, 0);
  for (size_t i = 0; i < hs->nscans; i++) {
    cxx_scan_free(hs->scans[i]);
    free(hs->scans[i]);
    free(hs->texts[i]);
  }
  free(hs->all);
  free(hs->scans);
  free(hs->texts);
  *hs = (struct helpers){0};
}

void helpers_check(struct helpers *hs, const struct cxx_text *t) {
  for (size_t i = 0; i < hs->n; i++)
    hs->all[i].elsewhere = !helper_declared_once(&hs->all[i], t);
}

bool helpers_used(const struct helpers *hs, const struct cxx_text *t) {
  for (uint32_t i = 0; i < t->n; i++)
    for (size_t k = 0; k < hs->n; k++)
      if (cxx_is(t, i, hs->all[k].name))
        return true;
  return false;
}
