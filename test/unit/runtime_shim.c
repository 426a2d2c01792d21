/* runtime_shim.c - a compiler that costs no processor time, for tests that make hundreds of compiles.
 *
 *   runtime_shim --log=FILE --template=FILE [--control=DIR] --sleep=MS -Wl,--build-id=0xHEX -o OUT SOURCE …
 *
 * SOURCE holds a number; OUT becomes the template with this number and the build id in the place of two
 * markers, after MS milliseconds, or as many as DIR/STEM.sleep says, and not before DIR/STEM.hold and DIR/hold are gone.
 * While DIR/STEM.fail is there it fails with what that holds and a message that names its process. LOG gets
 * two lines for each run, "start STEM NS" and "end STEM NS", of the monotonic clock; DIR/environment, if it
 * is there, gets its environment. Other arguments are ignored, and so is the environment.
 *
 *   runtime_shim --emit COUNT   the template's source: value_<0> … value_<COUNT-1>
 *
 * The template is linked with a build id of 24 bytes 0xaa, and the kind of a blob.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ID = 24, MARKER = 0x5ca1ab1e };

static const char *log_file, *template, *control, *hex, *output, *source;
static long milliseconds;
static char stem[256];

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void note(const char *what) {
  struct timespec t;
  char line[400];
  clock_gettime(CLOCK_MONOTONIC, &t);
  int n =
      snprintf(line, sizeof line, "%s %s %lld\n", what, stem, (long long)t.tv_sec * 1000000000 + t.tv_nsec);
  int fd = open(log_file, O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (fd < 0 || write(fd, line, (size_t)n) != n)
    fail(log_file);
  close(fd);
}

static char *slurp(const char *file, size_t *n) {
  static char text[1 << 22];
  FILE *f = fopen(file, "r");
  if (!f)
    return NULL;
  *n = fread(text, 1, sizeof text - 1, f);
  text[*n] = 0;
  fclose(f);
  return text;
}

/* the text of DIR/STEM.NAME, NULL if there is none */
static char *controlled(const char *name) {
  char file[4096];
  size_t n;
  snprintf(file, sizeof file, "%s/%s.%s", control ? control : "/nonexistent", stem, name);
  return slurp(file, &n);
}

static bool all_are_held(void) {
  char file[4096];
  snprintf(file, sizeof file, "%s/hold", control ? control : "/nonexistent");
  return access(file, F_OK) == 0;
}

static void note_environment(void) {
  char file[4096];
  snprintf(file, sizeof file, "%s/environment", control ? control : "/nonexistent");
  FILE *f = access(file, W_OK) == 0 ? fopen(file, "a") : NULL;
  for (char **e = environ; f && *e; e++)
    fprintf(f, "%s\n", *e);
  if (f)
    fclose(f);
}

static void replace(char *text, size_t n, const void *marker, const void *with, size_t size) {
  char *at = memmem(text, n, marker, size);
  if (!at) {
    fprintf(stderr, "runtime_shim: no marker in %s\n", template);
    exit(1);
  }
  memcpy(at, with, size);
}

static void compile(void) {
  size_t n;
  char *text = slurp(source, &n);
  if (!text)
    fail(source);
  uint32_t number = (uint32_t)atoi(text), marker = MARKER;
  unsigned char id[ID], id_marker[ID];
  memset(id_marker, 0xaa, ID);
  for (int i = 0; i < ID; i++)
    sscanf(hex + 2 * i, "%2hhx", &id[i]);
  if (!(text = slurp(template, &n)))
    fail(template);
  replace(text, n, id_marker, id, ID);
  replace(text, n, &marker, &number, sizeof number);
  FILE *f = fopen(output, "w");
  if (!f || fwrite(text, 1, n, f) != n || fclose(f))
    fail(output);
}

static void emit(int count) {
  printf("static volatile unsigned id = 0x%x;\n", MARKER);
  puts("template <int N> __attribute__((visibility(\"default\"))) int value_(int x) { return (int)id * 1000 "
       "+ x; }");
  for (int i = 0; i < count; i++)
    printf("template int value_<%d>(int);\n", i);
}

static const char *after(const char *text, const char *prefix) {
  size_t n = strlen(prefix);
  return strncmp(text, prefix, n) == 0 ? text + n : NULL;
}

int main(int argc, char **argv) {
  const char *value;
  if (argc == 3 && strcmp(argv[1], "--emit") == 0)
    return emit(atoi(argv[2])), 0;
  if (argc > 1 && strcmp(argv[1], "-###") == 0)
    return 1; /* asked for its steps: it has none */
  for (int i = 1; i < argc; i++) {
    size_t n = strlen(argv[i]);
    if ((value = after(argv[i], "--log=")))
      log_file = value;
    else if ((value = after(argv[i], "--template=")))
      template = value;
    else if ((value = after(argv[i], "--control=")))
      control = value;
    else if ((value = after(argv[i], "--sleep=")))
      milliseconds = atol(value);
    else if ((value = after(argv[i], "-Wl,--build-id=0x")))
      hex = value;
    else if (strcmp(argv[i], "-o") == 0 && i + 1 < argc)
      output = argv[++i];
    else if (strncmp(argv[i], "-o", 2) == 0 && argv[i][2]) /* of names that hipcc would expand */
      output = argv[i] + 2;
    else if (n > 3 && strcmp(argv[i] + n - 3, ".cu") == 0)
      source = argv[i];
  }
  if (!log_file || !template || !hex || strlen(hex) != 2 * ID + 8 || !output || !source)
    return 2;
  const char *base = strrchr(source, '/');
  snprintf(stem, sizeof stem, "%.*s", (int)(strlen(base + 1) - 3), base + 1);
  note("start");
  if ((value = controlled("sleep")))
    milliseconds = atol(value);
  struct timespec t = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  nanosleep(&t, NULL);
  while (controlled("hold") || all_are_held())
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  note_environment();
  bool failing = (value = controlled("fail"));
  if (failing)
    fprintf(stderr, "%sruntime_shim: %s fails in attempt %ld\n", value, stem, (long)getpid());
  else
    compile();
  note("end");
  return failing ? 4 : 0;
}
