/* ck_jit_ahead.c - what is compiled ahead of its call, beside a compile that a call waits for.
 *
 * A call that finds no entry has it compiled, and waits. Meanwhile this thread has nothing to do, and the machine may have: so the
 * other kernels of the call's row (ck_jit_together.h) are given to a helper, a process of ckjit-compile (--ahead) that is told
 * the commands their own calls would start, and this process. It starts as many as processors and memory allow and ends with
 * us. Nobody waits for it. When one of these kernels is called it is there, or its compile waits for the helper's by the lock that
 * all compiles of a key share, or it was not begun, and is compiled as ever: so a helper that fails costs nothing.
 *
 * There is no thread for it and no child: the process that is started forks, and its first half ends at once.
 */
#include "ck_jit_ahead.h"
#include "ck_jit_compile.h"
#include "ck_jit_flight.h"
#include "ck_jit_kernels.h"
#include "ck_jit_lookup.h"
#include "ck_jit_settings.h"
#include "ck_jit_spawn.h"
#include "ck_jit_table.h"
#include "ck_jit_together.h"

#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The commands for the helper: of each the number of its words, and its words, all with their NUL. */
struct ckjit_list {
  struct ckjit_text text;
  unsigned n;
};

static void ckjit_list_add(struct ckjit_list *list, const struct ckjit_text *words) {
  size_t n = 0;
  for (size_t i = 0; i < words->len; i++)
    n += !words->data[i];
  ckjit_addf(&list->text, "%zu", n);
  ckjit_add_bytes(&list->text, "", 1);
  ckjit_add_bytes(&list->text, words->data, words->len);
  list->n++;
}

/* Whether somebody has W, which is another blob than the one that is called, or is at it. */
static bool ckjit_is_had(const struct ckjit_wanted *w) {
  return ckjit_has_readonly_entry(w) || ckjit_has_entry(w) || ckjit_is_locked(w);
}

/* Add BLOB to LIST, unless it is there or on its way; W is what was called. */
static void ckjit_add_blob_ahead(struct ckjit_list *list, const struct ckjit_wanted *w, uint32_t blob) {
  struct ckjit_text words = {0}, why = {0};
  struct ckjit_wanted other = *w; /* nothing of it is freed */
  if (blob == w->blob || ckjit_is_loaded(blob) || ckjit_is_flying(blob))
    return;
  ckjit_want_other(&other, blob);
  bool had = ckjit_is_had(&other);
  if (!had && ckjit_per_kernel(&other)) {
    ckjit_want_apart(&other);
    had = ckjit_is_had(&other);
  }
  if (!had && ckjit_command(&other, &words, &why) && ckjit_whole(&words))
    ckjit_list_add(list, &words);
  ckjit_text_free(&words);
  ckjit_text_free(&why);
}

/* TEXT as a file without a name; -1: there is none. */
static int ckjit_file_of(const struct ckjit_text *text) {
  int fd = ckjit_whole(text) ? (int)syscall(SYS_memfd_create, "ckjit", 1u /* MFD_CLOEXEC */) : -1;
  size_t done = 0;
  while (fd >= 0 && done < text->len) {
    ssize_t n = write(fd, text->data + done, text->len - done);
    if (n < 0 && errno != EINTR) {
      close(fd);
      return -1;
    }
    done += n > 0 ? (size_t)n : 0;
  }
  if (fd >= 0 && lseek(fd, 0, SEEK_SET)) {
    close(fd);
    return -1;
  }
  return fd;
}

/* Start the helper with LIST, whose first command names the program. */
static void ckjit_start_helper(const struct ckjit_list *list, char **environment) {
  char pid[32], number[16], ahead[] = "--ahead", list_fd[] = "--list-fd";
  const char *count = ckjit_whole(&list->text);
  int file = ckjit_file_of(&list->text), status;
  struct ckjit_text output = {0};
  if (file < 0 || !count)
    return;
  snprintf(pid, sizeof pid, "%ld", (long)getpid());
  snprintf(number, sizeof number, "%d", CKJIT_RESULT_FD);
  char *args[] = {list->text.data + strlen(count) + 1, ahead, pid, list_fd, number, NULL};
  ckjit_run(args, environment, file, NULL, &output, &status, NULL);
  ckjit_text_free(&output);
  close(file);
}

void ckjit_ahead(const struct ckjit_wanted *w) {
  struct ckjit_list list = {0};
  if (w->unlinked || w->kernel || !ckjit_warms() || ckjit_jobs() < 2)
    return;
  const struct ckjit_row *row = ckjit_row_of(w->blob);
  for (uint32_t i = 0; row && i < row->n; i++)
    ckjit_add_blob_ahead(&list, w, row->blobs[i]);
  if (list.n) {
    ckjit_tell(w, "%u more are compiled beside it", list.n);
    ckjit_start_helper(&list, *w->environment);
  }
  ckjit_text_free(&list.text);
}
