// A preloaded library that makes one call that changes files fail, or kills the process at that call. Used by
// tools/check-delivery and DeliveryTests:
//
//     cc -shared -fPIC -O1 -o fault-shim.so tools/fault-shim.c -ldl
//     FAULT_UNDER=/tmp/home FAULT_AT=17 FAULT_ACTION=kill LD_PRELOAD=./fault-shim.so runtime ...
//
// FAULT_UNDER   counts only calls on paths with this prefix
// FAULT_AT      number of the call, from 1; 0 or absent: none
// FAULT_ACTION  kill: SIGKILL before the call. after: SIGKILL after it. torn: half of a write, then SIGKILL.
//               enospc, eio: the call fails with this error. full: it and all later calls that need disk space fail
//               with ENOSPC.
// FAULT_LOG     a file that gets a line for each call: its number, its name, its path
// FAULT_IN      trial: only in processes that try models. others: only in other processes. Absent: in all processes.
//               Each process counts its own calls.
// FAULT_TRIAL   what a process that tries a model does when it opens a file of SIZE bytes: abort:SIZE or loop:SIZE;
//               several are separated by commas
// FAULT_CLOCK   the value of CLOCK_REALTIME, in seconds since 1970
// FAULT_NOFLOCK flock does nothing and reports success
// FAULT_FLOCK_WRITABLE exclusive locks need files that are open for writing, as on NFS: EBADF for others
//
// fault-memory.h makes memory allocations fail.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "fault-memory.h"

static atomic_long count;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void full_path(int folder, const char *path, char out[PATH_MAX]) {
  char link[64], base[PATH_MAX];
  out[0] = 0;
  if (path && path[0] == '/') {
    snprintf(out, PATH_MAX, "%s", path);
    return;
  }
  if (folder == AT_FDCWD) {
    if (syscall(SYS_getcwd, base, sizeof base) < 0) return;
  } else {
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, base, sizeof base - 1);
    if (length < 0) return;
    base[length] = 0;
  }
  if (path)
    snprintf(out, PATH_MAX, "%.2000s/%.2000s", base, path);
  else
    snprintf(out, PATH_MAX, "%s", base);
}

enum verdict { GO, FAIL, KILL_AFTER, TEAR };

// Whether this process tries a model on behalf of another process (its last argument is --coreml-trial).
static int is_trial(void) {
  static atomic_int known;
  int answer = atomic_load(&known);
  if (answer) return answer == 1;
  char words[4096];
  int file = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? -1 : syscall(SYS_read, file, words, sizeof words);
  if (file >= 0) syscall(SYS_close, file);
  static const char word[] = "--coreml-trial";
  answer = length >= (ssize_t)sizeof word && !memcmp(words + length - sizeof word, word, sizeof word) ? 1 : 2;
  atomic_store(&known, answer);
  return answer == 1;
}

// Simulates a model that aborts its trial process or never returns, as FAULT_TRIAL says.
static void misbehave(const char *path) {
  const char *plan = getenv("FAULT_TRIAL");
  struct stat status;
  if (!plan || !is_trial() || syscall(SYS_newfstatat, AT_FDCWD, path, &status, 0) != 0 || !S_ISREG(status.st_mode)) return;
  while (plan && *plan) {
    const char *size = strchr(plan, ':');
    if (!size) return;
    if (atoll(size + 1) == (long long)status.st_size) {
      if (!strncmp(plan, "abort", 5)) abort();
      for (volatile unsigned long round = 0;; round++) {
      }
    }
    plan = strchr(plan, ',');
    if (plan) plan++;
  }
}

static void note(long number, const char *call, const char *path) {
  const char *log = getenv("FAULT_LOG");
  if (!log) return;
  char line[PATH_MAX + 64];
  int length = snprintf(line, sizeof line, "%ld %s %s\n", number, call, path);
  int file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return;
  syscall(SYS_write, file, line, length);
  syscall(SYS_close, file);
}

