// Runs the parts one after the other. The first failed assertion ends the program. Run it from the project's root, with
// the fake libcuda first in the dynamic linker's search path.

#include "tests.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <unistd.h>

Fake *fake;
COpenCLFunctions cl;
cl_device_id device;
char message[200];
Options options;

static char told[400];

void tell(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(told, sizeof told, format, arguments);
  va_end(arguments);
}

// Clang reports sanitizers by a feature.
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define FINDS_LEAKS
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define FINDS_LEAKS
#endif

static void check_leaks(void) {
#ifdef FINDS_LEAKS
  extern int __lsan_do_recoverable_leak_check(void);
  CHECK(!__lsan_do_recoverable_leak_check());
#else
  tell("skipped, this build does not look for leaks");
#endif
}

/// The device is found by its PCI location, also if the slot contains the function number in its low bits.
static void check_device(void) {
  static int the_device;
  device = (cl_device_id)&the_device;
  COpenCLFunctions opencl = stub();
  stub_bus = 0x20;
  stub_slot = 3;
  message[0] = 0;
  CHECK(ccuda_table(&opencl, device, &cl, message, sizeof message) == -1);
  CHECK(message[0]);
  stub_bus = 0x11;
  stub_slot = 3 << 3;
  OK(ccuda_table(&opencl, device, &cl, message, sizeof message));
  CHECK(cuda_device(device)->ordinal == 1);
}

void check_arguments(void);
void check_buffers(void);
void check_cached_programs(void);
void check_dependent_launch(void);
void check_dump(void);
void check_endings(void);
void check_events(void);
void check_failures(void);
void check_graphs(void);
void check_order(void);
void check_pocl(void);
void check_programs(void);
void check_real_texts(void);
void check_registered(void);
void check_releases(void);
void check_sm90(void);
void check_texts(void);
void check_threads(void);

static void part(const char *name, void (*check)(void)) {
  tell("passed");
  printf("%s: ", name);
  check();
  printf("%s\n", told);
}

int main(int count, char **arguments) {
  for (int index = 1; index < count; index++) {
    options.is_quick |= strcmp(arguments[index], "--quick") == 0;
    options.is_for_threads |= strcmp(arguments[index], "--threads") == 0;
  }
  // Unbuffered, so that output before an abort is complete.
  setvbuf(stdout, NULL, _IONBF, 0);
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  CHECK(library);
  fake = dlsym(library, "fake_state");
  CHECK(fake);  // otherwise this is a real driver
  // Fixed values, because the tests count graphs and submissions.
  cuda_tuning = (CUDATuning){.launches = 4096, .events = 1, .graphs = 8, .helpers = 2, .processors = 16, .pinned = (size_t)1 << 28};

  part("device", check_device);
  part("texts", check_texts);
  part("instructions of sm_90", check_sm90);
  part("real texts", check_real_texts);
  part("dump", check_dump);
  part("cached programs", check_cached_programs);
  part("arguments", check_arguments);
  part("buffers", check_buffers);
  part("registered memory", check_registered);
  part("order", check_order);
  part("graphs", check_graphs);
  part("dependent launch", check_dependent_launch);
  part("endings", check_endings);
  part("events", check_events);
  part("releases", check_releases);
  part("programs", check_programs);
  if (options.is_for_threads) printf("failures: skipped, they have one thread\n");
  else part("failures", check_failures);
  part("threads", check_threads);
  part("leaks", check_leaks);
  part("PoCL", check_pocl);
  // Skips the libraries' destructors, because PoCL leaks.
  _exit(0);
}
