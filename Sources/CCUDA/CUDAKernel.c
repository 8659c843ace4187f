// Kernels, and their launch. A kernel has one set of arguments, stored as the bytes that a launch copies.

#include "CUDAObjects.h"

#include <stdlib.h>

cl_int cuda_program_resolve(cl_program program, Entry *entry) {
  pthread_mutex_lock(&program->lock);
  CUresult result = CUDA_SUCCESS;
  if (!entry->function) {
    CUfunction function = NULL;
    int threads = 0;
    result = cuda.cuCtxSetCurrent(program->context->cuda);
    if (!result) result = cuda.cuModuleGetFunction(&function, program->module, entry->name);
    if (!result) result = cuda.cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
    // Required for launches with more than 48 KiB of shared memory.
    if (!result && entry->shared_bytes) {
      result = cuda.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                       (int)entry->shared_bytes);
    }
    if (!result) {
      entry->max_threads = threads > 0 ? (uint32_t)threads : 0;
      entry->function = function;
    }
  }
  pthread_mutex_unlock(&program->lock);
  return cuda_status(result);
}

static Entry *find(cl_program program, const char *name) {
  for (size_t index = 0; index < program->entry_count; index++) {
    if (strcmp(program->entries[index].name, name) == 0) return &program->entries[index];
  }
  return NULL;
}

cl_kernel cuda_clCreateKernel(cl_program program, const char *name, cl_int *status) {
  cl_int ignored;
  if (!status) status = &ignored;
  if (!cuda_is(program, PROGRAM)) return (*status = CL_INVALID_PROGRAM, NULL);
  if (!name) return (*status = CL_INVALID_VALUE, NULL);
  if (program->build != CL_BUILD_SUCCESS) return (*status = CL_INVALID_PROGRAM_EXECUTABLE, NULL);
  Entry *entry = find(program, name);
  if (!entry) return (*status = CL_INVALID_KERNEL_NAME, NULL);
  if (entry->is_foreign) return (*status = CL_INVALID_KERNEL_DEFINITION, NULL);
  *status = cuda_program_resolve(program, entry);
  if (*status) return NULL;
  cl_kernel kernel = cuda_object(KERNEL, sizeof *kernel);
  if (!kernel) return (*status = CL_OUT_OF_HOST_MEMORY, NULL);
  kernel->arguments = calloc(1, (size_t)entry->argument_bytes + 1);
  kernel->is_set = calloc(1, (size_t)entry->parameter_count + 1);
  if (!kernel->arguments || !kernel->is_set) {
    free(kernel->arguments);
    free(kernel->is_set);
    cuda_recycle(kernel, KERNEL);
    return (*status = CL_OUT_OF_HOST_MEMORY, NULL);
  }
  kernel->entry = entry;
  kernel->unset = entry->parameter_count;
  kernel->program = program;
  cuda_retain(program);
  return kernel;
}

cl_int cuda_clReleaseKernel(cl_kernel kernel) {
  if (!cuda_is(kernel, KERNEL)) return CL_INVALID_KERNEL;
  cl_program program = kernel->program;
  free(kernel->arguments);
  free(kernel->is_set);
  cuda_recycle(kernel, KERNEL);
  cuda_program_drop(program);
  return CL_SUCCESS;
}

cl_int cuda_clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info name,
                                     size_t capacity, void *out, size_t *out_size) {
  if (!cuda_is(kernel, KERNEL)) return CL_INVALID_KERNEL;
  if (device && device != kernel->program->context->device->id) return CL_INVALID_DEVICE;
  const Entry *entry = kernel->entry;
  size_t sizes[3] = {entry->group[0], entry->group[1], entry->group[2]};
  size_t threads = entry->max_threads, warp = 32;
  switch (name) {
  case CL_KERNEL_WORK_GROUP_SIZE: return cuda_answer(&threads, sizeof threads, capacity, out, out_size);
  case CL_KERNEL_COMPILE_WORK_GROUP_SIZE: return cuda_answer(sizes, sizeof sizes, capacity, out, out_size);
  case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: return cuda_answer(&warp, sizeof warp, capacity, out, out_size);
  default: return CL_INVALID_VALUE;
  }
}

cl_int cuda_clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value) {
  if (!cuda_is(kernel, KERNEL)) return CL_INVALID_KERNEL;
  if (index >= kernel->entry->parameter_count) return CL_INVALID_ARG_INDEX;
  const Parameter *parameter = &kernel->entry->parameters[index];
  if (size != parameter->size) return CL_INVALID_ARG_SIZE;
  if (parameter->is_memory) {
    // NULL, and a pointer to NULL, mean the null address.
    cl_mem buffer = value ? *(const cl_mem *)value : NULL;
    if (buffer && (!cuda_is(buffer, BUFFER) || buffer->context != kernel->program->context)) {
      return CL_INVALID_MEM_OBJECT;
    }
    CUdeviceptr address = buffer ? buffer->address : 0;
    memcpy(kernel->arguments + parameter->offset, &address, sizeof address);
  } else {
    if (!value) return CL_INVALID_ARG_VALUE;
    memcpy(kernel->arguments + parameter->offset, value, size);
  }
  kernel->unset -= !kernel->is_set[index];
  kernel->is_set[index] = 1;
  return CL_SUCCESS;
}

