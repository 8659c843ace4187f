// The kernels of a PTX text and their parameters.

#include "ptx.h"

#include <ctype.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    *text = ptx_skip(*text);
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
  return entry->argument_bytes <= 32764 && entry->parameter_count <= PTX_PARAMETER_LIMIT;
}

static bool parse_parameters(const char **text, Entry *entry) {
  const char *start;
  *text = ptx_skip(*text);
  if (**text != '(') return true;
  (*text)++;
  *text = ptx_skip(*text);
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
      *text = ptx_skip(*text);
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
  if (!length || !ptx_is_word(*start)) return false;
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
  bool waits = strstr(text, PTX_WAIT);
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
