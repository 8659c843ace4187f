// COREML_CUDA_DUMP: files of the PTX before the passes and after each. A folder that cannot be written fails nothing.

#include "tests.h"

#include <dirent.h>
#include <unistd.h>

#define VARIABLE "COREML_CUDA_DUMP"

static char folder[] = ".build/cuda-check/dump-XXXXXX";
/// A folder in `folder` that is not there yet.
static char dump[64];

static char *run(const char *ptx) { return ptx_run_passes(ptx, strlen(ptx), message, sizeof message); }

static int is_ptx(const struct dirent *entry) { return strstr(entry->d_name, ".ptx") != NULL; }

/// The sorted names of the files; the caller frees them.
static int list(struct dirent ***names) {
  int count = scandir(dump, names, is_ptx, alphasort);
  return count < 0 ? 0 : count;
}

static char *contents(const char *path) {
  FILE *file = fopen(path, "rb");
  CHECK(file);
  char *bytes = calloc(1, 1 << 16);
  CHECK(fread(bytes, 1, (1 << 16) - 1, file) > 0);
  fclose(file);
  return bytes;
}

/// The file at `place` ends with `name` and has this text.
static void check_file(struct dirent **names, int place, const char *name, const char *text) {
  const char *found = names[place]->d_name;
  size_t length = strlen(found), suffix = strlen(name);
  if (length < suffix || strcmp(found + length - suffix, name)) fprintf(stderr, "%s is not ...%s\n", found, name);
  CHECK(length >= suffix && strcmp(found + length - suffix, name) == 0);
  char path[400];
  snprintf(path, sizeof path, "%s/%s", dump, found);
  char *bytes = contents(path);
  if (text) CHECK(strcmp(bytes, text) == 0);
  free(bytes);
}

static void clear(struct dirent **names, int count) {
  char path[400];
  for (int index = 0; index < count; index++) {
    snprintf(path, sizeof path, "%s/%s", dump, names[index]->d_name);
    CHECK(unlink(path) == 0);
    free(names[index]);
  }
  free(names);
}

/// Two programs: four files each, which sort by program and pass.
static void check_files(void) {
  struct dirent **names;
  char *first = run(hidden_sample), *second = run(sample);
  CHECK(first && second);
  int count = list(&names);
  CHECK(count == 8);
  check_file(names, 0, "-note-0-opencl.ptx", hidden_sample);
  check_file(names, 1, "-note-1-normalize.ptx", NULL);
  check_file(names, 2, "-note-2-sm90.ptx", NULL);
  check_file(names, 3, "-note-3-dependent_launch.ptx", first);
  check_file(names, 4, "-note-0-opencl.ptx", sample);
  check_file(names, 7, "-note-3-dependent_launch.ptx", second);
  clear(names, count);
  free(first);
  free(second);
}

/// The files end with the last text before the failure.
static void check_refused(void) {
  struct dirent **names;
  CHECK(!run(".version 9.0\n.target sm_80\n.entry f() {}\n//@ a;\n"));
  int count = list(&names);
  CHECK(count == 2);
  check_file(names, 1, "-f-1-normalize.ptx", NULL);
  clear(names, count);
  CHECK(!run("no PTX"));
  count = list(&names);
  CHECK(count == 1);
  check_file(names, 0, "-0-opencl.ptx", "no PTX");
  clear(names, count);
}

/// What the calls wrote on standard error; the caller frees it.
static char *errors_of(void (*calls)(void)) {
  char path[64];
  snprintf(path, sizeof path, "%s/errors", folder);
  FILE *file = fopen(path, "w+");
  CHECK(file);
  int before = dup(STDERR_FILENO);
  CHECK(before >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
  calls();
  CHECK(dup2(before, STDERR_FILENO) >= 0);
  close(before);
  char *bytes = calloc(1, 2000);
  rewind(file);
  size_t size = fread(bytes, 1, 1999, file);
  bytes[size] = 0;
  fclose(file);
  CHECK(unlink(path) == 0);
  return bytes;
}

static void build_twice(void) {
  for (int index = 0; index < 2; index++) {
    Rig rig = rig_open(false);
    notes(&rig, 0, 2);
    rig_close(&rig);
  }
}

/// Programs build and run, and there is one sentence.
static void check_unwritable(void) {
  // A name below a file: nobody can create it, not even root.
  setenv(VARIABLE, "/proc/self/stat/below", 1);
  char *errors = errors_of(build_twice);
  const char *end = strchr(errors, '\n');
  if (!end || end[1]) fprintf(stderr, "not one sentence: %s\n", errors);
  CHECK(strstr(errors, VARIABLE ": /proc/self/stat/below cannot be written: "));
  CHECK(end && !end[1]);
  free(errors);
  errors = errors_of(build_twice);
  CHECK(!errors[0]);
  free(errors);
}

void check_dump(void) {
  struct dirent **names;
  CHECK(mkdtemp(folder));
  snprintf(dump, sizeof dump, "%s/dump", folder);
  setenv(VARIABLE, dump, 1);
  check_files();
  check_refused();
  check_unwritable();
  setenv(VARIABLE, "", 1);
  free(run(sample));
  unsetenv(VARIABLE);
  free(run(sample));
  CHECK(list(&names) == 0);
  free(names);
  CHECK(rmdir(dump) == 0 && rmdir(folder) == 0);
}
