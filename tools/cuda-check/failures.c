// Makes every call of CUDA's driver fail in turn, alone or with all later calls. Either a call reports an error, or all
// results are right. Nothing may leak.

#include "tests.h"

enum { ROUNDS = 4, LAUNCHES = 8, WORDS = 300, LARGE = 800000 };

/// One run of everything that a program does. It continues after each error.
typedef struct {
  bool is_profiling;
  /// Whether any call returned an error.
  bool is_told;
  cl_context context;
  cl_command_queue queue;
  cl_program program;
  cl_kernel kernel;
  cl_mem memory, other;
  /// The expected first word of memory, and the value that a read returned.
  uint32_t expected, late;
} Run;

#define TRY(call)                                                                                                      \
  do {                                                                                                                 \
    if (call) run->is_told = true;                                                                                     \
  } while (0)

static void open_all(Run *run) {
  static const uint32_t zeros[WORDS];
  cl_int status;
  run->context = cl.clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  TRY(status);
  if (!run->context) return;
  cl_command_queue_properties properties = run->is_profiling ? CL_QUEUE_PROFILING_ENABLE : 0;
  run->queue = cl.clCreateCommandQueue(run->context, device, properties, &status);
  TRY(status);
  // The hidden sample, because its kernels need more driver calls.
  const char *source = hidden_sample;
  run->program = cl.clCreateProgramWithSource(run->context, 1, &source, NULL, &status);
  TRY(status);
  if (run->program) {
    TRY(build(run->program));
    run->kernel = cl.clCreateKernel(run->program, "note", &status);
    TRY(status);
  }
  run->memory = cl.clCreateBuffer(run->context, CL_MEM_COPY_HOST_PTR, sizeof zeros, (void *)zeros, &status);
  TRY(status);
  run->other = cl.clCreateBuffer(run->context, 0, 8 * sizeof(float), NULL, &status);
  TRY(status);
  if (run->kernel && run->memory) TRY(cl.clSetKernelArg(run->kernel, 0, sizeof(cl_mem), &run->memory));
}

/// With profiling every launch has an event, otherwise only the last one.
static void launch_all(Run *run, cl_event *events) {
  for (uint32_t index = 0; index < LAUNCHES; index++) {
    size_t items = 32;
    bool wants_event = run->is_profiling || index == LAUNCHES - 1;
    if (run->kernel) TRY(cl.clSetKernelArg(run->kernel, 1, sizeof index, &index));
    TRY(cl.clEnqueueNDRangeKernel(run->queue, run->kernel, 1, NULL, &items, &items, 0, NULL,
                                  wants_event ? &events[index] : NULL));
  }
  run->expected = digest(run->expected, 0, LAUNCHES);
}

static void transfer(Run *run, int round) {
  static const float numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  static const char zero;
  TRY(cl.clEnqueueWriteBuffer(run->queue, run->other, round & 1, 0, sizeof numbers, numbers, 0, NULL, NULL));
  TRY(cl.clEnqueueReadBuffer(run->queue, run->memory, CL_FALSE, 0, 4, &run->late, 0, NULL, NULL));
  TRY(cl.clEnqueueCopyBuffer(run->queue, run->memory, run->memory, 0, 400, 4, 0, NULL, NULL));
  TRY(cl.clEnqueueFillBuffer(run->queue, run->memory, &zero, 1, 800, 4, 0, NULL, NULL));
}

static void use_event(Run *run, cl_event event) {
  cl_int state = CL_COMPLETE;
  cl_ulong time;
  TRY(cl.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
  if (state < 0) run->is_told = true;
  TRY(cl.clWaitForEvents(1, &event));
  if (run->is_profiling) TRY(cl.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL));
  TRY(cl.clReleaseEvent(event));
}

/// Large enough to wrap around the pinned memory, from and to registered memory.
static char bytes[LARGE];

