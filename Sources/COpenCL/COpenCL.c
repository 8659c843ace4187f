#include "COpenCL.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int copencl_load(const char *path, COpenCLFunctions *functions, char *message, size_t capacity) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    snprintf(message, capacity, "%s", reason ? reason : path);
    return -1;
  }
#define RESOLVE(name)                                                                                                  \
  {                                                                                                                    \
    void *address = dlsym(library, #name);                                                                             \
    if (!address) {                                                                                                    \
      snprintf(message, capacity, "%s has no %s: it is older than OpenCL 1.2, or no OpenCL library", path, #name);     \
      dlclose(library);                                                                                                \
      return -1;                                                                                                       \
    }                                                                                                                  \
    *(void **)&functions->name = address;                                                                              \
  }
  COPENCL_ENTRY_POINTS(RESOLVE)
#undef RESOLVE
  return 0;
}

/// The child process: it has no output, and signals have their default actions whatever the parent's are.
static _Noreturn void ask_for_devices(const COpenCLFunctions *functions, cl_platform_id platform, unsigned seconds) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  int nowhere = open("/dev/null", O_RDWR);
  for (int stream = 0; stream <= 2; stream++) dup2(nowhere, stream);
  alarm(seconds);
  cl_device_id devices[64];
  cl_uint count = 0;
  functions->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 64, devices, &count);
  _exit(0);
}

int copencl_try_devices(const COpenCLFunctions *functions, cl_platform_id platform, unsigned seconds) {
  pid_t child = fork();
  if (child < 0) return 0;
  if (child == 0) ask_for_devices(functions, platform, seconds);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return 0;  // SIGCHLD handling elsewhere in the program has reaped the child
  }
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}
