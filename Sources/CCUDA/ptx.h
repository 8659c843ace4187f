#pragma once

// PTX post-processing. OpenCL's compiler writes PTX that CUDA's loader does not take as it is. The steps from a source
// to a loaded module are:
//
//   compile            CUDAProgram.c           OpenCL's compiler translates the source to PTX.
//   1 normalize        ptx_normalize.c         Replaces OpenCL's %envreg registers. Removes metadata sections.
//   2 sm90             ptx_sm90.c              Only if the text contains `//@`: turns hidden instructions into real
//                                              ones, changes the target from sm_90 to sm_90a, declares
//                                              `coreml_shared`, adds the cluster size to every kernel.
//   3 dependent_launch ptx_dependent_launch.c  Only for targets from sm_90 on: starts every kernel with the
//                                              instructions of programmatic dependent launch.
//   parameters         ptx_params.c            Reads the kernels and their parameters.
//   load               CUDAProgram.c           CUDA's driver loads the text.
//
// `ptx_run_passes` (ptx_passes.c) runs passes 1 to 3. With COREML_CUDA_DUMP=DIR it writes the text before the first
// pass and after each (ptx_dump.c).
//
// Hidden instructions: OpenCL's compiler knows neither the instructions of sm_90 (wgmma, clusters, proxy fences) nor
// dynamic shared memory above 48 KiB. Kernels write them in inline assembly behind `//@`, which begins a comment for
// that compiler, so they reach the PTX as comments. `//@ ` precedes an instruction; `//@shared` and `//@cluster` are
// directives with a number. See kernels/nvidia/group_ptx.cl.

#include "CUDADriver.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// ptx_passes.c

/// A pass consumes a text. It returns the same text or a new one, which the caller frees. It returns NULL with a
/// sentence in `message` if it cannot read the text.
typedef char *PTXPass(char *text, char *message, size_t capacity);

/// Runs all passes over the PTX that OpenCL's driver returned. Returns a text for CUDA's loader, which the caller
/// frees. NULL with a sentence in `message` on failure.
char *ptx_run_passes(const char *binary, size_t size, char *message, size_t capacity);

PTXPass ptx_normalize, ptx_apply_sm90, ptx_add_dependent_launch;

// ptx_dump.c

/// The program whose texts are written; number 0 if none are.
typedef struct {
  unsigned program;
  /// The first kernel's name with a hyphen, or an empty string.
  char kernel[64];
} PTXDump;

/// Numbers the program of a text, and creates the folder COREML_CUDA_DUMP if it is named and absent.
PTXDump ptx_dump_begin(const char *text);
/// Writes a text to the file PROCESS-PROGRAM-KERNEL-STEP-PASS.ptx of that folder. Names sort by process, program, step.
/// If that fails, the first failure of the process is told on standard error, and nothing else happens.
void ptx_dump(const PTXDump *dump, unsigned step, const char *pass, const char *text);

// ptx_sm90.c

/// Hidden directives of a text, which apply to all of its kernels; 0 if absent.
typedef struct {
  uint32_t shared_bytes;
  /// Groups of a cluster.
  uint32_t cluster;
} Sm90Directives;

/// Reads the hidden directives of a text, before or after the passes. Returns false with a sentence in `message` if
/// they are invalid.
bool ptx_read_sm90(const char *text, Sm90Directives *hidden, char *message, size_t capacity);

// ptx_dependent_launch.c

/// The instruction that waits for earlier launches. Kernels that begin with it may start before those have ended.
#define PTX_WAIT "griddepcontrol.wait;"

// ptx_params.c

#define PTX_PARAMETER_LIMIT 512

typedef struct {
  uint32_t offset;
  uint32_t size;
  bool is_memory;
} Parameter;

/// A kernel as PTX declares it.
typedef struct {
  char *name;
  /// Unlike the address of the function, an id is never reused for another function. Recorded launches are compared by
  /// it.
  uint64_t id;
  /// Both from CUDA's driver, once the first `cl_kernel` is created.
  CUfunction function;
  uint32_t max_threads;
  /// The work-group size that the source requires; zero if it requires none.
  uint32_t group[3];
  uint32_t parameter_count;
  uint32_t argument_bytes;
  /// Dynamic shared memory per group that each launch requests.
  uint32_t shared_bytes;
  /// The kernel waits itself for the writes of earlier launches (programmatic dependent launch).
  bool waits;
  Parameter *parameters;
  /// The kernel has a parameter that cannot be set here, such as local memory.
  bool is_foreign;
} Entry;

/// The kernels of a text after the passes; `ptx_kernels_free` frees them. -1 with a sentence in `message` on failure.
int ptx_kernels(const char *text, Entry **entries, size_t *count, char *message, size_t capacity);
void ptx_kernels_free(Entry *entries, size_t count);

// ptx_tokens.c

/// Reads the word or the punctuation at `*text`, after spaces and comments. Returns its length, 0 at the end.
size_t ptx_token(const char **text, const char **start);
bool ptx_is_token(const char *start, size_t length, const char *word);
/// Skips spaces and comments.
const char *ptx_skip(const char *text);
bool ptx_is_word(char byte);

static inline bool ptx_starts(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

// ptx_rewriting.c

/// A text that is copied with insertions. `from` is the first byte that is not copied yet.
typedef struct {
  const char *from;
  char *out;
  size_t size;
  size_t capacity;
  bool has_no_memory;
} PTXRewriter;

/// Copies up to `place` and inserts the words there.
void ptx_put(PTXRewriter *text, const char *place, const char *words);
