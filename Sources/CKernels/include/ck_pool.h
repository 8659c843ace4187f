// A fork-join pool of threads that claim chunks of a range.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#pragma clang assume_nonnull begin

typedef struct ck_pool ck_pool;

/// Runs items `begin ..< end` (never empty, never more than the grain). `worker` is below `ck_pool_threads` and belongs to
/// one thread for the length of one `ck_pool_run`: it may index scratch memory that `context` carries.
typedef void (*ck_pool_function)(void *_Nullable context, size_t begin, size_t end, size_t worker);

/// A pool of `threads` threads, the caller of `ck_pool_run` being one of them; 0 takes as many as this process may run on.
/// Fewer where the system gives fewer, with a few left for others; NULL when it refuses memory or gives hardly any thread.
ck_pool *_Nullable ck_pool_create(size_t threads);

/// Waits for a run in progress, ends the threads and frees the pool. No run may begin meanwhile.
void ck_pool_destroy(ck_pool *_Nullable pool);

/// The number of threads, the caller's included; 1 for NULL.
size_t ck_pool_threads(const ck_pool *_Nullable pool);

/// Calls `function` until `0 ..< count` is covered exactly once, in chunks of at most `grain` items (0 means 1), and
/// returns when all have ended. What the function wrote is visible to the caller afterwards. May be called from several
/// threads and from within a function that a pool runs: while a pool is busy the calling thread runs chunks itself (as
/// worker 0 of its own run), and once it is free it takes what is left. A NULL pool runs on the caller.
void ck_pool_run(
    ck_pool *_Nullable pool, size_t count, size_t grain, ck_pool_function function, void *_Nullable context);

/// Says that a thread begins, or ends, work of several runs: between these the pool's threads stay awake for a while, which
/// costs them their processors and spares each run the time to wake them. Calls are counted; one thread's need not be nested in another's.
void ck_pool_enter(ck_pool *_Nullable pool);
void ck_pool_leave(ck_pool *_Nullable pool);

#pragma clang assume_nonnull end
