#pragma once

// What the handles of the CUDA table point to. Handles come from pools that are never given back to the system, so a
// released one can still be told from a live one.
//
// Locks, in the order in which they may be taken: a context's, a queue's, those of the pools. Nobody waits for the
// device with a context's lock held, so a device that hangs does not stop the others.

#include "COpenCLCUDA.h"
#include "CUDADriver.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define CUDA_GRAPH_CAPACITY 64
#define CUDA_SEEN 256
#define CUDA_PARAMETER_LIMIT 512
#define CUDA_RING_SEGMENTS 4
#define CUDA_RING_SEGMENT ((size_t)1 << 20)

/// An OpenCL device that has been found among CUDA's.
typedef struct {
  cl_device_id id;
  COpenCLFunctions opencl;
  CUdevice ordinal;
  int max_block[3];
  int max_grid[3];
} Device;

typedef enum { DEAD, CONTEXT, QUEUE, BUFFER, PROGRAM, KERNEL, EVENT, KIND_COUNT } Kind;

/// The start of every object. The tag is a pointer, so that it can be compared where other libraries' objects have one.
typedef struct Object {
  const char *tag;
  atomic_uint references;
  struct Object *next_free;
} Object;

struct _cl_context {
  Object object;
  const Device *device;
  /// What compiles sources.
  cl_context compiler;
  CUcontext cuda;
  /// For bytes that a buffer starts with.
  CUstream setup;
  pthread_mutex_t lock;
  cl_command_queue queues;
  /// Modules that were still in use when their program went: unloaded with the context.
  cl_program retired;
};

struct _cl_mem {
  Object object;
  cl_context context;
  CUdeviceptr address;
  size_t size;
};

typedef struct {
  uint32_t offset;
  uint32_t size;
  bool is_memory;
} Parameter;

/// A kernel as PTX declares it.
typedef struct {
  char *name;
  /// Unlike the function's address never used for another function again: what recorded launches are compared by.
  uint64_t id;
  CUfunction function;
  uint32_t max_threads;
  /// The work-group size that the source demands; zero when it demands none.
  uint32_t group[3];
  uint32_t parameter_count;
  uint32_t argument_bytes;
  /// Memory of the group that each launch gives it.
  uint32_t shared_bytes;
  /// Waits by itself for what the launches before it write.
  bool waits;
  Parameter *parameters;
  /// Has a parameter that cannot be set here, such as local memory.
  bool is_foreign;
} Entry;

struct _cl_program {
  Object object;
  cl_context context;
  pthread_mutex_t lock;
  /// Until a source is built.
  cl_program source;
  /// PTX as OpenCL's driver gave it.
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

/// A place in a stream. Several events may share one: those of launches that were submitted together.
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
  Fence *end;    // NULL until it is submitted
  bool is_waiting;
  cl_int error;
  /// Reads that must be at their destination before this event is complete: the count of all up to then.
  uint64_t readback;
  cl_event next_waiting;
};

/// The start of a recorded launch; its arguments follow, and zero bytes up to a multiple of 16. All of it is compared.
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

/// A read, or a part of one, that the device writes to pinned memory, from where it goes to its destination once it is there.
typedef struct {
  const void *source;
  /// NULL where nobody wants it any more.
  void *target;
  size_t size;
} Readback;

