#pragma once

// What the parts of the check share.

#include "CUDAObjects.h"
#include "check.h"
#include "fake/fake.h"

/// The state of the fake libcuda.
extern Fake *fake;
/// The table under test, and the device that it was made for.
extern COpenCLFunctions cl;
extern cl_device_id device;
/// What a call that fails has to say.
extern char message[200];

/// What the options of the program ask for.
typedef struct {
  /// The failures try every seventh call, not each.
  bool is_quick;
  /// For builds that look for data races: what has one thread is left out where it takes long.
  bool is_for_threads;
} Options;

extern Options options;

/// What is printed of a part that has passed or was skipped, if it has more to tell than that it passed.
void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

// sample.c

/// PTX as OpenCL's driver writes it. The fake libcuda runs its kernels `note`, which adds a number to a list, and
/// `take`, which copies 24 bytes of arguments to memory.
extern const char *const sample;
/// The same of kernels `note` and `none` that hide from OpenCL's compiler what it does not know: instructions, and that a
/// group has 66560 bytes of memory.
extern const char *const hidden_sample;

// stub.c

/// A stub of OpenCL's driver: PTX is its source language. It knows no platforms.
COpenCLFunctions stub(void);
/// Contexts and programs of the stub that were not released; programs that it was asked to build.
extern int stub_live, stub_built;
/// The place of the stub's devices.
extern cl_uint stub_bus, stub_slot;
/// What a handle of the stub points to; like any OpenCL object it starts with a pointer.
extern void *stub_handle;

// rig.c

/// What most tests need.
typedef struct {
  cl_context context;
  cl_command_queue queue;
  cl_program program;
  /// The kernels `note` and `scale_add`.
  cl_kernel note, add;
  /// 256 bytes, all 0: the memory of `note`.
  cl_mem memory;
} Rig;

/// Makes a rig, and counts the fake's notes, launches and captures from 0.
Rig rig_open(bool is_profiling);
/// Waits for the queue and releases all: nothing may be left then.
void rig_close(const Rig *rig);
/// Fails when any object of CUDA or of the stub is left.
void check_nothing_left(void);

/// Launches `note` with a number, or with `count` numbers in turn.
void note(const Rig *rig, uint32_t number);
void notes(const Rig *rig, uint32_t first, uint32_t count);
/// The same with an event, which is to be released.
cl_event noted(const Rig *rig, uint32_t number);
/// What `note` makes of its memory's first word.
uint32_t digest(uint32_t word, uint32_t first, uint32_t count);
void finish(const Rig *rig);

cl_program program_of(cl_context context, const char *ptx);
/// A program of a source that is not built yet.
cl_program source_of(cl_context context, const char *source);
cl_int build(cl_program program);
cl_kernel kernel_of(cl_program program, const char *name);
/// A buffer that starts with `bytes`, or with anything where that is NULL.
cl_mem buffer_of(cl_context context, size_t size, const void *bytes);
/// Launches `note`, or another kernel with one dimension, where no other queue or kernel is asked for.
void launch_one(cl_command_queue queue, cl_kernel kernel, size_t items);
/// Arguments of a kernel.
void set_number(cl_kernel kernel, cl_uint index, uint32_t number);
void set_memory(cl_kernel kernel, cl_uint index, cl_mem memory);

/// Copies of a buffer's first bytes to the host, done at the return or some time later.
void read_now(cl_command_queue queue, cl_mem memory, void *bytes, size_t size);
void read_later(cl_command_queue queue, cl_mem memory, void *bytes, size_t size);
/// A copy to a buffer's first bytes, which does not wait.
void write_later(cl_command_queue queue, cl_mem memory, const void *bytes, size_t size);

/// The execution status of an event.
cl_int state_of(cl_event event);
/// The call named `name` fails with `code` at its `number`th turn from now on.
void fail(const char *name, int number, int code);
void fail_never(void);
