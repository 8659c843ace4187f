// A fork-join thread pool. Its threads claim chunks of a range.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#pragma clang assume_nonnull begin

typedef struct ck_pool ck_pool;

/// Runs items `begin ..< end` (never empty, never more than the grain). `worker` is below `ck_pool_threads`. It belongs
/// to one thread for the length of one `ck_pool_run`, so it may index scratch memory that `context` carries.
typedef void (*ck_pool_function)(void *_Nullable context, size_t begin, size_t end, size_t worker);

/// Creates a pool of `threads` threads, including the caller of `ck_pool_run`; 0 means as many as this process may run
/// on. The pool is smaller if the system grants fewer threads; it then leaves a few for others. Returns NULL if the
/// system refuses memory or grants hardly any thread.
ck_pool *_Nullable ck_pool_create(size_t threads);

/// Waits for a run in progress, ends the threads and frees the pool. No run may begin meanwhile.
void ck_pool_destroy(ck_pool *_Nullable pool);

/// The number of threads, including the caller's; 1 for NULL.
size_t ck_pool_threads(const ck_pool *_Nullable pool);

/// Calls `function` until `0 ..< count` is covered exactly once, in chunks of at most `grain` items (0 means 1).
/// Returns when all calls have ended; their writes are visible to the caller then.
///
/// May be called from several threads, and from within a function that a pool runs. While the pool is busy the calling
/// thread runs chunks itself, as worker 0 of its own run. Once the pool is free, it takes the chunks that are left. A
/// NULL pool runs everything on the caller.
void ck_pool_run(
    ck_pool *_Nullable pool, size_t count, size_t grain, ck_pool_function function, void *_Nullable context);

/// Marks the begin and the end of a sequence of runs on the calling thread. Between these calls the pool's threads spin
/// for a while after a run. They occupy their processors meanwhile, but the next run need not wake them. Calls are
/// counted. The calls of one thread need not nest in those of another.
void ck_pool_enter(ck_pool *_Nullable pool);
void ck_pool_leave(ck_pool *_Nullable pool);

#pragma clang assume_nonnull end
