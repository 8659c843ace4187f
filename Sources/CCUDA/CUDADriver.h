#pragma once

// The used part of CUDA's driver interface. Declared here, because CUDA's headers are not installed everywhere.

#include "COpenCL.h"
#include <stddef.h>

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;

enum {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_READY = 600,
};

enum {
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,  // and y, z
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,   // and y, z
  CU_DEVICE_ATTRIBUTE_PCI_BUS_ID = 33,
  CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = 34,
  CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID = 50,
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_STREAM_NON_BLOCKING = 1,
  CU_MEMHOSTREGISTER_PORTABLE = 1,
  CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
  CU_EVENT_DEFAULT = 0,
  CU_EVENT_DISABLE_TIMING = 2,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
  CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6,
};

typedef struct CUlaunchAttribute_st {
  int id;
  char padding[4];
  /// The first bytes of a 64-byte value.
  int value;
  char rest[60];
} CUlaunchAttribute;

typedef struct CUlaunchConfig_st {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
  CUstream stream;
  CUlaunchAttribute *attributes;
  unsigned attribute_count;
} CUlaunchConfig;

/// Name in the table, symbol in the library, parameters. CUDA's headers map plain names to the suffixed symbols; the
/// plain symbols are older versions.
#define CUDA_ENTRY_POINTS(X)                                                                                           \
  X(cuInit, "cuInit", (unsigned))                                                                                      \
  X(cuGetErrorName, "cuGetErrorName", (CUresult, const char **))                                                       \
  X(cuDeviceGetCount, "cuDeviceGetCount", (int *))                                                                     \
  X(cuDeviceGet, "cuDeviceGet", (CUdevice *, int))                                                                     \
  X(cuDeviceGetAttribute, "cuDeviceGetAttribute", (int *, int, CUdevice))                                              \
  X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (CUcontext *, CUdevice))                                     \
  X(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (CUdevice))                                             \
  X(cuCtxSetCurrent, "cuCtxSetCurrent", (CUcontext))                                                                   \
  X(cuMemAlloc, "cuMemAlloc_v2", (CUdeviceptr *, size_t))                                                              \
  X(cuMemFree, "cuMemFree_v2", (CUdeviceptr))                                                                          \
  X(cuMemAllocHost, "cuMemAllocHost_v2", (void **, size_t))                                                            \
  X(cuMemFreeHost, "cuMemFreeHost", (void *))                                                                          \
  X(cuMemHostRegister, "cuMemHostRegister_v2", (void *, size_t, unsigned))                                             \
  X(cuMemHostUnregister, "cuMemHostUnregister", (void *))                                                              \
  X(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", (CUdeviceptr, const void *, size_t, CUstream))                          \
  X(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", (void *, CUdeviceptr, size_t, CUstream))                                \
  X(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", (CUdeviceptr, CUdeviceptr, size_t, CUstream))                           \
  X(cuMemsetD8Async, "cuMemsetD8Async", (CUdeviceptr, unsigned char, size_t, CUstream))                                \
  X(cuMemsetD16Async, "cuMemsetD16Async", (CUdeviceptr, unsigned short, size_t, CUstream))                             \
  X(cuMemsetD32Async, "cuMemsetD32Async", (CUdeviceptr, unsigned, size_t, CUstream))                                   \
  X(cuModuleLoadDataEx, "cuModuleLoadDataEx", (CUmodule *, const void *, unsigned, int *, void **))                    \
  X(cuModuleUnload, "cuModuleUnload", (CUmodule))                                                                      \
  X(cuModuleGetFunction, "cuModuleGetFunction", (CUfunction *, CUmodule, const char *))                                \
  X(cuFuncGetAttribute, "cuFuncGetAttribute", (int *, int, CUfunction))                                                \
  X(cuFuncSetAttribute, "cuFuncSetAttribute", (CUfunction, int, int))                                                  \
  X(cuLaunchKernel, "cuLaunchKernel",                                                                                  \
    (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **, void **))    \
  X(cuStreamCreate, "cuStreamCreate", (CUstream *, unsigned))                                                          \
  X(cuStreamDestroy, "cuStreamDestroy_v2", (CUstream))                                                                 \
  X(cuStreamQuery, "cuStreamQuery", (CUstream))                                                                        \
  X(cuStreamSynchronize, "cuStreamSynchronize", (CUstream))                                                            \
  X(cuStreamBeginCapture, "cuStreamBeginCapture_v2", (CUstream, int))                                                  \
  X(cuStreamEndCapture, "cuStreamEndCapture", (CUstream, CUgraph *))                                                   \
  X(cuGraphInstantiate, "cuGraphInstantiateWithFlags", (CUgraphExec *, CUgraph, unsigned long long))                   \
  X(cuGraphLaunch, "cuGraphLaunch", (CUgraphExec, CUstream))                                                           \
  X(cuGraphExecDestroy, "cuGraphExecDestroy", (CUgraphExec))                                                           \
  X(cuGraphDestroy, "cuGraphDestroy", (CUgraph))                                                                       \
  X(cuEventCreate, "cuEventCreate", (CUevent *, unsigned))                                                             \
  X(cuEventDestroy, "cuEventDestroy_v2", (CUevent))                                                                    \
  X(cuEventRecord, "cuEventRecord", (CUevent, CUstream))                                                               \
  X(cuEventQuery, "cuEventQuery", (CUevent))                                                                           \
  X(cuEventSynchronize, "cuEventSynchronize", (CUevent))                                                               \
  X(cuEventElapsedTime, "cuEventElapsedTime", (float *, CUevent, CUevent))

/// Entry points that older drivers lack; NULL there.
#define CUDA_LATER_POINTS(X)                                                                                           \
  X(cuLaunchKernelEx, "cuLaunchKernelEx", (const CUlaunchConfig *, CUfunction, void **, void **))

typedef struct {
#define CUDA_FIELD(name, symbol, parameters) CUresult(*name) parameters;
  CUDA_ENTRY_POINTS(CUDA_FIELD)
  CUDA_LATER_POINTS(CUDA_FIELD)
#undef CUDA_FIELD
} CUDADriver;

/// Filled by `cuda_driver_load`, constant afterwards.
extern CUDADriver cuda;

/// Opens libcuda.so.1 and initializes it, once per process. After a failure the next call tries again. Returns 0, or -1
/// with a sentence in `message`.
int cuda_driver_load(char *message, size_t capacity);

/// The OpenCL status for a CUDA result.
cl_int cuda_status(CUresult result);

/// The driver's name of a result, for messages.
const char *cuda_name(CUresult result);
