// Reads, writes, copies and fills. Host data passes through pinned memory, in parts if it does not fit. For pinned
// memory the driver's calls return without waiting; for pageable memory they do not.

#include "CUDAObjects.h"

#include <stdlib.h>

// MARK: readbacks

uint64_t cuda_readback(cl_command_queue queue) { return queue->readbacks_done + (queue->readback_tail - queue->readback_head); }

void cuda_finish_readbacks(cl_command_queue queue, uint64_t readback) {
  while (queue->readbacks_done < readback) {
    const Readback *next = &queue->readbacks[queue->readback_head++];
    if (next->target) cuda_copy_bytes(next->target, next->source, next->size);
    queue->readbacks_done++;
  }
  if (queue->readback_head == queue->readback_tail) queue->readback_head = queue->readback_tail = 0;
}

/// Abandons the readbacks of a read that failed, numbered as `cuda_readback` counts. The caller may free their
/// destinations.
static void drop_landings(cl_command_queue queue, uint64_t from, uint64_t to) {
  for (size_t index = queue->readback_head; index < queue->readback_tail; index++) {
    uint64_t number = queue->readbacks_done + (index - queue->readback_head);
    if (number >= from && number < to) queue->readbacks[index].target = NULL;
  }
}

static bool reserve_landing(cl_command_queue queue) {
  if (queue->readback_tail < queue->readback_capacity) return true;
  if (queue->readback_head) {
    size_t count = queue->readback_tail - queue->readback_head;
    memmove(queue->readbacks, queue->readbacks + queue->readback_head, count * sizeof(Readback));
    queue->readback_head = 0;
    queue->readback_tail = count;
    if (count < queue->readback_capacity / 2) return true;
  }
  size_t capacity = queue->readback_capacity ? queue->readback_capacity * 2 : 64;
  Readback *grown = realloc(queue->readbacks, capacity * sizeof *grown);
  if (!grown) return false;
  queue->readbacks = grown;
  queue->readback_capacity = capacity;
  return true;
}

// MARK: pinned memory

static CUresult ring_open(Ring *ring) {
  void *base = NULL;
  CUresult result = cuda.cuMemAllocHost(&base, CUDA_RING_SEGMENTS * CUDA_RING_SEGMENT);
  if (!result) ring->base = base;
  return result;
}

/// Advances to the next segment after the device has finished with its previous contents.
static CUresult ring_advance(cl_command_queue queue) {
  Ring *ring = &queue->ring;
  unsigned last = ring->segment, next = (last + 1) % CUDA_RING_SEGMENTS;
  CUresult result = ring->left[last] ? CUDA_SUCCESS : cuda.cuEventCreate(&ring->left[last], CU_EVENT_DISABLE_TIMING);
  if (!result) result = cuda.cuEventRecord(ring->left[last], queue->stream);
  if (result) return result;
  ring->has_left[last] = true;
  ring->readback[last] = cuda_readback(queue);
  if (ring->has_left[next]) {
    result = cuda.cuEventSynchronize(ring->left[next]);
    if (result) return result;
    cuda_finish_readbacks(queue, ring->readback[next]);
  }
  ring->segment = next;
  ring->used = 0;
  return CUDA_SUCCESS;
}

/// Pinned memory that stays valid until the stream has passed the next transfer. NULL if there is none.
static unsigned char *ring_take(cl_command_queue queue, size_t size) {
  Ring *ring = &queue->ring;
  if (size > CUDA_RING_SEGMENT || ring->is_broken) return NULL;
  CUresult result = ring->base ? CUDA_SUCCESS : ring_open(ring);
  if (!result && CUDA_RING_SEGMENT - ring->used < size) result = ring_advance(queue);
  if (result) {
    ring->is_broken = true;
    return NULL;
  }
  unsigned char *place = ring->base + ring->segment * CUDA_RING_SEGMENT + ring->used;
  ring->used += (size + 255) & ~(size_t)255;
  return place;
}

void cuda_ring_free(cl_command_queue queue) {
  for (unsigned segment = 0; segment < CUDA_RING_SEGMENTS; segment++) {
    if (queue->ring.left[segment]) cuda.cuEventDestroy(queue->ring.left[segment]);
  }
  if (queue->ring.base) cuda.cuMemFreeHost(queue->ring.base);
  free(queue->readbacks);
}

// MARK: host and device

