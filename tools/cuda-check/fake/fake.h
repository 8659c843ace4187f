#pragma once

// The interface of the fake libcuda for tests: its symbol `fake_state`.

#include <stdbool.h>
#include <stdint.h>

#define FAKE_NOTE_CAPACITY 100000

typedef struct {
  /// Objects that were created and not destroyed.
  int live_streams, live_events, live_modules, live_graphs, live_execs, live_buffers, live_pinned, live_contexts;

  /// Number of calls, except those that initialize the driver or name an error.
  int calls;
  /// Launches outside of a capture, captures, and launched graphs.
  int direct, captures, graph_launches;
  /// Launches that ran with programmatic dependent launch.
  int overlapped;
  /// Dynamic shared memory of the last launch.
  unsigned shared_bytes;
  /// Writes to the device from pinned memory.
  int ring_copies;
  /// The arguments of the kernel `note`, in execution order.
  int notes;
  uint32_t note[FAKE_NOTE_CAPACITY];

  /// The kernel `probe_launch` writes wrong values.
  bool spoils;

  /// Streams hold their operations until a call waits for them, or `run_all`.
  bool is_lazy;

  /// The call that decrements `fail_in` to 0 fails with `code`. 0 means that no call fails. Only calls of `fail_name`
  /// count, or all calls if it is NULL.
  int fail_in;
  int code;
  const char *fail_name;
  /// Every later call fails too, except those that destroy something.
  bool fails_for_good;
  /// That call has happened; tests reset this.
  bool is_broken;
  /// The name of the call that failed.
  char failed[64];

  /// Runs all operations in the streams.
  void (*run_all)(void);
  /// The number of operations in the streams.
  int (*pending)(void);
} Fake;
