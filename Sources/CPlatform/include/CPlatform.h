#pragma once
// Platform functions that all modules share and Swift cannot reach directly: SHA-256, and Linux file operations beyond
// POSIX.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#if defined(__linux__)
#include <sys/xattr.h>
#endif

/// The state of a SHA-256 (FIPS 180-4) between two parts of a message.
typedef struct {
  uint32_t state[8];
  uint64_t count;
  uint8_t pending[64];
  bool portable;  // compute without the processor's SHA instructions; begin clears it if the processor has them
} CPlatformSHA256;

void cplatform_sha256_begin(CPlatformSHA256 *_Nonnull sha);
void cplatform_sha256_append(CPlatformSHA256 *_Nonnull sha, const void *_Nullable bytes, size_t count);
/// The digest of all appended bytes. Begin `sha` again before further use.
void cplatform_sha256_end(CPlatformSHA256 *_Nonnull sha, uint8_t digest[_Nonnull 32]);

/// A 128-bit hash (XXH3) that detects accidental changes, several times faster than SHA-256. It does not protect
/// against attackers. The state has this size and alignment.
enum { CPLATFORM_HASH_SIZE = 576, CPLATFORM_HASH_ALIGNMENT = 64 };
void cplatform_hash_begin(void *_Nonnull state);
void cplatform_hash_append(void *_Nonnull state, const void *_Nullable bytes, size_t count);
/// The digest of the appended bytes; more bytes may follow.
void cplatform_hash_end(const void *_Nonnull state, uint8_t digest[_Nonnull 16]);

/// A checksum that detects damage: fast, and no protection against forgery.
uint64_t cplatform_checksum(const void *_Nullable bytes, size_t count);

/// The functions below return 0 or an error number (`errno`).

/// Exchanges two entries of one file system atomically (renameat2, RENAME_EXCHANGE).
int cplatform_exchange(const char *_Nonnull first, const char *_Nonnull second);
/// Renames unless `to` exists; then returns EEXIST (renameat2, RENAME_NOREPLACE).
int cplatform_rename_new(const char *_Nonnull from, const char *_Nonnull to);
/// The `nodump` flag of a file or folder (`chattr +d`), if its file system supports flags.
int cplatform_get_nodump(const char *_Nonnull path, bool *_Nonnull nodump);
int cplatform_set_nodump(const char *_Nonnull path, bool nodump);
/// Reserves blocks of an open file without changing its size (fallocate, FALLOC_FL_KEEP_SIZE). Returns ENOSPC if there
/// are not enough, EOPNOTSUPP if the file system does not support it.
int cplatform_reserve(int descriptor, int64_t offset, int64_t length);

/// Registers 8 bytes of an open file that a clean exit of this process sets to zero. A clean exit is `exit`,
/// `cplatform_end_now` or a signal of `cplatform_end_with`. Pass the result to `cplatform_end_unmark` before the file
/// is closed. Returns -1 if there are too many marks.
int cplatform_end_mark(int file, int64_t offset);
void cplatform_end_unmark(int mark);
/// Call this when the process is about to end. Work that begins afterwards must not be marked in files. Safe in a
/// signal handler.
void cplatform_end_now(void);
bool cplatform_end_has_begun(void);
/// Calls cplatform_end_now when a signal arrives; the signal's default action follows. Returns EBUSY if the program
/// handles the signal in another way.
int cplatform_end_with(int number);

/// Starts a program in its own process group, with default signal actions. `files` become its descriptors 0 to 3; it
/// has no others.
int cplatform_child_start(const char *_Nonnull program, char *_Nullable const arguments[_Nonnull], char *_Nullable const environment[_Nonnull],
                          const int files[_Nonnull 4], int *_Nonnull process);
/// Restricts such a child, called in the child. It ends with the thread that started it, leaves no core dump and gains
/// no privileges. The kernel kills it first when memory runs out. It may use `memory` bytes (if above 0). Returns ESRCH
/// if the parent has ended.
int cplatform_child_contain(int parent, int64_t memory);

/// Whether the system grants this process `count` threads at a time, 64 at most. Returns 0 or the error number. The
/// threads have ended when it returns.
int cplatform_try_threads(int count);
/// Sets the minimum stack size of threads that are created from now on.
void cplatform_use_stacks(size_t bytes);
/// Makes all threads share one malloc arena if the address space is limited to less than `bytes` (RLIMIT_AS).
void cplatform_limit_arenas(uint64_t bytes);
/// The number of processors that this process may use.
int cplatform_processors(void);

/// Free bytes that the allocator retains.
size_t cplatform_memory_free(void);
/// Returns free whole pages of the allocator to the system.
void cplatform_memory_return(void);

/// The linker's build ID (`--build-id`) of the program or library that contains this code. Returns its length, 0 if
/// there is none.
size_t cplatform_build_identity(uint8_t *_Nonnull identity, size_t room);
/// The file path of that program or library.
void cplatform_image_path(char *_Nonnull path, size_t room);

/// Byte shuffle: groups the bytes of `count` values of `stride` bytes (2 or 4, little endian) by their position. All
/// lowest bytes come first, then all second ones, and so on, `count * stride` bytes from `in` to `out`, which do not
/// overlap. With `rotate`, each value is first rotated left by one bit. This separates the sign of a float from its
/// exponent, which then fills a byte (not in fp16, whose exponent has five bits).
void cplatform_planes_split(const uint8_t *_Nonnull in, uint8_t *_Nonnull out, size_t count, int stride, bool rotate);
/// The inverse of `cplatform_planes_split`.
void cplatform_planes_join(const uint8_t *_Nonnull in, uint8_t *_Nonnull out, size_t count, int stride, bool rotate);
/// Increments `counts[(i % 4) * 256 + in[i]]` for each of `count` bytes.
void cplatform_count_bytes(const uint8_t *_Nonnull in, size_t count, uint32_t counts[_Nonnull 1024]);

/// Starts to write a file's cached pages to disk without waiting. Does nothing if the system does not support it.
void cplatform_begin_writeback(int descriptor);

/// Makes libraries on this thread interpret text as UTF-8, whatever the process's locale is. Pass the result to
/// `cplatform_use_locale` to undo it. NULL if the system has no such locale.
void *_Nullable cplatform_use_utf8(void);
void cplatform_use_locale(void *_Nullable before);