static void die(void) {
  syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
  for (;;) syscall(SYS_pause);
}

// Counts a call and returns its fate. `needs_room`: whether the call fails on a full disk.
static enum verdict judge(const char *call, int folder, const char *path, int needs_room) {
  const char *under = getenv("FAULT_UNDER"), *where = getenv("FAULT_IN");
  if (!under || (where && (strcmp(where, "trial") == 0) != is_trial())) return GO;
  char name[PATH_MAX];
  full_path(folder, path, name);
  if (strncmp(name, under, strlen(under)) != 0) return GO;
  long number = atomic_fetch_add(&count, 1) + 1;
  note(number, call, name);
  const char *at = getenv("FAULT_AT"), *action = getenv("FAULT_ACTION");
  long target = at ? atol(at) : 0;
  if (!action || target == 0 || number < target) return GO;
  if (!strcmp(action, "full")) {
    if (!needs_room) return GO;
    errno = ENOSPC;
    return FAIL;
  }
  if (number != target) return GO;
  if (!strcmp(action, "kill")) die();
  if (!strcmp(action, "after")) return KILL_AFTER;
  if (!strcmp(action, "torn")) return TEAR;
  errno = !strcmp(action, "eio") ? EIO : ENOSPC;
  return FAIL;
}

// A call that cannot be torn: `torn` acts like `after`.
#define SIMPLE(judgement, expression)                  \
  do {                                                 \
    enum verdict v = (judgement);                      \
    if (v == FAIL) return -1;                          \
    __auto_type result = (expression);                 \
    if (v == KILL_AFTER || v == TEAR) die();           \
    return result;                                     \
  } while (0)

static int writes(int flags) { return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)); }

