/* dispatch.c - the rewriting of dispatchers. The input is a dispatcher; what stands before a line
 * "//= dispatcher" is a header of it. */
#include "fuzz.h"

#include "postbuild/dispatch/dispatch.h"

/* those of the seeds */
static void know_functions(struct functions *f) {
  static const char *const names[] = {"f",
                                      "g",
                                      "fwd_",
                                      "one_oneshot_",
                                      "two_oneshot_",
                                      "one_get_name_",
                                      "two_get_name_",
                                      "two_ws_size_",
                                      "two_needs_zero_",
                                      "three_oneshot_",
                                      "three_get_name_",
                                      "all_",
                                      "fmha_fwd_",
                                      "fmha_fwd_splitkv_oneshot_",
                                      "fmha_fwd_splitkv_get_name_",
                                      "fmha_fwd_splitkv_combine_oneshot_",
                                      "fmha_fwd_splitkv_combine_get_name_"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    functions_add(f, names[i], strstr(names[i], "get_name") ? "std::string(*)()" : "float(*)(const s&,args)");
  functions_add(f, "various", "int(*)(int)");
  functions_add(f, "various", "int(*)(long)");
}

static void rewrite(const char *text, size_t len, const struct functions *f, struct helpers *headers) {
  for (enum dispatch_level level = DISPATCH_TEXT; level <= DISPATCH_TABLES; level++) {
    struct buf out = {0};
    struct dispatch_stats stats;
    dispatch_rewrite(&out, text, len, f, headers, level, &stats);
    CHECK(level > DISPATCH_TEXT || !stats.helpers);
    CHECK(level > DISPATCH_ERASED || !stats.tables);
    CHECK(!stats.tables == !stats.rows);
    if (!stats.helpers && !stats.tables)
      CHECK(out.len == len && (!len || memcmp(out.data, text, len) == 0));
    buf_free(&out);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char line[] = "//= dispatcher\n";
  const char *text = (const char *)data, *mark = memmem(data, size, line, sizeof line - 1);
  struct functions f = {0};
  struct helpers *headers = dispatch_headers();
  struct buf out = {0};
  know_functions(&f);
  if (mark)
    dispatch_header(headers, &out, text, (size_t)(mark - text), &f);
  text = mark ? mark + sizeof line - 1 : text;
  rewrite(text, size - (size_t)(text - (const char *)data), &f, headers);
  buf_free(&out);
  dispatch_headers_free(headers);
  functions_free(&f);
  return 0;
}
