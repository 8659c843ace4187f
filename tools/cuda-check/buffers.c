// Buffers, transfer arguments, and invalid handles.

#include "tests.h"

#include <stdlib.h>

static void check_create(const Rig *rig) {
  cl_int status;
  CHECK(!cl.clCreateBuffer(rig->context, CL_MEM_READ_WRITE, 0, NULL, &status));
  CHECK(status == CL_INVALID_BUFFER_SIZE);
  CHECK(!cl.clCreateBuffer(rig->context, CL_MEM_COPY_HOST_PTR, 4, NULL, &status));
  CHECK(status == CL_INVALID_HOST_PTR);
  CHECK(!cl.clCreateBuffer(rig->context, 0, (size_t)2 << 30, NULL, &status));
  CHECK(status == CL_MEM_OBJECT_ALLOCATION_FAILURE);
}

static cl_int read_at(const Rig *rig, size_t offset, void *bytes) {
  return cl.clEnqueueReadBuffer(rig->queue, rig->memory, CL_TRUE, offset, 10, bytes, 0, NULL, NULL);
}

static cl_int copy_8(const Rig *rig, size_t target_offset) {
  return cl.clEnqueueCopyBuffer(rig->queue, rig->memory, rig->memory, 0, target_offset, 8, 0, NULL, NULL);
}

static void check_ranges(const Rig *rig) {
  char bytes[10];
  CHECK(read_at(rig, 250, bytes) == CL_INVALID_VALUE);
  CHECK(read_at(rig, SIZE_MAX, bytes) == CL_INVALID_VALUE);
  CHECK(read_at(rig, 0, NULL) == CL_INVALID_VALUE);
  CHECK(copy_8(rig, 4) == CL_MEM_COPY_OVERLAP);
  OK(copy_8(rig, 8));
}

/// CUDA cannot fill with a long pattern in one step. The pattern is accepted if it repeats a shorter one that CUDA
/// supports.
static void check_fills(const Rig *rig) {
  uint64_t pattern[2] = {0x0101020301010203, 0x0101020301010203};
  uint16_t half = 0x1234;
  uint32_t words[8];
  OK(cl.clEnqueueFillBuffer(rig->queue, rig->memory, pattern, sizeof pattern, 0, 32, 0, NULL, NULL));
  read_now(rig->queue, rig->memory, words, sizeof words);
  CHECK(words[7] == 0x01010203);
  pattern[1] = 5;
  CHECK(cl.clEnqueueFillBuffer(rig->queue, rig->memory, pattern, sizeof pattern, 0, 32, 0, NULL, NULL) ==
        CL_INVALID_OPERATION);
  OK(cl.clEnqueueFillBuffer(rig->queue, rig->memory, &half, sizeof half, 2, 6, 0, NULL, NULL));
  read_now(rig->queue, rig->memory, words, sizeof words);
  CHECK(words[0] == 0x12340203);
  CHECK(words[1] == 0x12341234);
  CHECK(words[2] == 0x01010203);
}

/// A transfer larger than all pinned memory passes through it in parts. Written bytes belong to the caller again at
/// once.
static void check_large(const Rig *rig) {
  size_t size = 2 * CUDA_RING_SEGMENTS * CUDA_RING_SEGMENT + 5;
  unsigned char *bytes = malloc(size), *found = calloc(size, 1);
  CHECK(bytes && found);
  for (size_t index = 0; index < size; index++) bytes[index] = (unsigned char)(index * 2654435761u >> 13);
  cl_mem memory = buffer_of(rig->context, size, NULL);
  write_later(rig->queue, memory, bytes, size);
  memset(bytes, 0, size);
  read_now(rig->queue, memory, found, size);
  for (size_t index = 0; index < size; index++) CHECK(found[index] == (unsigned char)(index * 2654435761u >> 13));
  // A read whose wait failed must write nothing later, because its memory may have another owner.
  memset(found, 7, size);
  fail("cuStreamSynchronize", 1, 719);
  CHECK(cl.clEnqueueReadBuffer(rig->queue, memory, CL_TRUE, 0, 1000, found, 0, NULL, NULL));
  fail_never();
  finish(rig);
  for (size_t index = 0; index < 1000; index++) CHECK(found[index] == 7);
  read_now(rig->queue, memory, found, 1000);
  CHECK(found[999] == (unsigned char)(999 * 2654435761u >> 13));
  OK(cl.clReleaseMemObject(memory));
  free(bytes);
  free(found);
}

static void check_nulls(void) {
  CHECK(cl.clFlush(NULL) == CL_INVALID_COMMAND_QUEUE);
  CHECK(cl.clFinish(NULL) == CL_INVALID_COMMAND_QUEUE);
  CHECK(cl.clReleaseCommandQueue(NULL) == CL_INVALID_COMMAND_QUEUE);
  CHECK(cl.clReleaseEvent(NULL) == CL_INVALID_EVENT);
  CHECK(cl.clReleaseMemObject(NULL) == CL_INVALID_MEM_OBJECT);
  CHECK(cl.clReleaseProgram(NULL) == CL_INVALID_PROGRAM);
  CHECK(cl.clReleaseContext(NULL) == CL_INVALID_CONTEXT);
  CHECK(cl.clWaitForEvents(0, NULL) == CL_INVALID_VALUE);
}

void check_buffers(void) {
  Rig rig = rig_open(false);
  check_create(&rig);
  check_ranges(&rig);
  check_fills(&rig);
  check_large(&rig);
  check_nulls();
  rig_close(&rig);
  // A released handle is invalid.
  CHECK(cl.clReleaseContext(rig.context) == CL_INVALID_CONTEXT);
}
