// Distinguishes a clean process exit from a crash. While work runs, a word in a file is not 0; a clean exit sets it to
// 0. All functions of the exit path are safe in a signal handler: atomics, pwrite, sigaction, raise.
#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { MARKS = 4096 };

typedef struct {
  atomic_int state;  // file and offset are valid while SET or USED
  int file;
  int64_t offset;
} Mark;

// USED while the exit handler writes to the file, which must not be closed meanwhile.
enum { FREE, TAKEN, SET, USED };

static Mark marks[MARKS];
static atomic_bool begun;
static atomic_int owner;

void cplatform_end_now(void) {
  // A forked child has the parent's files open but must not write to them. Before the first mark there is no owner.
  int process = atomic_load(&owner);
  if (process != 0 && process != getpid()) return;
  int error = errno;
  atomic_store(&begun, true);
  uint64_t nothing = 0;
  for (int i = 0; i < MARKS; i++) {
    int set = SET;
    if (!atomic_compare_exchange_strong(&marks[i].state, &set, USED)) continue;
    // If the write fails, the file still says that work runs.
    ssize_t written = pwrite(marks[i].file, &nothing, sizeof nothing, marks[i].offset);
    (void)written;
    atomic_store(&marks[i].state, SET);
  }
  errno = error;
}

bool cplatform_end_has_begun(void) { return atomic_load(&begun); }

int cplatform_end_mark(int file, int64_t offset) {
  int none = 0;
  if (atomic_compare_exchange_strong(&owner, &none, getpid())) atexit(cplatform_end_now);
  for (int i = 0; i < MARKS; i++) {
    int free = FREE;
    if (!atomic_compare_exchange_strong(&marks[i].state, &free, TAKEN)) continue;
    marks[i].file = file;
    marks[i].offset = offset;
    atomic_store(&marks[i].state, SET);
    return i;
  }
  return -1;
}

void cplatform_end_unmark(int mark) {
  if (mark < 0 || mark >= MARKS) return;
  // A handler on this thread has finished; one on another thread may be writing, but only for a moment.
  int set = SET;
  while (!atomic_compare_exchange_weak(&marks[mark].state, &set, FREE)) set = SET;
}

static void end_and_die(int number) {
  cplatform_end_now();
  // SA_RESETHAND: the signal's default action follows when this returns.
  raise(number);
}

int cplatform_end_with(int number) {
  struct sigaction now;
  if (sigaction(number, NULL, &now) != 0) return errno;
  if (!(now.sa_flags & SA_SIGINFO) && now.sa_handler == end_and_die) return 0;
  if ((now.sa_flags & SA_SIGINFO) || now.sa_handler != SIG_DFL) return EBUSY;
  struct sigaction mine = {.sa_handler = end_and_die, .sa_flags = SA_RESETHAND};
  sigemptyset(&mine.sa_mask);
  return sigaction(number, &mine, NULL) == 0 ? 0 : errno;
}
