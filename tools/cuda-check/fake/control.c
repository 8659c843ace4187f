// Functions for programs that cannot read `fake_state`, such as the Swift tests.

#include "inside.h"

/// The `number`th call from now on fails with `code`, and if `for_good`, so does every later one that destroys nothing.
/// With 0, no call fails.
void fake_fail(int number, int code, bool for_good) {
  fake_state.calls = 0;
  fake_state.fail_in = number;
  fake_state.code = code;
  fake_state.fail_name = NULL;
  fake_state.fails_for_good = for_good;
  fake_state.is_broken = false;
}

/// Calls since the last `fake_fail`.
int fake_calls(void) { return fake_state.calls; }

/// Objects that were created and not destroyed.
int fake_live(void) {
  const Fake *fake = &fake_state;
  return fake->live_streams + fake->live_events + fake->live_modules + fake->live_graphs + fake->live_execs +
         fake->live_buffers + fake->live_pinned + fake->live_contexts;
}

/// Whether the kernel `probe_launch` writes wrong values.
void fake_spoil(bool spoils) { fake_state.spoils = spoils; }
