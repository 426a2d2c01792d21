/* options.c - `export`: checks that the options are consistent. */
#include "prebuild/help.h"
#include "export.h"
#include "core/base/suggest.h"
#include "core/files/export.h"

#include <stdlib.h>
#include <string.h>

static bool is_export(const struct request *r) {
  return strcmp(r->command, "export") == 0;
}

static void check_symbols(const struct request *r) {
  for (size_t i = 0; i < r->symbols.n; i++) {
    char *old;
    if (!export_symbol_parse(r->symbols.args[i], &old))
      die(EXIT_USAGE,
          "--symbol '%s': expected NAME or OLD=NAME, NAME of letters, digits and _ . $, no digit first",
          r->symbols.args[i]);
    free(old);
  }
}

static void check_flags(const struct request *r) {
  struct argv words = {0};
  if (r->add_flags && !argv_split(&words, r->add_flags, strlen(r->add_flags)))
    die(EXIT_USAGE, "--add-flags '%s': a quote is not closed", r->add_flags);
  argv_free(&words);
}

void export_check_options(const struct request *r) {
  if (r->json && strcmp(r->command, "list") != 0)
    die(EXIT_USAGE, "%s: --json goes with list", r->command);
  if (!is_export(r)) {
    if (r->format || (r->output && strcmp(r->command, "pack") != 0) || r->symbols.n || r->add_flags)
      die(EXIT_USAGE, "%s: --format, --output, --symbol and --add-flags go with export", r->command);
    return;
  }
  if (!r->format)
    die_usage(r, "--format FORMAT is missing: %s", one_of(export_format_names));
  if (!export_format_parse(r->format))
    die(EXIT_USAGE, "export: unknown format '%s': expected %s%s", r->format, one_of(export_format_names),
        did_you_mean(r->format, export_format_names));
  if (!r->output)
    die(EXIT_USAGE, "export: --output PATH is missing: a file, a directory, or - for standard output");
  check_symbols(r);
  check_flags(r);
}
