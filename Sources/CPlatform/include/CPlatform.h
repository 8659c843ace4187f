#pragma once
// What is written once for all modules and Swift does not reach by itself: SHA-256, and what Linux offers for files beyond POSIX.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#if defined(__linux__)
#include <sys/xattr.h>
#endif

/// The state of a SHA-256 (FIPS 180-4) between two pieces of a message.
typedef struct {
  uint32_t state[8];
  uint64_t count;
  uint8_t pending[64];
  bool portable;  // compute without the processor's SHA instructions, which begin chooses where there are any
} CPlatformSHA256;

void cplatform_sha256_begin(CPlatformSHA256 *_Nonnull sha);
void cplatform_sha256_append(CPlatformSHA256 *_Nonnull sha, const void *_Nullable bytes, size_t count);
/// The digest of all that was appended; `sha` is to be begun anew after it.
void cplatform_sha256_end(CPlatformSHA256 *_Nonnull sha, uint8_t digest[_Nonnull 32]);

/// A hash of 128 bits (XXH3) that tells changes by mistake, several times faster than SHA-256. Nothing that must withstand an attacker goes by it.
/// The state has this size and alignment.
enum { CPLATFORM_HASH_SIZE = 576, CPLATFORM_HASH_ALIGNMENT = 64 };
void cplatform_hash_begin(void *_Nonnull state);
void cplatform_hash_append(void *_Nonnull state, const void *_Nullable bytes, size_t count);
/// The digest of what was appended; more may follow.
void cplatform_hash_end(const void *_Nonnull state, uint8_t digest[_Nonnull 16]);

/// A sum of bytes by which damage is found: fast, and no protection from anyone who wants it to match.
uint64_t cplatform_checksum(const void *_Nullable bytes, size_t count);

/// The functions below return 0, or the number of the error (`errno`).

/// Exchanges two entries of one file system in one step (renameat2, RENAME_EXCHANGE).
int cplatform_exchange(const char *_Nonnull first, const char *_Nonnull second);
/// Renames unless something stands at `to`: EEXIST then (renameat2, RENAME_NOREPLACE).
int cplatform_rename_new(const char *_Nonnull from, const char *_Nonnull to);
/// The `nodump` flag of a file or folder (`chattr +d`), where its file system has flags.
int cplatform_get_nodump(const char *_Nonnull path, bool *_Nonnull nodump);
int cplatform_set_nodump(const char *_Nonnull path, bool nodump);
/// Sets blocks of an open file aside without changing its size (fallocate, FALLOC_FL_KEEP_SIZE): ENOSPC when there are not enough,
/// EOPNOTSUPP where the file system cannot.
int cplatform_reserve(int descriptor, int64_t offset, int64_t length);

/// Has 8 bytes of an open file set to zero when this process ends in order: by `exit`, by `cplatform_end_now` or by a signal of
/// `cplatform_end_with`. The result is for `cplatform_end_unmark`, before the file is closed; -1 when there are too many.
int cplatform_end_mark(int file, int64_t offset);
void cplatform_end_unmark(int mark);
/// The process is about to end; what begins from now on is not to be marked in the files. Safe in a signal handler.
void cplatform_end_now(void);
bool cplatform_end_has_begun(void);
/// Does that when a signal comes, which then has its usual effect. EBUSY where the program does something else with the signal.
int cplatform_end_with(int number);

/// Starts a program in a process group of its own, with all signals as they are by default. `files` become its descriptors 0 to 3, and it has
/// no others.
int cplatform_child_start(const char *_Nonnull program, char *_Nullable const arguments[_Nonnull], char *_Nullable const environment[_Nonnull],
                          const int files[_Nonnull 4], int *_Nonnull process);
/// For such a child: it ends with the thread that started it, leaves no core, gains no rights, is the first to go where the machine runs out of
/// memory, and may have `memory` bytes (above 0). ESRCH where the parent is no more.
int cplatform_child_contain(int parent, int64_t memory);

/// Whether the system gives this process so many threads at once, 64 at most: 0, or the number of the error. They are gone when it returns.
int cplatform_try_threads(int count);
/// Gives threads that are made from now on stacks of at least so many bytes.
void cplatform_use_stacks(size_t bytes);
/// Has all threads share one arena of the allocator where the address space may have less than `bytes` (RLIMIT_AS).
void cplatform_limit_arenas(uint64_t bytes);
/// The processors that this process may use.
int cplatform_processors(void);

/// Bytes that the allocator keeps free, of what it has from the system.
size_t cplatform_memory_free(void);
/// Gives the system what of that it can, whole pages wherever they lie.
void cplatform_memory_return(void);

/// The linker's identity (`--build-id`) of the program or library that holds this code; its bytes, 0 where it has none.
size_t cplatform_build_identity(uint8_t *_Nonnull identity, size_t room);
/// The file of that program or library.
void cplatform_image_path(char *_Nonnull path, size_t room);

/// Sorts `count` numbers of `stride` bytes (2 or 4, little endian) by the place of their bytes: all lowest bytes, then all next ones, and
/// so on, `count * stride` bytes from `in` to `out`, which do not overlap. With `rotate`, each number is first rotated left by one bit:
/// the sign of a float leaves its exponent, which is then, but for the shortest floats, a byte of its own.
void cplatform_planes_split(const uint8_t *_Nonnull in, uint8_t *_Nonnull out, size_t count, int stride, bool rotate);
/// The inverse of `cplatform_planes_split`.
void cplatform_planes_join(const uint8_t *_Nonnull in, uint8_t *_Nonnull out, size_t count, int stride, bool rotate);
/// Adds to `counts[(i % 4) * 256 + in[i]]` for each of `count` bytes.
void cplatform_count_bytes(const uint8_t *_Nonnull in, size_t count, uint32_t counts[_Nonnull 1024]);

/// Begins to write what the system holds of a file to its disk, and does not wait for that. Does nothing where the system cannot.
void cplatform_begin_writeback(int descriptor);

/// Has libraries on this thread take text for UTF-8, whatever the process's locale is. The result is for `cplatform_use_locale`, which undoes it;
/// NULL where the system has no such locale.
void *_Nullable cplatform_use_utf8(void);
void cplatform_use_locale(void *_Nullable before);
