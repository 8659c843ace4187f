#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#if defined(__linux__)
#include <linux/fs.h>
#include <sys/ioctl.h>

void cplatform_begin_writeback(int descriptor) { sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE); }

int cplatform_exchange(const char *first, const char *second) {
  return renameat2(AT_FDCWD, first, AT_FDCWD, second, RENAME_EXCHANGE) == 0 ? 0 : errno;
}

int cplatform_rename_new(const char *from, const char *to) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0 ? 0 : errno;
}

// Opens without blocking, whatever kind of file the path names.
static int with_flags(const char *path, bool *nodump, bool set) {
  int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return errno;
  // The kernel reads and writes an int, whatever size the request number encodes.
  int flags = 0, result = 0;
  if (ioctl(descriptor, FS_IOC_GETFLAGS, &flags) != 0) {
    result = errno;
  } else if (!set) {
    *nodump = (flags & FS_NODUMP_FL) != 0;
  } else {
    int wanted = *nodump ? flags | FS_NODUMP_FL : flags & ~FS_NODUMP_FL;
    if (wanted != flags && ioctl(descriptor, FS_IOC_SETFLAGS, &wanted) != 0) result = errno;
  }
  close(descriptor);
  return result;
}

int cplatform_get_nodump(const char *path, bool *nodump) { return with_flags(path, nodump, false); }
int cplatform_set_nodump(const char *path, bool nodump) { return with_flags(path, &nodump, true); }

int cplatform_reserve(int descriptor, int64_t offset, int64_t length) {
  return fallocate(descriptor, FALLOC_FL_KEEP_SIZE, offset, length) == 0 ? 0 : errno;
}
#else
int cplatform_exchange(const char *first, const char *second) { return ENOTSUP; }
int cplatform_rename_new(const char *from, const char *to) { return ENOTSUP; }
int cplatform_get_nodump(const char *path, bool *nodump) { return ENOTSUP; }
int cplatform_set_nodump(const char *path, bool nodump) { return ENOTSUP; }
int cplatform_reserve(int descriptor, int64_t offset, int64_t length) { return ENOTSUP; }
void cplatform_begin_writeback(int descriptor) {}
#endif
