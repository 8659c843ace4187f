#pragma once

// The objects behind the handles of the CUDA table. Handles come from pools whose memory is never returned to the
// system, so a released handle can be distinguished from a live one.
//
// Lock order: a context's lock, a queue's lock, the locks of the pools. No thread waits for the device while it holds a
// context's lock, so a device that hangs does not block the others.

#include "CCUDA.h"
#include "CUDADriver.h"
#include "ptx.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#define CUDA_GRAPH_CAPACITY 64
#define CUDA_SEEN 256
#define CUDA_RING_SEGMENTS 4
#define CUDA_RING_SEGMENT ((size_t)1 << 20)

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
} CUDATuning;

/// Only the checks change it.
extern CUDATuning cuda_tuning;

/// An OpenCL device and the CUDA device that corresponds to it.
typedef struct {
  cl_device_id id;
  COpenCLFunctions opencl;
  CUdevice ordinal;
  int max_block[3];
  int max_grid[3];
} Device;

typedef enum { DEAD, CONTEXT, QUEUE, BUFFER, PROGRAM, KERNEL, EVENT, KIND_COUNT } Kind;

/// The first member of every object. The tag is a pointer, so that it can be compared where other libraries' objects
/// have a pointer.
typedef struct Object {
  const char *tag;
  atomic_uint references;
  struct Object *next_free;
} Object;

struct _cl_context {
  Object object;
  const Device *device;
  /// The OpenCL context that compiles sources.
  cl_context compiler;
  CUcontext cuda;
  /// The stream for initial contents of buffers.
  CUstream setup;
  pthread_mutex_t lock;
  cl_command_queue queues;
  /// Programs whose modules were still in use when they were released. They are unloaded with the context.
  cl_program retired;
};

struct _cl_mem {
  Object object;
  cl_context context;
  CUdeviceptr address;
  size_t size;
};

struct _cl_program {
  Object object;
  cl_context context;
  pthread_mutex_t lock;
  /// The compiler's program, until it is built.
  cl_program source;
  /// PTX as OpenCL's driver returned it.
  char *binary;
  size_t binary_size;
  char *log;
  cl_build_status build;
  CUmodule module;
  Entry *entries;
  size_t entry_count;
  cl_program next_retired;
};

struct _cl_kernel {
  Object object;
  cl_program program;
  Entry *entry;
  unsigned char *arguments;
  unsigned char *is_set;
  uint32_t unset;
};

/// A point in a stream. The events of launches that were submitted as one batch share it.
typedef struct Fence {
  CUevent event;
  uint32_t references;
  bool has_passed;
  struct Fence *next;
} Fence;

struct _cl_event {
  Object object;
  cl_command_queue queue;
  Fence *start;  // of profiling queues
  Fence *end;    // NULL until the command is submitted
  bool is_waiting;
  cl_int error;
  /// Readbacks that must finish before this event is complete, as a count from the queue's start.
  uint64_t readback;
  cl_event next_waiting;
};

/// The start of a recorded launch. Its arguments follow, padded with zero bytes to a multiple of 16. All bytes are
/// compared.
typedef struct {
  uint64_t id;
  const Entry *entry;
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t size;
  uint32_t unused;
} Launch;

_Static_assert(sizeof(Launch) % 16 == 0, "arguments are aligned");

typedef struct {
  CUgraphExec exec;
  uint64_t hash;
  uint64_t last_used;
  size_t size;
  unsigned char *launches;
} Graph;

/// A pending readback: a read, or a part of one, that the device writes to pinned memory. The host then copies it to
/// its destination.
typedef struct {
  const void *source;
  /// NULL if the read was abandoned.
  void *target;
  size_t size;
} Readback;

typedef struct {
  unsigned char *base;
  bool is_broken;
  unsigned segment;
  size_t used;
  /// Per segment: the event after its last transfer, and the count of readbacks up to it.
  CUevent left[CUDA_RING_SEGMENTS];
  bool has_left[CUDA_RING_SEGMENTS];
  uint64_t readback[CUDA_RING_SEGMENTS];
} Ring;

struct _cl_command_queue {
  Object object;
  cl_context context;
  cl_command_queue next;
  CUstream stream;
  bool is_profiling;
  Fence *base;
  pthread_mutex_t lock;
  /// Error of a submission that has not been reported yet; the next call returns it.
  cl_int error;

  unsigned char *launches;
  size_t capacity;
  size_t used;
  uint32_t count;
  /// Launches submitted since the last wait for the queue.
  uint32_t begun;
  uint64_t hash;
  cl_event waiting;
  uint32_t waiting_count;

  /// Number of submissions and transfers, and how many of them are known to have ended.
  uint64_t submitted;
  uint64_t ended;

  Graph graphs[CUDA_GRAPH_CAPACITY];
  uint32_t graph_count;
  bool has_no_graphs;
  /// The driver refused programmatic dependent launch.
  bool has_no_overlap;
  uint64_t turn;
  struct {
    uint64_t hash;
    uint64_t turn;
  } seen[CUDA_SEEN];

