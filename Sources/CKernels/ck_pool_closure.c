// Runs a non-escaping Swift closure on the pool without heap allocation. C passes on the function and its context.
// Swift's own `withoutActuallyEscaping` would allocate for every run.
#include "ck_pool.h"

#define SWIFT __attribute__((swiftcall))

/// `(Range<Int>, Int) -> Void`.
typedef SWIFT void (*closure)(size_t begin, size_t end, size_t worker, __attribute__((swift_context)) void *context);

struct call {
  closure body;
  void *context;
};

static void run_chunk(void *context, size_t begin, size_t end, size_t worker) {
  const struct call *call = context;
  call->body(begin, end, worker, call->context);
}

SWIFT void ck_pool_run_closure(ck_pool *pool, size_t count, size_t grain, closure body, void *context);

SWIFT void ck_pool_run_closure(ck_pool *pool, size_t count, size_t grain, closure body, void *context) {
  struct call call = {body, context};
  ck_pool_run(pool, count, grain, run_chunk, &call);
}
