// The end of graphs and programs. A program's graphs end with it, and a driver without capture still works.

#include "tests.h"

/// Repeats often enough for a graph to be created and used.
static void repeat(const Rig *rig, int rounds) {
  for (int round = 0; round < rounds; round++) {
    notes(rig, 0, 5);
    finish(rig);
  }
}

/// The rig with another program's kernel in place of its own.
static Rig with_kernel(const Rig *rig, cl_program program) {
  Rig other = *rig;
  other.note = kernel_of(program, "note");
  set_memory(other.note, 0, rig->memory);
  return other;
}

/// A second program's kernel has its own graphs, even though the fake gives it the addresses of a destroyed one.
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
  // The program is still in use, so its module stays until the context ends.
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
  // This program was not in use: its module and graph end at once.
  CHECK(fake->live_execs == 2);
  CHECK(fake->live_modules == 2);
  rig_close(&rig);
}

/// All launches then run one by one, and capture is not attempted again.
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
