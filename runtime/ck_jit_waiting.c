/* ck_jit_waiting.c - messages of a call that waits for a compile. */
#include "ck_jit_waiting.h"
#include "ck_jit_clock.h"
#include "ck_jit_flight.h"
#include "ck_jit_protocol.h"
#include "ck_jit_say.h"
#include "ck_jit_settings.h"

#include <limits.h>
#include <stdlib.h>

void ckjit_waiting_begin(struct ckjit_waiting *s, const struct ckjit_wanted *w) {
  uint64_t after;
  *s = (struct ckjit_waiting){
      .w = w, .start = ckjit_microseconds(), .next = UINT64_MAX, .before = -1};
  if (ckjit_says_waiting(&after, &s->every))
    s->next = s->start + after;
}

static void ckjit_waiting_line(const struct ckjit_waiting *s, unsigned others,
                               struct ckjit_text *line) {
  uint64_t now = ckjit_microseconds();
  ckjit_addf(line, "%.*s: waiting for %.1f s", (int)s->w->stem_len, s->w->stem,
             (double)(now - s->start) / 1e6);
  if (!*s->who)
    ckjit_addf(line, " for ckjit-compile (pid %ld)", (long)s->pid);
  else if (s->before < 0)
    ckjit_addf(line, "; being compiled by %s", s->who);
  else
    ckjit_addf(line, "; being compiled for %.1f s by %s",
               (double)s->before / 1e3 + (double)(now - s->heard) / 1e6, s->who);
  if (*s->last)
    ckjit_addf(line, ", %s", s->last);
  if (others)
    ckjit_addf(line, "; %u other kernel%s being compiled", others, others == 1 ? " is" : "s are");
}

int ckjit_waiting_say(struct ckjit_waiting *s) {
  uint64_t now = ckjit_microseconds();
  if (now >= s->next) {
    struct ckjit_text line = {0};
    unsigned others;
    if (ckjit_is_oldest(s->w, &others)) {
      ckjit_waiting_line(s, others, &line);
      if (ckjit_whole(&line))
        ckjit_say(CKJIT_NOTE, line.data, line.len);
      ckjit_text_free(&line);
      now = ckjit_microseconds();
    }
    /* A process that was stopped skips the messages that it missed. */
    while (s->next <= now && s->next != UINT64_MAX)
      s->next = s->every ? s->next + ((now - s->next) / s->every + 1) * s->every : UINT64_MAX;
  }
  if (s->next == UINT64_MAX)
    return -1;
  uint64_t ms = (s->next - now + 999) / 1000;
  return ms < INT_MAX ? (int)ms : INT_MAX;
}

/* Copy the field at AT, up to a tab or the newline END, to TO, of SIZE bytes. Returns the text
 * after it. */
static const char *ckjit_field(char *to, size_t size, const char *at, const char *end) {
  size_t n = 0;
  for (; at < end && *at != '\t'; at++)
    if (n + 1 < size)
      to[n++] = *at;
  to[n] = 0;
  return at < end ? at + 1 : end;
}

void ckjit_waiting_hear(struct ckjit_waiting *s, struct ckjit_text *output) {
  const size_t head = sizeof CKJIT_COMPILES - 1;
  char *at = output->data, *newline;
  while (at && (newline = memchr(at, '\n', output->len - (size_t)(at - output->data)))) {
    if ((size_t)(newline - at) < head || memcmp(at, CKJIT_COMPILES, head) != 0) {
      at = newline + 1;
      continue;
    }
    char number[24];
    const char *field = ckjit_field(number, sizeof number, at + head, newline);
    field = ckjit_field(s->who, sizeof s->who, field, newline);
    ckjit_field(s->last, sizeof s->last, field, newline);
    s->before = strtoll(number, NULL, 10);
    s->heard = ckjit_microseconds();
    size_t behind = output->len - (size_t)(newline + 1 - output->data);
    memmove(at, newline + 1, behind + 1);
    output->len -= (size_t)(newline + 1 - at);
  }
}
