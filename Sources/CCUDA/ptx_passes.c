// Runs the passes of PTX post-processing in their order.

#include "ptx.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
  const char *name;
  PTXPass *run;
} passes[] = {
    {"normalize", ptx_normalize},
    {"sm90", ptx_apply_sm90},
    {"dependent_launch", ptx_add_dependent_launch},
};

char *ptx_run_passes(const char *binary, size_t size, char *message, size_t capacity) {
  char *text = malloc(size + 1);
  if (!text) return (snprintf(message, capacity, "no memory"), NULL);
  memcpy(text, binary, size);
  text[size] = 0;
  PTXDump dump = ptx_dump_begin(text);
  ptx_dump(&dump, 0, "opencl", text);
  if (!strstr(text, ".version") || !strstr(text, ".target")) {
    snprintf(message, capacity, "OpenCL's driver gave no PTX");
    free(text);
    return NULL;
  }
  for (unsigned index = 0; text && index < sizeof passes / sizeof *passes; index++) {
    text = passes[index].run(text, message, capacity);
    if (text) ptx_dump(&dump, index + 1, passes[index].name, text);
  }
  return text;
}
