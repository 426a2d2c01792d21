/* lean.c - a blob's source without the bodies of its functions that are given a stream (compile/hostonly/lean.h): which are left out, that the lines
 * stay, and that an object made of it shows what leads to them. */
// tier: check
#include "check.h"
#include "compile/hostonly/functions.h"
#include "compile/hostonly/lean.h"
#include "core/base/path.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[] = "/tmp/ckjit-lean.XXXXXX";
static char *source, *lean, *object;

static const char head[] = "struct stream_config { int id; };\n"
                           "template <int N> int call_(const stream_config &s, int x);\n"
                           "template <int N> int name_(int x);\n"
                           "int hipLaunchKernel(int);\n";

/* The lean text of HEAD and TEXT; NULL: nothing is left out. */
static char *lean_of(const char *text) {
  char *whole = xasprintf("%s%s", head, text);
  size_t len;
  file_write(source, whole, strlen(whole), 0600);
  unlink(lean);
  bool written = lean_write(source, lean);
  char *found = file_read(lean, &len);
  CHECK(written == (found != NULL), "it says whether it wrote: %s", text);
  if (found) {
    size_t lines[2] = {0, 0};
    for (const char *p = whole; *p; p++)
      lines[0] += *p == '\n';
    for (size_t i = 0; i < len; i++)
      lines[1] += found[i] == '\n';
    CHECK(lines[0] == lines[1], "%zu lines became %zu: %s", lines[0], lines[1], found);
  }
  free(whole);
  return found;
}

static void check_left_out(void) {
  char *text =
      lean_of("template <> int call_<1>(const stream_config &s, int x)\n{\n  return hipLaunchKernel(x);\n}\n"
              "template <> int name_<1>(int x) { return x + 1; }\n");
  CHECK(text && !strstr(text, "hipLaunchKernel(x)") && strstr(text, "return x + 1") &&
            strstr(text, "call_<1>(const stream_config &s, int x)\n{"),
        "%s", text);
  free(text);
}

static void check_kept(void) {
  static const char *const texts[] = {
      "template <> int name_<1>(int x) { return x + 1; }\n",
      "int call(const stream_config &s) { return hipLaunchKernel(s.id); }\n",
      "template <> constexpr int call_<1>(const stream_config &s, int x) { return 1; }\n",
      "template <> auto call_<1>(const stream_config &s, int x) -> int { return 1; }\n",
      "template <> int call_<1>(const stream_config &s, int x) try { return 1; } catch (...) { return 2; }\n",
      "template <> int call_<1>(const stream_config &s, int x) {\n#define SEEN 1\n  return 1; }\n",
      "template <> int call_<1>(const stream_config &s, int x) { return 1; }\nint n = __COUNTER__;\n",
      "template <> int call_<1>(const stream_config &s, int x);\n",
      "template <> int call_<1>(const stream_config &s, int x) { return 1;\n",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    char *text = lean_of(texts[i]);
    CHECK(!text, "not left as it is: %s", text);
    free(text);
  }
}

/* What calls a function that was left out is not of the host alone, inlined or not. */
static void check_object(void) {
  char *text = lean_of("template <> int call_<1>(const stream_config &s, int x) { return x; }\n"
                       "template <> int name_<1>(int x) { return x + 1; }\n"
                       "template <> int name_<2>(int x) { return x ? call_<1>(stream_config{1}, x) : 0; }\n");
  char *command = xasprintf("g++ -w -x c++ -O2 -fPIC -c %s -o %s", lean, object);
  struct hostonly h = {0};
  size_t len;
  CHECK(text && system(command) == 0, "%s: %s", command, text);
  char *bytes = file_read(object, &len);
  CHECK(bytes && hostonly_find(&h, bytes, len) && !h.registers, "it registers nothing");
  CHECK(argv_has(&h.functions, "_Z5name_ILi1EEii") && !argv_has(&h.functions, "_Z5name_ILi2EEii") &&
            !argv_has(&h.functions, "_Z5call_ILi1EEiRK13stream_configi"),
        "%zu functions are of the host alone", h.functions.n);
  hostonly_free(&h);
  free(bytes);
  free(command);
  free(text);
}

int main(void) {
  if (!mkdtemp(dir))
    return 1;
  source = path_join(dir, "a.cpp");
  lean = path_join(dir, "lean.cpp");
  object = path_join(dir, "a.o");
  check_left_out();
  check_kept();
  check_object();
  CHECK(!lean_write("/nonexistent", lean), "no source");
  free(source);
  free(lean);
  free(object);
  dir_remove(dir);
  return bad;
}
