/* jsontext.c - see jsontext.h. */
#include "jsontext.h"
#include "abi/ck_jit_utf8.h"

#include <ctype.h>

enum { MAX_DEPTH = 64 };

bool json_expected(struct json_text *in, const char *expected) {
  if (!in->why) {
    long at = (long)(in->p - in->start) + 1;
    if (in->p >= in->end)
      in->why =
          xasprintf("expected %s at byte %ld, found the end of the line (torn?)", expected, at);
    else
      in->why = xasprintf("expected %s at byte %ld, found '%c'", expected, at,
                          *in->p >= 0x20 && *in->p < 0x7f ? *in->p : '?');
  }
  return false;
}

void json_skip_space(struct json_text *in) {
  while (in->p < in->end && (*in->p == ' ' || *in->p == '\t' || *in->p == '\r' || *in->p == '\n'))
    in->p++;
}

bool json_take(struct json_text *in, char c) {
  json_skip_space(in);
  if (in->p >= in->end || *in->p != c)
    return false;
  in->p++;
  return true;
}

bool json_want(struct json_text *in, char c) {
  const char expected[] = {'\'', c, '\'', 0};
  return json_take(in, c) || json_expected(in, expected);
}

static bool take_hex4(struct json_text *in, unsigned *value) {
  *value = 0;
  for (int i = 0; i < 4; i++, in->p++) {
    char c = in->p < in->end ? *in->p : 0;
    unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                     : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                     : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                            : 16;
    if (digit == 16)
      return json_expected(in, "four hex digits");
    *value = *value << 4 | digit;
  }
  return true;
}

static void put_utf8(struct buf *out, unsigned c) {
  if (c < 0x80) {
    buf_putc(out, (char)c);
  } else if (c < 0x800) {
    buf_putc(out, (char)(0xC0 | c >> 6));
    buf_putc(out, (char)(0x80 | (c & 0x3F)));
  } else if (c < 0x10000) {
    buf_putc(out, (char)(0xE0 | c >> 12));
    buf_putc(out, (char)(0x80 | (c >> 6 & 0x3F)));
    buf_putc(out, (char)(0x80 | (c & 0x3F)));
  } else {
    buf_putc(out, (char)(0xF0 | c >> 18));
    buf_putc(out, (char)(0x80 | (c >> 12 & 0x3F)));
    buf_putc(out, (char)(0x80 | (c >> 6 & 0x3F)));
    buf_putc(out, (char)(0x80 | (c & 0x3F)));
  }
}

/* Take the digits after "\u". */
static bool take_unicode(struct json_text *in, struct buf *out) {
  unsigned c, low;
  if (!take_hex4(in, &c))
    return false;
  if (c == 0)
    return json_expected(in, "no NUL in a string");
  if (c >= 0xDC80 && c <= 0xDCFF) {
    buf_putc(out, (char)(c - 0xDC00));
    return true;
  }
  if (c >= 0xD800 && c <= 0xDBFF) {
    if (in->end - in->p < 2 || in->p[0] != '\\' || in->p[1] != 'u')
      return json_expected(in, "the second half of a surrogate pair");
    in->p += 2;
    if (!take_hex4(in, &low))
      return false;
    if (low < 0xDC00 || low > 0xDFFF)
      return json_expected(in, "the second half of a surrogate pair");
    c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
  } else if (c >= 0xDC00 && c <= 0xDFFF) {
    return json_expected(in, "no lone surrogate outside U+DC80…U+DCFF");
  }
  put_utf8(out, c);
  return true;
}

static bool take_escape(struct json_text *in, struct buf *out) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  char c = in->p < in->end ? *in->p : 0;
  if (c == 'u') {
    in->p++;
    return take_unicode(in, out);
  }
  const char *which = c ? strchr(from, c) : NULL;
  if (!which)
    return json_expected(in, "an escape (one of \"\\/bfnrtu)");
  buf_putc(out, to[which - from]);
  in->p++;
  return true;
}

/* The high bit of each byte of W that is B. */
static uint64_t bytes_are(uint64_t w, unsigned char b) {
  const uint64_t ones = 0x0101010101010101, highs = ones << 7;
  w ^= ones * b;
  return (w - ones) & ~w & highs;
}

/* The end of the characters from here that stand for themselves: nearly all of them do. Eight at a
 * time, because a manifest is read by programs that must answer at once. */
static const char *plain_end(const struct json_text *in) {
  const uint64_t ones = 0x0101010101010101, highs = ones << 7;
  const char *p = in->p;
  for (uint64_t w; in->end - p >= 8; p += 8) {
    memcpy(&w, p, 8);
    if ((w | (w - ones * 0x20) | bytes_are(w, '"') | bytes_are(w, '\\')) & highs)
      break;
  }
  while (p < in->end && (unsigned char)*p >= 0x20 && (unsigned char)*p < 0x80 && *p != '"' &&
         *p != '\\')
    p++;
  return p;
}

