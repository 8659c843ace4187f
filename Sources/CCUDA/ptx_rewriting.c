// Copies of a text with insertions.

#include "ptx.h"

#include <stdlib.h>
#include <string.h>

static void append(PTXRewriter *text, const char *bytes, size_t size) {
  if (text->capacity - text->size <= size) {
    size_t capacity = (text->size + size + 1) * 2;
    char *grown = realloc(text->out, capacity);
    if (!grown) {
      text->has_no_memory = true;
      return;
    }
    text->out = grown;
    text->capacity = capacity;
  }
  memcpy(text->out + text->size, bytes, size);
  text->size += size;
  text->out[text->size] = 0;
}

void ptx_put(PTXRewriter *text, const char *place, const char *words) {
  append(text, text->from, (size_t)(place - text->from));
  append(text, words, strlen(words));
  text->from = place;
}
