// Launches and transfers take effect in the order of their enqueue, also on a device that starts nothing before a wait.

#include "tests.h"

static void check_mixed(const Rig *rig) {
  uint32_t value = 100, got = 1;
  note(rig, 1);
  CHECK(fake->pending() == 0);
  CHECK(fake->direct == 0);
  write_later(rig->queue, rig->memory, &value, sizeof value);
  CHECK(fake->direct == 1);
  value = 5555;  // after the write call, so not written
  notes(rig, 2, 5);
  read_later(rig->queue, rig->memory, &got, sizeof got);
  notes(rig, 50, 3);
  CHECK(got == 1);
  finish(rig);
  CHECK(got == digest(100, 2, 5));
  static const uint32_t order[] = {1, 2, 3, 4, 5, 6, 50, 51, 52};
  CHECK(fake->notes == 9);
  CHECK(memcmp(fake->note, order, sizeof order) == 0);
}

/// Enough bytes to wrap around the pinned memory several times; compared only at the end.
static void check_ring(const Rig *rig) {
  enum { COUNT = 40, SIZE = 300000 };
  cl_mem buffers[COUNT];
  unsigned char *in = malloc(SIZE), *out[COUNT];
  for (int index = 0; index < COUNT; index++) {
    buffers[index] = buffer_of(rig->context, SIZE, NULL);
    memset(in, index + 1, SIZE);
    OK(cl.clEnqueueWriteBuffer(rig->queue, buffers[index], index & 1, 0, SIZE, in, 0, NULL, NULL));
    out[index] = calloc(1, SIZE);
    read_later(rig->queue, buffers[index], out[index], SIZE - (size_t)index);
  }
  memset(in, 0, SIZE);
  finish(rig);
  CHECK(fake->ring_copies > COUNT - 1);
  for (int index = 0; index < COUNT; index++) {
    for (int at = 0; at < SIZE; at++) CHECK(out[index][at] == (at < SIZE - index ? index + 1 : 0));
    free(out[index]);
    OK(cl.clReleaseMemObject(buffers[index]));
  }
  free(in);
}

/// Reads without a wait until the rig is closed.
static void check_many_reads(const Rig *rig, uint32_t *target) {
  for (int index = 0; index < 20000; index++) read_later(rig->queue, rig->memory, target, sizeof *target);
}

/// Bytes that do not fit in the pinned memory.
static void check_large(const Rig *rig) {
  size_t size = 3 << 20;
  cl_mem memory = buffer_of(rig->context, size, NULL);
  char *in = malloc(size), *out = malloc(size);
  memset(in, 9, size);
  write_later(rig->queue, memory, in, size);
  read_now(rig->queue, memory, out, size);
  CHECK(memcmp(in, out, size) == 0);
  free(in);
  free(out);
  OK(cl.clReleaseMemObject(memory));
}

void check_order(void) {
  fake->is_lazy = true;
  Rig rig = rig_open(false);
  uint32_t target;
  check_mixed(&rig);
  check_ring(&rig);
  check_many_reads(&rig, &target);
  check_large(&rig);
  rig_close(&rig);
  fake->is_lazy = false;
}
