// Thread creation under resource limits. A process may reach a limit of its user (RLIMIT_NPROC), of its control group
// (pids.max), or of its memory. Thread stacks count towards the memory limits (RLIMIT_AS, RLIMIT_DATA).
#define _GNU_SOURCE
#include <errno.h>
#if defined(__linux__)
#include <malloc.h>
#endif
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <unistd.h>

#include "CPlatform.h"

typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  bool is_over;
} Gate;

static void *wait_at(void *context) {
  Gate *gate = context;
  pthread_mutex_lock(&gate->mutex);
  while (!gate->is_over) pthread_cond_wait(&gate->changed, &gate->mutex);
  pthread_mutex_unlock(&gate->mutex);
  return NULL;
}

int cplatform_try_threads(int count) {
  enum { MOST = 64 };
  pthread_t threads[MOST];
  Gate gate = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
  int made = 0, status = 0;
  while (made < count && made < MOST) {
    status = pthread_create(&threads[made], NULL, wait_at, &gate);
    if (status != 0) break;
    made++;
  }
  pthread_mutex_lock(&gate.mutex);
  gate.is_over = true;
  pthread_cond_broadcast(&gate.changed);
  pthread_mutex_unlock(&gate.mutex);
  for (int i = 0; i < made; i++) pthread_join(threads[i], NULL);
  return status;
}

void cplatform_use_stacks(size_t bytes) {
#if defined(__GLIBC__)
  pthread_attr_t attributes;
  size_t now = 0;
  if (pthread_getattr_default_np(&attributes) != 0) return;
  // The system's default follows `ulimit -s`, the size of the first thread's stack.
  if (pthread_attr_getstacksize(&attributes, &now) == 0 && now < bytes && pthread_attr_setstacksize(&attributes, bytes) == 0) {
    pthread_setattr_default_np(&attributes);
  }
  pthread_attr_destroy(&attributes);
#else
  (void)bytes;
#endif
}

void cplatform_limit_arenas(uint64_t bytes) {
#if defined(__GLIBC__)
  // Each thread's arena reserves 64 MB of address space, and 128 MB for a moment, whatever its contents.
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur < bytes) mallopt(M_ARENA_MAX, 1);
#else
  (void)bytes;
#endif
}

int cplatform_processors(void) {
#if defined(__linux__)
  // The call fails with EINVAL on machines with more processors than the set holds.
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? (int)count : 1;
}