  Ring ring;
  Readback *readbacks;
  size_t readback_capacity;
  size_t readback_head;
  size_t readback_tail;
  uint64_t readbacks_done;

  Fence *spare;
};

// CUDAObjects.c

void *cuda_object(Kind kind, size_t size);
bool cuda_is(const void *handle, Kind kind);
/// Makes a handle invalid for the caller, whose reference is dropped next. Other users of the object are not affected.
void cuda_kill(void *object);
/// Returns an object of `cuda_object` to its pool; its memory stays readable.
void cuda_recycle(void *object, Kind kind);
void cuda_retain(void *object);
/// Drops a reference. Returns whether it was the last one.
bool cuda_drop(void *object);
void cuda_context_drop(cl_context context);
/// Submits everything that the context's queues have recorded, and waits for it if `wait`. Returns whether work may
/// still be running.
bool cuda_context_settle(cl_context context, bool wait);
/// Destroys the graphs that use a program.
void cuda_context_forget(cl_context context, cl_program program);
/// Writes the result of an OpenCL query.
cl_int cuda_answer(const void *value, size_t size, size_t capacity, void *out, size_t *out_size);
/// The device for an id that `ccuda_table` has seen, or NULL.
const Device *cuda_device(cl_device_id id);

// CUDACopy.c

/// As `memcpy`, with helper threads for large sizes.
void cuda_copy_bytes(void *target, const void *source, size_t size);

// CUDARegisteredMemory.c

/// Whether transfers may use host memory directly: it is registered and pinned. Counts as a use, and pins memory that
/// has been used often enough. `context` must be current.
bool cuda_is_registered(const void *bytes, size_t size, CUcontext context);
/// Unpins memory that was pinned in a context. The context must be current and is about to be destroyed.
void cuda_registered_forget(CUcontext context);

// CUDAProgram.c

void cuda_program_drop(cl_program program);
void cuda_program_unload(cl_program program);
/// Finds the function of an entry, once.
cl_int cuda_program_resolve(cl_program program, Entry *entry);

// CUDAQueue.c

bool cuda_queue_retain(cl_command_queue queue);
void cuda_queue_drop(cl_command_queue queue);
/// Waits for everything that is submitted, without the lock.
cl_int cuda_queue_wait(cl_command_queue queue);

/// A command that is being enqueued. The queue is locked between begin and end.
typedef struct {
  cl_command_queue queue;
  cl_event event;
  bool submits;
} Command;

/// Locks the queue, and creates an event if `event` is not NULL. `submits` is for commands that are not recorded: the
/// recorded launches are submitted first.
cl_int cuda_command_begin(Command *command, cl_command_queue queue, cl_uint wait_count, const cl_event *wait_list,
                          bool submits, cl_event *event);
/// Records the event's fence, returns the event to the caller, and unlocks the queue. `status` is that of the command.
cl_int cuda_command_end(Command *command, cl_int status, cl_event *event);

// CUDAGraph.c

/// Space for a launch with `argument_bytes` bytes of arguments. All of it is zero, except `size`. NULL if there is no
/// memory.
Launch *cuda_record(cl_command_queue queue, size_t argument_bytes);
/// Counts the launch that was just recorded.
void cuda_recorded(cl_command_queue queue, const Launch *launch);
/// Submits the recorded launches to the driver. Nothing is recorded afterwards, even after an error.
cl_int cuda_submit(cl_command_queue queue);
/// Destroys the graphs that use a program, or all graphs if it is NULL. None of them may be running.
void cuda_graphs_forget(cl_command_queue queue, cl_program program);

// CUDATransfer.c

/// Copies finished readbacks up to the count `readback` to their destinations. Their transfers must have finished.
void cuda_finish_readbacks(cl_command_queue queue, uint64_t readback);
uint64_t cuda_readback(cl_command_queue queue);
void cuda_ring_free(cl_command_queue queue);

// CUDAEvent.c

/// Makes a fence at the end of what the queue has submitted so far.
CUresult cuda_fence(cl_command_queue queue, Fence **fence);
void cuda_unfence(cl_command_queue queue, Fence *fence);
void cuda_fences_free(cl_command_queue queue);
/// Creates the event of the next command.
cl_int cuda_event_begin(cl_command_queue queue, cl_event *event);
/// Completes an event after its command is submitted.
cl_int cuda_event_end(cl_event event);
/// Marks the event of a recorded command: its fence is that of the next submission.
void cuda_event_await(cl_event event);
/// Gives the waiting events their fence; `status` is that of the submission. Returns the status of both steps.
cl_int cuda_events_submitted(cl_command_queue queue, cl_int status);
/// Frees an event. Its queue is locked, and stays alive.
void cuda_event_free(cl_event event);

#define CUDA_DECLARE(name) extern __typeof__(name) cuda_##name;
COPENCL_WORKING_POINTS(CUDA_DECLARE)
#undef CUDA_DECLARE
