#pragma once

// What the tests see of the fake libcuda: its symbol `fake_state`.

#include <stdbool.h>
#include <stdint.h>

#define FAKE_NOTE_CAPACITY 100000

typedef struct {
  /// Objects that were made and not destroyed.
  int live_streams, live_events, live_modules, live_graphs, live_execs, live_buffers, live_pinned, live_contexts;

  /// Calls so far, except those that start the driver or name an error.
  int calls;
  /// Launches outside of a capture, captures that were begun, graphs that were launched.
  int direct, captures, graph_launches;
  /// Launches that ran and may have begun while those before them ended.
  int overlapped;
  /// Memory of the group that the last launch gave it.
  unsigned shared_bytes;
  /// Writes to the device that came from pinned memory.
  int ring_copies;
  /// What the kernel `note` was given, in the order in which it ran.
  int notes;
  uint32_t note[FAKE_NOTE_CAPACITY];

  /// Streams hold their operations until a call waits for them, or `run_all`.
  bool is_lazy;

  /// The call that brings `fail_in` down to 0 fails with `code`; it is 0 when none shall. Only calls of `fail_name`
  /// count; all when it is NULL.
  int fail_in;
  int code;
  const char *fail_name;
  /// Every call after that one fails too, except those that destroy something.
  bool fails_for_good;
  /// That call has been; for the tests to reset.
  bool is_broken;
  /// The call that failed.
  char failed[64];

  /// Runs whatever the streams hold.
  void (*run_all)(void);
  /// How many operations the streams hold.
  int (*pending)(void);
} Fake;
