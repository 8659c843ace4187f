/* Dispatch retries forever when the system refuses a thread (_dispatch_root_queue_poke_slow), so a command would
 * hang silently. This pthread_create of the executable overrides the library's. A caller that asks for the same
 * thread ten times in a row, a second apart, will never stop. The process then exits with an error message. Callers
 * that can work with fewer threads ask once and get the error. */
#define _GNU_SOURCE
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

#ifndef IS_SANITIZED
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef int Create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

/* Records that this process did not die because of a model (CPlatform). */
__attribute__((weak)) void cplatform_end_now(void);

enum { TRIES = 10, TEMPORARY_FAILURE = 75 };

static void end(void) {
  static const char sentence[] =
      ": the system gives this process no more threads; the limit of processes (ulimit -u), of a container (pids.max), or of memory "
      "(ulimit -v, -d) is reached\n";
  if (cplatform_end_now) cplatform_end_now();
  ssize_t written = write(STDERR_FILENO, program_invocation_short_name, strlen(program_invocation_short_name));
  written = write(STDERR_FILENO, sentence, strlen(sentence));
  (void)written;
  _exit(TEMPORARY_FAILURE);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
  static _Thread_local struct {
    void *(*start)(void *);
    void *argument;
    int failures;
    struct timespec at;
  } last;
  static Create *create;
  Create *real = __atomic_load_n(&create, __ATOMIC_RELAXED);
  if (real == NULL) {
    *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    if (real == NULL) return ENOSYS;
    __atomic_store_n(&create, real, __ATOMIC_RELAXED);
  }
  int status = real(thread, attributes, start, argument);
  if (status != EAGAIN) {
    last.failures = 0;
    return status;
  }
  /* Dispatch pauses a second between its attempts. A caller that retries at once is not Dispatch. */
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  double pause = (double)(now.tv_sec - last.at.tv_sec) + (double)(now.tv_nsec - last.at.tv_nsec) / 1e9;
  if (last.start != start || last.argument != argument || pause < 0.9) last.failures = 0;
  last.at = now;
  last.start = start;
  last.argument = argument;
  if (++last.failures >= TRIES) end();
  return status;
}
#endif
