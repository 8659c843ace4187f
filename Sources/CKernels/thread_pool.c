// The fork-join pool. One atomic word, the gate, says whether a job is open, which one it is, and how many workers are
// inside. A worker enters by adding itself while the job is open, so the caller never waits for a thread that slept
// through a job.
//
// Each worker starts with its own part of the range, the same part in every job, and then continues with the parts of
// others. So it mostly reads data that it wrote in the previous job. Reading another worker's data is slower, much
// slower where processors share no cache.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "ck_pool.h"

// How long a thread spins before it sleeps, in nanoseconds. A wake-up costs tens of microseconds, or some milliseconds
// if other threads compete for the processor, even niced ones. So threads keep spinning while a caller is between two
// runs, and between a prediction and the next one.
enum { WHERE_CROWDED = 20 * 1000, BRIEFLY = 200 * 1000, WHILE_AT_WORK = 2 * 1000 * 1000, LOOKS = 32 };

static const uint64_t INSIDE_MASK = 0xffffffffu;
static const uint64_t OPEN = (uint64_t)1 << 32;
static const uint64_t ONE_JOB = (uint64_t)1 << 33;

/// A range of consecutive chunks. `next` is the first unclaimed chunk.
struct part {
  _Alignas(64) _Atomic(size_t) next;
  size_t end;
};

/// With more threads, neighboring threads share a part, because each part costs one cache line to set up.
enum { MOST_PARTS = 16 };

struct ck_pool {
  size_t threads;
  pthread_t *workers;  // threads - 1
  _Atomic(bool) busy;
  // The job. The caller writes it while the gate is closed and no worker is inside.
  ck_pool_function function;
  void *context;
  size_t begin, end, grain, part_count;
  struct part parts[MOST_PARTS];
  _Alignas(64) _Atomic(uint64_t) gate;
  _Alignas(64) _Atomic(size_t) sleepers;
  _Atomic(size_t) callers;  // callers in a run or between two runs
  _Atomic(bool) stop;
  _Atomic(bool) caller_sleeps;
  pthread_mutex_t mutex;
  pthread_cond_t work, done;
};

struct worker {
  ck_pool *pool;
  size_t index;
};

static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static void claim_chunks(ck_pool *pool, size_t worker) {
  size_t count = pool->part_count, own = worker * count / pool->threads;
  for (size_t i = 0; i < count; i++) {
    struct part *part = &pool->parts[(own + i) % count];
    while (atomic_load_explicit(&part->next, memory_order_relaxed) < part->end) {
      size_t chunk = atomic_fetch_add_explicit(&part->next, 1, memory_order_relaxed);
      if (chunk >= part->end) break;
      size_t begin = pool->begin + chunk * pool->grain;
      size_t end = pool->end - begin > pool->grain ? begin + pool->grain : pool->end;
      pool->function(pool->context, begin, end, worker);
    }
  }
}

/// Splits the chunks into parts of about equal size, one per thread, at most MOST_PARTS.
static void set_out(ck_pool *pool, size_t chunks) {
  size_t count = pool->threads < MOST_PARTS ? pool->threads : MOST_PARTS;
  if (chunks < count) count = chunks;
  pool->part_count = count;
  size_t size = chunks / count, larger = chunks % count, begin = 0;
  for (size_t i = 0; i < count; i++) {
    atomic_store_explicit(&pool->parts[i].next, begin, memory_order_relaxed);
    begin += size + (i < larger);
    pool->parts[i].end = begin;
  }
}

static bool has_new_job(uint64_t gate, uint64_t last) { return (gate & OPEN) && gate / ONE_JOB != last; }

static uint64_t nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/// State of a spin loop: `begun` is its start, `idle` the time since which no caller is active.
struct looking {
  uint64_t begun, idle;
  unsigned looks;
};

/// Spins for a moment. Returns false when it is time to sleep. That is soon if there are as many callers as threads,
/// because they need the processors.
static bool look_on(const ck_pool *pool, struct looking *l) {
  relax();
  if (++l->looks % LOOKS != 0) return true;
  uint64_t now = nanoseconds();
  if (l->begun == 0) l->begun = l->idle = now;
  size_t callers = atomic_load_explicit(&pool->callers, memory_order_relaxed);
  if (callers >= pool->threads) return now - l->begun < WHERE_CROWDED;
  if (callers == 0) return now - l->idle < BRIEFLY;
  l->idle = now;
  return now - l->begun < WHILE_AT_WORK;
}

/// Waits for a job other than `last`. Returns false when the pool ends.
static bool wait_for_job(ck_pool *pool, uint64_t last) {
  struct looking looking = {0};
  do {
    if (has_new_job(atomic_load(&pool->gate), last)) return true;
    if (atomic_load(&pool->stop)) return false;
  } while (look_on(pool, &looking));
  pthread_mutex_lock(&pool->mutex);
  atomic_fetch_add(&pool->sleepers, 1);
  while (!has_new_job(atomic_load(&pool->gate), last) && !atomic_load(&pool->stop)) {
    pthread_cond_wait(&pool->work, &pool->mutex);
  }
  atomic_fetch_sub(&pool->sleepers, 1);
  pthread_mutex_unlock(&pool->mutex);
  return !atomic_load(&pool->stop);
}

static void leave(ck_pool *pool) {
  uint64_t before = atomic_fetch_sub(&pool->gate, 1);
  if ((before & INSIDE_MASK) == 1 && !(before & OPEN) && atomic_load(&pool->caller_sleeps)) {
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_signal(&pool->done);
    pthread_mutex_unlock(&pool->mutex);
  }
}

