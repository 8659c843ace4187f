// Words and punctuation of PTX.

#include "ptx.h"

#include <ctype.h>
#include <string.h>

const char *ptx_skip(const char *text) {
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

bool ptx_is_word(char byte) {
  return isalnum((unsigned char)byte) || byte == '_' || byte == '$' || byte == '%' || byte == '.';
}

size_t ptx_token(const char **text, const char **start) {
  *start = *text = ptx_skip(*text);
  if (**text == '"') {
    do (*text)++;
    while (**text && **text != '"');
    if (**text) (*text)++;
  } else if (ptx_is_word(**text)) {
    while (ptx_is_word(**text)) (*text)++;
  } else if (**text) {
    (*text)++;
  }
  return (size_t)(*text - *start);
}

bool ptx_is_token(const char *start, size_t length, const char *word) {
  return length == strlen(word) && memcmp(start, word, length) == 0;
}
