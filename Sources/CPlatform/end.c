// How a process that ends in order is told from one that dies in the middle of something: files have a word that is not 0 while something
// runs, and an orderly end sets them to 0. All of it is safe in a signal handler: atomics, pwrite, sigaction, raise.
#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { MARKS = 4096 };

typedef struct {
  atomic_int state;  // FREE, TAKEN or SET; file and offset hold while SET
  int file;
  int64_t offset;
} Mark;

enum { FREE, TAKEN, SET };

static Mark marks[MARKS];
static atomic_bool begun;
static atomic_int owner;

void cplatform_end_now(void) {
  // A child that was forked has the parent's files open; they are not its own.
  if (atomic_load(&owner) != getpid()) return;
  int error = errno;
  atomic_store(&begun, true);
  uint64_t nothing = 0;
  for (int i = 0; i < MARKS; i++) {
    if (atomic_load(&marks[i].state) != SET) continue;
    // Where it fails the file says what it said before: that something runs.
    ssize_t written = pwrite(marks[i].file, &nothing, sizeof nothing, marks[i].offset);
    (void)written;
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
  if (mark >= 0 && mark < MARKS) atomic_store(&marks[mark].state, FREE);
}

static void end_and_die(int number) {
  cplatform_end_now();
  // SA_RESETHAND: the signal's own effect comes when this returns.
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
