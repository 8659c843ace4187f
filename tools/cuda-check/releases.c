// Objects that are released while they are recorded or in use.

#include "tests.h"

static void check_buffers_end(Rig *rig) {
  uint32_t zero = 0, got = 0;
  cl_mem memory = buffer_of(rig->context, sizeof zero, &zero);
  set_memory(rig->note, 0, memory);
  notes(rig, 0, 10);
  OK(cl.clReleaseMemObject(memory));
  CHECK(fake->notes == 10);
  CHECK(cl.clReleaseMemObject(memory) == CL_INVALID_MEM_OBJECT);

  memory = buffer_of(rig->context, sizeof zero, &zero);
  read_later(rig->queue, memory, &got, sizeof got);
  write_later(rig->queue, memory, &zero, sizeof zero);
  OK(cl.clReleaseMemObject(memory));
  set_memory(rig->note, 0, rig->memory);
}

static void check_kernel_ends(Rig *rig) {
  notes(rig, 0, 3);
  OK(cl.clReleaseKernel(rig->note));
  rig->note = kernel_of(rig->program, "note");
  set_memory(rig->note, 0, rig->memory);
}

/// The next call reports the error of a release, once.
static void check_late_error(const Rig *rig) {
  cl_mem memory = buffer_of(rig->context, 4, NULL);
  notes(rig, 0, 2);
  fail("cuLaunchKernel", 1, 700);
  OK(cl.clReleaseMemObject(memory));
  fail_never();
  CHECK(cl.clFinish(rig->queue) == CL_OUT_OF_RESOURCES);
  finish(rig);
}

/// Every queue of the context may use a buffer. The context's own handle is released before its queues.
static void check_many_queues(const Rig *rig) {
  enum { COUNT = 70 };
  cl_command_queue queues[COUNT];
  for (int index = 0; index < COUNT; index++) {
    cl_int status;
    queues[index] = cl.clCreateCommandQueue(rig->context, device, 0, &status);
    OK(status);
    set_number(rig->note, 1, (uint32_t)index);
    launch_one(queues[index], rig->note, 1);
  }
  cl_mem memory = buffer_of(rig->context, 4, NULL);
  int before = fake->notes;
  OK(cl.clReleaseMemObject(memory));
  CHECK(fake->notes - before >= COUNT);
  OK(cl.clReleaseContext(rig->context));
  for (int index = 0; index < COUNT; index++) OK(cl.clReleaseCommandQueue(queues[index]));
}

void check_releases(void) {
  fake->is_lazy = true;
  Rig rig = rig_open(false);
  check_buffers_end(&rig);
  check_kernel_ends(&rig);
  check_late_error(&rig);
  check_many_queues(&rig);
  // The other objects in an unusual order: the last of them keeps the context alive.
  OK(cl.clReleaseProgram(rig.program));
  OK(cl.clReleaseCommandQueue(rig.queue));
  OK(cl.clReleaseKernel(rig.note));
  OK(cl.clReleaseKernel(rig.add));
  CHECK(fake->live_contexts == 1);
  OK(cl.clReleaseMemObject(rig.memory));
  check_nothing_left();
  fake->is_lazy = false;
}
