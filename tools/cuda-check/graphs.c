// Repeated launch sequences become one graph; others never do.

#include "tests.h"

static void submit(const Rig *rig, uint32_t first, uint32_t count) {
  notes(rig, first, count);
  finish(rig);
}

static void check_repeats(const Rig *rig) {
  for (int round = 0; round < 5; round++) {
    notes(rig, 0, 100);
    OK(cl.clFlush(rig->queue));
  }
  CHECK(fake->direct == 100);
  CHECK(fake->captures == 1);
  CHECK(fake->graph_launches == 4);
  finish(rig);
  CHECK(fake->notes == 500);
  for (uint32_t index = 0; index < 500; index++) CHECK(fake->note[index] == index % 100);
}

/// After the repeats: a difference in one argument, one more launch, or equal hashes of different launches do not use
/// the graph.
static void check_differences(const Rig *rig) {
  notes(rig, 0, 99);
  submit(rig, 1000, 1);
  CHECK(fake->graph_launches == 4);
  CHECK(fake->note[599] == 1000);
  submit(rig, 0, 101);
  CHECK(fake->graph_launches == 4);
  CHECK(fake->note[700] == 100);
  notes(rig, 500, 100);
  rig->queue->graphs[0].hash = rig->queue->hash;
  finish(rig);
  CHECK(fake->graph_launches == 4);
  CHECK(fake->note[800] == 599);
}

/// The device gets a small batch first, then batches as large as all work before, in order.
static void check_first(void) {
  Rig rig = rig_open(false);
  cuda_tuning.first = 4;
  for (int round = 0; round < 2; round++) {
    int before = fake->direct;
    notes(&rig, 0, 20);
    CHECK(round || fake->direct == before + 16);
    finish(&rig);
  }
  cuda_tuning.first = 0;
  CHECK(fake->notes == 40);
  for (uint32_t index = 0; index < 40; index++) CHECK(fake->note[index] == index % 20);
  rig_close(&rig);
}

static void check_few(const Rig *rig) {
  int before = fake->captures;
  for (int round = 0; round < 4; round++) submit(rig, 7, 2);
  CHECK(fake->captures == before);
}

static void check_other_buffer(const Rig *rig) {
  uint32_t zero = 0, got;
  cl_mem other = buffer_of(rig->context, sizeof zero, &zero);
  for (int round = 0; round < 3; round++) submit(rig, 1, 3);
  set_memory(rig->note, 0, other);
  notes(rig, 1, 3);
  read_now(rig->queue, other, &got, sizeof got);
  CHECK(got == digest(0, 1, 3));
  OK(cl.clReleaseMemObject(other));
  set_memory(rig->note, 0, rig->memory);
}

/// A cycle of ten sequences keeps eight graphs, instead of evicting each one before its next use.
static void check_limit(const Rig *rig) {
  for (int round = 0; round < 6; round++) {
    for (uint32_t part = 0; part < 10; part++) submit(rig, part * 10, 4);
  }
  CHECK(rig->queue->graph_count == 8);
  CHECK(fake->live_execs == 8);
  CHECK(fake->captures == 8);
  CHECK(fake->graph_launches == 5 * 8);
}

/// New sequences replace the graphs of sequences that are no longer used.
static void check_takeover(const Rig *rig) {
  for (int round = 0; round < 6; round++) {
    for (uint32_t part = 0; part < 4; part++) {
      notes(rig, 1000 + part * 10, 4);
      OK(cl.clFlush(rig->queue));
    }
  }
  CHECK(fake->captures == 12);
  CHECK(fake->live_execs == 8);
}

/// More launches than the recording limit: the queue submits the first ones without a flush.
static void check_long(const Rig *rig) {
  notes(rig, 0, 5000);
  CHECK(fake->direct == 4096);
  finish(rig);
  CHECK(fake->direct == 5000);
  for (uint32_t index = 0; index < 5000; index++) CHECK(fake->note[index] == index);
}

void check_graphs(void) {
  fake->is_lazy = true;
  Rig rig = rig_open(false);
  check_repeats(&rig);
  check_differences(&rig);
  check_few(&rig);
  check_other_buffer(&rig);
  rig_close(&rig);

  rig = rig_open(false);
  check_limit(&rig);
  check_takeover(&rig);
  rig_close(&rig);

  rig = rig_open(false);
  check_long(&rig);
  rig_close(&rig);
  check_first();
  fake->is_lazy = false;
}