char *json_take_string(struct json_text *in) {
  if (!json_take(in, '"')) {
    json_expected(in, "a string");
    return NULL;
  }
  const char *plain = plain_end(in);
  struct buf out = {0};
  buf_add(&out, in->p, (size_t)(plain - in->p));
  in->p = plain;
  while (in->p < in->end && *in->p != '"') {
    unsigned char c = (unsigned char)*in->p;
    size_t n = ckjit_utf8(in->p, (size_t)(in->end - in->p));
    bool ok = true;
    if (c == '\\') {
      in->p++;
      ok = take_escape(in, &out);
    } else if (c < 0x20 || n == 0) {
      ok = json_expected(in, c < 0x20 ? "no control character in a string" : "UTF-8");
    } else {
      buf_add(&out, in->p, n);
      in->p += n;
    }
    if (!ok) {
      buf_free(&out);
      return NULL;
    }
  }
  if (!json_want(in, '"')) {
    buf_free(&out);
    return NULL;
  }
  return out.data;
}

bool json_take_strings(struct json_text *in, struct argv *list) {
  if (!json_want(in, '['))
    return false;
  if (json_take(in, ']'))
    return true;
  do {
    char *s = json_take_string(in);
    if (!s)
      return false;
    argv_add_own(list, s);
  } while (json_take(in, ','));
  return json_want(in, ']');
}

bool json_skip_word(struct json_text *in) {
  static const char *const words[] = {"true", "false", "null"};
  const char *start = in->p;
  while (in->p < in->end && *in->p && strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", *in->p))
    in->p++;
  size_t n = (size_t)(in->p - start);
  bool good = n && (*start == '-' || isdigit((unsigned char)*start));
  for (size_t i = 1; good && i < n; i++)
    good = strchr("+-.0123456789eE", start[i]) != NULL;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    good |= n == strlen(words[i]) && memcmp(start, words[i], n) == 0;
  if (!good)
    in->p = start;
  return good || json_expected(in, "a value");
}

/* Skip a string, as strictly as it is read. */
static bool skip_string(struct json_text *in) {
  const char *start = in->p;
  if (json_take(in, '"') && (in->p = plain_end(in)) < in->end && *in->p == '"') {
    in->p++;
    return true;
  }
  in->p = start;
  char *s = json_take_string(in);
  free(s);
  return s != NULL;
}

static bool skip_value(struct json_text *in, int depth) {
  if (depth > MAX_DEPTH)
    return json_expected(in, "less nesting");
  json_skip_space(in);
  if (in->p < in->end && *in->p == '"')
    return skip_string(in);
  bool object = json_take(in, '{');
  if (!object && !json_take(in, '['))
    return json_skip_word(in);
  char close = object ? '}' : ']';
  if (json_take(in, close))
    return true;
  do {
    if (object) {
      if (!skip_string(in) || !json_want(in, ':'))
        return false;
    }
    if (!skip_value(in, depth + 1))
      return false;
  } while (json_take(in, ','));
  return json_want(in, close);
}

bool json_skip(struct json_text *in) {
  return skip_value(in, 0);
}

/* ---- writing ---- */

void json_put_string(struct buf *out, const char *text) {
  const unsigned char *s = (const unsigned char *)text;
  size_t n = strlen(text);
  buf_putc(out, '"');
  while (n) {
    /* Nearly all of a command line needs no escape: copy whole runs. */
    size_t plain = 0;
    while (plain < n && s[plain] >= 0x20 && s[plain] < 0x80 && s[plain] != '"' && s[plain] != '\\')
      plain++;
    buf_add(out, s, plain);
    s += plain;
    n -= plain;
    if (!n)
      break;
    size_t len = ckjit_utf8((const char *)s, n); /* as strict as jansson and Python */
    if (len > 1) {
      buf_add(out, s, len);
    } else if (len == 0) {
      buf_printf(out, "\\udc%02x", *s);
      len = 1;
    } else if (*s == '"' || *s == '\\') {
      buf_putc(out, '\\');
      buf_putc(out, (char)*s);
    } else if (*s == '\n') {
      buf_puts(out, "\\n"); /* ends each line of a source */
    } else {
      buf_printf(out, "\\u%04x", *s);
    }
    s += len;
    n -= len;
  }
  buf_putc(out, '"');
}

void json_put_strings(struct buf *out, const struct argv *list) {
  buf_putc(out, '[');
  for (size_t i = 0; i < list->n; i++) {
    if (i)
      buf_putc(out, ',');
    json_put_string(out, list->args[i]);
  }
  buf_putc(out, ']');
}
