// Memory of the host that is lent to transfers. What is used again and again is pinned where it lies, so that the device
// reads and writes it itself: a copy through the queue's own pinned memory takes longer than the device's bus.

#include "CUDAObjects.h"

#include <stdlib.h>
#include <unistd.h>

/// Pinning takes as long as some copies do: what is used once or twice is not worth it.
#define USES_BEFORE_PINNED 2
#define PAGE ((uintptr_t)4096)

typedef enum { COUNTED, PINNING, PINNED, REFUSED } State;

typedef struct {
  uintptr_t base;
  size_t size;
  unsigned uses;
  State state;
  /// Where it is pinned: the context, and the process, which a fork does not inherit it from.
  CUcontext context;
  pid_t process;
} Lent;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/// In the order of their bases. They do not overlap: each is somebody's own.
static Lent *lents;
static size_t count, capacity;
static size_t pinned_bytes;

// A process that is forked while another thread holds the lock frees memory, too.
static void hold(void) { pthread_mutex_lock(&lock); }
static void release(void) { pthread_mutex_unlock(&lock); }
static void survive_forks(void) { pthread_atfork(hold, release, release); }

/// The last one that begins at `address` or before; `count` where there is none.
static size_t find(uintptr_t address) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (lents[middle].base <= address) low = middle + 1;
    else high = middle;
  }
  return low ? low - 1 : count;
}

static Lent *holder(const void *bytes, size_t size) {
  uintptr_t address = (uintptr_t)bytes;
  size_t index = find(address);
  if (index == count) return NULL;
  Lent *lent = &lents[index];
  size_t offset = address - lent->base;
  return offset <= lent->size && size <= lent->size - offset ? lent : NULL;
}

void copencl_cuda_lend(void *base, size_t size) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (size < COPENCL_CUDA_LEAST_LENT) return;
  pthread_once(&once, survive_forks);
  pthread_mutex_lock(&lock);
  if (count == capacity) {
    size_t larger = capacity ? capacity * 2 : 16;
    Lent *grown = realloc(lents, larger * sizeof *grown);
    // Nobody needs to know of it.
    if (!grown) return (void)pthread_mutex_unlock(&lock);
    lents = grown;
    capacity = larger;
  }
  size_t before = find((uintptr_t)base), place = before == count ? 0 : before + 1;
  memmove(lents + place + 1, lents + place, (count - place) * sizeof *lents);
  lents[place] = (Lent){.base = (uintptr_t)base, .size = size};
  count++;
  pthread_mutex_unlock(&lock);
}

static void *first_page(const Lent *lent) { return (void *)(lent->base & ~(PAGE - 1)); }

static size_t page_bytes(const Lent *lent) {
  uintptr_t end = (lent->base + lent->size + PAGE - 1) & ~(PAGE - 1);
  return end - (lent->base & ~(PAGE - 1));
}

/// The pages are the system's again. What the driver answers helps nobody.
static void unpin(const Lent *lent) {
  if (lent->process != getpid()) return;
  cuda.cuCtxSetCurrent(lent->context);
  cuda.cuMemHostUnregister(first_page(lent));
}

void copencl_cuda_take_back(void *base, size_t size) {
  if (size < COPENCL_CUDA_LEAST_LENT) return;
  Lent lent = {0};
  pthread_mutex_lock(&lock);
  size_t index = find((uintptr_t)base);
  if (index < count && lents[index].base == (uintptr_t)base) {
    lent = lents[index];
    memmove(lents + index, lents + index + 1, (count - index - 1) * sizeof *lents);
    count--;
    if (lent.state == PINNED) pinned_bytes -= page_bytes(&lent);
  }
  pthread_mutex_unlock(&lock);
  if (lent.state == PINNED) unpin(&lent);
}

/// Pins what is to be used by a transfer, so that it stays meanwhile. The lock is not held: it takes milliseconds.
static bool pin(const Lent *known, CUcontext context) {
  Lent lent = *known;
  pthread_mutex_unlock(&lock);
  CUresult result = cuda.cuMemHostRegister(first_page(&lent), page_bytes(&lent), CU_MEMHOSTREGISTER_PORTABLE);
  pthread_mutex_lock(&lock);
  if (result) pinned_bytes -= page_bytes(&lent);
  // Others may have come and gone before it.
  Lent *now = holder((void *)lent.base, lent.size);
  if (!now) return !result;
  now->state = result ? REFUSED : PINNED;
  now->context = context;
  now->process = getpid();
  return !result;
}

bool cuda_is_lent(const void *bytes, size_t size, CUcontext context) {
  if (size < COPENCL_CUDA_LEAST_LENT / 4) return false;
  bool is_pinned = false;
  pthread_mutex_lock(&lock);
  Lent *lent = holder(bytes, size);
  if (lent && lent->state == COUNTED && ++lent->uses > USES_BEFORE_PINNED &&
      pinned_bytes + page_bytes(lent) <= copencl_cuda_tuning.pinned) {
    lent->state = PINNING;
    pinned_bytes += page_bytes(lent);
    is_pinned = pin(lent, context);
  } else if (lent) {
    is_pinned = lent->state == PINNED && lent->process == getpid();
  }
  pthread_mutex_unlock(&lock);
  return is_pinned;
}

void cuda_lent_forget(CUcontext context) {
  pthread_mutex_lock(&lock);
  for (size_t index = 0; index < count; index++) {
    Lent *lent = &lents[index];
    if (lent->state != PINNED || lent->context != context) continue;
    // With the lock, so that nobody frees it meanwhile.
    unpin(lent);
    pinned_bytes -= page_bytes(lent);
    lent->state = COUNTED;
    lent->uses = 0;
  }
  pthread_mutex_unlock(&lock);
}
