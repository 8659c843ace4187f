// Handles and their lifetimes; contexts and buffers.

#include "CUDAObjects.h"

#include <stdlib.h>

// MARK: handles

static const char tags[KIND_COUNT];
static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static Object *pool[KIND_COUNT];

void *cuda_object(Kind kind, size_t size) {
  pthread_mutex_lock(&pool_lock);
  Object *object = pool[kind];
  if (object) pool[kind] = object->next_free;
  pthread_mutex_unlock(&pool_lock);
  if (object) {
    memset(object, 0, size);
  } else {
    object = calloc(1, size);
    if (!object) return NULL;
  }
  atomic_store_explicit(&object->references, 1, memory_order_relaxed);
  object->tag = &tags[kind];
  return object;
}

bool cuda_is(const void *handle, Kind kind) { return handle && ((const Object *)handle)->tag == &tags[kind]; }

void cuda_recycle(void *handle, Kind kind) {
  Object *object = handle;
  object->tag = &tags[DEAD];
  pthread_mutex_lock(&pool_lock);
  object->next_free = pool[kind];
  pool[kind] = object;
  pthread_mutex_unlock(&pool_lock);
}

void cuda_kill(void *object) { ((Object *)object)->tag = &tags[DEAD]; }

void cuda_retain(void *object) {
  atomic_fetch_add_explicit(&((Object *)object)->references, 1, memory_order_relaxed);
}

bool cuda_drop(void *object) {
  return atomic_fetch_sub_explicit(&((Object *)object)->references, 1, memory_order_acq_rel) == 1;
}

cl_int cuda_answer(const void *value, size_t size, size_t capacity, void *out, size_t *out_size) {
  if (out) {
    if (capacity < size) return CL_INVALID_VALUE;
    memcpy(out, value, size);
  }
  if (out_size) *out_size = size;
  return CL_SUCCESS;
}

// MARK: contexts

static cl_int context_open(cl_context context, const Device *device, const cl_context_properties *properties,
                           void (*notify)(const char *, const void *, size_t, void *), void *data) {
  cl_int status = CL_SUCCESS;
  context->compiler = device->opencl.clCreateContext(properties, 1, &device->id, notify, data, &status);
  if (!context->compiler) return status ? status : CL_OUT_OF_RESOURCES;
  CUresult result = cuda.cuDevicePrimaryCtxRetain(&context->cuda, device->ordinal);
  if (!result) {
    result = cuda.cuCtxSetCurrent(context->cuda);
    if (!result) result = cuda.cuStreamCreate(&context->setup, CU_STREAM_NON_BLOCKING);
    if (!result) return CL_SUCCESS;
    cuda.cuDevicePrimaryCtxRelease(device->ordinal);
  }
  device->opencl.clReleaseContext(context->compiler);
  return cuda_status(result);
}

cl_context cuda_clCreateContext(const cl_context_properties *properties, cl_uint count, const cl_device_id *ids,
                                void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data,
                                cl_int *status) {
  cl_int ignored;
  if (!status) status = &ignored;
  if (!count || !ids) return (*status = CL_INVALID_VALUE, NULL);
  const Device *device = count == 1 ? cuda_device(ids[0]) : NULL;
  if (!device) return (*status = CL_INVALID_DEVICE, NULL);
  cl_context context = cuda_object(CONTEXT, sizeof *context);
  if (!context) return (*status = CL_OUT_OF_HOST_MEMORY, NULL);
  context->device = device;
  *status = context_open(context, device, properties, notify, data);
  if (*status) {
    cuda_recycle(context, CONTEXT);
    return NULL;
  }
  pthread_mutex_init(&context->lock, NULL);
  return context;
}

void cuda_context_drop(cl_context context) {
  if (!cuda_drop(context)) return;
  cuda.cuCtxSetCurrent(context->cuda);
  while (context->retired) {
    cl_program program = context->retired;
    context->retired = program->next_retired;
    cuda_program_unload(program);
  }
  cuda_registered_forget(context->cuda);
  cuda.cuStreamDestroy(context->setup);
  cuda.cuDevicePrimaryCtxRelease(context->device->ordinal);
  context->device->opencl.clReleaseContext(context->compiler);
  pthread_mutex_destroy(&context->lock);
  cuda_recycle(context, CONTEXT);
}

cl_int cuda_clReleaseContext(cl_context context) {
  if (!cuda_is(context, CONTEXT)) return CL_INVALID_CONTEXT;
  cuda_kill(context);
  cuda_context_drop(context);
  return CL_SUCCESS;
}

