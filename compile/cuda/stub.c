/* stub.c - the stub before the front end of the device is done with it.
 *
 * The host's code includes the stub that the front end writes last. Of the 26 s that the entry of
 * flash_fwd_hdim64_bf16_causal_sm80 takes on 16 processors that is after 20, and compiling the host's code
 * takes 5. Which kernels there are is known long before: the same front end writes the same stub for a text
 * without the kernels' bodies (core/cxx/devicetext.h). So the host's code is compiled with that one, at the
 * same time. At the end the two stubs are compared. If they differ, the host's code is compiled again, with
 * the right one.
 *
 * If the front end is done within PATIENCE, its own stub is used: there is nothing to gain.
 */
#include "stub.h"
#include "cudatext.h"
#include "compile/plan.h"
#include "core/cc/nvcc.h"
#include "core/cxx/devicetext.h"
#include "core/base/path.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const double PATIENCE = 3; /* seconds from the end of the preprocessor on */

/* The command for the text without bodies: FRONT with other files, all of them beside EMPTIED. */
static bool make_words(struct cuda_stub *s, const struct argv *front) {
  static const struct {
    const char *option, *suffix;
  } files[] = {{"--gen_c_file_name", ".c"}, {"--gen_device_file_name", ".gpu"}, {"-o", ".bc"}};
  argv_add_all(&s->words, front->args);
  size_t text = words_find(&s->words, s->text);
  if (text == s->words.n)
    return false;
  words_set(&s->words, text, s->emptied);
  bool done = true;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char *file = xasprintf("%s%s", s->emptied, files[i].suffix);
    char *old = nvcc_exchange_value(&s->words, files[i].option, file);
    done &= old != NULL;
    free(old);
    free(file);
  }
  return done;
}

bool cuda_stub_plan(struct cuda_stub *s, struct argv *front, const char *text, const char *bitcode,
                    const char *temporary) {
  *s = (struct cuda_stub){.text = text,
                          .bitcode = bitcode,
                          .emptied = path_join(temporary, "without-bodies.ii"),
                          .whole = path_join(temporary, "whole.stub.c")};
  if (!text || !make_words(s, front))
    return false;
  s->stub = nvcc_exchange_value(front, "--stub_file_name", s->whole);
  return s->stub != NULL;
}

void cuda_stub_free(struct cuda_stub *s) {
  free(s->emptied);
  free(s->whole);
  free(s->stub);
  argv_free(&s->words);
}

/* ---- in the step's own process ---- */

static bool copy(const char *from, const char *to) {
  size_t len;
  char *text = file_read(from, &len);
  bool done = text && file_write(to, text, len, 0600);
  free(text);
  return done;
}

/* Whether the front end has come to its end within PATIENCE: the bitcode is the last file that it opens. */
static bool wait_for_front(const struct cuda_stub *s) {
  enum { TICK = 20 }; /* ms */
  struct stat st;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  double left = PATIENCE;
  if (stat(s->text, &st) == 0 && now.tv_sec > st.st_mtim.tv_sec) /* a processor was waited for */
    left -= (double)(now.tv_sec - st.st_mtim.tv_sec);
  for (; left > 0 && !file_exists(s->bitcode); left -= TICK / 1e3)
    nanosleep(&(struct timespec){.tv_nsec = TICK * 1000 * 1000}, NULL);
  return file_exists(s->bitcode);
}

int cuda_stub_prepare(void *data) {
  const struct cuda_stub *s = data;
  struct buf out = {0};
  size_t len;
  if (wait_for_front(s))
    return copy(s->whole, s->stub) ? 0 : 1;
  char *text = file_read(s->text, &len);
  bool done =
      text && devicetext_without_bodies(text, len, &out) && file_write(s->emptied, out.data, out.len, 0600);
  free(text);
  buf_free(&out);
  return done ? -1 : 1;
}

/* ---- when the front end is done ---- */

bool cuda_stub_held(const struct cuda_stub *s) {
  size_t len;
  char *early = file_read(s->stub, &len), *whole = file_read(s->whole, &len);
  bool same = early && whole && cudatext_same_stub(early, whole);
  free(early);
  free(whole);
  return same;
}

bool cuda_stub_correct(const struct cuda_stub *s) {
  return copy(s->whole, s->stub);
}
