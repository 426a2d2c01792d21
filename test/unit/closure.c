/* closure.c - the units that a closure chooses are those of the linker's rule, by a naive
 * reference: on random units, each of which defines some names and needs others. Names that nobody
 * defines come out once, and so does each that is needed. */
// tier: check
#include "check.h"
#include "compile/closure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNITS = 12, NAMES = 30, ROUNDS = 3000 };

struct unit {
  struct argv defines, needs;
};

static void random_names(struct argv *to, int most) {
  for (int i = rand() % (most + 1); i > 0; i--) {
    char name[8];
    snprintf(name, sizeof name, "n%d", rand() % NAMES);
    if (!argv_has(to, name))
      argv_add(to, name);
  }
}

static size_t who_defines(const struct unit *units, size_t n, const char *name) {
  size_t i = 0;
  while (i < n && !argv_has(&units[i].defines, name))
    i++;
  return i;
}

/* Go over all units until nothing changes. */
static void reference(const struct unit *units, size_t n, bool *chosen, struct argv *missing) {
  chosen[0] = true;
  for (bool again = true; again;) {
    again = false;
    for (size_t i = 0; i < n; i++)
      for (size_t k = 0; chosen[i] && k < units[i].needs.n; k++) {
        const char *name = units[i].needs.args[k];
        size_t by = who_defines(units, n, name);
        if (by == n && !argv_has(missing, name))
          argv_add(missing, name);
        again |= by < n && !chosen[by];
        if (by < n)
          chosen[by] = true;
      }
  }
}

/* EARLY: all definitions are put in before; else those of a unit when it is looked for, as if it
 * were made then. */
static void by_closure(const struct unit *units, size_t n, bool early, bool *chosen, struct argv *missing) {
  struct closure c = {0};
  struct argv came = {0};
  size_t who, made = 0;
  const char *name;
  chosen[0] = true;
  closure_need_all(&c, 0, &units[0].needs);
  for (; made < (early ? n : 1); made++)
    closure_define(&c, made, &units[made].defines);
  while (closure_next(&c, &who, &name)) {
    size_t by;
    CHECK(chosen[who] && argv_has(&units[who].needs, name) && !argv_has(&came, name), "%s comes wrongly",
          name);
    argv_add(&came, name);
    while ((by = closure_definer(&c, name)) == CLOSURE_NONE && made < n) {
      closure_define(&c, made, &units[made].defines);
      made++;
    }
    if (by == CLOSURE_NONE) {
      argv_add(missing, name);
    } else if (!chosen[by]) {
      chosen[by] = true;
      closure_need_all(&c, by, &units[by].needs);
    }
  }
  argv_free(&came);
  closure_free(&c);
}

static void compare(unsigned seed, const struct unit *units, size_t n, bool early) {
  bool want[UNITS] = {false}, got[UNITS] = {false};
  struct argv want_missing = {0}, missing = {0};
  reference(units, n, want, &want_missing);
  by_closure(units, n, early, got, &missing);
  CHECK(memcmp(want, got, sizeof want) == 0, "seed %u: other units", seed);
  CHECK(missing.n == want_missing.n, "seed %u: %zu names are missing", seed, missing.n);
  for (size_t i = 0; i < missing.n; i++)
    CHECK(argv_has(&want_missing, missing.args[i]), "seed %u: %s", seed, missing.args[i]);
  argv_free(&want_missing);
  argv_free(&missing);
}

int main(void) {
  for (unsigned seed = 1; seed <= ROUNDS; seed++) {
    struct unit units[UNITS] = {0};
    srand(seed);
    size_t n = 1 + (size_t)rand() % UNITS;
    for (size_t i = 0; i < n; i++) {
      random_names(&units[i].defines, 5);
      random_names(&units[i].needs, 4);
    }
    compare(seed, units, n, true);
    compare(seed, units, n, false);
    for (size_t i = 0; i < n; i++) {
      argv_free(&units[i].defines);
      argv_free(&units[i].needs);
    }
  }
  return bad;
}
