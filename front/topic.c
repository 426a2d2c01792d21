/* topic.c - see topic.h. */
#include "topic.h"
#include "page.h"
#include "core/base/embed.h"

EMBED(troubleshooting, "docs/troubleshooting.md");

static const char open_anchor[] = "<a id=\"";

/* The line after the one at LINE; NULL: it is the last. */
static const char *next_line(const char *line) {
  const char *end = strchr(line, '\n');
  return end && end[1] ? end + 1 : NULL;
}

/* The topic of the anchor on LINE, *N bytes; NULL: there is none. */
static const char *anchor(const char *line, size_t *n) {
  if (!str_starts(line, open_anchor))
    return NULL;
  line += sizeof open_anchor - 1;
  *n = strcspn(line, "\"\n");
  return line;
}

void topic_names(struct argv *names) {
  size_t n;
  for (const char *line = troubleshooting_begin; line; line = next_line(line)) {
    const char *topic = anchor(line, &n);
    if (topic)
      argv_add_own(names, xstrndup(topic, n));
  }
}

/* The line after the paragraph at LINE if that lists other words of messages, for people who search
 * the page; else LINE. */
static const char *behind_words(const char *line) {
  if (!str_starts(line, "Also: `"))
    return line;
  while (line && *line != '\n')
    line = next_line(line);
  return line;
}

bool topic_print(const char *topic) {
  size_t n;
  const char *line = troubleshooting_begin, *found = NULL;
  for (; line && !found; line = next_line(line)) {
    const char *at = anchor(line, &n);
    if (at && n == strlen(topic) && memcmp(at, topic, n) == 0)
      found = line;
  }
  if (!found)
    return false;
  bool begun = false; /* blank lines before the next line are not printed yet */
  size_t blank = 0;
  for (; line && (line = behind_words(line)) && !anchor(line, &n) && !str_starts(line, "## ");
       line = next_line(line)) {
    if (*line == '\n') {
      blank += begun;
      continue;
    }
    for (; blank; blank--)
      putchar('\n');
    page_print_line(line);
    begun = true;
  }
  return true;
}
