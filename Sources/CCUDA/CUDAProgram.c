// Programs. OpenCL's driver compiles them to PTX, or the caller passes PTX; CUDA's driver loads it.

#include "CUDAObjects.h"

#include <stdio.h>
#include <stdlib.h>

#define compiler(program) (&(program)->context->device->opencl)

static cl_program make(cl_context context, cl_int *status) {
  cl_program program = cuda_object(PROGRAM, sizeof *program);
  if (!program) return (*status = CL_OUT_OF_HOST_MEMORY, NULL);
  program->context = context;
  program->build = CL_BUILD_NONE;
  pthread_mutex_init(&program->lock, NULL);
  cuda_retain(context);
  return program;
}

cl_program cuda_clCreateProgramWithSource(cl_context context, cl_uint count, const char **texts, const size_t *lengths,
                                          cl_int *status) {
  cl_int ignored;
  if (!status) status = &ignored;
  if (!cuda_is(context, CONTEXT)) return (*status = CL_INVALID_CONTEXT, NULL);
  cl_program source =
      context->device->opencl.clCreateProgramWithSource(context->compiler, count, texts, lengths, status);
  if (!source) return NULL;
  cl_program program = make(context, status);
  if (!program) return (context->device->opencl.clReleaseProgram(source), NULL);
  program->source = source;
  *status = CL_SUCCESS;
  return program;
}

cl_program cuda_clCreateProgramWithBinary(cl_context context, cl_uint count, const cl_device_id *devices,
                                          const size_t *lengths, const unsigned char **binaries, cl_int *binary_status,
                                          cl_int *status) {
  cl_int ignored;
  if (!status) status = &ignored;
  if (!cuda_is(context, CONTEXT)) return (*status = CL_INVALID_CONTEXT, NULL);
  if (!count || !devices || !lengths || !binaries) return (*status = CL_INVALID_VALUE, NULL);
  if (count != 1 || devices[0] != context->device->id) return (*status = CL_INVALID_DEVICE, NULL);
  cl_int taken = lengths[0] && binaries[0] ? CL_SUCCESS : CL_INVALID_VALUE;
  if (!taken && !memmem(binaries[0], lengths[0], ".version", 8)) taken = CL_INVALID_BINARY;
  if (binary_status) *binary_status = taken;
  if (taken) return (*status = taken, NULL);
  cl_program program = make(context, status);
  if (!program) return NULL;
  program->binary = malloc(lengths[0]);
  if (!program->binary) {
    cuda_program_drop(program);
    return (*status = CL_OUT_OF_HOST_MEMORY, NULL);
  }
  memcpy(program->binary, binaries[0], lengths[0]);
  program->binary_size = lengths[0];
  *status = CL_SUCCESS;
  return program;
}

void cuda_program_unload(cl_program program) {
  if (program->module) cuda.cuModuleUnload(program->module);
  if (program->source) compiler(program)->clReleaseProgram(program->source);
  ptx_kernels_free(program->entries, program->entry_count);
  free(program->binary);
  free(program->log);
  pthread_mutex_destroy(&program->lock);
  cuda_recycle(program, PROGRAM);
}

void cuda_program_drop(cl_program program) {
  if (!cuda_drop(program)) return;
  cl_context context = program->context;
  cuda.cuCtxSetCurrent(context->cuda);
  // Recorded launches point to the program's kernels, and submitted ones run them. Waiting here could block forever on
  // a device that hangs.
  bool is_used = program->module && cuda_context_settle(context, false);
  if (is_used) {
    pthread_mutex_lock(&context->lock);
    program->next_retired = context->retired;
    context->retired = program;
    pthread_mutex_unlock(&context->lock);
  } else {
    if (program->module) cuda_context_forget(context, program);
    cuda_program_unload(program);
  }
  cuda_context_drop(context);
}

cl_int cuda_clReleaseProgram(cl_program program) {
  if (!cuda_is(program, PROGRAM)) return CL_INVALID_PROGRAM;
  cuda_kill(program);
  cuda_program_drop(program);
  return CL_SUCCESS;
}

// MARK: building

static void append_log(cl_program program, const char *text) {
  size_t before = program->log ? strlen(program->log) : 0, length = strlen(text);
  char *grown = realloc(program->log, before + length + 2);
  if (!grown) return;
  memcpy(grown + before, text, length);
  memcpy(grown + before + length, "\n", 2);
  program->log = grown;
}

/// Takes the compiler's log, which exists whether or not the build succeeded.
static void take_log(cl_program program) {
  cl_device_id device = program->context->device->id;
  size_t size = 0;
  const COpenCLFunctions *opencl = compiler(program);
  if (opencl->clGetProgramBuildInfo(program->source, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) || !size) return;
  char *log = calloc(1, size + 1);
  if (!log) return;
  if (!opencl->clGetProgramBuildInfo(program->source, device, CL_PROGRAM_BUILD_LOG, size, log, NULL) && *log) {
    append_log(program, log);
  }
  free(log);
}

