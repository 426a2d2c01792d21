#include "number.h"

#include "abi/ck_jit_jobs.h"
#include "abi/ck_jit_number.h"

bool number_read(const char *name, const char *text, uint64_t least, uint64_t most, uint64_t *n,
                 char **err) {
  uint64_t v;
  if (ckjit_number(text, strlen(text), &v) && v >= least && v <= most) {
    *n = v;
    return true;
  }
  if (most == UINT64_MAX)
    return err_fail(err, "%s: expected a number of at least %llu, found '%s'", name,
                    (unsigned long long)least, text);
  return err_fail(err, "%s: expected a number from %llu to %llu, found '%s'", name,
                  (unsigned long long)least, (unsigned long long)most, text);
}

bool number_jobs(const char *name, const char *text, unsigned *n, char **err) {
  uint64_t v;
  bool is = number_read(name, text, 1, CKJIT_JOBS_MOST, &v, err);
  if (is)
    *n = (unsigned)v;
  return is;
}

/* The factor of UNIT: "" 1, "k" 1000, "Mi" 1024 * 1024; 0 if it is not a unit. K is accepted for
 * k. */
static uint64_t factor_of(const char *unit) {
  static const char letters[] = "kMGT";
  if (!*unit)
    return 1;
  const char *letter = strchr(letters, *unit == 'K' ? 'k' : *unit);
  bool binary = letter && unit[1] == 'i';
  if (!letter || unit[binary ? 2 : 1])
    return 0;
  uint64_t factor = 1;
  for (const char *l = letters; l <= letter; l++)
    factor *= binary ? 1024 : 1000;
  return factor;
}

bool number_size(const char *name, const char *text, uint64_t least, uint64_t *bytes, char **err) {
  size_t digits = strspn(text, "0123456789");
  uint64_t v, factor = factor_of(text + digits);
  if (ckjit_number(text, digits, &v) && factor && !__builtin_mul_overflow(v, factor, &v) &&
      (!v || v >= least)) {
    *bytes = v;
    return true;
  }
  return err_fail(err, "%s: expected a size such as 500M, 20G or 4Gi, or 0, found '%s'", name,
                  text);
}

bool number_seconds(const char *name, const char *text, double *seconds, char **err) {
  char *end;
  double v = strtod(text, &end);
  if (end != text && !*end && v >= 0 && v <= 1e9) {
    *seconds = v;
    return true;
  }
  return err_fail(err, "%s: expected a number of seconds, or 0 for no limit, found '%s'", name,
                  text);
}