static void *work(void *argument) {
  struct worker *self = argument;
  ck_pool *pool = self->pool;
  size_t index = self->index;
  free(self);
  uint64_t last = 0;  // job numbers begin at 1
  while (wait_for_job(pool, last)) {
    uint64_t gate = atomic_load(&pool->gate);
    while (has_new_job(gate, last)) {
      if (atomic_compare_exchange_weak(&pool->gate, &gate, gate + 1)) {
        last = gate / ONE_JOB;
        claim_chunks(pool, index);
        leave(pool);
        break;
      }
    }
  }
  return NULL;
}

static void close_and_wait(ck_pool *pool) {
  atomic_fetch_and(&pool->gate, ~OPEN);
  struct looking looking = {0};
  do {
    if (!(atomic_load(&pool->gate) & INSIDE_MASK)) return;
  } while (look_on(pool, &looking));
  pthread_mutex_lock(&pool->mutex);
  atomic_store(&pool->caller_sleeps, true);
  while (atomic_load(&pool->gate) & INSIDE_MASK) pthread_cond_wait(&pool->done, &pool->mutex);
  atomic_store(&pool->caller_sleeps, false);
  pthread_mutex_unlock(&pool->mutex);
}

/// Acquires the pool if it is free. A waiting thread only reads the flag, so that the cache line stays shared.
static bool take(ck_pool *pool) {
  return !atomic_load_explicit(&pool->busy, memory_order_relaxed) && !atomic_exchange(&pool->busy, true);
}

/// Runs `begin ..< end` on the pool's threads. The caller must have taken the pool; this function releases it.
static void run_taken(
    ck_pool *pool, size_t begin, size_t end, size_t grain, size_t chunks, ck_pool_function function, void *context) {
  pool->function = function;
  pool->context = context;
  pool->begin = begin;
  pool->end = end;
  pool->grain = grain;
  set_out(pool, chunks);
  atomic_fetch_add(&pool->gate, ONE_JOB + OPEN);
  size_t sleepers = atomic_load(&pool->sleepers);
  if (sleepers > 0) {
    // A worker that has seen no job holds the mutex until it waits, and needs the mutex to wake up.
    pthread_mutex_lock(&pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
    if (sleepers >= pool->threads - 1 && chunks - 1 >= sleepers) {
      pthread_cond_broadcast(&pool->work);
    } else {
      for (size_t i = 0; i < sleepers && i < chunks - 1; i++) pthread_cond_signal(&pool->work);
    }
  }
  claim_chunks(pool, 0);
  close_and_wait(pool);
  atomic_store(&pool->busy, false);
}

void ck_pool_run(ck_pool *pool, size_t count, size_t grain, ck_pool_function function, void *context) {
  if (grain == 0) grain = 1;
  bool is_alone = pool == NULL || pool->threads == 1;
  for (size_t begin = 0; begin < count;) {
    size_t rest = count - begin;
    size_t chunks = rest / grain + (rest % grain != 0);
    // A busy pool may become free before the next chunk; then it runs the rest.
    if (chunks > 1 && !is_alone && take(pool)) {
      run_taken(pool, begin, count, grain, chunks, function, context);
      return;
    }
    size_t end = rest > grain ? begin + grain : count;
    function(context, begin, end, 0);
    begin = end;
  }
}

void ck_pool_enter(ck_pool *pool) {
  if (pool != NULL) atomic_fetch_add_explicit(&pool->callers, 1, memory_order_relaxed);
}

void ck_pool_leave(ck_pool *pool) {
  if (pool != NULL) atomic_fetch_sub_explicit(&pool->callers, 1, memory_order_relaxed);
}

static size_t usable_processors(void) {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    int count = CPU_COUNT(&set);
    if (count > 0) return (size_t)count;
  }
#endif
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? (size_t)count : 1;
}

static void end_threads(ck_pool *pool, size_t started) {
  pthread_mutex_lock(&pool->mutex);
  atomic_store(&pool->stop, true);
  pthread_cond_broadcast(&pool->work);
  pthread_mutex_unlock(&pool->mutex);
  for (size_t i = 0; i < started; i++) pthread_join(pool->workers[i], NULL);
  pthread_cond_destroy(&pool->done);
  pthread_cond_destroy(&pool->work);
  pthread_mutex_destroy(&pool->mutex);
  free(pool->workers);
  free(pool);
}

ck_pool *ck_pool_create(size_t threads) {
  if (threads == 0) threads = usable_processors();
  if (threads > 4096) return NULL;
  ck_pool *pool = aligned_alloc(_Alignof(ck_pool), sizeof(ck_pool));
  if (pool == NULL) return NULL;
  *pool = (ck_pool){.threads = threads};
  pool->workers = calloc(threads, sizeof(pthread_t));
  if (pool->workers == NULL) {
    free(pool);
    return NULL;
  }
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->work, NULL);
  pthread_cond_init(&pool->done, NULL);
  for (size_t i = 0; i + 1 < threads; i++) {
    struct worker *argument = malloc(sizeof *argument);
    if (argument != NULL) *argument = (struct worker){pool, i + 1};
    if (argument == NULL || pthread_create(&pool->workers[i], NULL, work, argument) != 0) {
      free(argument);
      end_threads(pool, i);
      // The system grants no more threads than these. Leave some for the rest of the process.
      enum { SPARE = 6 };
      return i > SPARE ? ck_pool_create(i + 1 - SPARE) : NULL;
    }
  }
  return pool;
}

void ck_pool_destroy(ck_pool *pool) {
  if (pool == NULL) return;
  while (atomic_exchange(&pool->busy, true)) sched_yield();
  end_threads(pool, pool->threads - 1);
}

size_t ck_pool_threads(const ck_pool *pool) { return pool == NULL ? 1 : pool->threads; }
