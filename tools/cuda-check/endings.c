// Graphs and programs that end: a program takes its graphs with it, and a driver that does not capture is used without.

#include "tests.h"

/// Enough times for a graph to be made and used.
static void repeat(const Rig *rig, int rounds) {
  for (int round = 0; round < rounds; round++) {
    notes(rig, 0, 5);
    finish(rig);
  }
}

/// The rig with another kernel in place of its own.
static Rig with_kernel(const Rig *rig, cl_program program) {
  Rig other = *rig;
  other.note = kernel_of(program, "note");
  set_memory(other.note, 0, rig->memory);
  return other;
}

/// A second program's kernel has its own graphs, though the fake gives it the addresses of another that is gone.
static void check_programs_end(void) {
  Rig rig = rig_open(false);
  repeat(&rig, 3);
  CHECK(fake->live_execs == 1);

  cl_program program = program_of(rig.context, sample);
  Rig other = with_kernel(&rig, program);
  repeat(&other, 3);
  CHECK(fake->live_execs == 2);
  notes(&other, 5, 2);
  OK(cl.clReleaseKernel(other.note));
  OK(cl.clReleaseProgram(program));
  // It is still at work, so its module stays, with the context.
  CHECK(fake->live_modules == 2);
  CHECK(fake->pending());
  repeat(&rig, 1);
  CHECK(fake->live_modules == 2);

  program = program_of(rig.context, sample);
  other = with_kernel(&rig, program);
  repeat(&other, 3);
  CHECK(fake->live_execs == 3);
  OK(cl.clReleaseKernel(other.note));
  OK(cl.clReleaseProgram(program));
  // This one was not: module and graph are gone at once.
  CHECK(fake->live_execs == 2);
  CHECK(fake->live_modules == 2);
  rig_close(&rig);
}

/// All launches run one by one then, and no capture is tried again.
static void check_no_capture(const char *call) {
  Rig rig = rig_open(false);
  fail(call, 1, 801);
  repeat(&rig, 6);
  CHECK(fake->direct == 30);
  CHECK(fake->captures <= 1);
  CHECK(fake->notes == 30);
  fail_never();
  rig_close(&rig);
}

static void check_launch_fails_in_capture(void) {
  Rig rig = rig_open(false);
  repeat(&rig, 1);
  notes(&rig, 0, 5);
  fail("cuLaunchKernel", 3, 801);
  finish(&rig);
  CHECK(rig.queue->has_no_graphs);
  CHECK(fake->notes == 10);
  fail_never();
  rig_close(&rig);
}

void check_endings(void) {
  fake->is_lazy = true;
  check_programs_end();
  check_no_capture("cuStreamBeginCapture_v2");
  check_no_capture("cuStreamEndCapture");
  check_no_capture("cuGraphInstantiateWithFlags");
  check_launch_fails_in_capture();
  fake->is_lazy = false;
}
