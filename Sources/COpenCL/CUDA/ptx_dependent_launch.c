// Kernels that begin while the one before them ends (CUDA's programmatic dependent launch, from sm_90 on): their groups are
// placed as soon as there is room, and wait at their first instructions until all that the launches before them wrote is
// there. What is spared is the time between the end of a launch and the start of the next, which is as long as a small
// kernel takes.

#include "CUDAObjects.h"

#include <stdio.h>
#include <stdlib.h>

/// PTX knows the instructions from this version on.
#define FIRST_VERSION 78
#define FIRST_TARGET 90
#define LAUNCH_NEXT "griddepcontrol.launch_dependents;"

static bool starts(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

/// COREML_CUDA=serial leaves one launch to follow the other.
static bool is_wanted(void) {
  const char *choice = getenv("COREML_CUDA");
  return copencl_cuda_tuning.overlaps && cuda.cuLaunchKernelEx && !(choice && strcmp(choice, "serial") == 0);
}

/// Tens of the version, or 0.
static int version(const char *text) {
  const char *start;
  ptx_token(&text, &start);
  int major = 0, minor = 0;
  return sscanf(start, "%2d.%1d", &major, &minor) == 2 ? major * 10 + minor : 0;
}

static int target(const char *text) {
  const char *start;
  ptx_token(&text, &start);
  int number = 0;
  return sscanf(start, "sm_%3d", &number) == 1 ? number : 0;
}

/// The text with words at the start of each kernel; nothing where its target or its version does not have them.
static bool put_all(PTXRewriter *out, const char *text) {
  bool has_version = false, has_target = false, is_header = false;
  const char *start;
  size_t length;
  while ((length = ptx_token(&text, &start))) {
    if (ptx_is_token(start, length, ".version")) has_version = version(text) >= FIRST_VERSION;
    else if (ptx_is_token(start, length, ".target")) has_target = target(text) >= FIRST_TARGET;
    else if (ptx_is_token(start, length, ".entry")) is_header = true;
    else if (is_header && *start == ';') is_header = false;
    else if (is_header && *start == '{') {
      if (!has_version || !has_target) return false;
      ptx_put(out, text, "\n" LAUNCH_NEXT " " CUDA_WAIT "\n");
      is_header = false;
    } else if (starts(start, "ld.global.nc")) {
      // It is for what nobody writes while the kernel is there, and may be read before the instruction that waits.
      const char *rest = start + strlen("ld.global.nc");
      ptx_put(out, start, "ld.global");
      out->from = rest;
    }
  }
  ptx_put(out, text, "");
  return !out->has_no_memory;
}

char *ptx_add_dependent_launch(char *text) {
  PTXRewriter out = {.from = text};
  if (!is_wanted() || !put_all(&out, text)) {
    free(out.out);
    return text;
  }
  free(text);
  return out.out;
}
