// The table of libcuda functions, and the mapping of CUDA results to OpenCL status codes.

#include "CUDADriver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

CUDADriver cuda;

static int resolve(void *library, CUDADriver *table, char *message, size_t capacity) {
#define RESOLVE(name, symbol, parameters)                                                                              \
  {                                                                                                                    \
    void *address = dlsym(library, symbol);                                                                            \
    if (!address) {                                                                                                    \
      snprintf(message, capacity, "libcuda.so.1 has no %s: the driver is too old", symbol);                            \
      return -1;                                                                                                       \
    }                                                                                                                  \
    *(void **)&table->name = address;                                                                                  \
  }
  CUDA_ENTRY_POINTS(RESOLVE)
#undef RESOLVE
#define FIND(name, symbol, parameters) *(void **)&table->name = dlsym(library, symbol);
  CUDA_LATER_POINTS(FIND)
#undef FIND
  return 0;
}

static int load(char *message, size_t capacity) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    snprintf(message, capacity, "%s", reason ? reason : "libcuda.so.1 cannot be opened");
    return -1;
  }
  CUDADriver table;
  int failed = resolve(library, &table, message, capacity);
  if (!failed) {
    CUresult result = table.cuInit(0);
    if (!result) {
      cuda = table;
      return 0;
    }
    const char *name = NULL;
    if (table.cuGetErrorName(result, &name) || !name) name = "an unknown error";
    snprintf(message, capacity, "cuInit failed: %s (%d)", name, result);
    return -1;  // a driver that has begun to initialize does not survive being unloaded
  }
  dlclose(library);
  return -1;
}

int cuda_driver_load(char *message, size_t capacity) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static int is_loaded = 0;
  pthread_mutex_lock(&lock);
  if (!is_loaded) is_loaded = load(message, capacity) == 0;
  int result = is_loaded ? 0 : -1;
  pthread_mutex_unlock(&lock);
  return result;
}

cl_int cuda_status(CUresult result) {
  switch (result) {
  case CUDA_SUCCESS: return CL_SUCCESS;
  case CUDA_ERROR_INVALID_VALUE: return CL_INVALID_VALUE;
  case CUDA_ERROR_OUT_OF_MEMORY: return CL_MEM_OBJECT_ALLOCATION_FAILURE;
  case 100:  // no device
  case 101: return CL_INVALID_DEVICE;
  case 200:  // invalid image
  case 209:  // no binary for this device
  case 218:  // invalid PTX
  case 222:  // PTX newer than the driver
    return CL_INVALID_BINARY;
  case 500: return CL_INVALID_KERNEL_NAME;
  case 46:   // device is unavailable
  case 214:  // uncorrectable ECC error
  case 700:  // illegal address
  case 701:  // too many resources for a launch
  case 702:  // launch timed out
  case 714:  // hardware stack error
  case 715:  // illegal instruction
  case 716:  // misaligned address
  case 717:  // invalid address space
  case 718:  // invalid program counter
  case 719:  // launch failed
    return CL_OUT_OF_RESOURCES;
  default: return CL_INVALID_OPERATION;
  }
}

const char *cuda_name(CUresult result) {
  const char *name = NULL;
  return cuda.cuGetErrorName(result, &name) || !name ? "an unknown error of CUDA" : name;
}
