// Events: their states, wait lists, events of launches in one batch, and times.

#include "tests.h"

static void check_states(const Rig *rig) {
  notes(rig, 0, 3);
  cl_event event = noted(rig, 3);
  CHECK(fake->pending() > 0);
  CHECK(state_of(event) == CL_RUNNING);
  fake->run_all();
  CHECK(state_of(event) == CL_COMPLETE);
  CHECK(fake->notes == 4);
  OK(cl.clReleaseEvent(event));
  CHECK(cl.clReleaseEvent(event) == CL_INVALID_EVENT);
}

static void check_queries(cl_event event) {
  cl_int state;
  cl_ulong time;
  cl_event_info name = CL_EVENT_COMMAND_EXECUTION_STATUS;
  CHECK(cl.clGetEventInfo(NULL, name, sizeof state, &state, NULL) == CL_INVALID_EVENT);
  CHECK(cl.clGetEventInfo(event, name, 2, &state, NULL) == CL_INVALID_VALUE);
  CHECK(cl.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof time, &time, NULL) ==
        CL_PROFILING_INFO_NOT_AVAILABLE);
}

static cl_event read_with_event(const Rig *rig, uint32_t *target) {
  cl_event event = NULL;
  OK(cl.clEnqueueReadBuffer(rig->queue, rig->memory, CL_FALSE, 0, sizeof *target, target, 0, NULL, &event));
  return event;
}

/// A read's bytes arrive when its event is queried as complete; the query finishes the readback.
static void check_reads(const Rig *rig) {
  uint32_t got = 9;
  cl_event event = read_with_event(rig, &got);
  CHECK(state_of(event) == CL_RUNNING);
  CHECK(got == 9);
  fake->run_all();
  CHECK(got == 9);
  CHECK(state_of(event) == CL_COMPLETE);
  CHECK(got != 9);
  OK(cl.clReleaseEvent(event));

  got = 9;
  event = read_with_event(rig, &got);
  OK(cl.clWaitForEvents(1, &event));
  CHECK(got != 9);
  OK(cl.clReleaseEvent(event));
}

static void check_wait_list(const Rig *rig, cl_event event) {
  size_t items = 32;
  OK(cl.clWaitForEvents(1, &event));
  OK(cl.clEnqueueNDRangeKernel(rig->queue, rig->note, 1, NULL, &items, &items, 1, &event, NULL));
  OK(cl.clReleaseEvent(event));
}

static void check_outlives_queue(Rig *rig) {
  cl_event event = noted(rig, 4);
  finish(rig);
  OK(cl.clReleaseCommandQueue(rig->queue));
  CHECK(cl.clFlush(rig->queue) == CL_INVALID_COMMAND_QUEUE);
  CHECK(cl.clReleaseCommandQueue(rig->queue) == CL_INVALID_COMMAND_QUEUE);
  CHECK(state_of(event) == CL_COMPLETE);
  OK(cl.clReleaseEvent(event));
  cl_int status;
  rig->queue = cl.clCreateCommandQueue(rig->context, device, 0, &status);
  OK(status);
}

static void three_of_a_batch(const Rig *rig, cl_event *events) {
  for (uint32_t index = 0; index < 3; index++) {
    notes(rig, index * 16, 15);
    events[index] = noted(rig, index * 16 + 15);
  }
}

static void release(const cl_event *events, int count) {
  for (int index = 0; index < count; index++) OK(cl.clReleaseEvent(events[index]));
}

/// Launches are only recorded up to the fourth event. A repeated batch is one graph.
static void check_batch(const Rig *rig) {
  cl_event events[4];
  three_of_a_batch(rig, events);
  for (int index = 0; index < 3; index++) CHECK(state_of(events[index]) == CL_QUEUED);
  CHECK(fake->pending() == 0);
  OK(cl.clReleaseEvent(events[1]));
  OK(cl.clFlush(rig->queue));
  CHECK(state_of(events[0]) == CL_RUNNING);
  fake->run_all();
  CHECK(state_of(events[0]) == CL_COMPLETE);
  CHECK(state_of(events[2]) == CL_COMPLETE);
  OK(cl.clReleaseEvent(events[0]));
  OK(cl.clReleaseEvent(events[2]));

  for (int round = 0; round < 3; round++) {
    three_of_a_batch(rig, events);
    OK(cl.clFlush(rig->queue));
    OK(cl.clWaitForEvents(3, events));
    release(events, 3);
  }
  CHECK(fake->graph_launches == 3);
  CHECK(fake->captures == 1);

  for (uint32_t index = 0; index < 4; index++) events[index] = noted(rig, index);
  CHECK(state_of(events[3]) == CL_RUNNING);
  release(events, 4);
}

static void check_recorded_only(const Rig *rig) {
  cl_event event = noted(rig, 1);
  OK(cl.clWaitForEvents(1, &event));
  OK(cl.clReleaseEvent(event));

  event = noted(rig, 1);
  fail("cuLaunchKernel", 1, 719);
  CHECK(cl.clFlush(rig->queue) == CL_OUT_OF_RESOURCES);
  CHECK(state_of(event) == CL_OUT_OF_RESOURCES);
  CHECK(cl.clWaitForEvents(1, &event) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  OK(cl.clReleaseEvent(event));
  fail_never();
}

static cl_ulong time_of(cl_event event, cl_profiling_info name) {
  cl_ulong time;
  OK(cl.clGetEventProfilingInfo(event, name, sizeof time, &time, NULL));
  return time;
}

/// Every operation of the fake takes a microsecond.
static void check_times(const Rig *rig) {
  cl_event first = noted(rig, 1), second = noted(rig, 2);
  cl_ulong time;
  CHECK(cl.clGetEventProfilingInfo(first, CL_PROFILING_COMMAND_START, sizeof time, &time, NULL) ==
        CL_PROFILING_INFO_NOT_AVAILABLE);
  finish(rig);
  cl_ulong start = time_of(first, CL_PROFILING_COMMAND_START), end = time_of(first, CL_PROFILING_COMMAND_END);
  CHECK(start < end);
  CHECK(end - start > 500);
  CHECK(end - start < 5000);
  CHECK(end <= time_of(second, CL_PROFILING_COMMAND_START));
  CHECK(time_of(second, CL_PROFILING_COMMAND_START) < time_of(second, CL_PROFILING_COMMAND_END));
  OK(cl.clReleaseEvent(first));
  OK(cl.clReleaseEvent(second));
}

void check_events(void) {
  fake->is_lazy = true;
  Rig rig = rig_open(false);
  check_states(&rig);
  cl_event event = noted(&rig, 3);
  check_queries(event);
  check_reads(&rig);
  check_wait_list(&rig, event);
  check_outlives_queue(&rig);
  rig_close(&rig);

  cuda_tuning.events = 4;
  rig = rig_open(false);
  check_batch(&rig);
  check_recorded_only(&rig);
  rig_close(&rig);
  cuda_tuning.events = 1;

  rig = rig_open(true);
  check_times(&rig);
  rig_close(&rig);
  fake->is_lazy = false;
}
