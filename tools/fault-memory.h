// The part of fault-shim.c that makes memory allocations fail. Used by tools/check-allocation:
//
// FAULT_MEMORY_AT     number of the allocation that fails, from 1; 0 or absent: none
// FAULT_MEMORY_LEAST  counts only allocations of at least this many bytes; default: 65536
// FAULT_MEMORY_AFTER  counts allocations only once a file of this name exists
// FAULT_MEMORY_LOG    a file that gets a line for each allocation: its number, function, size, and calling library or
//                     program
// FAULT_MEMORY_ALL    counts also allocations of callers that end the process on failure, such as Swift's runtime
//
// It counts malloc, calloc, realloc, memalign, aligned_alloc, posix_memalign, and mmap without MAP_FIXED, over all
// threads of the process.
#pragma once
#include <stdint.h>
#include <sys/mman.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_long memory_count;
static atomic_int memory_set = -1;
static long memory_at, memory_least;
static int memory_all;
static char memory_after[PATH_MAX], memory_log[PATH_MAX];

// `getenv` does not allocate. `environ` is set before the first allocation outside of the dynamic linker.
static void memory_read_settings(void) {
  const char *at = getenv("FAULT_MEMORY_AT"), *least = getenv("FAULT_MEMORY_LEAST");
  const char *after = getenv("FAULT_MEMORY_AFTER"), *log = getenv("FAULT_MEMORY_LOG");
  memory_at = at ? atol(at) : 0;
  memory_least = least ? atol(least) : 1 << 16;
  memory_all = getenv("FAULT_MEMORY_ALL") != NULL;
  if (after) strncpy(memory_after, after, PATH_MAX - 1);
  if (log) strncpy(memory_log, log, PATH_MAX - 1);
  memory_set = at || log;
}

// The file name of the library or program with the address `caller`; "" if it is unknown.
static const char *memory_asker(const void *caller) {
  Dl_info info;
  if (!dladdr(caller, &info) || !info.dli_fname) return "";
  const char *slash = strrchr(info.dli_fname, '/');
  return slash ? slash + 1 : info.dli_fname;
}

// Whether the caller ends the process on a failed allocation. libgfortran, a dependency of OpenBLAS, does that while it
// is loaded, before any code of ours runs.
static int memory_cannot_fail(const char *asker, const void *caller) {
  static const char *const names[] = {"libswift", "libFoundation", "lib_Foundation", "libdispatch", "libBlocksRuntime",
                                      "libstdc++", "libgfortran", "ld-linux", "ld-musl"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strncmp(asker, names[i], strlen(names[i]))) return 1;
  // A program with a statically linked Swift runtime.
  Dl_info info;
  return dladdr(caller, &info) && info.dli_sname && !strncmp(info.dli_sname, "swift_", 6);
}

static int memory_refuses(const char *call, size_t size, const void *caller) {
  int set = atomic_load(&memory_set);
  if (set < 0) {
    memory_read_settings();
    set = atomic_load(&memory_set);
  }
  static __thread int inside __attribute__((tls_model("initial-exec")));
  if (!set || inside || size < (size_t)memory_least) return 0;
  inside = 1;
  int refuses = 0;
  const char *asker = memory_asker(caller);
  if ((memory_all || !memory_cannot_fail(asker, caller)) &&
      (!memory_after[0] || syscall(SYS_access, memory_after, F_OK) == 0)) {
    long number = atomic_fetch_add(&memory_count, 1) + 1;
    refuses = number == memory_at;
    if (memory_log[0]) {
      char line[256];
      int length = snprintf(line, sizeof line, "%ld %s %zu %.120s\n", number, call, size, asker);
      int file = (int)syscall(SYS_openat, AT_FDCWD, memory_log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
      if (file >= 0) {
        syscall(SYS_write, file, line, length);
        syscall(SYS_close, file);
      }
    }
  }
  inside = 0;
  if (refuses) errno = ENOMEM;
  return refuses;
}

#define REFUSES(call, size) memory_refuses(call, size, __builtin_return_address(0))

void *malloc(size_t size) { return REFUSES("malloc", size) ? NULL : __libc_malloc(size); }
void *calloc(size_t n, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(n, size, &bytes)) bytes = SIZE_MAX;
  return REFUSES("calloc", bytes) ? NULL : __libc_calloc(n, size);
}
void *realloc(void *memory, size_t size) { return REFUSES("realloc", size) ? NULL : __libc_realloc(memory, size); }
void *memalign(size_t alignment, size_t size) {
  return REFUSES("memalign", size) ? NULL : __libc_memalign(alignment, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  return REFUSES("aligned_alloc", size) ? NULL : __libc_memalign(alignment, size);
}
int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  void *memory = REFUSES("posix_memalign", size) ? NULL : __libc_memalign(alignment, size);
  if (!memory) return ENOMEM;
  *result = memory;
  return 0;
}
void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
  // Mappings of thread stacks and files count, too: they report the same error.
  if (!(flags & MAP_FIXED) && REFUSES("mmap", size)) return MAP_FAILED;
  return (void *)syscall(SYS_mmap, address, size, protection, flags, file, offset);
}
void *mmap64(void *address, size_t size, int protection, int flags, int file, off_t offset)
    __attribute__((alias("mmap")));
