// Converts the PTX of NVIDIA's OpenCL compiler for CUDA's loader, and reads the kernels' parameters.

#include "CUDAObjects.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

// MARK: differences from CUDA

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

static bool starts(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

static bool rewrite(char *text, char *out, char *message, size_t capacity) {
  const char *from = text;
  while (*from) {
    // Only at the start of a line, because the comment at the section's end contains the word too.
    if (starts(from, ".metadata_section") && (from == text || from[-1] == '\n')) {
      const char *end = section_end(from);
      if (!end) {
        snprintf(message, capacity, "the PTX of OpenCL's driver has a metadata section without an end");
        return false;
      }
      from = end;
    } else if (starts(from, "%envreg") && isdigit((unsigned char)from[7])) {
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

char *ptx_normalize(const char *binary, size_t size, char *message, size_t capacity) {
  char *text = malloc(size + 1);
  // The longest replacement is one byte longer than the text that it replaces, which has eight bytes.
  char *out = malloc(size + size / 8 + 1);
  if (text && out) {
    memcpy(text, binary, size);
    text[size] = 0;
    if (strstr(text, ".version") && strstr(text, ".target")) {
      if (rewrite(text, out, message, capacity)) {
        free(text);
        char *uncovered = ptx_apply_sm90(out, message, capacity);
        return uncovered ? ptx_add_dependent_launch(uncovered) : NULL;
      }
    } else {
      snprintf(message, capacity, "OpenCL's driver gave no PTX");
    }
  } else {
    snprintf(message, capacity, "no memory");
  }
  free(text);
  free(out);
  return NULL;
}

// MARK: tokens

/// Skips spaces and comments.
static const char *skip(const char *text) {
  for (;;) {
    while (isspace((unsigned char)*text)) text++;
    if (text[0] == '/' && text[1] == '/') {
      while (*text && *text != '\n') text++;
    } else if (text[0] == '/' && text[1] == '*') {
      const char *end = strstr(text + 2, "*/");
      text = end ? end + 2 : text + strlen(text);
    } else {
      return text;
    }
  }
}

static bool is_word(char byte) {
  return isalnum((unsigned char)byte) || byte == '_' || byte == '$' || byte == '%' || byte == '.';
}

size_t ptx_token(const char **text, const char **start) {
  *start = *text = skip(*text);
  if (**text == '"') {
    do (*text)++;
    while (**text && **text != '"');
    if (**text) (*text)++;
  } else if (is_word(**text)) {
    while (is_word(**text)) (*text)++;
  } else if (**text) {
    (*text)++;
  }
  return (size_t)(*text - *start);
}

bool ptx_is_token(const char *start, size_t length, const char *word) {
  return length == strlen(word) && memcmp(start, word, length) == 0;
}

// MARK: kernels

/// Bytes of a type such as `.u64`; 0 if the word is no type.
static uint32_t type_size(const char *start, size_t length) {
  if (length < 3 || start[0] != '.' || !strchr("bsuf", start[1])) return 0;
  char *end;
  unsigned long bits = strtoul(start + 2, &end, 10);
  bool is_known = bits == 8 || bits == 16 || bits == 32 || bits == 64;
  return end == start + length && is_known ? (uint32_t)bits / 8 : 0;
}

static uint64_t number_at(const char **text) {
  const char *start;
  size_t length = ptx_token(text, &start);
  return length && isdigit((unsigned char)*start) ? strtoull(start, NULL, 10) : 0;
}

/// Parses one `.param` up to the comma or the bracket after it, which it does not consume.
static bool parse_parameter(const char **text, Entry *entry) {
  Parameter parameter = {0};
  uint64_t alignment = 0, count = 1;
  bool is_pointer = false, is_global = false;
  const char *start;
  for (;;) {
    *text = skip(*text);
    if (**text == ',' || **text == ')') break;
    size_t length = ptx_token(text, &start);
    if (!length) return false;
    if (ptx_is_token(start, length, ".align")) {
      uint64_t value = number_at(text);
      // After `.ptr` it is the alignment of the pointee.
      if (!is_pointer) alignment = value;
    } else if (ptx_is_token(start, length, ".ptr")) {
      is_pointer = true;
    } else if (ptx_is_token(start, length, ".global")) {
      is_global = true;
    } else if (ptx_is_token(start, length, "[")) {
      count = number_at(text);
    } else if (type_size(start, length)) {
      parameter.size = type_size(start, length);
    } else if (start[0] == '.' && !ptx_is_token(start, length, ".param")) {
      entry->is_foreign = true;
    }
  }
  // Any size will do: a kernel that cannot be used must not invalidate its program.
  if (!parameter.size && entry->is_foreign) parameter.size = 8;
  if (!parameter.size || !count || count > 32764 || alignment > 128 || (alignment & (alignment - 1))) return false;
  if (is_pointer && !is_global) entry->is_foreign = true;
  if (!alignment) alignment = parameter.size;
  parameter.is_memory = is_pointer;
  parameter.size *= (uint32_t)count;
  parameter.offset = (entry->argument_bytes + (uint32_t)alignment - 1) & ~((uint32_t)alignment - 1);
  entry->argument_bytes = parameter.offset + parameter.size;
  Parameter *grown = realloc(entry->parameters, (entry->parameter_count + 1) * sizeof *grown);
  if (!grown) return false;
  entry->parameters = grown;
  grown[entry->parameter_count++] = parameter;
  return entry->argument_bytes <= 32764 && entry->parameter_count <= CUDA_PARAMETER_LIMIT;
}

static bool parse_parameters(const char **text, Entry *entry) {
  const char *start;
  *text = skip(*text);
  if (**text != '(') return true;
  (*text)++;
  *text = skip(*text);
  if (**text == ')') return ((*text)++, true);
  for (;;) {
    if (!parse_parameter(text, entry)) return false;
    ptx_token(text, &start);
    if (*start == ')') return true;
  }
}

/// Parses the directives between the parameters and the body.
static bool parse_directives(const char **text, Entry *entry) {
  const char *start;
  for (;;) {
    size_t length = ptx_token(text, &start);
    if (!length) return false;
    if (*start == '{' || *start == ';') return true;
    if (!ptx_is_token(start, length, ".reqntid")) continue;
    for (int axis = 0; axis < 3; axis++) {
      entry->group[axis] = (uint32_t)number_at(text);
      *text = skip(*text);
      if (**text != ',') {
        while (++axis < 3) entry->group[axis] = 1;
        break;
      }
      (*text)++;
    }
  }
}

static bool parse_entry(const char **text, Entry *entry) {
  static atomic_uint_fast64_t last_id;
  const char *start;
  *entry = (Entry){.id = atomic_fetch_add(&last_id, 1) + 1};
  size_t length = ptx_token(text, &start);
  if (!length || !is_word(*start)) return false;
  entry->name = strndup(start, length);
  return entry->name && parse_parameters(text, entry) && parse_directives(text, entry);
}

int ptx_kernels(const char *text, Entry **entries, size_t *count, char *message, size_t capacity) {
  Sm90Directives hidden;
  const char *start;
  size_t length;
  *entries = NULL;
  *count = 0;
  if (!ptx_read_sm90(text, &hidden, message, capacity)) return -1;
  // Either all kernels of a text begin with it or none.
  bool waits = strstr(text, CUDA_WAIT);
  while ((length = ptx_token(&text, &start))) {
    if (!ptx_is_token(start, length, ".entry")) continue;
    Entry *grown = realloc(*entries, (*count + 1) * sizeof *grown);
    if (!grown) break;
    *entries = grown;
    Entry *entry = &grown[(*count)++];
    if (!parse_entry(&text, entry)) break;
    entry->shared_bytes = hidden.shared_bytes;
    entry->waits = waits;
  }
  if (!length) return 0;
  snprintf(message, capacity, "kernel %zu of the PTX cannot be read", *count);
  ptx_kernels_free(*entries, *count);
  *entries = NULL;
  *count = 0;
  return -1;
}

void ptx_kernels_free(Entry *entries, size_t count) {
  for (size_t index = 0; index < count; index++) {
    free(entries[index].name);
    free(entries[index].parameters);
  }
  free(entries);
}
