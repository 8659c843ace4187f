#pragma once

// OpenCL 1.2 calls of a library that is opened at run time. Nothing here links against libOpenCL, so a program with
// this target starts on machines without OpenCL.

#include <stddef.h>
#include <stdint.h>

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

/// Entry points that list platforms and devices.
#define COPENCL_LISTING_POINTS(X)                                                                                      \
  X(clGetPlatformIDs)                                                                                                  \
  X(clGetPlatformInfo)                                                                                                 \
  X(clGetDeviceIDs)                                                                                                    \
  X(clGetDeviceInfo)

/// Entry points that use a device.
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

/// All entry points in use; they exist in OpenCL 1.2.
#define COPENCL_ENTRY_POINTS(X) COPENCL_LISTING_POINTS(X) COPENCL_WORKING_POINTS(X)

/// The entry points of one loaded library.
typedef struct {
#define COPENCL_FIELD(name) __typeof__(name) *_Nonnull name;
  COPENCL_ENTRY_POINTS(COPENCL_FIELD)
#undef COPENCL_FIELD
} COpenCLFunctions;

/// Opens the library `path` (the dynamic linker searches for a bare file name) and resolves every entry point. Returns
/// 0. Returns -1 with a sentence in `message` if the library is absent or lacks an entry point. The library stays
/// loaded, because drivers do not survive being unloaded.
int copencl_load(const char *_Nonnull path, COpenCLFunctions *_Nonnull functions, char *_Nonnull message,
                 size_t capacity);

/// Lists the devices of `platform` in a child process, because some drivers abort if they cannot read the system.
/// Returns 0 if the child succeeded or no child could be created, otherwise the number of the signal that ended it.
/// SIGALRM ends it after `seconds`.
int copencl_try_devices(const COpenCLFunctions *_Nonnull functions, cl_platform_id _Nonnull platform, unsigned seconds);
