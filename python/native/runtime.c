/* The command `runtime` of the wheel. It calls the library in its folder, so that the wheel has only one copy of the
 * runtime. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
  char path[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 32);
  char *name = length > 0 ? memrchr(path, '/', (size_t)length) : NULL;
  if (name == NULL) {
    fputs("runtime: /proc is not there, and the library is found through it\n", stderr);
    return 70;
  }
  strcpy(name, "/libcoreml_runtime.so");
  void *library = dlopen(path, RTLD_NOW);
  int (*command)(int, char **) = library == NULL ? NULL : (int (*)(int, char **))dlsym(library, "coreml_command");
  if (command == NULL) {
    fprintf(stderr, "runtime: %s\n", dlerror());
    return 70;
  }
  return command(argc, argv);
}
