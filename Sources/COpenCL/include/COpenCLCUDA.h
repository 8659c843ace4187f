#pragma once

#include "COpenCL.h"

#include <stdbool.h>

/// Fills `functions` with entry points whose contexts, queues, buffers, programs, kernels and events run through CUDA's
/// driver on the CUDA device that is `device`. `opencl` stays what lists platforms and devices and what compiles
/// sources. The same table serves every device that was given here: a context knows its own.
/// Returns 0, or -1 with a sentence in `message`; `functions` is then left as it was.
int copencl_cuda(const COpenCLFunctions *_Nonnull opencl, cl_device_id _Nonnull device,
                 COpenCLFunctions *_Nonnull functions, char *_Nonnull message, size_t capacity);

/// Whether a handle was made by the table of `copencl_cuda`, even if it has been released since. The handle may also be
/// one of another OpenCL library, whose objects start with a pointer as the ICD loader demands; NULL is nobody's.
bool copencl_cuda_owns(const void *_Nullable handle);

/// Tells of host memory whose owner takes it back before it is given away: transfers of it may be the device's own, without
/// a copy between. Less than COPENCL_CUDA_LEAST_LENT bytes are left alone. Nothing is done where CUDA is not in use.
#define COPENCL_CUDA_LEAST_LENT ((size_t)1 << 18)
void copencl_cuda_register(void *_Nonnull base, size_t size);
/// No transfer uses the memory any more. What was not lent is left alone.
void copencl_cuda_unregister(void *_Nonnull base, size_t size);

/// How queues gather launches. Set before the first queue is made; values out of range are taken as the nearest.
typedef struct {
  /// Launches that are recorded before they are submitted unasked.
  uint32_t launches;
  /// The same of the first ones after a wait, and of as many as were submitted since: the device works while others are
  /// recorded. 0 leaves all to `launches`.
  uint32_t first;
  /// Launches that want an event and were recorded before all is submitted: 1 submits with each of them. With more, an
  /// event completes with the last launch of its batch, and a batch (a graph) is longer. Profiling queues always use 1.
  uint32_t events;
  /// Graphs that a queue keeps, CUDA_GRAPH_CAPACITY at most.
  uint32_t graphs;
  /// Threads that share large copies with the one that asks for them, at most; the fewer processors, the fewer. Counts
  /// where it is set before the first such copy.
  uint32_t helpers;
  /// Processors that there are for them; 0 asks the system.
  uint32_t processors;
  /// Whether launches begin while those before them end, where the device does that. Counts for programs that are
  /// built later.
  bool overlaps;
  /// Bytes of lent memory that may be pinned at once.
  size_t pinned;
} COpenCLCUDATuning;

extern COpenCLCUDATuning copencl_cuda_tuning;
