#pragma once

// Shared declarations of the fake libcuda. Its device memory is the heap, and its kernels are C functions.
//
// CUDA's constants are repeated here instead of included from the header under test, so that a wrong value there is
// detected.

#include "fake.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Clang's sanitizer compares function types at calls by the type names in CUDA's headers.
typedef int Result;
typedef unsigned long long Address;
typedef struct CUctx_st Context;
typedef struct CUmod_st Module;
typedef struct CUfunc_st Function;
typedef struct CUstream_st Stream;
typedef struct CUevent_st Event;
typedef struct CUgraph_st Graph;
typedef struct CUgraphExec_st Exec;

enum {
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  INVALID_PTX = 218,
  INVALID_HANDLE = 400,
  NOT_FOUND = 500,
  NOT_READY = 600,
  IS_CAPTURING = 900,
  UNKNOWN = 999,
};

struct CUevent_st {
  /// Every record of an event has a ticket. The event is complete when the last ticket is done.
  uint64_t recorded;
  uint64_t done;
  double milliseconds;
  bool has_time;
};

typedef enum { COPY_IN, COPY_OUT, COPY_WITHIN, FILL_8, FILL_16, FILL_32, KERNEL, RECORD } Kind;

typedef struct Operation {
  Kind kind;
  void *target;
  void *source;
  bool owns_source;
  size_t size;
  unsigned value;
  char kernel[32];
  bool overlaps;
  _Alignas(16) unsigned char arguments[64];
  Event *event;
  uint64_t ticket;
  struct Operation *next;
} Operation;

typedef struct {
  Operation *first;
  Operation *last;
} Operations;

struct CUgraph_st {
  Operations operations;
};

struct CUgraphExec_st {
  Operations operations;
};

struct CUstream_st {
  Operations operations;
  bool is_capturing;
  Graph *graph;
  Stream *next;
};

// Library symbols that the test program must not interpose.
#pragma GCC visibility push(hidden)

extern Stream *fake_streams;
extern double fake_milliseconds;

/// Locks the library and counts the call. The result is not 0 if the call must fail. A call that destroys something
/// does so even then.
Result fake_enter(const char *name, bool destroys);
/// As above. Also fails in a thread without a current context.
Result fake_enter_context(const char *name);
/// Unlocks the library and returns the result.
Result fake_leave(Result result);

void fake_append(Operations *operations, Operation operation);
/// Frees operations that did not run.
void fake_discard(Operations *operations);
/// Adds an operation to the graph under capture, or to the stream. Streams run it at once unless the fake is lazy.
void fake_push(Stream *stream, Operation operation);
/// Runs the stream's operations up to `last`, or all if `last` is NULL.
void fake_run(Stream *stream, const Operation *last);
void fake_run_kernel(const Operation *operation);
bool fake_is_pinned(const void *address);

#pragma GCC visibility pop

/// The start of a call that does nothing if it must fail.
#define BEGIN_ANYWHERE                                                                                                 \
  do {                                                                                                                 \
    Result refusal = fake_enter(__func__, false);                                                                      \
    if (refusal) return fake_leave(refusal);                                                                           \
  } while (0)

/// As above, for a call that needs a current context.
#define BEGIN                                                                                                          \
  do {                                                                                                                 \
    Result refusal = fake_enter_context(__func__);                                                                     \
    if (refusal) return fake_leave(refusal);                                                                           \
  } while (0)

extern Fake fake_state;
