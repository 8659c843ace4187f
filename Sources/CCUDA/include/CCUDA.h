#pragma once

// The seam between the OpenCL and the CUDA back end. The CUDA back end uses CUDA's driver behind a table of OpenCL
// entry points, so the code above it does not distinguish the two.

// By its path, so that a program that has the module alone finds it.
#include "../../COpenCL/include/COpenCL.h"

/// Fills `functions` with entry points whose contexts, queues, buffers, programs, kernels and events use CUDA's driver,
/// on the CUDA device that corresponds to `device`. `opencl` still lists platforms and devices and compiles sources.
/// The same table serves every device that was passed here, because a context refers to its device.
/// Returns 0, or -1 with a sentence in `message` and `functions` unchanged.
int ccuda_table(const COpenCLFunctions *_Nonnull opencl, cl_device_id _Nonnull device,
                COpenCLFunctions *_Nonnull functions, char *_Nonnull message, size_t capacity);

/// Registers host memory for direct transfers, without a copy through a staging buffer. The owner must call
/// ccuda_unregister before it frees the memory. Ranges of less than CCUDA_LEAST_REGISTERED bytes are ignored. Memory
/// may be registered before a device is opened.
#define CCUDA_LEAST_REGISTERED ((size_t)1 << 18)
void ccuda_register(void *_Nonnull base, size_t size);
/// Ends a registration. No transfer may use the memory any more. Ignores memory that is not registered.
void ccuda_unregister(void *_Nonnull base, size_t size);
