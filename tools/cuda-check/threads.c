// Threads that share a context and a program, each with its own queue.

#include "tests.h"

enum { THREADS = 4, ROUNDS = 40, LAUNCHES = 20 };

static void launch_all(cl_command_queue queue, cl_kernel kernel) {
  for (uint32_t index = 0; index < LAUNCHES; index++) {
    size_t items = 1;
    bool wants_event = index % 7 == 0;
    cl_event event;
    set_number(kernel, 1, index);
    OK(cl.clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, wants_event ? &event : NULL));
    if (wants_event) OK(cl.clReleaseEvent(event));
  }
}

static void *work(void *argument) {
  const Rig *rig = argument;
  uint32_t zero = 0, got, expected = 0;
  cl_int status;
  cl_command_queue queue = cl.clCreateCommandQueue(rig->context, device, 0, &status);
  OK(status);
  cl_kernel kernel = kernel_of(rig->program, "note");
  cl_mem memory = buffer_of(rig->context, sizeof zero, &zero);
  set_memory(kernel, 0, memory);
  for (int round = 0; round < ROUNDS; round++) {
    launch_all(queue, kernel);
    expected = digest(expected, 0, LAUNCHES);
    // The release also waits for the queues of the other threads.
    OK(cl.clReleaseMemObject(buffer_of(rig->context, 64, NULL)));
    read_now(queue, memory, &got, sizeof got);
    CHECK(got == expected);
  }
  OK(cl.clReleaseKernel(kernel));
  OK(cl.clReleaseMemObject(memory));
  OK(cl.clReleaseCommandQueue(queue));
  return NULL;
}

void check_threads(void) {
  Rig rig = rig_open(false);
  pthread_t threads[THREADS];
  fake->is_lazy = true;
  for (int index = 0; index < THREADS; index++) CHECK(pthread_create(&threads[index], NULL, work, &rig) == 0);
  for (int index = 0; index < THREADS; index++) CHECK(pthread_join(threads[index], NULL) == 0);
  rig_close(&rig);
  fake->is_lazy = false;
}
