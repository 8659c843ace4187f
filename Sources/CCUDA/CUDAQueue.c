// Queues: lifetime, the common begin and end of every command, and waiting.

#include "CUDAObjects.h"

#include <stdlib.h>

static CUresult open_queue(cl_command_queue queue) {
  CUresult result = cuda.cuCtxSetCurrent(queue->context->cuda);
  if (!result) result = cuda.cuStreamCreate(&queue->stream, CU_STREAM_NON_BLOCKING);
  // The base of a profiling queue's times.
  if (!result && queue->is_profiling) {
    result = cuda_fence(queue, &queue->base);
    if (result) {
      cuda_fences_free(queue);
      cuda.cuStreamDestroy(queue->stream);
    }
  }
  return result;
}

cl_command_queue cuda_clCreateCommandQueue(cl_context context, cl_device_id device,
                                           cl_command_queue_properties properties, cl_int *status) {
  cl_int ignored;
  if (!status) status = &ignored;
  if (!cuda_is(context, CONTEXT)) return (*status = CL_INVALID_CONTEXT, NULL);
  if (device != context->device->id) return (*status = CL_INVALID_DEVICE, NULL);
  if (properties & ~(cl_command_queue_properties)CL_QUEUE_PROFILING_ENABLE) {
    return (*status = CL_INVALID_QUEUE_PROPERTIES, NULL);
  }
  cl_command_queue queue = cuda_object(QUEUE, sizeof *queue);
  if (!queue) return (*status = CL_OUT_OF_HOST_MEMORY, NULL);
  queue->context = context;
  queue->is_profiling = properties != 0;
  *status = cuda_status(open_queue(queue));
  if (*status) {
    cuda_recycle(queue, QUEUE);
    return NULL;
  }
  pthread_mutex_init(&queue->lock, NULL);
  cuda_retain(context);
  pthread_mutex_lock(&context->lock);
  queue->next = context->queues;
  context->queues = queue;
  pthread_mutex_unlock(&context->lock);
  return queue;
}

/// False for a queue that is being destroyed.
bool cuda_queue_retain(cl_command_queue queue) {
  unsigned count = atomic_load_explicit(&queue->object.references, memory_order_relaxed);
  while (count && !atomic_compare_exchange_weak(&queue->object.references, &count, count + 1)) {
  }
  return count != 0;
}

void cuda_queue_drop(cl_command_queue queue) {
  if (!cuda_drop(queue)) return;
  cl_context context = queue->context;
  pthread_mutex_lock(&context->lock);
  cl_command_queue *link = &context->queues;
  while (*link != queue) link = &(*link)->next;
  *link = queue->next;
  pthread_mutex_unlock(&context->lock);
  cuda_queue_wait(queue);
  cuda_graphs_forget(queue, NULL);
  cuda_ring_free(queue);
  cuda_fences_free(queue);
  cuda.cuStreamDestroy(queue->stream);
  free(queue->launches);
  pthread_mutex_destroy(&queue->lock);
  cuda_recycle(queue, QUEUE);
  cuda_context_drop(context);
}

cl_int cuda_clReleaseCommandQueue(cl_command_queue queue) {
  if (!cuda_is(queue, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  cl_int status = cuda_clFlush(queue);
  cuda_kill(queue);
  cuda_queue_drop(queue);
  return status;
}

// MARK: waiting

cl_int cuda_queue_wait(cl_command_queue queue) {
  pthread_mutex_lock(&queue->lock);
  uint64_t submitted = queue->submitted, readback = cuda_readback(queue);
  pthread_mutex_unlock(&queue->lock);
  // Without the lock, because other threads may release memory, which visits every queue, or query events.
  CUresult result = cuda.cuCtxSetCurrent(queue->context->cuda);
  CUresult ended = cuda.cuStreamSynchronize(queue->stream);
  if (result || ended) return cuda_status(result ? result : ended);
  pthread_mutex_lock(&queue->lock);
  if (queue->ended < submitted) queue->ended = submitted;
  queue->begun = 0;
  cuda_finish_readbacks(queue, readback);
  pthread_mutex_unlock(&queue->lock);
  return CL_SUCCESS;
}

/// Returns and clears the error that has not been reported yet.
static cl_int take_error(cl_command_queue queue) {
  cl_int error = queue->error;
  queue->error = CL_SUCCESS;
  return error;
}

cl_int cuda_clFlush(cl_command_queue queue) {
  if (!cuda_is(queue, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  pthread_mutex_lock(&queue->lock);
  cl_int submitted = cuda_submit(queue);
  cl_int error = take_error(queue);
  pthread_mutex_unlock(&queue->lock);
  return error ? error : submitted;
}

cl_int cuda_clFinish(cl_command_queue queue) {
  cl_int submitted = cuda_clFlush(queue);
  if (submitted == CL_INVALID_COMMAND_QUEUE) return submitted;
  // Also after an error, because the caller may free memory next.
  cl_int ended = cuda_queue_wait(queue);
  return submitted ? submitted : ended;
}

// MARK: commands

cl_int cuda_command_begin(Command *command, cl_command_queue queue, cl_uint wait_count, const cl_event *wait_list,
                          bool submits, cl_event *event) {
  if (!cuda_is(queue, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  if (!wait_count != !wait_list) return CL_INVALID_EVENT_WAIT_LIST;
  if (wait_count) {
    // No caller passes a wait list so far, so this need not be fast.
    cl_int waited = cuda_clWaitForEvents(wait_count, wait_list);
    if (waited) return waited == CL_INVALID_EVENT ? CL_INVALID_EVENT_WAIT_LIST : waited;
  }
  *command = (Command){.queue = queue, .submits = submits};
  pthread_mutex_lock(&queue->lock);
  cl_int status = take_error(queue);
  if (!status && submits) {
    status = cuda_submit(queue);
    if (!status) status = cuda_status(cuda.cuCtxSetCurrent(queue->context->cuda));
  }
  if (!status && event) status = cuda_event_begin(queue, &command->event);
  if (status) pthread_mutex_unlock(&queue->lock);
  return status;
}

cl_int cuda_command_end(Command *command, cl_int status, cl_event *event) {
  cl_command_queue queue = command->queue;
  cl_event own = command->event;
  if (command->submits) queue->submitted++;
  if (own && !status && !own->is_waiting && !own->end) status = cuda_event_end(own);
  if (own && status) cuda_event_free(own);
  pthread_mutex_unlock(&queue->lock);
  // The caller holds the queue, so this is not its last reference.
  if (own && status) cuda_queue_drop(queue);
  if (own && !status) *event = own;
  return status;
}
