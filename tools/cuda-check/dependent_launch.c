// Programmatic dependent launch: kernels wait in their first instructions, if the device and the driver support it.

#include "tests.h"

#define START "\ngriddepcontrol.launch_dependents; griddepcontrol.wait;\n"
#define HEAD ".version 7.8\n.target sm_90\n"

// MARK: texts

static void check_becomes(const char *ptx, const char *expected) {
  char *text = ptx_run_passes(ptx, strlen(ptx), message, sizeof message);
  CHECK(text);
  if (strcmp(text, expected)) fprintf(stderr, "the text is:\n%s\nand not:\n%s\n", text, expected);
  CHECK(strcmp(text, expected) == 0);
  free(text);
}

static void check_stays(const char *ptx) { check_becomes(ptx, ptx); }

static void check_kernels_wait(void) {
  check_becomes(HEAD ".entry f(.param .u32 a)\n.reqntid 8\n{ {a;} ret;}", HEAD ".entry f(.param .u32 a)\n.reqntid 8\n{" START " {a;} ret;}");
  check_becomes(HEAD ".entry f() {ret;} .entry g() {ret;}", HEAD ".entry f() {" START "ret;} .entry g() {" START "ret;}");
  check_becomes(".version 9.0 .target sm_120a .entry f() {}", ".version 9.0 .target sm_120a .entry f() {" START "}");
  // Functions and declarations get no wait instruction.
  check_becomes(HEAD ".entry f(); .func g() {ret;} .entry h() {ret;}", HEAD ".entry f(); .func g() {ret;} .entry h() {" START "ret;}");
  check_stays(HEAD ".func g() {ret;} // .entry f() {}\n");
  // Non-coherent loads could be executed before the wait.
  check_becomes(HEAD ".entry f() {ld.global.nc.v2.u32 {a, b}, [c]; ld.global.u32 d, [e];}",
                HEAD ".entry f() {" START "ld.global.v2.u32 {a, b}, [c]; ld.global.u32 d, [e];}");
}

static void check_others_do_not(void) {
  check_stays(".version 7.7 .target sm_90 .entry f() {ret;}");
  check_stays(".version 8.0 .target sm_89 .entry f() {ret;}");
  check_stays(".version .target sm_90 .entry f() {ret;}");
  check_stays(".version 8.0 .target .entry f() {ret;}");
  check_stays(".entry f() {ret;} .version 8.0 .target sm_90");
  cuda_tuning.overlaps = false;
  check_stays(HEAD ".entry f() {ret;}");
  cuda_tuning.overlaps = true;
}

// MARK: launches

static void repeat(const Rig *rig, int rounds) {
  for (int round = 0; round < rounds; round++) {
    notes(rig, 0, 5);
    finish(rig);
  }
}

static void check_notes(int rounds) {
  CHECK(fake->notes == rounds * 5);
  for (int index = 0; index < rounds * 5; index++) CHECK(fake->note[index] == (uint32_t)index % 5);
}

/// One by one and in graphs, all launches except the first overlap the previous one.
static void check_launches(void) {
  Rig rig = rig_open(false);
  repeat(&rig, 4);
  CHECK(fake->overlapped == 4 * 4);
  CHECK(fake->graph_launches == 3);
  check_notes(4);
  rig_close(&rig);
}

/// If the driver refuses such a launch, this and later launches are plain ones.
static void check_refused(void) {
  Rig rig = rig_open(false);
  fail("cuLaunchKernelEx", 3, 801);
  repeat(&rig, 4);
  CHECK(fake->overlapped == 2);
  CHECK(fake->direct == 5);
  CHECK(fake->graph_launches == 3);
  check_notes(4);
  fail_never();
  rig_close(&rig);
}

/// If the driver cannot capture such launches, plain ones are captured.
static void check_refused_in_capture(const char *call) {
  Rig rig = rig_open(false);
  repeat(&rig, 1);
  fail(call, 1, 900);
  repeat(&rig, 3);
  CHECK(rig.queue->has_no_overlap && !rig.queue->has_no_graphs);
  CHECK(fake->captures == 2);
  CHECK(fake->graph_launches == 3);
  CHECK(fake->overlapped == 4);
  check_notes(4);
  fail_never();
  rig_close(&rig);
}

void check_dependent_launch(void) {
  cuda_tuning.overlaps = true;
  check_kernels_wait();
  check_others_do_not();
  fake->is_lazy = true;
  check_launches();
  check_refused();
  check_refused_in_capture("cuStreamEndCapture");
  check_refused_in_capture("cuGraphInstantiateWithFlags");
  fake->is_lazy = false;
  cuda_tuning.overlaps = false;
}
