// Pass 1. Registers and sections of OpenCL's driver that CUDA's loader does not know.

#include "ptx.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// OpenCL's driver sets %envreg0-2 to the part of a large launch, 3-5 to the global offset and 6-8 to the number of
/// groups. Here launches are not split and have no offset.
static const char *replacement(unsigned number) {
  static const char *const counts[] = {"%nctaid.x", "%nctaid.y", "%nctaid.z"};
  if (number < 6) return "0";
  return number < 9 ? counts[number - 6] : NULL;
}

/// The end of the braced section at `text`, skipping strings. NULL if the section does not end.
static const char *section_end(const char *text) {
  int depth = 0;
  for (; *text; text++) {
    if (*text == '"') {
      do text++;
      while (*text && *text != '"');
      if (!*text) return NULL;
    }
    depth += (*text == '{') - (*text == '}');
    if (*text == '}' && depth <= 0) return text + 1;
  }
  return NULL;
}

static bool rewrite(const char *text, char *out, char *message, size_t capacity) {
  const char *from = text;
  while (*from) {
    // Only at the start of a line, because the comment at the section's end contains the word too.
    if (ptx_starts(from, ".metadata_section") && (from == text || from[-1] == '\n')) {
      const char *end = section_end(from);
      if (!end) {
        snprintf(message, capacity, "the PTX of OpenCL's driver has a metadata section without an end");
        return false;
      }
      from = end;
    } else if (ptx_starts(from, "%envreg") && isdigit((unsigned char)from[7])) {
      char *end;
      unsigned long number = strtoul(from + 7, &end, 10);
      const char *with = replacement(number > 99 ? 99 : (unsigned)number);
      if (!with) {
        snprintf(message, capacity, "the PTX of OpenCL's driver reads %%envreg%lu, which is unknown", number);
        return false;
      }
      size_t length = strlen(with);
      memcpy(out, with, length);
      out += length;
      from = end;
    } else {
      *out++ = *from++;
    }
  }
  *out = 0;
  return true;
}

char *ptx_normalize(char *text, char *message, size_t capacity) {
  size_t size = strlen(text);
  // The longest replacement is one byte longer than the text that it replaces, which has eight bytes.
  char *out = malloc(size + size / 8 + 1);
  if (!out) snprintf(message, capacity, "no memory");
  bool is_written = out && rewrite(text, out, message, capacity);
  free(text);
  if (is_written) return out;
  free(out);
  return NULL;
}
