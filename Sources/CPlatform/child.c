// A child process that attempts work on behalf of its parent, and the identity of the image that contains this code.
#define _GNU_SOURCE
#include "CPlatform.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

// Clang reports sanitizers by a feature, GCC by a macro.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

int cplatform_child_start(const char *program, char *const arguments[], char *const environment[], const int files[4], int *process) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&actions);
  if (error != 0) return error;
  error = posix_spawnattr_init(&attributes);
  if (error != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }
  // Descriptor numbers above all targets, so that no file is overwritten before it is copied.
  int high[4] = {-1, -1, -1, -1};
  for (int i = 0; i < 4 && error == 0; i++) {
    high[i] = fcntl(files[i], F_DUPFD_CLOEXEC, 16);
    error = high[i] < 0 ? errno : posix_spawn_file_actions_adddup2(&actions, high[i], i);
  }
  if (error == 0) error = posix_spawn_file_actions_addclosefrom_np(&actions, 4);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  if (error == 0) error = posix_spawnattr_setsigmask(&attributes, &none);
  if (error == 0) error = posix_spawnattr_setsigdefault(&attributes, &all);
  if (error == 0) error = posix_spawnattr_setpgroup(&attributes, 0);
  if (error == 0)
    error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t child = -1;
  if (error == 0) error = posix_spawn(&child, program, &actions, &attributes, arguments, environment);
  for (int i = 0; i < 4; i++)
    if (high[i] >= 0) close(high[i]);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  *process = child;
  return error;
}

static int limit(int resource, uint64_t most) {
  struct rlimit now;
  if (getrlimit(resource, &now) != 0) return errno;
  if (now.rlim_max != RLIM_INFINITY && now.rlim_max < most) most = now.rlim_max;
  now.rlim_cur = now.rlim_max = most;
  return setrlimit(resource, &now) == 0 ? 0 : errno;
}

int cplatform_child_contain(int parent, int64_t memory) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return errno;
  // The parent may have ended before the prctl call.
  if (getppid() != parent) return ESRCH;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  // If the machine runs out of memory, this process is killed first. If the kernel refuses the score, it chooses
  // itself.
  int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (score >= 0) {
    ssize_t written = write(score, "1000", 4);
    (void)written;
    close(score);
  }
  int error = limit(RLIMIT_CORE, 0);
#if !defined(SANITIZED)
  // Sanitizers map far more than is available. RLIMIT_DATA counts writable private memory, whether touched or not.
  if (error == 0 && memory > 0) error = limit(RLIMIT_DATA, (uint64_t)memory);
#endif
  return error;
}

typedef struct {
  uintptr_t address;
  uint8_t *identity;
  size_t room, size;
  const char *path;
} Image;

static int visit(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  Image *image = data;
  bool is_here = false;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_LOAD && image->address >= start && image->address - start < part->p_memsz) is_here = true;
  }
  if (!is_here) return 0;
  image->path = info->dlpi_name;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    if (part->p_type != PT_NOTE) continue;
    const uint8_t *at = (const uint8_t *)(info->dlpi_addr + part->p_vaddr), *end = at + part->p_memsz;
    while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
      ElfW(Nhdr) note;
      memcpy(&note, at, sizeof note);
      size_t name = ((size_t)note.n_namesz + 3) & ~(size_t)3, bytes = ((size_t)note.n_descsz + 3) & ~(size_t)3;
      at += sizeof note;
      if ((size_t)(end - at) < name || (size_t)(end - at) - name < bytes) break;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(at, "GNU", 4) == 0 && note.n_descsz <= image->room) {
        memcpy(image->identity, at + name, note.n_descsz);
        image->size = note.n_descsz;
        return 1;
      }
      at += name + bytes;
    }
  }
  return 1;
}

size_t cplatform_build_identity(uint8_t *identity, size_t room) {
  Image image = {.address = (uintptr_t)&cplatform_build_identity, .identity = identity, .room = room};
  dl_iterate_phdr(visit, &image);
  return image.size;
}

void cplatform_image_path(char *path, size_t room) {
  uint8_t unused[1];
  Image image = {.address = (uintptr_t)&cplatform_build_identity, .identity = unused, .room = 0};
  dl_iterate_phdr(visit, &image);
  // dl_iterate_phdr reports no name for the program itself.
  const char *found = image.path != NULL && image.path[0] == '/' ? image.path : "/proc/self/exe";
  if (strlen(found) >= room) found = "/proc/self/exe";
  strncpy(path, found, room);
}
