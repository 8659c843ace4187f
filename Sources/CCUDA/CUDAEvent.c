// Events, and the fences in a stream that they wait for.

#include "CUDAObjects.h"

#include <stdlib.h>

// MARK: fences

CUresult cuda_fence(cl_command_queue queue, Fence **result) {
  Fence *fence = queue->spare;
  if (fence) {
    queue->spare = fence->next;
  } else {
    fence = calloc(1, sizeof *fence);
    if (!fence) return CUDA_ERROR_OUT_OF_MEMORY;
    unsigned flags = queue->is_profiling ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING;
    CUresult created = cuda.cuEventCreate(&fence->event, flags);
    if (created) return (free(fence), created);
  }
  *fence = (Fence){.event = fence->event, .references = 1};
  CUresult recorded = cuda.cuEventRecord(fence->event, queue->stream);
  if (recorded) {
    cuda_unfence(queue, fence);
    return recorded;
  }
  *result = fence;
  return CUDA_SUCCESS;
}

void cuda_unfence(cl_command_queue queue, Fence *fence) {
  if (!fence || --fence->references) return;
  fence->next = queue->spare;
  queue->spare = fence;
}

void cuda_fences_free(cl_command_queue queue) {
  cuda_unfence(queue, queue->base);
  queue->base = NULL;
  while (queue->spare) {
    Fence *fence = queue->spare;
    queue->spare = fence->next;
    cuda.cuEventDestroy(fence->event);
    free(fence);
  }
}

// MARK: the life of an event

cl_int cuda_event_begin(cl_command_queue queue, cl_event *result) {
  cl_event event = cuda_object(EVENT, sizeof *event);
  if (!event) return CL_OUT_OF_HOST_MEMORY;
  event->queue = queue;
  if (queue->is_profiling) {
    cl_int status = cuda_status(cuda_fence(queue, &event->start));
    if (status) {
      cuda_recycle(event, EVENT);
      return status;
    }
  }
  cuda_retain(queue);
  *result = event;
  return CL_SUCCESS;
}

cl_int cuda_event_end(cl_event event) {
  event->readback = cuda_readback(event->queue);
  return cuda_status(cuda_fence(event->queue, &event->end));
}

void cuda_event_await(cl_event event) {
  cl_command_queue queue = event->queue;
  event->is_waiting = true;
  event->next_waiting = queue->waiting;
  queue->waiting = event;
  queue->waiting_count++;
}

cl_int cuda_events_submitted(cl_command_queue queue, cl_int status) {
  if (!queue->waiting) return status;
  Fence *fence = NULL;
  if (!status) status = cuda_status(cuda_fence(queue, &fence));
  for (cl_event event = queue->waiting; event; event = event->next_waiting) {
    event->is_waiting = false;
    event->error = status;
    event->readback = cuda_readback(queue);
    event->end = fence;
    if (fence) fence->references++;
  }
  cuda_unfence(queue, fence);
  queue->waiting = NULL;
  queue->waiting_count = 0;
  return status;
}

void cuda_event_free(cl_event event) {
  cl_command_queue queue = event->queue;
  if (event->is_waiting) {
    cl_event *link = &queue->waiting;
    while (*link != event) link = &(*link)->next_waiting;
    *link = event->next_waiting;
    queue->waiting_count--;
  }
  cuda_unfence(queue, event->start);
  cuda_unfence(queue, event->end);
  cuda_recycle(event, EVENT);
}

cl_int cuda_clReleaseEvent(cl_event event) {
  if (!cuda_is(event, EVENT)) return CL_INVALID_EVENT;
  cl_command_queue queue = event->queue;
  pthread_mutex_lock(&queue->lock);
  cuda_event_free(event);
  pthread_mutex_unlock(&queue->lock);
  cuda_queue_drop(queue);
  return CL_SUCCESS;
}

// MARK: states

/// CL_COMPLETE, the state of an incomplete event, or a negative error. The queue is locked.
static cl_int state(cl_event event) {
  if (event->error) return event->error;
  if (!event->end) return CL_QUEUED;
  if (!event->end->has_passed) {
    CUresult result = cuda.cuCtxSetCurrent(event->queue->context->cuda);
    if (!result) result = cuda.cuEventQuery(event->end->event);
    if (result == CUDA_ERROR_NOT_READY) return CL_RUNNING;
    if (result) return event->error = cuda_status(result);
    event->end->has_passed = true;
  }
  cuda_finish_readbacks(event->queue, event->readback);
  return CL_COMPLETE;
}

cl_int cuda_clGetEventInfo(cl_event event, cl_event_info name, size_t capacity, void *out, size_t *out_size) {
  if (!cuda_is(event, EVENT)) return CL_INVALID_EVENT;
  if (name != CL_EVENT_COMMAND_EXECUTION_STATUS) return CL_INVALID_VALUE;
  pthread_mutex_lock(&event->queue->lock);
  cl_int value = state(event);
  pthread_mutex_unlock(&event->queue->lock);
  return cuda_answer(&value, sizeof value, capacity, out, out_size);
}

static cl_int await(cl_event event) {
  cl_command_queue queue = event->queue;
  pthread_mutex_lock(&queue->lock);
  if (event->is_waiting) cuda_submit(queue);
  cl_int status = state(event);
  Fence *fence = status > 0 ? event->end : NULL;
  if (fence) fence->references++;
  pthread_mutex_unlock(&queue->lock);
  if (!fence) return status;
  CUresult result = cuda.cuEventSynchronize(fence->event);
  pthread_mutex_lock(&queue->lock);
  cuda_unfence(queue, fence);
  status = result ? (event->error = cuda_status(result)) : state(event);
  pthread_mutex_unlock(&queue->lock);
  return status;
}

cl_int cuda_clWaitForEvents(cl_uint count, const cl_event *events) {
  if (!count || !events) return CL_INVALID_VALUE;
  for (cl_uint index = 0; index < count; index++) {
    if (!cuda_is(events[index], EVENT)) return CL_INVALID_EVENT;
  }
  cl_int failed = CL_SUCCESS;
  for (cl_uint index = 0; index < count; index++) {
    if (await(events[index])) failed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  }
  return failed;
}

// MARK: times

static CUresult nanoseconds(const Fence *from, const Fence *to, cl_ulong *result) {
  float milliseconds = 0;
  CUresult status = cuda.cuEventElapsedTime(&milliseconds, from->event, to->event);
  *result = milliseconds > 0 ? (cl_ulong)((double)milliseconds * 1e6) : 0;
  return status;
}

cl_int cuda_clGetEventProfilingInfo(cl_event event, cl_profiling_info name, size_t capacity, void *out,
                                    size_t *out_size) {
  if (!cuda_is(event, EVENT)) return CL_INVALID_EVENT;
  cl_ulong start = 0, length = 0;
  cl_int status = CL_PROFILING_INFO_NOT_AVAILABLE;
  pthread_mutex_lock(&event->queue->lock);
  if (event->start && state(event) == CL_COMPLETE) {
    status = cuda_status(nanoseconds(event->queue->base, event->start, &start));
    // The end is not measured from the base too: a float of milliseconds is too coarse for that after a few seconds.
    if (!status) status = cuda_status(nanoseconds(event->start, event->end, &length));
  }
  pthread_mutex_unlock(&event->queue->lock);
  if (status) return status;
  cl_ulong value = name == CL_PROFILING_COMMAND_END ? start + length : start;
  if (name < CL_PROFILING_COMMAND_QUEUED || name > CL_PROFILING_COMMAND_END) return CL_INVALID_VALUE;
  return cuda_answer(&value, sizeof value, capacity, out, out_size);
}
