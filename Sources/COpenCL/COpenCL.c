#include "COpenCL.h"

#include <dlfcn.h>
#include <stdio.h>

int copencl_load(const char *path, COpenCLFunctions *functions, char *message, size_t capacity) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    snprintf(message, capacity, "%s", reason ? reason : path);
    return -1;
  }
#define RESOLVE(name)                                                                                                  \
  {                                                                                                                    \
    void *address = dlsym(library, #name);                                                                             \
    if (!address) {                                                                                                    \
      snprintf(message, capacity, "%s has no %s: it is older than OpenCL 1.2, or no OpenCL library", path, #name);     \
      dlclose(library);                                                                                                \
      return -1;                                                                                                       \
    }                                                                                                                  \
    *(void **)&functions->name = address;                                                                              \
  }
  COPENCL_ENTRY_POINTS(RESOLVE)
#undef RESOLVE
  return 0;
}
