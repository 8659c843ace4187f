// Modules, their functions and launches. The device implements three kernels by name; any other kernel does nothing.

#include "inside.h"

enum { PROGRAMMATIC_STREAM_SERIALIZATION = 6 };
enum { JIT_ERROR_LOG_BUFFER = 5, MAX_THREADS_PER_BLOCK = 0, MAX_THREADS = 1024 };
/// Dynamic shared memory limits: the attribute's number, the limit before it is set, and the maximum that can be set.
enum { MAX_DYNAMIC_SHARED_SIZE_BYTES = 8, SHARED_BYTES = 48 << 10, MAX_SHARED_BYTES = 227 << 10 };

struct CUfunc_st {
  char name[32];
  unsigned shared_bytes;
  Module *module;
  Function *next;
};

struct CUmod_st {
  char *text;
  Function *functions;
};

// MARK: modules

/// Like CUDA's loader, rejects OpenCL-only registers and metadata, undeclared names, and instructions that the target
/// lacks.
static bool is_wrong(const char *text) {
  if (strstr(text, "%envreg") || strstr(text, ".metadata 0") || strstr(text, "BAD")) return true;
  const char *declaration = "\n.extern .shared .align 1024 .b8 coreml_shared[];\n";
  if (strstr(text, ", coreml_shared") && !strstr(text, declaration)) return true;
  return strstr(text, "wgmma.") && !strstr(text, "\n.target sm_90a,");
}

Result cuModuleLoadDataEx(Module **result, const void *text, unsigned count, int *options, void **values) {
  BEGIN;
  if (is_wrong(text)) {
    for (unsigned index = 0; index < count; index++) {
      if (options[index] == JIT_ERROR_LOG_BUFFER) strcpy(values[index], "ptxas fatal: fake");
    }
    return fake_leave(INVALID_PTX);
  }
  Module *module = calloc(1, sizeof *module);
  module->text = strdup(text);
  fake_state.live_modules++;
  *result = module;
  return fake_leave(0);
}

Result cuModuleUnload(Module *module) {
  Result result = fake_enter(__func__, true);
  while (module->functions) {
    Function *function = module->functions;
    module->functions = function->next;
    free(function);
  }
  free(module->text);
  free(module);
  fake_state.live_modules--;
  return fake_leave(result);
}

// MARK: functions

Result cuModuleGetFunction(Function **result, Module *module, const char *name) {
  BEGIN;
  char declaration[80];
  snprintf(declaration, sizeof declaration, ".entry %s(", name);
  if (!strstr(module->text, declaration)) return fake_leave(NOT_FOUND);
  Function *function = calloc(1, sizeof *function);
  snprintf(function->name, sizeof function->name, "%s", name);
  function->shared_bytes = SHARED_BYTES;
  function->module = module;
  function->next = module->functions;
  module->functions = function;
  *result = function;
  return fake_leave(0);
}

Result cuFuncGetAttribute(int *value, int attribute, Function *function) {
  (void)function;
  BEGIN;
  if (attribute != MAX_THREADS_PER_BLOCK) return fake_leave(INVALID_VALUE);
  *value = MAX_THREADS;
  return fake_leave(0);
}

Result cuFuncSetAttribute(Function *function, int attribute, int value) {
  BEGIN;
  if (attribute != MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 || value > MAX_SHARED_BYTES) {
    return fake_leave(INVALID_VALUE);
  }
  function->shared_bytes = (unsigned)value;
  return fake_leave(0);
}

// MARK: launches

static Result launch(Function *function, unsigned threads, unsigned shared, Stream *stream, void **parameters,
                     bool overlaps) {
  if (threads > MAX_THREADS || shared > function->shared_bytes) return fake_leave(INVALID_VALUE);
  // A function of an unloaded module is a use of freed memory here.
  if (!strstr(function->module->text, function->name)) abort();
  Operation operation = {.kind = KERNEL, .overlaps = overlaps};
  strcpy(operation.kernel, function->name);
  if (strcmp(function->name, "note") == 0) {
    memcpy(operation.arguments, parameters[0], 8);
    memcpy(operation.arguments + 8, parameters[1], 4);
  } else if (strcmp(function->name, "probe_launch") == 0) {
    memcpy(operation.arguments, parameters[0], 8);
    memcpy(operation.arguments + 8, parameters[1], 8);
  } else if (strcmp(function->name, "take") == 0) {
    memcpy(operation.arguments, parameters[0], 8);
    memcpy(operation.arguments + 8, parameters[2], 24);
  }
  if (!stream->is_capturing) fake_state.direct++;
  fake_state.shared_bytes = shared;
  fake_push(stream, operation);
  return fake_leave(0);
}

Result cuLaunchKernel(Function *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                      unsigned block_y, unsigned block_z, unsigned shared, Stream *stream, void **parameters,
                      void **extra) {
  (void)grid_x, (void)grid_y, (void)grid_z, (void)extra;
  BEGIN;
  return launch(function, block_x * block_y * block_z, shared, stream, parameters, false);
}

typedef struct CUlaunchAttribute_st {
  int id;
  char pad[4];
  union {
    char bytes[64];
    int is_allowed;
  } value;
} Attribute;

typedef struct CUlaunchConfig_st {
  unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared;
  Stream *stream;
  Attribute *attributes;
  unsigned count;
} Config;

Result cuLaunchKernelEx(const Config *config, Function *function, void **parameters, void **extra) {
  (void)extra;
  BEGIN;
  if (config->count != 1 || config->attributes->id != PROGRAMMATIC_STREAM_SERIALIZATION) return fake_leave(INVALID_VALUE);
  if (!config->grid_x || !config->grid_y || !config->grid_z) return fake_leave(INVALID_VALUE);
  // A kernel with programmatic dependent launch must wait for the launches before it.
  if (config->attributes->value.is_allowed && !strstr(function->module->text, "griddepcontrol.wait;")) abort();
  return launch(function, config->block_x * config->block_y * config->block_z, config->shared, config->stream, parameters,
                config->attributes->value.is_allowed);
}

/// The first word of memory becomes a digest of all notes, in order, since it was 0.
static void run_note(uint32_t *memory, uint32_t value) {
  if (fake_state.notes < FAKE_NOTE_CAPACITY) fake_state.note[fake_state.notes++] = value;
  *memory = *memory * 31 + value;
}

/// kernels/cl/probe_launch.cl with one group of 32.
static void run_probe(float *memory, uint64_t first) {
  for (int item = 0; item < 32; item++) memory[first + item] = fake_state.spoils ? 0 : (float)(item + 1);
}

void fake_run_kernel(const Operation *operation) {
  void *memory;
  memcpy(&memory, operation->arguments, sizeof memory);
  if (strcmp(operation->kernel, "note") == 0) {
    uint32_t value;
    memcpy(&value, operation->arguments + 8, sizeof value);
    run_note(memory, value);
  } else if (strcmp(operation->kernel, "probe_launch") == 0) {
    uint64_t first;
    memcpy(&first, operation->arguments + 8, sizeof first);
    run_probe(memory, first);
  } else if (strcmp(operation->kernel, "take") == 0) {
    memcpy(memory, operation->arguments + 8, 24);
  }
}
