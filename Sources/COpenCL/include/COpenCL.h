#pragma once

// OpenCL 1.2 calls of a library that is opened at run time: nothing here links against libOpenCL, so a program that
// uses this target starts on machines without OpenCL.

#include <stddef.h>
#include <stdint.h>

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

/// The entry points that tell of platforms and devices.
#define COPENCL_LISTING_POINTS(X)                                                                                      \
  X(clGetPlatformIDs)                                                                                                  \
  X(clGetPlatformInfo)                                                                                                 \
  X(clGetDeviceIDs)                                                                                                    \
  X(clGetDeviceInfo)

/// Those that work with a device.
#define COPENCL_WORKING_POINTS(X)                                                                                      \
  X(clCreateContext)                                                                                                   \
  X(clReleaseContext)                                                                                                  \
  X(clCreateCommandQueue)                                                                                              \
  X(clReleaseCommandQueue)                                                                                             \
  X(clCreateBuffer)                                                                                                    \
  X(clReleaseMemObject)                                                                                                \
  X(clCreateProgramWithSource)                                                                                         \
  X(clCreateProgramWithBinary)                                                                                         \
  X(clBuildProgram)                                                                                                    \
  X(clGetProgramInfo)                                                                                                  \
  X(clGetProgramBuildInfo)                                                                                             \
  X(clReleaseProgram)                                                                                                  \
  X(clCreateKernel)                                                                                                    \
  X(clGetKernelWorkGroupInfo)                                                                                          \
  X(clSetKernelArg)                                                                                                    \
  X(clReleaseKernel)                                                                                                   \
  X(clEnqueueNDRangeKernel)                                                                                            \
  X(clEnqueueReadBuffer)                                                                                               \
  X(clEnqueueWriteBuffer)                                                                                              \
  X(clEnqueueCopyBuffer)                                                                                               \
  X(clEnqueueFillBuffer)                                                                                               \
  X(clGetEventInfo)                                                                                                    \
  X(clGetEventProfilingInfo)                                                                                           \
  X(clWaitForEvents)                                                                                                   \
  X(clReleaseEvent)                                                                                                    \
  X(clFlush)                                                                                                           \
  X(clFinish)

/// Every entry point that is called, all of them in OpenCL 1.2.
#define COPENCL_ENTRY_POINTS(X) COPENCL_LISTING_POINTS(X) COPENCL_WORKING_POINTS(X)

/// The entry points of one loaded library.
typedef struct {
#define COPENCL_FIELD(name) __typeof__(name) *_Nonnull name;
  COPENCL_ENTRY_POINTS(COPENCL_FIELD)
#undef COPENCL_FIELD
} COpenCLFunctions;

/// Opens the library `path` (a file name is searched for as the dynamic linker does) and resolves every entry point.
/// Returns 0, or -1 with a sentence in `message` when the library is absent or lacks an entry point. The library stays
/// loaded: drivers do not survive being unloaded.
int copencl_load(const char *_Nonnull path, COpenCLFunctions *_Nonnull functions, char *_Nonnull message,
                 size_t capacity);

/// Asks `platform` for its devices in a child process, which a driver may end as it likes: some abort where they cannot read the system.
/// Returns 0 when the child came through or none could be made, the number of the signal that ended it otherwise; SIGALRM after `seconds`.
int copencl_try_devices(const COpenCLFunctions *_Nonnull functions, cl_platform_id _Nonnull platform, unsigned seconds);

#include "COpenCLCUDA.h"
