// Host memory that is registered for transfers. Memory that is used repeatedly is pinned in place, so that the device
// reads and writes it directly. A copy through the queue's own pinned memory takes longer than the transfer over the
// bus.

#include "CUDAObjects.h"

#include <stdlib.h>
#include <unistd.h>

/// Pinning takes as long as a few copies, so memory that is used once or twice is not pinned.
#define USES_BEFORE_PINNED 2
#define PAGE ((uintptr_t)4096)

typedef enum { COUNTED, PINNING, PINNED, REFUSED } State;

typedef struct {
  uintptr_t base;
  size_t size;
  unsigned uses;
  State state;
  /// Where it is pinned: the context, and the process, because a forked child does not inherit the pinning.
  CUcontext context;
  pid_t process;
} Registration;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/// Sorted by base. Registrations do not overlap, because each one has its own owner.
static Registration *registrations;
static size_t count, capacity;
static size_t pinned_bytes;

// A process that is forked while another thread holds the lock frees memory, too.
static void hold(void) { pthread_mutex_lock(&lock); }
static void release(void) { pthread_mutex_unlock(&lock); }
static void survive_forks(void) { pthread_atfork(hold, release, release); }

/// The last registration that begins at or before `address`; `count` if there is none.
static size_t find(uintptr_t address) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (registrations[middle].base <= address) low = middle + 1;
    else high = middle;
  }
  return low ? low - 1 : count;
}

static Registration *holder(const void *bytes, size_t size) {
  uintptr_t address = (uintptr_t)bytes;
  size_t index = find(address);
  if (index == count) return NULL;
  Registration *registered = &registrations[index];
  size_t offset = address - registered->base;
  return offset <= registered->size && size <= registered->size - offset ? registered : NULL;
}

void ccuda_register(void *base, size_t size) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (size < CCUDA_LEAST_REGISTERED) return;
  pthread_once(&once, survive_forks);
  pthread_mutex_lock(&lock);
  if (count == capacity) {
    size_t larger = capacity ? capacity * 2 : 16;
    Registration *grown = realloc(registrations, larger * sizeof *grown);
    // Without a registration, transfers still work.
    if (!grown) return (void)pthread_mutex_unlock(&lock);
    registrations = grown;
    capacity = larger;
  }
  size_t before = find((uintptr_t)base), place = before == count ? 0 : before + 1;
  memmove(registrations + place + 1, registrations + place, (count - place) * sizeof *registrations);
  registrations[place] = (Registration){.base = (uintptr_t)base, .size = size};
  count++;
  pthread_mutex_unlock(&lock);
}

static void *first_page(const Registration *registered) { return (void *)(registered->base & ~(PAGE - 1)); }

static size_t page_bytes(const Registration *registered) {
  uintptr_t end = (registered->base + registered->size + PAGE - 1) & ~(PAGE - 1);
  return end - (registered->base & ~(PAGE - 1));
}

/// Returns the pages to the system. The caller could not act on an error.
static void unpin(const Registration *registered) {
  if (registered->process != getpid()) return;
  cuda.cuCtxSetCurrent(registered->context);
  cuda.cuMemHostUnregister(first_page(registered));
}

void ccuda_unregister(void *base, size_t size) {
  if (size < CCUDA_LEAST_REGISTERED) return;
  Registration registered = {0};
  pthread_mutex_lock(&lock);
  size_t index = find((uintptr_t)base);
  if (index < count && registrations[index].base == (uintptr_t)base) {
    registered = registrations[index];
    memmove(registrations + index, registrations + index + 1, (count - index - 1) * sizeof *registrations);
    count--;
    if (registered.state == PINNED) pinned_bytes -= page_bytes(&registered);
  }
  pthread_mutex_unlock(&lock);
  if (registered.state == PINNED) unpin(&registered);
}

/// Pins memory that a transfer is about to use, so it stays registered meanwhile. Releases the lock during the driver
/// call, which takes milliseconds.
static bool pin(const Registration *known, CUcontext context) {
  Registration registered = *known;
  pthread_mutex_unlock(&lock);
  CUresult result = cuda.cuMemHostRegister(first_page(&registered), page_bytes(&registered), CU_MEMHOSTREGISTER_PORTABLE);
  pthread_mutex_lock(&lock);
  if (result) pinned_bytes -= page_bytes(&registered);
  // Entries may have been added or removed before it.
  Registration *now = holder((void *)registered.base, registered.size);
  if (!now) return !result;
  now->state = result ? REFUSED : PINNED;
  now->context = context;
  now->process = getpid();
  return !result;
}

bool cuda_is_registered(const void *bytes, size_t size, CUcontext context) {
  if (size < CCUDA_LEAST_REGISTERED / 4) return false;
  bool is_pinned = false;
  pthread_mutex_lock(&lock);
  Registration *registered = holder(bytes, size);
  if (registered && registered->state == COUNTED && ++registered->uses > USES_BEFORE_PINNED &&
      pinned_bytes + page_bytes(registered) <= cuda_tuning.pinned) {
    registered->state = PINNING;
    pinned_bytes += page_bytes(registered);
    is_pinned = pin(registered, context);
  } else if (registered) {
    is_pinned = registered->state == PINNED && registered->process == getpid();
  }
  pthread_mutex_unlock(&lock);
  return is_pinned;
}

void cuda_registered_forget(CUcontext context) {
  pthread_mutex_lock(&lock);
  for (size_t index = 0; index < count; index++) {
    Registration *registered = &registrations[index];
    if (registered->state != PINNED || registered->context != context) continue;
    // With the lock held, so that no other thread frees the memory meanwhile.
    unpin(registered);
    pinned_bytes -= page_bytes(registered);
    registered->state = COUNTED;
    registered->uses = 0;
  }
  pthread_mutex_unlock(&lock);
}
