// Device memory, pinned host memory, copies and fills.

#include "inside.h"

typedef struct Pinned {
  char *base;
  size_t size;
  bool is_registered;
  struct Pinned *next;
} Pinned;

static Pinned *pinned;

static void *pointer(Address address) { return (void *)(uintptr_t)address; }

// MARK: allocation

Result cuMemAlloc_v2(Address *address, size_t size) {
  BEGIN;
  if (size > (size_t)1 << 30) return fake_leave(OUT_OF_MEMORY);
  void *memory = aligned_alloc(256, (size + 255) & ~(size_t)255);
  memset(memory, 0x5a, size);
  *address = (uintptr_t)memory;
  fake_state.live_buffers++;
  return fake_leave(0);
}

Result cuMemFree_v2(Address address) {
  Result result = fake_enter(__func__, true);
  free(pointer(address));
  fake_state.live_buffers--;
  return fake_leave(result);
}

/// Add a block at `base`, and remove one. Removing an unknown block runs past the end of the list and crashes.
static void pin(char *base, size_t size, bool is_registered) {
  Pinned *block = malloc(sizeof *block);
  *block = (Pinned){.base = base, .size = size, .is_registered = is_registered, .next = pinned};
  pinned = block;
  fake_state.live_pinned++;
}

static void unpin(const char *base, bool is_registered) {
  Pinned **link = &pinned;
  while ((*link)->base != base || (*link)->is_registered != is_registered) link = &(*link)->next;
  Pinned *block = *link;
  *link = block->next;
  free(block);
  fake_state.live_pinned--;
}

Result cuMemAllocHost_v2(void **address, size_t size) {
  BEGIN;
  *address = malloc(size);
  pin(*address, size, false);
  return fake_leave(0);
}

Result cuMemFreeHost(void *address) {
  Result result = fake_enter(__func__, true);
  unpin(address, false);
  free(address);
  return fake_leave(result);
}

Result cuMemHostRegister_v2(void *address, size_t size, unsigned flags) {
  BEGIN;
  if (flags != 1 || (uintptr_t)address % 4096 || size % 4096) return fake_leave(INVALID_VALUE);
  pin(address, size, true);
  return fake_leave(0);
}

Result cuMemHostUnregister(void *address) {
  Result result = fake_enter(__func__, true);
  unpin(address, true);
  return fake_leave(result);
}

bool fake_is_pinned(const void *address) {
  const char *byte = address;
  for (const Pinned *block = pinned; block; block = block->next) {
    if (byte >= block->base && byte < block->base + block->size) return true;
  }
  return false;
}

// MARK: copies

Result cuMemcpyHtoDAsync_v2(Address target, const void *source, size_t size, Stream *stream) {
  BEGIN;
  Operation operation = {.kind = COPY_IN, .target = pointer(target), .source = (void *)source, .size = size};
  if (fake_is_pinned(source)) {
    // Reads the source when the stream executes the copy, which reveals memory that is reused too early.
    fake_state.ring_copies++;
  } else {
    operation.source = malloc(size);
    operation.owns_source = true;
    memcpy(operation.source, source, size);
  }
  fake_push(stream, operation);
  return fake_leave(0);
}

Result cuMemcpyDtoHAsync_v2(void *target, Address source, size_t size, Stream *stream) {
  BEGIN;
  fake_push(stream, (Operation){.kind = COPY_OUT, .target = target, .source = pointer(source), .size = size});
  if (!fake_is_pinned(target)) fake_run(stream, NULL);
  return fake_leave(0);
}

Result cuMemcpyDtoDAsync_v2(Address target, Address source, size_t size, Stream *stream) {
  BEGIN;
  fake_push(
      stream, (Operation){.kind = COPY_WITHIN, .target = pointer(target), .source = pointer(source), .size = size});
  return fake_leave(0);
}

// MARK: fills

Result cuMemsetD8Async(Address target, unsigned char value, size_t count, Stream *stream) {
  BEGIN;
  fake_push(stream, (Operation){.kind = FILL_8, .target = pointer(target), .size = count, .value = value});
  return fake_leave(0);
}

Result cuMemsetD16Async(Address target, unsigned short value, size_t count, Stream *stream) {
  BEGIN;
  fake_push(stream, (Operation){.kind = FILL_16, .target = pointer(target), .size = count, .value = value});
  return fake_leave(0);
}

Result cuMemsetD32Async(Address target, unsigned value, size_t count, Stream *stream) {
  BEGIN;
  fake_push(stream, (Operation){.kind = FILL_32, .target = pointer(target), .size = count, .value = value});
  return fake_leave(0);
}
