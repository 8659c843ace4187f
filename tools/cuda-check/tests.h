#pragma once

// Shared declarations of the tests.

#include "CUDAObjects.h"
#include "check.h"
#include "fake/fake.h"

/// The state of the fake libcuda.
extern Fake *fake;
/// The table under test, and its device.
extern COpenCLFunctions cl;
extern cl_device_id device;
/// The message of a failed call.
extern char message[200];

/// Options of the program.
typedef struct {
  /// The failure test tries every seventh call instead of each.
  bool is_quick;
  /// For builds that detect data races: slow single-threaded tests are skipped.
  bool is_for_threads;
} Options;

extern Options options;

/// Sets the text that is printed for a part that passed or was skipped.
void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

// sample.c

/// PTX as OpenCL's driver writes it. The fake libcuda runs its kernels: `note` appends a number to a list, `take`
/// copies 24 bytes of arguments to memory.
extern const char *const sample;
/// As `sample`, with kernels `note` and `none` that use hidden instructions and 66560 bytes of shared memory.
extern const char *const hidden_sample;

// stub.c

/// A stub of OpenCL's driver with PTX as source language. It has no platforms.
COpenCLFunctions stub(void);
/// Contexts and programs of the stub that were not released, and the number of builds.
extern int stub_live, stub_built;
/// The PCI location of the stub's devices.
extern cl_uint stub_bus, stub_slot;
/// The object behind a stub handle. Like any OpenCL object it starts with a pointer.
extern void *stub_handle;

// rig.c

/// Objects that most tests need.
typedef struct {
  cl_context context;
  cl_command_queue queue;
  cl_program program;
  /// The kernels `note` and `scale_add`.
  cl_kernel note, add;
  /// 256 bytes, all 0: the memory of `note`.
  cl_mem memory;
} Rig;

/// Creates a rig, and resets the fake's counts of notes, launches and captures.
Rig rig_open(bool is_profiling);
/// Waits for the queue and releases everything; nothing may be left then.
void rig_close(const Rig *rig);
/// Fails if any object of CUDA or of the stub is left.
void check_nothing_left(void);

/// Launches `note` with a number, or with `count` consecutive numbers.
void note(const Rig *rig, uint32_t number);
void notes(const Rig *rig, uint32_t first, uint32_t count);
/// As `note`, with an event that the caller releases.
cl_event noted(const Rig *rig, uint32_t number);
/// The result of `note` in the first word of its memory.
uint32_t digest(uint32_t word, uint32_t first, uint32_t count);
void finish(const Rig *rig);

cl_program program_of(cl_context context, const char *ptx);
/// Creates a program from source without building it.
cl_program source_of(cl_context context, const char *source);
cl_int build(cl_program program);
cl_kernel kernel_of(cl_program program, const char *name);
/// A buffer with initial contents `bytes`; undefined contents if NULL.
cl_mem buffer_of(cl_context context, size_t size, const void *bytes);
/// Launches a kernel with one dimension on the given queue.
void launch_one(cl_command_queue queue, cl_kernel kernel, size_t items);
/// Set kernel arguments.
void set_number(cl_kernel kernel, cl_uint index, uint32_t number);
void set_memory(cl_kernel kernel, cl_uint index, cl_mem memory);

/// Read a buffer's first bytes: a blocking read, and one that may finish later.
void read_now(cl_command_queue queue, cl_mem memory, void *bytes, size_t size);
void read_later(cl_command_queue queue, cl_mem memory, void *bytes, size_t size);
/// A non-blocking write to a buffer's first bytes.
void write_later(cl_command_queue queue, cl_mem memory, const void *bytes, size_t size);

/// The execution status of an event.
cl_int state_of(cl_event event);
/// Makes the `number`th call from now on of the function `name` fail with `code`.
void fail(const char *name, int number, int code);
void fail_never(void);