#define OPEN(name)                                                                                          \
  int name(const char *path, int flags, ...) {                                                              \
    va_list list;                                                                                           \
    va_start(list, flags);                                                                                  \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;                                 \
    va_end(list);                                                                                           \
    if (!writes(flags)) misbehave(path);                                                                    \
    SIMPLE(writes(flags) ? judge("open", AT_FDCWD, path, flags &O_CREAT) : GO, REAL(name)(path, flags, mode)); \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                                          \
  int name(int folder, const char *path, int flags, ...) {                                                    \
    va_list list;                                                                                             \
    va_start(list, flags);                                                                                    \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;                                   \
    va_end(list);                                                                                             \
    SIMPLE(writes(flags) ? judge("open", folder, path, flags &O_CREAT) : GO, REAL(name)(folder, path, flags, mode)); \
  }
OPENAT(openat)
OPENAT(openat64)

ssize_t write(int file, const void *bytes, size_t size) {
  enum verdict v = judge("write", file, NULL, 1);
  if (v == FAIL) return -1;
  ssize_t result = REAL(write)(file, bytes, v == TEAR ? size / 2 : size);
  if (v != GO) die();
  return result;
}

#define PWRITE(name)                                                             \
  ssize_t name(int file, const void *bytes, size_t size, off_t offset) {         \
    enum verdict v = judge("write", file, NULL, 1);                              \
    if (v == FAIL) return -1;                                                    \
    ssize_t result = REAL(name)(file, bytes, v == TEAR ? size / 2 : size, offset); \
    if (v != GO) die();                                                          \
    return result;                                                               \
  }
PWRITE(pwrite)
PWRITE(pwrite64)

ssize_t writev(int file, const struct iovec *parts, int n) {
  SIMPLE(judge("write", file, NULL, 1), REAL(writev)(file, parts, n));
}
int rename(const char *from, const char *to) { SIMPLE(judge("rename", AT_FDCWD, to, 1), REAL(rename)(from, to)); }
int renameat(int a, const char *from, int b, const char *to) {
  SIMPLE(judge("rename", b, to, 1), REAL(renameat)(a, from, b, to));
}
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
  SIMPLE(judge("rename", b, to, 1), REAL(renameat2)(a, from, b, to, flags));
}
int fsync(int file) { SIMPLE(judge("fsync", file, NULL, 1), REAL(fsync)(file)); }
int fdatasync(int file) { SIMPLE(judge("fsync", file, NULL, 1), REAL(fdatasync)(file)); }
int mkdir(const char *path, mode_t mode) { SIMPLE(judge("mkdir", AT_FDCWD, path, 1), REAL(mkdir)(path, mode)); }
int mkdirat(int folder, const char *path, mode_t mode) {
  SIMPLE(judge("mkdir", folder, path, 1), REAL(mkdirat)(folder, path, mode));
}
int link(const char *from, const char *to) { SIMPLE(judge("link", AT_FDCWD, to, 1), REAL(link)(from, to)); }
int linkat(int a, const char *from, int b, const char *to, int flags) {
  SIMPLE(judge("link", b, to, 1), REAL(linkat)(a, from, b, to, flags));
}
int symlink(const char *target, const char *path) {
  SIMPLE(judge("symlink", AT_FDCWD, path, 1), REAL(symlink)(target, path));
}
int unlink(const char *path) { SIMPLE(judge("unlink", AT_FDCWD, path, 0), REAL(unlink)(path)); }
int unlinkat(int folder, const char *path, int flags) {
  SIMPLE(judge("unlink", folder, path, 0), REAL(unlinkat)(folder, path, flags));
}
int rmdir(const char *path) { SIMPLE(judge("rmdir", AT_FDCWD, path, 0), REAL(rmdir)(path)); }
int remove(const char *path) { SIMPLE(judge("remove", AT_FDCWD, path, 0), REAL(remove)(path)); }
int ftruncate(int file, off_t size) { SIMPLE(judge("ftruncate", file, NULL, 1), REAL(ftruncate)(file, size)); }
int ftruncate64(int file, off64_t size) { SIMPLE(judge("ftruncate", file, NULL, 1), REAL(ftruncate64)(file, size)); }
int fallocate(int file, int mode, off_t offset, off_t size) {
  SIMPLE(judge("fallocate", file, NULL, 1), REAL(fallocate)(file, mode, offset, size));
}
int chmod(const char *path, mode_t mode) { SIMPLE(judge("chmod", AT_FDCWD, path, 0), REAL(chmod)(path, mode)); }
int fchmod(int file, mode_t mode) { SIMPLE(judge("chmod", file, NULL, 0), REAL(fchmod)(file, mode)); }
int fchmodat(int folder, const char *path, mode_t mode, int flags) {
  SIMPLE(judge("chmod", folder, path, 0), REAL(fchmodat)(folder, path, mode, flags));
}
int utimensat(int folder, const char *path, const struct timespec times[2], int flags) {
  SIMPLE(judge("utimens", folder, path, 0), REAL(utimensat)(folder, path, times, flags));
}
int setxattr(const char *path, const char *name, const void *value, size_t size, int flags) {
  SIMPLE(judge("setxattr", AT_FDCWD, path, 1), REAL(setxattr)(path, name, value, size, flags));
}
int flock(int file, int operation) {
  if (getenv("FAULT_NOFLOCK")) return 0;
  if (getenv("FAULT_FLOCK_WRITABLE") && (operation & LOCK_EX) && (fcntl(file, F_GETFL) & O_ACCMODE) == O_RDONLY) {
    errno = EBADF;
    return -1;
  }
  return REAL(flock)(file, operation);
}

// CLOCK_REALTIME stays at FAULT_CLOCK; all other clocks run.
int clock_gettime(clockid_t clock, struct timespec *time) {
  const char *now = getenv("FAULT_CLOCK");
  if (!now || clock != CLOCK_REALTIME) return (int)syscall(SYS_clock_gettime, clock, time);
  *time = (struct timespec){.tv_sec = atoll(now)};
  return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  *time = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
  return 0;
}
