// Copies between pageable and pinned host memory. Several threads share large copies, because one thread reaches a
// fifth of the bandwidth of a device's bus.

#include "CUDAObjects.h"

#include <unistd.h>

/// Bytes that a thread copies per step, and the minimum size for waking helper threads.
#define PIECE ((size_t)128 << 10)
#define LEAST_SHARED (4 * PIECE)

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, rest = PTHREAD_COND_INITIALIZER;
static unsigned helpers;

/// One copy at a time is shared. `lock` guards all fields except `next`: a thread claims a chunk by incrementing it.
static struct {
  unsigned char *target;
  const unsigned char *source;
  size_t size;
  atomic_size_t next;
  /// Helper threads that work on the job.
  unsigned busy;
  uint64_t number;
  bool is_open;
} job;

static void copy_pieces(void) {
  for (;;) {
    size_t at = atomic_fetch_add(&job.next, PIECE);
    if (at >= job.size) return;
    memcpy(job.target + at, job.source + at, job.size - at < PIECE ? job.size - at : PIECE);
  }
}

static void *help(void *unused) {
  (void)unused;
  uint64_t last = 0;
  pthread_mutex_lock(&lock);
  for (;;) {
    while (!job.is_open || job.number == last) pthread_cond_wait(&work, &lock);
    last = job.number;
    job.busy++;
    pthread_mutex_unlock(&lock);
    copy_pieces();
    pthread_mutex_lock(&lock);
    if (--job.busy == 0) pthread_cond_signal(&rest);
  }
  return NULL;
}

/// Uses at most half of the processors, because other threads run beside predictions that wait for a device.
static void start(void) {
  long processors = cuda_tuning.processors ? cuda_tuning.processors : sysconf(_SC_NPROCESSORS_ONLN);
  for (long index = 0; index < cuda_tuning.helpers && 2 * (index + 2) <= processors; index++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, help, NULL)) return;
    pthread_detach(thread);
    helpers++;
  }
}

/// Opens a job for all helpers. Returns false if there are no helpers or they have another job.
static bool open_job(void *target, const void *source, size_t size) {
  pthread_once(&once, start);
  if (!helpers) return false;
  pthread_mutex_lock(&lock);
  bool is_free = !job.is_open && !job.busy;
  if (is_free) {
    job.target = target;
    job.source = source;
    job.size = size;
    atomic_store(&job.next, 0);
    job.number++;
    job.is_open = true;
    pthread_cond_broadcast(&work);
  }
  pthread_mutex_unlock(&lock);
  return is_free;
}

void cuda_copy_bytes(void *target, const void *source, size_t size) {
  if (size < LEAST_SHARED || !open_job(target, source, size)) {
    memcpy(target, source, size);
    return;
  }
  copy_pieces();
  pthread_mutex_lock(&lock);
  // Helpers that have not woken by now are not needed.
  job.is_open = false;
  while (job.busy) pthread_cond_wait(&rest, &lock);
  pthread_mutex_unlock(&lock);
}