static cl_int take_binary(cl_program program) {
  const COpenCLFunctions *opencl = compiler(program);
  size_t size = 0;
  cl_int status = opencl->clGetProgramInfo(program->source, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
  if (status) return status;
  if (!size) return CL_INVALID_BINARY;
  char *binary = malloc(size);
  if (!binary) return CL_OUT_OF_HOST_MEMORY;
  status = opencl->clGetProgramInfo(program->source, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL);
  if (status) return (free(binary), status);
  program->binary = binary;
  program->binary_size = size;
  return CL_SUCCESS;
}

/// After this, the PTX is stored and the compiler's program is released.
static cl_int compile(cl_program program, const char *options) {
  const COpenCLFunctions *opencl = compiler(program);
  cl_int status = opencl->clBuildProgram(program->source, 1, &program->context->device->id, options, NULL, NULL);
  take_log(program);
  if (!status) status = take_binary(program);
  if (status) return status;
  opencl->clReleaseProgram(program->source);
  program->source = NULL;
  return CL_SUCCESS;
}

static cl_int load_text(cl_program program, const char *text) {
  char log[4096] = "";
  int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
  CUresult result = cuda.cuCtxSetCurrent(program->context->cuda);
  if (!result) result = cuda.cuModuleLoadDataEx(&program->module, text, 2, options, values);
  if (!result) return CL_SUCCESS;
  program->module = NULL;
  char message[160];
  const char *name = cuda_name(result);
  snprintf(message, sizeof message, "CUDA does not load the PTX of OpenCL's compiler: %s (%d)", name, result);
  append_log(program, message);
  if (*log) append_log(program, log);
  return result == CUDA_ERROR_OUT_OF_MEMORY ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_BUILD_PROGRAM_FAILURE;
}

static cl_int load(cl_program program) {
  char message[160] = "";
  char *text = ptx_run_passes(program->binary, program->binary_size, message, sizeof message);
  cl_int status = CL_BUILD_PROGRAM_FAILURE;
  if (text && !ptx_kernels(text, &program->entries, &program->entry_count, message, sizeof message)) {
    status = load_text(program, text);
    if (status) {
      ptx_kernels_free(program->entries, program->entry_count);
      program->entries = NULL;
      program->entry_count = 0;
    }
  }
  if (*message) append_log(program, message);
  free(text);
  return status;
}

cl_int cuda_clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                           void(CL_CALLBACK *notify)(cl_program, void *), void *data) {
  if (!cuda_is(program, PROGRAM)) return CL_INVALID_PROGRAM;
  if (!count != !devices) return CL_INVALID_VALUE;
  if (count > 1 || (count && devices[0] != program->context->device->id)) return CL_INVALID_DEVICE;
  pthread_mutex_lock(&program->lock);
  // Kernels may have been created from a successful build.
  cl_int status = program->build == CL_BUILD_SUCCESS ? CL_INVALID_OPERATION : CL_SUCCESS;
  if (!status) {
    free(program->log);
    program->log = NULL;
    if (program->source) status = compile(program, options);
    if (!status) status = load(program);
    program->build = status ? CL_BUILD_ERROR : CL_BUILD_SUCCESS;
  }
  pthread_mutex_unlock(&program->lock);
  if (notify) notify(program, data);
  return status;
}

// MARK: queries

cl_int cuda_clGetProgramInfo(cl_program program, cl_program_info name, size_t capacity, void *out, size_t *out_size) {
  if (!cuda_is(program, PROGRAM)) return CL_INVALID_PROGRAM;
  cl_uint one = 1;
  cl_int status = CL_INVALID_VALUE;
  pthread_mutex_lock(&program->lock);
  switch (name) {
  case CL_PROGRAM_NUM_DEVICES: status = cuda_answer(&one, sizeof one, capacity, out, out_size); break;
  case CL_PROGRAM_DEVICES:
    status = cuda_answer(&program->context->device->id, sizeof(cl_device_id), capacity, out, out_size);
    break;
  case CL_PROGRAM_CONTEXT: status = cuda_answer(&program->context, sizeof(cl_context), capacity, out, out_size); break;
  case CL_PROGRAM_BINARY_SIZES:
    status = cuda_answer(&program->binary_size, sizeof(size_t), capacity, out, out_size);
    break;
  case CL_PROGRAM_BINARIES:
    // The caller passes a buffer for each device's binary, or NULL if it does not want it.
    if (out && capacity < sizeof(char *)) break;
    if (out && *(char **)out && program->binary) memcpy(*(char **)out, program->binary, program->binary_size);
    if (out_size) *out_size = sizeof(char *);
    status = CL_SUCCESS;
    break;
  default: break;
  }
  pthread_mutex_unlock(&program->lock);
  return status;
}

cl_int cuda_clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info name, size_t capacity,
                                  void *out, size_t *out_size) {
  if (!cuda_is(program, PROGRAM)) return CL_INVALID_PROGRAM;
  if (device != program->context->device->id) return CL_INVALID_DEVICE;
  cl_int status = CL_INVALID_VALUE;
  pthread_mutex_lock(&program->lock);
  if (name == CL_PROGRAM_BUILD_STATUS) {
    status = cuda_answer(&program->build, sizeof program->build, capacity, out, out_size);
  } else if (name == CL_PROGRAM_BUILD_LOG) {
    const char *log = program->log ? program->log : "";
    status = cuda_answer(log, strlen(log) + 1, capacity, out, out_size);
  }
  pthread_mutex_unlock(&program->lock);
  return status;
}