// MARK: launches

/// The largest group size, up to a few warps, that divides the first axis. For callers that pass no local size.
static size_t chosen_group(const Entry *entry, size_t items) {
  size_t group = entry->max_threads < 256 ? entry->max_threads : 256;
  while (group > 1 && items % group) group--;
  return group ? group : 1;
}

/// Converts the sizes to CUDA's terms, or returns an error. CUDA refuses a launch larger than its grid, where OpenCL's
/// driver splits it.
static cl_int shape(const Entry *entry, const Device *device, cl_uint axes, const size_t *global, const size_t *local,
                    Launch *launch) {
  size_t threads = 1;
  for (cl_uint axis = 0; axis < 3; axis++) {
    size_t items = axis < axes ? global[axis] : 1, group = 1;
    if (!items) return CL_INVALID_GLOBAL_WORK_SIZE;
    if (axis < axes && local) group = local[axis];
    else if (entry->group[0]) group = entry->group[axis];
    else if (axis == 0) group = chosen_group(entry, items);
    if (!group || items % group) return CL_INVALID_WORK_GROUP_SIZE;
    if (group > (size_t)device->max_block[axis]) return CL_INVALID_WORK_ITEM_SIZE;
    if (entry->group[0] && group != entry->group[axis]) return CL_INVALID_WORK_GROUP_SIZE;
    if (items / group > (size_t)device->max_grid[axis]) return CL_INVALID_GLOBAL_WORK_SIZE;
    threads *= group;
    launch->block[axis] = (uint32_t)group;
    launch->grid[axis] = (uint32_t)(items / group);
  }
  return threads <= entry->max_threads ? CL_SUCCESS : CL_INVALID_WORK_GROUP_SIZE;
}

static cl_int check(cl_command_queue queue, cl_kernel kernel, cl_uint axes, const size_t *offset, const size_t *global,
                    const size_t *local, Launch *launch) {
  if (!cuda_is(queue, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  if (!cuda_is(kernel, KERNEL)) return CL_INVALID_KERNEL;
  if (kernel->program->context != queue->context) return CL_INVALID_CONTEXT;
  if (axes < 1 || axes > 3) return CL_INVALID_WORK_DIMENSION;
  if (!global) return CL_INVALID_GLOBAL_WORK_SIZE;
  // The register for the global offset does not exist.
  for (cl_uint axis = 0; offset && axis < axes; axis++) {
    if (offset[axis]) return CL_INVALID_GLOBAL_OFFSET;
  }
  if (kernel->unset) return CL_INVALID_KERNEL_ARGS;
  return shape(kernel->entry, queue->context->device, axes, global, local, launch);
}

static cl_int record(cl_command_queue queue, cl_kernel kernel, const Launch *sizes) {
  const Entry *entry = kernel->entry;
  Launch *launch = cuda_record(queue, entry->argument_bytes);
  if (!launch) return CL_OUT_OF_HOST_MEMORY;
  launch->id = entry->id;
  launch->entry = entry;
  memcpy(launch->grid, sizes->grid, sizeof launch->grid);
  memcpy(launch->block, sizes->block, sizeof launch->block);
  memcpy(launch + 1, kernel->arguments, entry->argument_bytes);
  cuda_recorded(queue, launch);
  return CL_SUCCESS;
}

/// Whether to submit the recorded launches without a flush. The first batch is small, so that the device starts early.
/// Later batches have at least as many launches as were submitted before, so that there are few submissions.
static bool is_due(cl_command_queue queue) {
  uint32_t first = cuda_tuning.first;
  bool is_enough = first && queue->count >= first && queue->count >= queue->begun;
  return is_enough || queue->count >= cuda_tuning.launches || queue->count == UINT32_MAX;
}

cl_int cuda_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint axes, const size_t *offset,
                                   const size_t *global, const size_t *local, cl_uint wait_count,
                                   const cl_event *wait_list, cl_event *event) {
  Launch sizes;
  cl_int status = check(queue, kernel, axes, offset, global, local, &sizes);
  if (status) return status;
  Command command;
  status = cuda_command_begin(&command, queue, wait_count, wait_list, event && queue->is_profiling, event);
  if (status) return status;
  status = record(queue, kernel, &sizes);
  if (!status && event && !queue->is_profiling) {
    cuda_event_await(command.event);
    if (queue->waiting_count >= cuda_tuning.events) status = cuda_submit(queue);
  } else if (!status && (event || is_due(queue))) {
    status = cuda_submit(queue);
  }
  return cuda_command_end(&command, status, event);
}
