// Registered memory. It is pinned after a few uses; then the device reads and writes it directly. Unregistering leaves
// nothing behind.

#include "tests.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 1 << 20, USES = 3 };

static unsigned char *registered_pages(void) {
  void *memory = NULL;
  CHECK(!posix_memalign(&memory, 4096, BYTES));
  ccuda_register(memory, BYTES);
  return memory;
}

static void give_up(unsigned char *memory) {
  ccuda_unregister(memory, BYTES);
  free(memory);
}

static void use(const Rig *rig, cl_mem memory, unsigned char *bytes, int times) {
  for (int time = 0; time < times; time++) {
    write_later(rig->queue, memory, bytes, BYTES);
    finish(rig);
  }
}

/// Pinned memory is read when the stream executes the copy, and written directly by the device.
static void check_use(const Rig *rig) {
  cl_mem memory = buffer_of(rig->context, BYTES, NULL);
  unsigned char *source = registered_pages(), *target = registered_pages();
  int before = fake->live_pinned;
  memset(source, 1, BYTES);
  use(rig, memory, source, USES - 1);
  // The queue's own pinned memory.
  int own = fake->live_pinned;
  CHECK(own <= before + 1);
  use(rig, memory, source, 1);
  CHECK(fake->live_pinned == own + 1);
  for (int time = 0; time < USES; time++) {
    memset(source, time + 2, BYTES);
    memset(target, 0, BYTES);
    write_later(rig->queue, memory, source, BYTES);
    read_now(rig->queue, memory, target, BYTES);
    for (size_t index = 0; index < BYTES; index++) CHECK(target[index] == time + 2);
  }
  CHECK(fake->live_pinned == own + 2);
  // A part of the registered memory.
  memset(target, 0, BYTES);
  int copies = fake->ring_copies;
  OK(cl.clEnqueueWriteBuffer(rig->queue, memory, CL_TRUE, 8, BYTES / 2, source + 24, 0, NULL, NULL));
  CHECK(fake->ring_copies == copies + 1);
  OK(cl.clEnqueueReadBuffer(rig->queue, memory, CL_TRUE, 8, BYTES / 2, target + 24, 0, NULL, NULL));
  CHECK(target[23] == 0 && target[24] == source[24] && target[BYTES / 2 + 23] == source[24]);
  CHECK(target[BYTES / 2 + 24] == 0);
  give_up(source);
  CHECK(fake->live_pinned == own + 1);
  give_up(target);
  CHECK(fake->live_pinned == own);
  OK(cl.clReleaseMemObject(memory));
}

/// Memory that cannot be pinned, or not any more, uses the queue's staging buffer. Pinning is not attempted again.
static void check_refusals(const Rig *rig) {
  cl_mem memory = buffer_of(rig->context, BYTES, NULL);
  unsigned char *bytes = registered_pages();
  int before = fake->live_pinned;
  size_t most = cuda_tuning.pinned;
  cuda_tuning.pinned = BYTES - 1;
  use(rig, memory, bytes, USES + 1);
  CHECK(fake->live_pinned == before);
  cuda_tuning.pinned = most;
  fail("cuMemHostRegister_v2", 1, 2);
  use(rig, memory, bytes, 1);
  fail_never();
  use(rig, memory, bytes, USES + 1);
  CHECK(fake->live_pinned == before);
  give_up(bytes);
  // Unregistering unknown or small memory is ignored.
  ccuda_unregister(bytes, BYTES);
  char few[64];
  ccuda_register(few, sizeof few);
  ccuda_unregister(few, sizeof few);
  OK(cl.clReleaseMemObject(memory));
}

/// Many registrations, removed in another order.
static void check_many(const Rig *rig) {
  enum { MANY = 40 };
  unsigned char *all[MANY];
  cl_mem memory = buffer_of(rig->context, BYTES, NULL);
  int before = fake->live_pinned;
  for (int index = 0; index < MANY; index++) all[index] = registered_pages();
  for (int index = 0; index < MANY; index += 3) use(rig, memory, all[index], USES);
  CHECK(fake->live_pinned == before + (MANY + 2) / 3);
  for (int index = 0; index < MANY; index++) give_up(all[index * 7 % MANY]);
  CHECK(fake->live_pinned == before);
  OK(cl.clReleaseMemObject(memory));
}

static atomic_bool is_over;

/// Registered but unused addresses. There are so many that each insertion or removal holds the lock for long.
enum { PLACES = 20000 };
static void *place(size_t number) { return (void *)(((uintptr_t)1 << 40) + number * BYTES); }

static void *register_on(void *unused) {
  (void)unused;
  while (!is_over) {
    ccuda_register(place(0), BYTES);
    ccuda_unregister(place(0), BYTES);
  }
  return NULL;
}

/// A child that is forked while another thread registers memory can register memory as well.
static void check_forks(void) {
  pthread_t thread;
  for (size_t number = 1; number < PLACES; number++) ccuda_register(place(number), BYTES);
  CHECK(!pthread_create(&thread, NULL, register_on, NULL));
  for (int number = 0; number < 20; number++) {
    pid_t child = fork();
    if (child == 0) {
      // A deadlock ends with a signal.
      alarm(10);
      ccuda_register(place(PLACES), BYTES);
      ccuda_unregister(place(PLACES), BYTES);
      _exit(0);
    }
    int status = 1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  }
  is_over = true;
  pthread_join(thread, NULL);
  for (size_t number = 1; number < PLACES; number++) ccuda_unregister(place(number), BYTES);
}

/// A forked child has nothing pinned, and does not call the driver to unpin.
static void check_fork(unsigned char *pinned) {
  pid_t child = fork();
  if (child == 0) {
    int calls = fake->calls;
    ccuda_unregister(pinned, BYTES);
    _exit(fake->calls == calls ? 0 : 1);
  }
  int status = 1;
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

void check_registered(void) {
  fake->is_lazy = true;
  Rig rig = rig_open(false);
  check_use(&rig);
  check_refusals(&rig);
  check_many(&rig);
  // The data race sanitizer does not support forks with threads.
  if (!options.is_for_threads) check_forks();
  // Memory that is registered when its context ends is unpinned then, and pinned again by the next context.
  cl_mem memory = buffer_of(rig.context, BYTES, NULL);
  unsigned char *bytes = registered_pages();
  use(&rig, memory, bytes, USES);
  check_fork(bytes);
  OK(cl.clReleaseMemObject(memory));
  rig_close(&rig);
  rig = rig_open(false);
  memory = buffer_of(rig.context, BYTES, NULL);
  use(&rig, memory, bytes, USES);
  give_up(bytes);
  OK(cl.clReleaseMemObject(memory));
  rig_close(&rig);
  fake->is_lazy = false;
}