static void transfer_large(Run *run) {
  cl_int status;
  TRY(cl.clEnqueueWriteBuffer(run->queue, run->memory, CL_FALSE, 0, 4, &run->expected, 0, NULL, NULL));
  cl_mem memory = cl.clCreateBuffer(run->context, 0, sizeof bytes, NULL, &status);
  TRY(status);
  if (!memory) return;
  for (int index = 0; index < 3; index++) {
    TRY(cl.clEnqueueWriteBuffer(run->queue, memory, CL_FALSE, 0, sizeof bytes, bytes, 0, NULL, NULL));
    TRY(cl.clEnqueueReadBuffer(run->queue, memory, CL_FALSE, 0, sizeof bytes, bytes, 0, NULL, NULL));
  }
  TRY(cl.clReleaseMemObject(memory));
}

static void work(Run *run, int round) {
  cl_event events[LAUNCHES] = {0};
  launch_all(run, events);
  transfer(run, round);
  for (int index = 0; index < LAUNCHES; index++) {
    if (events[index]) use_event(run, events[index]);
  }
  transfer_large(run);
  TRY(cl.clFinish(run->queue));
  if (run->queue && !run->is_told) CHECK(run->late == run->expected);
}

static void close_all(Run *run) {
  if (run->queue) TRY(cl.clReleaseCommandQueue(run->queue));
  if (run->kernel) TRY(cl.clReleaseKernel(run->kernel));
  if (run->program) TRY(cl.clReleaseProgram(run->program));
  if (run->other) TRY(cl.clReleaseMemObject(run->other));
  if (run->memory) TRY(cl.clReleaseMemObject(run->memory));
  TRY(cl.clReleaseContext(run->context));
}

/// Returns whether all results were right. Sets `is_told` if any call returned an error.
static bool run_all(bool is_profiling, bool *is_told) {
  Run all = {.is_profiling = is_profiling}, *run = &all;
  uint32_t got[WORDS] = {1};
  bool is_right = false;
  fake->notes = 0;
  ccuda_register(bytes, sizeof bytes);
  open_all(run);
  if (run->context) {
    for (int round = 0; round < ROUNDS; round++) work(run, round);
    if (run->queue && run->memory) {
      TRY(cl.clEnqueueReadBuffer(run->queue, run->memory, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    }
    is_right = got[0] == run->expected && got[100] == run->expected && fake->notes == ROUNDS * LAUNCHES;
    close_all(run);
  }
  ccuda_unregister(bytes, sizeof bytes);
  *is_told = run->is_told;
  return is_right;
}

// MARK: each call in turn

/// The number of calls in a run without failures.
static int count_calls(bool is_profiling) {
  bool is_told;
  fail_never();
  fake->calls = 0;
  CHECK(run_all(is_profiling, &is_told));
  CHECK(!is_told);
  check_nothing_left();
  return fake->calls;
}

/// Returns whether the run tolerated the failure without reporting an error.
static bool try_call(int number, bool is_profiling, bool for_good) {
  static const int codes[] = {1, 2, 700, 719, 999};
  bool is_told;
  fail(NULL, number, codes[number % 5]);
  fake->fails_for_good = for_good;
  bool is_right = run_all(is_profiling, &is_told);
  fail_never();
  if (!is_told && !is_right) fprintf(stderr, "call %d, %s: wrong, and no call reported it\n", number, fake->failed);
  CHECK(is_told || is_right);
  check_nothing_left();
  return !is_told;
}

void check_failures(void) {
  int runs = 0, borne = 0, step = options.is_quick ? 7 : 1;
  for (int mode = 0; mode < 16; mode++) {
    fake->is_lazy = mode & 1;
    cuda_tuning.overlaps = mode & 8;
    bool is_profiling = mode & 2, for_good = mode & 4;
    int calls = count_calls(is_profiling);
    // Quick runs start at different calls, so that the modes try different ones.
    for (int number = options.is_quick ? mode % step + 1 : 1; number <= calls; number += step) {
      borne += try_call(number, is_profiling, for_good);
      runs++;
    }
  }
  fake->is_lazy = false;
  cuda_tuning.overlaps = false;
  tell("passed, %d calls that failed, %d of them tolerated", runs, borne);
}
