// Handwritten PTX: unreadable text is refused with a message, and no text causes accesses outside of it.

#include "tests.h"

static void check_refused(const char *ptx) {
  message[0] = 0;
  char *text = ptx_run_passes(ptx, strlen(ptx), message, sizeof message);
  if (text) {
    Entry *entries;
    size_t count;
    CHECK(ptx_kernels(text, &entries, &count, message, sizeof message));
    free(text);
  }
  CHECK(message[0]);
}

/// A prefix is read or refused. Sanitizers detect accesses beyond it.
static void try_prefix(const char *ptx, size_t size) {
  char *text = ptx_run_passes(ptx, size, message, sizeof message);
  if (!text) return;
  Entry *entries;
  size_t count;
  if (!ptx_kernels(text, &entries, &count, message, sizeof message)) ptx_kernels_free(entries, count);
  free(text);
}

static void check_registers(void) {
  const char *ptx = ".version .target %envreg0%envreg1%envreg8%envreg7";
  char *text = ptx_run_passes(ptx, strlen(ptx), message, sizeof message);
  CHECK(strcmp(text, ".version .target 00%nctaid.z%nctaid.y") == 0);
  free(text);
}

void check_texts(void) {
  static const char *const refused[] = {
      "",
      "nothing",
      ".version 1 .target x .entry f(.param .u64 a, .param",
      ".version .target .entry",
      ".version .target .entry f(.param a)",
      ".version .target .entry f(.param .u64 x[99999999])",
      ".version .target .entry f(.param .u64 a",
      ".version .target .entry f(.param .u64 a) .reqntid 3,",
      ".version .target\n.metadata_section { \"x",
      ".version .target %envreg9",
      ".version .target %envreg31",
  };
  for (size_t index = 0; index < sizeof refused / sizeof *refused; index++) check_refused(refused[index]);
  for (size_t size = 0; size <= strlen(sample); size++) try_prefix(sample, size);
  for (size_t size = 0; size <= strlen(hidden_sample); size++) try_prefix(hidden_sample, size);
  check_registers();
}
