// Pass 2. Features of sm_90 that OpenCL's compiler does not know: instructions, more local memory per group, and
// clusters. Kernels hide them from that compiler in inline assembly, behind a mark that begins a comment. This pass
// makes them active in the PTX.

#include "ptx.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK "//@"
/// The maximum local memory of a group on sm_90.
#define SHARED_LIMIT 232448

// MARK: lines

static const char *skip_blanks(const char *text) { return text + strspn(text, " \t\r\v\f"); }

/// The start of the line after this one, or the end of the text.
static const char *next_line(const char *line) {
  line += strcspn(line, "\n");
  return *line ? line + 1 : line;
}

/// The length of a word in a message, truncated.
static int shown(size_t length) { return length < 40 ? (int)length : 40; }

/// Whether `text` is the word and a number that ends its line. A number beyond its type becomes the largest value.
static bool reads_number(const char *text, const char *word, unsigned long long *number) {
  if (!ptx_starts(text, word)) return false;
  text += strlen(word);
  const char *digits = skip_blanks(text);
  if (digits == text || !isdigit((unsigned char)*digits)) return false;
  char *end;
  *number = strtoull(digits, &end, 10);
  const char *rest = skip_blanks(end);
  return !*rest || *rest == '\n';
}

static bool read_shared(unsigned long long bytes, Sm90Directives *hidden, char *message, size_t capacity) {
  if (bytes > SHARED_LIMIT) {
    snprintf(message, capacity, "the PTX of OpenCL's driver asks for %llu bytes of a group's memory, more than %d",
             bytes, SHARED_LIMIT);
    return false;
  }
  if (bytes > hidden->shared_bytes) hidden->shared_bytes = (uint32_t)bytes;
  return true;
}

static bool read_cluster(unsigned long long groups, Sm90Directives *hidden, char *message, size_t capacity) {
  if (groups < 2 || groups > 8) {
    snprintf(message, capacity, "the PTX of OpenCL's driver asks for clusters of %llu groups, not 2 to 8", groups);
    return false;
  }
  // The cluster size applies to each kernel of the text, so it must be unique.
  if (hidden->cluster && hidden->cluster != groups) {
    snprintf(message, capacity, "the PTX of OpenCL's driver asks for clusters of %u groups and of %llu",
             hidden->cluster, groups);
    return false;
  }
  hidden->cluster = (uint32_t)groups;
  return true;
}

/// Reads the text after a mark. A mark that hides nothing is a comment.
static bool read_mark(const char *text, Sm90Directives *hidden, char *message, size_t capacity) {
  unsigned long long number;
  const char *rest = skip_blanks(text);
  if (*text == ' ' || !*rest || *rest == '\n') return true;
  if (reads_number(text, "shared", &number)) return read_shared(number, hidden, message, capacity);
  if (reads_number(text, "cluster", &number)) return read_cluster(number, hidden, message, capacity);
  size_t length = strcspn(text, " \t\r\n");
  snprintf(message, capacity, "the PTX of OpenCL's driver hides \"" MARK "%.*s\", which cannot be read",
           shown(length), text);
  return false;
}

bool ptx_read_sm90(const char *text, Sm90Directives *hidden, char *message, size_t capacity) {
  *hidden = (Sm90Directives){0};
  for (; *text; text = next_line(text)) {
    const char *start = skip_blanks(text);
    if (ptx_starts(start, MARK) && !read_mark(start + strlen(MARK), hidden, message, capacity)) return false;
  }
  return true;
}

/// Removes the marks before instructions; the text only gets shorter.
static void uncover_instructions(char *text) {
  char *out = text;
  for (const char *line = text, *next; *line; line = next) {
    next = next_line(line);
    const char *start = skip_blanks(line), *rest = ptx_starts(start, MARK " ") ? start + strlen(MARK " ") : start;
    memmove(out, line, (size_t)(start - line));
    out += start - line;
    memmove(out, rest, (size_t)(next - rest));
    out += next - rest;
  }
  *out = 0;
}

// MARK: directives

typedef struct {
  PTXRewriter copy;
  bool has_target;
  bool has_declaration;
  /// Whether the next brace begins a kernel's body.
  bool is_header;
  /// Directives for each kernel's header, or an empty string.
  char cluster[64];
} Directives;

/// The end of the target's name. NULL if the target is not sm_90.
static const char *target_end(const char *text, char *message, size_t capacity) {
  const char *start;
  size_t length = ptx_token(&text, &start);
  if (ptx_is_token(start, length, "sm_90")) return text;
  snprintf(message, capacity, "the PTX of OpenCL's driver hides instructions of sm_90 and is for \"%.*s\"",
           shown(length), start);
  return NULL;
}

static void declare_memory(Directives *directives, const char **text) {
  const char *start;
  size_t length = ptx_token(text, &start);
  if (!ptx_is_token(start, length, "64") || directives->has_declaration) return;
  ptx_put(&directives->copy, *text, "\n.extern .shared .align 1024 .b8 coreml_shared[];");
  directives->has_declaration = true;
}

/// Inserts the directives for a token that was just read. Reads further tokens if several belong to one directive.
static bool direct(Directives *directives, const char **text, const char *start, size_t length, char *message,
                   size_t capacity) {
  if (ptx_is_token(start, length, ".target")) {
    *text = target_end(*text, message, capacity);
    if (!*text) return false;
    ptx_put(&directives->copy, *text, "a");
    directives->has_target = true;
  } else if (ptx_is_token(start, length, ".address_size")) {
    declare_memory(directives, text);
  } else if (ptx_is_token(start, length, ".entry")) {
    directives->is_header = true;
  } else if (directives->is_header && (*start == '{' || *start == ';')) {
    // A kernel that is only declared has no body.
    if (*start == '{') ptx_put(&directives->copy, start, directives->cluster);
    directives->is_header = false;
  }
  return true;
}

static bool write_directives(Directives *directives, const char *text, char *message, size_t capacity) {
  bool uses_memory = strstr(text, "coreml_shared");
  const char *start;
  size_t length;
  while ((length = ptx_token(&text, &start))) {
    if (!direct(directives, &text, start, length, message, capacity)) return false;
  }
  ptx_put(&directives->copy, text, "");
  const char *lack = NULL;
  if (directives->copy.has_no_memory) lack = "no memory";
  if (uses_memory && !directives->has_declaration) {
    lack = "the PTX of OpenCL's driver uses coreml_shared and has no .address_size 64";
  }
  if (!directives->has_target) lack = "the PTX of OpenCL's driver hides instructions of sm_90 and has no target";
  if (lack) snprintf(message, capacity, "%s", lack);
  return !lack;
}

char *ptx_apply_sm90(char *text, char *message, size_t capacity) {
  if (!strstr(text, MARK)) return text;
  Sm90Directives hidden;
  Directives directives = {.copy = {.from = text}};
  bool is_written = ptx_read_sm90(text, &hidden, message, capacity);
  if (is_written) {
    if (hidden.cluster) {
      snprintf(directives.cluster, sizeof directives.cluster, " .explicitcluster\n.reqnctapercluster 1, 1, %u\n",
               hidden.cluster);
    }
    uncover_instructions(text);
    is_written = write_directives(&directives, text, message, capacity);
  }
  free(text);
  if (is_written) return directives.copy.out;
  free(directives.copy.out);
  return NULL;
}
