// The entry of every call, the failures that tests inject, devices and their contexts.

#include "inside.h"

#include <pthread.h>

static void run_all(void);
static int pending(void);

Fake fake_state = {.run_all = run_all, .pending = pending};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct CUctx_st {
  int unused;
};

static __thread Context *current;
static Context the_context;

static void run_all(void) {
  for (Stream *stream = fake_streams; stream; stream = stream->next) fake_run(stream, NULL);
}

static int pending(void) {
  int count = 0;
  for (Stream *stream = fake_streams; stream; stream = stream->next) {
    for (Operation *operation = stream->operations.first; operation; operation = operation->next) count++;
  }
  return count;
}

// MARK: calls

Result fake_enter(const char *name, bool destroys) {
  pthread_mutex_lock(&lock);
  fake_state.calls++;
  bool fails = false;
  bool counts = fake_state.fail_in > 0 && (!fake_state.fail_name || strcmp(fake_state.fail_name, name) == 0);
  if (counts && --fake_state.fail_in == 0) {
    fails = true;
    snprintf(fake_state.failed, sizeof fake_state.failed, "%s", name);
    fake_state.is_broken = fake_state.fails_for_good;
  }
  if (fake_state.is_broken && !destroys) fails = true;
  return fails ? fake_state.code : 0;
}

Result fake_enter_context(const char *name) {
  Result result = fake_enter(name, false);
  if (!result && !current) {
    fprintf(stderr, "%s was called without a context\n", name);
    abort();
  }
  return result;
}

Result fake_leave(Result result) {
  pthread_mutex_unlock(&lock);
  return result;
}

Result cuInit(unsigned flags) {
  (void)flags;
  return 0;
}

Result cuGetErrorName(Result result, const char **name) {
  *name = result == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_FAKE";
  return 0;
}

// MARK: devices

Result cuDeviceGetCount(int *count) {
  BEGIN_ANYWHERE;
  *count = 2;
  return fake_leave(0);
}

Result cuDeviceGet(int *device, int index) {
  BEGIN_ANYWHERE;
  *device = index;
  return fake_leave(0);
}

Result cuDeviceGetAttribute(int *value, int attribute, int device) {
  static const int max_block[] = {1024, 1024, 64};
  static const int max_grid[] = {2147483647, 65535, 65535};
  BEGIN_ANYWHERE;
  Result result = 0;
  switch (attribute) {
  case 2:
  case 3:
  case 4: *value = max_block[attribute - 2]; break;
  case 5:
  case 6:
  case 7: *value = max_grid[attribute - 5]; break;
  case 33: *value = 0x10 + device; break;  // the bus
  case 34: *value = 3; break;              // the slot
  case 50: *value = 0; break;              // the domain
  default: result = INVALID_VALUE;
  }
  return fake_leave(result);
}

// MARK: contexts

Result cuDevicePrimaryCtxRetain(Context **context, int device) {
  (void)device;
  BEGIN_ANYWHERE;
  fake_state.live_contexts++;
  *context = &the_context;
  return fake_leave(0);
}

Result cuDevicePrimaryCtxRelease_v2(int device) {
  (void)device;
  Result result = fake_enter(__func__, true);
  fake_state.live_contexts--;
  return fake_leave(result);
}

Result cuCtxSetCurrent(Context *context) {
  BEGIN_ANYWHERE;
  current = context;
  return fake_leave(0);
}