typedef struct {
  unsigned char *base;
  bool is_broken;
  unsigned segment;
  size_t used;
  /// By segment: the place after its last transfer, and the landings that it holds.
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
  /// Of a submission that nobody saw fail: told by the next call.
  cl_int error;

  unsigned char *launches;
  size_t capacity;
  size_t used;
  uint32_t count;
  /// Launches since the queue was waited for that have been submitted.
  uint32_t begun;
  uint64_t hash;
  cl_event waiting;
  uint32_t waiting_count;

  /// Submissions and transfers so far, and how many of them are known to have ended.
  uint64_t submitted;
  uint64_t ended;

  Graph graphs[CUDA_GRAPH_CAPACITY];
  uint32_t graph_count;
  bool has_no_graphs;
  /// The driver refused a launch that begins while the one before it ends.
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
/// Makes a handle invalid to the caller, whose reference goes next; who else uses the object goes on.
void cuda_kill(void *object);
/// Takes back what `cuda_object` gave; its memory stays readable.
void cuda_recycle(void *object, Kind kind);
void cuda_retain(void *object);
/// Whether the last reference is gone now.
bool cuda_drop(void *object);
void cuda_context_drop(cl_context context);
/// Submits what the context's queues have recorded; waits for it if asked to. Whether something may still be at work.
bool cuda_context_settle(cl_context context, bool wait);
/// Lets go of the graphs that use a program.
void cuda_context_forget(cl_context context, cl_program program);
/// What a query answers.
cl_int cuda_answer(const void *value, size_t size, size_t capacity, void *out, size_t *out_size);
/// The device that `copencl_cuda` was given, or NULL.
const Device *cuda_device(cl_device_id id);

// ptx_normalize.c

/// PTX for CUDA's loader: OpenCL's registers replaced, its metadata left out, and what OpenCL's compiler does not know
/// uncovered. NULL with a sentence in `message` when it has others than those known. To be freed.
char *ptx_normalize(const char *binary, size_t size, char *message, size_t capacity);
/// The kernels of a text, to be freed by `cuda_entries_free`; -1 with a sentence in `message`.
int ptx_kernels(const char *text, Entry **entries, size_t *count, char *message, size_t capacity);
void ptx_kernels_free(Entry *entries, size_t count);
/// Reads the word or the punctuation at `*text`, behind spaces and comments; its length is 0 at the end.
size_t ptx_token(const char **text, const char **start);
bool ptx_is_token(const char *start, size_t length, const char *word);

// ptx_rewriting.c

/// A text that is written anew, with words put in: `from` is the first byte that is not copied yet.
typedef struct {
  const char *from;
  char *out;
  size_t size;
  size_t capacity;
  bool has_no_memory;
} PTXRewriter;

/// Copies up to `place` and puts the words there.
void ptx_put(PTXRewriter *text, const char *place, const char *words);

// ptx_dependent_launch.c

/// What kernels begin with that may be launched before those in front of them have ended.
#define CUDA_WAIT "griddepcontrol.wait;"
/// Takes `text`, and gives back one whose kernels begin so, to be freed; the same where its target does not have that.
char *ptx_add_dependent_launch(char *text);

// CUDACopy.c

/// As `memcpy`, with other threads' help where there is much.
void cuda_copy_bytes(void *target, const void *source, size_t size);

// CUDARegisteredMemory.c

/// Whether transfers may use host memory as it is: it was lent, and is pinned. Counts as a use, and pins what has been used
/// often enough; `context` is current.
bool cuda_is_registered(const void *bytes, size_t size, CUcontext context);
/// Unpins what was pinned in a context, which is current and goes.
void cuda_registered_forget(CUcontext context);

// ptx_sm90.c

/// What kernels hide from OpenCL's compiler besides instructions; 0 where they hide none. All of a text have the same.
typedef struct {
  uint32_t shared_bytes;
  /// Groups of a cluster.
  uint32_t cluster;
} Sm90Directives;

/// Reads what a text hides, or hid before it was uncovered. False with a sentence in `message` when it cannot be.
bool ptx_read_sm90(const char *text, Sm90Directives *hidden, char *message, size_t capacity);
/// Takes `text`, and gives back the same when it hides nothing; otherwise another, to be freed, in which instructions
/// that were hidden count, with the directives that they need. NULL with a sentence in `message` when it cannot be so.
char *ptx_apply_sm90(char *text, char *message, size_t capacity);

// CUDAProgram.c

void cuda_program_drop(cl_program program);
void cuda_program_unload(cl_program program);
/// Finds the function of an entry, once.
cl_int cuda_program_resolve(cl_program program, Entry *entry);

// CUDAQueue.c

bool cuda_queue_retain(cl_command_queue queue);
void cuda_queue_drop(cl_command_queue queue);
/// Waits for all that is submitted, without the lock.
cl_int cuda_queue_wait(cl_command_queue queue);

/// A command that is being enqueued: the queue is locked between begin and end.
typedef struct {
  cl_command_queue queue;
  cl_event event;
  bool submits;
} Command;

/// Locks the queue and makes the event that `event` asks for. `submits` is for commands that are not recorded: what was
/// recorded goes first.
cl_int cuda_command_begin(Command *command, cl_command_queue queue, cl_uint wait_count, const cl_event *wait_list,
                          bool submits, cl_event *event);
/// Marks the event, gives it to the caller and unlocks; `status` is that of the command.
cl_int cuda_command_end(Command *command, cl_int status, cl_event *event);

// CUDAGraph.c

/// A place for a launch of so many argument bytes, all of it zero but `size`; NULL when there is no memory.
Launch *cuda_record(cl_command_queue queue, size_t argument_bytes);
/// Counts the launch that was just recorded.
void cuda_recorded(cl_command_queue queue, const Launch *launch);
/// Hands what is recorded to the driver. Nothing is recorded afterwards, whatever happened.
cl_int cuda_submit(cl_command_queue queue);
/// Destroys the graphs that use a program, or all when it is NULL. None of them may be at work.
void cuda_graphs_forget(cl_command_queue queue, cl_program program);

// CUDATransfer.c

/// Moves the bytes of reads, up to that one, to where they belong; they must have been transferred.
void cuda_finish_readbacks(cl_command_queue queue, uint64_t readback);
uint64_t cuda_readback(cl_command_queue queue);
void cuda_ring_free(cl_command_queue queue);

// CUDAEvent.c

/// Marks the end of what the queue has submitted so far.
CUresult cuda_fence(cl_command_queue queue, Fence **fence);
void cuda_unfence(cl_command_queue queue, Fence *fence);
void cuda_fences_free(cl_command_queue queue);
/// An event of a command that comes next.
cl_int cuda_event_begin(cl_command_queue queue, cl_event *event);
/// The command has been submitted.
cl_int cuda_event_end(cl_event event);
/// The command is recorded: the event ends with the next submission.
void cuda_event_await(cl_event event);
/// Ends the events that waited; `status` is that of the submission. What became of both.
cl_int cuda_events_submitted(cl_command_queue queue, cl_int status);
/// Frees an event; its queue is locked, and stays alive.
void cuda_event_free(cl_event event);

#define CUDA_DECLARE(name) extern __typeof__(name) cuda_##name;
COPENCL_WORKING_POINTS(CUDA_DECLARE)
#undef CUDA_DECLARE
