// Pass 3. Programmatic dependent launch (sm_90 and later): a kernel starts while the previous one ends. Its groups are
// placed as soon as there is room. They wait at their first instructions until all writes of earlier launches are
// visible. This hides the gap between two launches, which is as long as a small kernel.

#include "CUDAObjects.h"

#include <stdio.h>
#include <stdlib.h>

/// The PTX version that introduced the instructions.
#define FIRST_VERSION 78
#define FIRST_TARGET 90
#define LAUNCH_NEXT "griddepcontrol.launch_dependents;"

/// COREML_CUDA=serial disables overlapping launches.
static bool is_wanted(void) {
  const char *choice = getenv("COREML_CUDA");
  return cuda_tuning.overlaps && cuda.cuLaunchKernelEx && !(choice && strcmp(choice, "serial") == 0);
}

/// Ten times the major version plus the minor version, or 0.
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

/// Inserts the instructions at the start of each kernel. Returns false if the target or the version does not support
/// them.
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
      ptx_put(out, text, "\n" LAUNCH_NEXT " " PTX_WAIT "\n");
      is_header = false;
    } else if (ptx_starts(start, "ld.global.nc")) {
      // ld.global.nc is for data that stays constant during the kernel, so it may be executed before the wait
      // instruction.
      const char *rest = start + strlen("ld.global.nc");
      ptx_put(out, start, "ld.global");
      out->from = rest;
    }
  }
  ptx_put(out, text, "");
  return !out->has_no_memory;
}

char *ptx_add_dependent_launch(char *text, char *message, size_t capacity) {
  // A text without the instructions is right, too, so nothing fails here.
  (void)message, (void)capacity;
  PTXRewriter out = {.from = text};
  if (!is_wanted() || !put_all(&out, text)) {
    free(out.out);
    return text;
  }
  free(text);
  return out.out;
}