/// Visits every queue, without the context's lock. It may miss a queue that is created meanwhile, which cannot use the
/// object that the caller means.
static bool any_queue(cl_context context, bool (*visit)(cl_command_queue, const void *), const void *data) {
  enum { PART = 32 };
  cl_command_queue list[PART];
  size_t skipped = 0, count;
  bool any = false;
  do {
    count = 0;
    size_t number = 0;
    pthread_mutex_lock(&context->lock);
    for (cl_command_queue queue = context->queues; queue && count < PART; queue = queue->next, number++) {
      if (number >= skipped && cuda_queue_retain(queue)) list[count++] = queue;
    }
    skipped = number;
    pthread_mutex_unlock(&context->lock);
    for (size_t index = 0; index < count; index++) {
      any |= visit(list[index], data);
      cuda_queue_drop(list[index]);
    }
  } while (count == PART);
  return any;
}

static bool settle(cl_command_queue queue, const void *wait) {
  pthread_mutex_lock(&queue->lock);
  cl_int status = cuda_submit(queue);
  if (status) queue->error = status;
  bool is_busy = queue->ended != queue->submitted;
  pthread_mutex_unlock(&queue->lock);
  if (!is_busy) return false;
  if (!wait) return cuda.cuStreamQuery(queue->stream) != CUDA_SUCCESS;
  return cuda_queue_wait(queue) != CL_SUCCESS;
}

bool cuda_context_settle(cl_context context, bool wait) { return any_queue(context, settle, wait ? context : NULL); }

static bool forget(cl_command_queue queue, const void *program) {
  pthread_mutex_lock(&queue->lock);
  cuda_graphs_forget(queue, (cl_program)program);
  pthread_mutex_unlock(&queue->lock);
  return false;
}

void cuda_context_forget(cl_context context, cl_program program) { any_queue(context, forget, program); }

// MARK: buffers

static cl_int check_flags(cl_mem_flags flags, size_t size, const void *bytes) {
  const cl_mem_flags known = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR |
                             CL_MEM_COPY_HOST_PTR | CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY |
                             CL_MEM_HOST_NO_ACCESS;
  if (flags & ~known) return CL_INVALID_VALUE;
  if (!size) return CL_INVALID_BUFFER_SIZE;
  return !bytes == !(flags & CL_MEM_COPY_HOST_PTR) ? CL_SUCCESS : CL_INVALID_HOST_PTR;
}

static CUresult buffer_fill(cl_mem buffer, const void *bytes) {
  // CUDA's plain copy may return before the bytes have arrived, and the queues' streams do not wait for it.
  CUresult result = cuda.cuMemcpyHtoDAsync(buffer->address, bytes, buffer->size, buffer->context->setup);
  CUresult end = cuda.cuStreamSynchronize(buffer->context->setup);
  return result ? result : end;
}

cl_mem cuda_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *bytes, cl_int *status) {
  cl_int ignored;
  if (!status) status = &ignored;
  if (!cuda_is(context, CONTEXT)) return (*status = CL_INVALID_CONTEXT, NULL);
  *status = check_flags(flags, size, bytes);
  if (*status) return NULL;
  cl_mem buffer = cuda_object(BUFFER, sizeof *buffer);
  if (!buffer) return (*status = CL_OUT_OF_HOST_MEMORY, NULL);
  buffer->context = context;
  buffer->size = size;
  CUresult result = cuda.cuCtxSetCurrent(context->cuda);
  if (!result) result = cuda.cuMemAlloc(&buffer->address, size);
  if (!result && bytes) {
    result = buffer_fill(buffer, bytes);
    if (result) cuda.cuMemFree(buffer->address);
  }
  *status = cuda_status(result);
  if (result) {
    cuda_recycle(buffer, BUFFER);
    return NULL;
  }
  cuda_retain(context);
  return buffer;
}

cl_int cuda_clReleaseMemObject(cl_mem buffer) {
  if (!cuda_is(buffer, BUFFER)) return CL_INVALID_MEM_OBJECT;
  cl_context context = buffer->context;
  CUdeviceptr address = buffer->address;
  // The handle is invalid before anything waits, so a second release is an error from here on.
  cuda_recycle(buffer, BUFFER);
  CUresult result = cuda.cuCtxSetCurrent(context->cuda);
  cuda_context_settle(context, true);
  CUresult freed = cuda.cuMemFree(address);
  cl_int status = cuda_status(result ? result : freed);
  cuda_context_drop(context);
  return status;
}
