/* doctor.c - `doctor`: checks everything that ckjit uses, one line each.
 *
 * For users whose first call fails, and for their reports. The findings decide nothing: each
 * program checks for itself. So nothing here ends the program, no check needs a compiler, a GPU, a
 * manifest or a cache, and no output has the environment or the name of a user or host; paths are
 * printed unchanged. Facts that only a trial shows are tried, with a temporary file or directory
 * that is removed at once. */
#include "findings.h"
#include "core/base/jsonread.h"
#include "core/base/streams.h"

#include <jansson.h>

static const char *const states[] = {"ok", "warning", "error"};

static size_t count(const struct findings *f, enum state state) {
  size_t n = 0;
  for (size_t i = 0; i < f->n; i++)
    n += f->list[i].state == state;
  return n;
}

static void print_lines(const struct findings *f) {
  static const char *const colors[] = {"\033[0;32m", COLOR_WARNING, COLOR_ERROR};
  bool colored = message_output_is_colored();
  for (size_t i = 0; i < f->n; i++) {
    const struct finding *one = &f->list[i];
    printf("%s%-7s%s  %-13s  %s%s%s\n", colored ? colors[one->state] : "", states[one->state],
           colored ? COLOR_RESET : "", one->name, one->says, one->advice ? "; " : "",
           one->advice ? one->advice : "");
  }
}

static char *to_json(const struct findings *f) {
  json_t *checks = json_array();
  for (size_t i = 0; i < f->n; i++) {
    const struct finding *one = &f->list[i];
    json_t *obj = json_object();
    json_object_set_new(obj, "check", json_printable(one->name));
    json_object_set_new(obj, "state", json_printable(states[one->state]));
    json_object_set_new(obj, "says", json_printable(one->says));
    json_object_set_new(obj, "advice", json_printable(one->advice));
    json_array_append_new(checks, obj);
  }
  json_t *top = json_pack("{s:i, s:s, s:I, s:I, s:o}", "ckjit", 1, "version", CKJIT_VERSION,
                          "errors", (json_int_t)count(f, FOUND_ERROR), "warnings",
                          (json_int_t)count(f, FOUND_WARNING), "checks", checks);
  char *text = json_dumps(top, JSON_INDENT(1));
  json_decref(top);
  return text;
}

static void look(struct findings *f, const struct request *r) {
  doctor_tools(f, r);
  doctor_cache(f, r->cache_given);
  doctor_machine(f);
}

char *doctor_json(const struct request *r) {
  struct findings f = {0};
  look(&f, r);
  return to_json(&f);
}

int prebuild_doctor(struct request *r) {
  struct findings f = {0};
  if (r->names.n)
    die(EXIT_USAGE, "doctor: unexpected argument '%s'; see ckjit doctor --help", r->names.args[0]);
  look(&f, r);
  if (r->json) {
    autofree char *text = to_json(&f);
    puts(text);
  } else {
    print_lines(&f);
  }
  streams_answered();
  return count(&f, FOUND_ERROR) ? EXIT_FAILED : EXIT_OK;
}