static cl_int check(cl_command_queue queue, cl_mem buffer, size_t offset, size_t size) {
  if (!cuda_is(queue, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  if (!cuda_is(buffer, BUFFER)) return CL_INVALID_MEM_OBJECT;
  if (buffer->context != queue->context) return CL_INVALID_CONTEXT;
  return size && size <= buffer->size && offset <= buffer->size - size ? CL_SUCCESS : CL_INVALID_VALUE;
}

/// Waits if the call is blocking. A command that then fails has no event.
static cl_int wait_for(cl_command_queue queue, cl_int status, cl_event *event) {
  if (status) return status;
  status = cuda_queue_wait(queue);
  if (status && event) (cuda_clReleaseEvent(*event), *event = NULL);
  return status;
}

static CUresult read_part(cl_command_queue queue, CUdeviceptr source, void *target, size_t size) {
  unsigned char *place = reserve_landing(queue) ? ring_take(queue, size) : NULL;
  if (!place) return cuda.cuMemcpyDtoHAsync(target, source, size, queue->stream);
  CUresult result = cuda.cuMemcpyDtoHAsync(place, source, size, queue->stream);
  // `ring_take` may have finished other readbacks, so the tail is read only now.
  if (!result) queue->readbacks[queue->readback_tail++] = (Readback){place, target, size};
  return result;
}

/// The size of the next part of the `left` bytes.
static size_t part(size_t left) { return left < CUDA_RING_SEGMENT ? left : CUDA_RING_SEGMENT; }

static CUresult read_soon(cl_command_queue queue, CUdeviceptr source, unsigned char *target, size_t size) {
  if (cuda_is_registered(target, size, queue->context->cuda)) {
    return cuda.cuMemcpyDtoHAsync(target, source, size, queue->stream);
  }
  CUresult result = CUDA_SUCCESS;
  for (size_t at = 0; at < size && !result; at += CUDA_RING_SEGMENT) {
    result = read_part(queue, source + at, target + at, part(size - at));
  }
  return result;
}

cl_int cuda_clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool is_blocking, size_t offset, size_t size,
                                void *bytes, cl_uint wait_count, const cl_event *wait_list, cl_event *event) {
  cl_int status = check(queue, buffer, offset, size);
  if (status) return status;
  if (!bytes) return CL_INVALID_VALUE;
  Command command;
  status = cuda_command_begin(&command, queue, wait_count, wait_list, true, event);
  if (status) return status;
  uint64_t first = cuda_readback(queue);
  CUresult result = read_soon(queue, buffer->address + offset, bytes, size);
  uint64_t end = cuda_readback(queue);
  status = cuda_command_end(&command, cuda_status(result), event);
  if (!status && is_blocking) status = wait_for(queue, status, event);
  if (status) {
    pthread_mutex_lock(&queue->lock);
    drop_landings(queue, first, end);
    pthread_mutex_unlock(&queue->lock);
  }
  return status;
}

/// Sets `is_taken` if all bytes have been copied, so that the caller may reuse them.
static CUresult write_soon(cl_command_queue queue, CUdeviceptr target, const unsigned char *bytes, size_t size,
                           bool *is_taken) {
  *is_taken = !cuda_is_registered(bytes, size, queue->context->cuda);
  if (!*is_taken) return cuda.cuMemcpyHtoDAsync(target, bytes, size, queue->stream);
  CUresult result = CUDA_SUCCESS;
  for (size_t at = 0; at < size && !result; at += CUDA_RING_SEGMENT) {
    unsigned char *place = ring_take(queue, part(size - at));
    if (place) cuda_copy_bytes(place, bytes + at, part(size - at));
    else *is_taken = false;
    result = cuda.cuMemcpyHtoDAsync(target + at, place ? place : bytes + at, part(size - at), queue->stream);
  }
  return result;
}

cl_int cuda_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool is_blocking, size_t offset, size_t size,
                                 const void *bytes, cl_uint wait_count, const cl_event *wait_list, cl_event *event) {
  cl_int status = check(queue, buffer, offset, size);
  if (status) return status;
  if (!bytes) return CL_INVALID_VALUE;
  Command command;
  status = cuda_command_begin(&command, queue, wait_count, wait_list, true, event);
  if (status) return status;
  // A blocking write need not wait if its bytes have been copied.
  bool is_taken;
  CUresult result = write_soon(queue, buffer->address + offset, bytes, size, &is_taken);
  status = cuda_command_end(&command, cuda_status(result), event);
  return is_blocking && !is_taken ? wait_for(queue, status, event) : status;
}

// MARK: on the device

cl_int cuda_clEnqueueCopyBuffer(cl_command_queue queue, cl_mem source, cl_mem target, size_t source_offset,
                                size_t target_offset, size_t size, cl_uint wait_count, const cl_event *wait_list,
                                cl_event *event) {
  cl_int status = check(queue, source, source_offset, size);
  if (!status) status = check(queue, target, target_offset, size);
  if (status) return status;
  size_t distance = source_offset > target_offset ? source_offset - target_offset : target_offset - source_offset;
  if (source == target && distance < size) return CL_MEM_COPY_OVERLAP;
  Command command;
  status = cuda_command_begin(&command, queue, wait_count, wait_list, true, event);
  if (status) return status;
  CUresult result = cuda.cuMemcpyDtoDAsync(
      target->address + target_offset, source->address + source_offset, size, queue->stream);
  return cuda_command_end(&command, cuda_status(result), event);
}

/// The length of the shortest pattern that repeats, by halving.
static size_t period(const unsigned char *pattern, size_t size) {
  while (size > 1 && memcmp(pattern, pattern + size / 2, size / 2) == 0) size /= 2;
  return size;
}

static CUresult fill(CUdeviceptr address, const void *pattern, size_t period, size_t size, CUstream stream) {
  uint32_t word = 0;
  memcpy(&word, pattern, period);
  switch (period) {
  case 1: return cuda.cuMemsetD8Async(address, (unsigned char)word, size, stream);
  case 2: return cuda.cuMemsetD16Async(address, (unsigned short)word, size / 2, stream);
  default: return cuda.cuMemsetD32Async(address, word, size / 4, stream);
  }
}

cl_int cuda_clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_size,
                                size_t offset, size_t size, cl_uint wait_count, const cl_event *wait_list,
                                cl_event *event) {
  cl_int status = check(queue, buffer, offset, size);
  if (status) return status;
  bool is_power = pattern_size && pattern_size <= 128 && !(pattern_size & (pattern_size - 1));
  if (!pattern || !is_power || offset % pattern_size || size % pattern_size) return CL_INVALID_VALUE;
  size_t repeated = period(pattern, pattern_size);
  // CUDA fills with words of at most four bytes.
  if (repeated > 4) return CL_INVALID_OPERATION;
  Command command;
  status = cuda_command_begin(&command, queue, wait_count, wait_list, true, event);
  if (status) return status;
  CUresult result = fill(buffer->address + offset, pattern, repeated, size, queue->stream);
  return cuda_command_end(&command, cuda_status(result), event);
}
