#pragma once

#include "COpenCL.h"

#include <stdbool.h>

/// Fills `functions` with entry points whose contexts, queues, buffers, programs, kernels and events use CUDA's driver,
/// on the CUDA device that corresponds to `device`. `opencl` still lists platforms and devices and compiles sources.
/// The same table serves every device that was passed here, because a context refers to its device.
/// Returns 0, or -1 with a sentence in `message` and `functions` unchanged.
int copencl_cuda(const COpenCLFunctions *_Nonnull opencl, cl_device_id _Nonnull device,
                 COpenCLFunctions *_Nonnull functions, char *_Nonnull message, size_t capacity);

/// Whether the table of `copencl_cuda` created a handle, even if it has been released since. The handle may belong to
/// another OpenCL library, whose objects start with a pointer as the ICD loader requires. False for NULL.
bool copencl_cuda_owns(const void *_Nullable handle);

/// Registers host memory for direct transfers, without a copy through a staging buffer. The owner must call
/// copencl_cuda_unregister before it frees the memory. Ranges of less than COPENCL_CUDA_LEAST_LENT bytes are ignored.
/// Does nothing if CUDA is not in use.
#define COPENCL_CUDA_LEAST_REGISTERED ((size_t)1 << 18)
void copencl_cuda_register(void *_Nonnull base, size_t size);
/// Ends a registration. No transfer may use the memory any more. Ignores memory that is not registered.
void copencl_cuda_unregister(void *_Nonnull base, size_t size);

/// How queues batch launches. Set it before the first queue is created. Values out of range are clamped.
typedef struct {
  /// Launches that are recorded before the queue submits them without a flush.
  uint32_t launches;
  /// As `launches`, for the first batch after a wait. Later batches have at least as many launches as were submitted
  /// since then, so the device works while more are recorded. 0: only `launches` counts.
  uint32_t first;
  /// Recorded launches with an event after which everything is submitted. 1 submits with each of them. With more, an
  /// event completes with the last launch of its batch, and a batch (a graph) is longer. Profiling queues always use 1.
  uint32_t events;
  /// Graphs that a queue keeps, at most CUDA_GRAPH_CAPACITY.
  uint32_t graphs;
  /// The maximum number of helper threads for large copies; fewer if there are few processors. Must be set before the
  /// first large copy.
  uint32_t helpers;
  /// Number of processors, which limits the helper threads; 0 asks the system.
  uint32_t processors;
  /// Whether kernels use programmatic dependent launch, if the device supports it. Affects programs that are built
  /// later.
  bool overlaps;
  /// Bytes of registered memory that may be pinned at a time.
  size_t pinned;
} COpenCLCUDATuning;

extern COpenCLCUDATuning copencl_cuda_tuning;
