// COREML_CUDA_DUMP=DIR: writes the PTX of each program before the first pass and after each pass.

#include "ptx.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/// The folder, or NULL. Ignored in programs that have more rights than their caller.
static const char *folder(void) {
  const char *path = secure_getenv("COREML_CUDA_DUMP");
  return path && *path ? path : NULL;
}

/// Tells a failure once per process: a folder that cannot be written fails for every program.
static void complain(const char *path) {
  static atomic_flag told = ATOMIC_FLAG_INIT;
  int error = errno;
  if (atomic_flag_test_and_set(&told)) return;
  fprintf(stderr, "COREML_CUDA_DUMP: %s cannot be written: %s\n", path, strerror(error));
}

PTXDump ptx_dump_begin(const char *text) {
  static atomic_uint last;
  PTXDump dump = {0};
  if (!folder()) return dump;
  if (mkdir(folder(), 0777) && errno != EEXIST) complain(folder());
  dump.program = atomic_fetch_add(&last, 1) + 1;
  const char *start;
  size_t length;
  while ((length = ptx_token(&text, &start))) {
    if (!ptx_is_token(start, length, ".entry")) continue;
    length = ptx_token(&text, &start);
    if (length && ptx_is_word(*start)) snprintf(dump.kernel, sizeof dump.kernel, "%.*s-", (int)length, start);
    break;
  }
  return dump;
}

static bool write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "we");
  if (!file) return false;
  bool is_written = fputs(text, file) >= 0;
  return fclose(file) == 0 && is_written;
}

void ptx_dump(const PTXDump *dump, unsigned step, const char *pass, const char *text) {
  char *path;
  if (!dump->program || !folder()) return;
  int process = (int)getpid();
  if (asprintf(&path, "%s/%07d-%05u-%s%u-%s.ptx", folder(), process, dump->program, dump->kernel, step, pass) < 0) {
    return complain(folder());
  }
  if (!write_file(path, text)) complain(path);
  free(path);
}
