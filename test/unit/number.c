/* number.c - numbers that a user writes: what they mean, and what is said of those that are none. */
// tier: check
#include "core/base/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bad;

static void say(const char *text, const char *what) {
  fprintf(stderr, "number: '%s' %s\n", text, what);
  bad = 1;
}

/* WANT is the whole message; NULL: it is a number */
static void check_message(const char *text, bool is, char **err, const char *want) {
  if (is != !want || !*err != is || (want && strcmp(*err, want) != 0))
    say(text, *err ? *err : "was taken");
  free(*err);
  *err = NULL;
}

static void size(const char *text, uint64_t want) {
  uint64_t bytes = 1234567;
  char *err = NULL;
  if (!number_size("X", text, 0, &bytes, &err) || bytes != want || err)
    say(text, "is another size");
}

static void no_size(const char *text, uint64_t least) {
  uint64_t bytes = 1234567;
  char *err = NULL, *want = xasprintf("X: expected a size such as 500M, 20G or 4Gi, or 0, found '%s'", text);
  check_message(text, number_size("X", text, least, &bytes, &err), &err, want);
  if (bytes != 1234567)
    say(text, "changed the result");
  free(want);
}

static void check_sizes(void) {
  size("0", 0);
  size("1", 1);
  size("20G", 20000000000);
  size("4Gi", UINT64_C(4) << 30);
  size("500M", 500000000);
  size("1k", 1000);
  size("1K", 1000);
  size("1Ki", 1024);
  size("3T", 3000000000000);
  size("3Ti", UINT64_C(3) << 40);
  size("18446744073709551615", UINT64_MAX);
  size("18446744073709551k", UINT64_C(18446744073709551000));
  static const char *const wrong[] = {"",
                                      "G",
                                      "5x",
                                      "-1",
                                      "+1",
                                      " 1",
                                      "1 ",
                                      "1.5G",
                                      "2GB",
                                      "4gi",
                                      "4GiB",
                                      "Gi",
                                      "0x10",
                                      "1iG",
                                      "1kk",
                                      "18446744073709551616",
                                      "18446744073709552k",
                                      "99999999999999999999G"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    no_size(wrong[i], 0);
  no_size("2", 1000000);
  no_size("999k", 1000000);
  size("1M", 1000000);
}

static void check_numbers(void) {
  uint64_t n = 7;
  char *err = NULL;
  if (!number_read("X", "0", 0, UINT64_MAX, &n, &err) || n || !number_read("X", "012", 3, 12, &n, &err) ||
      n != 12)
    say("0, 012", "are numbers");
  check_message("13", number_read("X", "13", 3, 12, &n, &err), &err,
                "X: expected a number from 3 to 12, found '13'");
  check_message("x", number_read("X", "x", 0, UINT64_MAX, &n, &err), &err,
                "X: expected a number of at least 0, found 'x'");
  static const char *const wrong[] = {
      "", "0", "-1", "65536", "1k", "2 ", "0x2", "4294967297", "99999999999999999999"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    unsigned jobs = 3;
    char *want = xasprintf("-j: expected a number from 1 to 65535, found '%s'", wrong[i]);
    check_message(wrong[i], number_jobs("-j", wrong[i], &jobs, &err), &err, want);
    if (jobs != 3)
      say(wrong[i], "changed the result");
    free(want);
  }
  unsigned jobs;
  if (!number_jobs("-j", "65535", &jobs, &err) || jobs != 65535)
    say("65535", "is a number of jobs");
}

static void check_seconds(void) {
  double s;
  char *err = NULL;
  if (!number_seconds("X", "1.5", &s, &err) || s != 1.5 || !number_seconds("X", "0", &s, &err) || s != 0)
    say("1.5, 0", "are seconds");
  static const char *const wrong[] = {"", "soon", "1s", "-1", "inf", "nan", "1e10"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char *want = xasprintf("X: expected a number of seconds, or 0 for no limit, found '%s'", wrong[i]);
    check_message(wrong[i], number_seconds("X", wrong[i], &s, &err), &err, want);
    free(want);
  }
}

int main(void) {
  check_sizes();
  check_numbers();
  check_seconds();
  return bad;
}
