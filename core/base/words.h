/* words.h - lists of words as one text: "cc cpp cxx". Thread safety: no shared state. */
#ifndef CKJIT_WORDS_H
#define CKJIT_WORDS_H

#include <stdbool.h>
#include <string.h>

/* Is WORD, of N bytes, one of WORDS, which single blanks separate? */
static inline bool words_have(const char *words, const char *word, size_t n) {
  for (size_t len; *words; words += len + (words[len] == ' ')) {
    len = strcspn(words, " ");
    if (len == n && memcmp(words, word, n) == 0)
      return true;
  }
  return false;
}

#endif
