// Matches OpenCL devices with CUDA devices, and makes the table of entry points.

#include "CUDAObjects.h"

#include <stdio.h>

CUDATuning cuda_tuning = {
    .launches = 4096, .first = 16, .events = 8, .graphs = 32, .helpers = 3, .overlaps = true,
    .pinned = (size_t)256 << 20};

#define DEVICE_LIMIT 64

static pthread_mutex_t devices_lock = PTHREAD_MUTEX_INITIALIZER;
// An entry never changes after it is counted, because contexts point to it.
static Device devices[DEVICE_LIMIT];
static size_t device_count;

const Device *cuda_device(cl_device_id id) {
  const Device *found = NULL;
  pthread_mutex_lock(&devices_lock);
  for (size_t index = 0; index < device_count && !found; index++) {
    if (devices[index].id == id) found = &devices[index];
  }
  pthread_mutex_unlock(&devices_lock);
  return found;
}

// MARK: the device

typedef struct {
  cl_uint domain, bus, slot;
} Place;

/// The device's PCI location as OpenCL's driver reports it; false if it reports none. Older drivers do not report the
/// domain.
static bool place_of(const COpenCLFunctions *opencl, cl_device_id device, Place *place) {
  *place = (Place){0};
  if (opencl->clGetDeviceInfo(device, 0x4008, sizeof place->bus, &place->bus, NULL)) return false;
  if (opencl->clGetDeviceInfo(device, 0x4009, sizeof place->slot, &place->slot, NULL)) return false;
  if (opencl->clGetDeviceInfo(device, 0x400A, sizeof place->domain, &place->domain, NULL)) place->domain = 0;
  return true;
}

static bool is_only_gpu(const COpenCLFunctions *opencl, cl_device_id device) {
  cl_platform_id platform = NULL;
  cl_uint count = 0;
  if (opencl->clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL)) return false;
  return opencl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count) == CL_SUCCESS && count == 1;
}

/// How well a CUDA device's location matches. 2: all numbers are equal. 1: the slot includes the function number in its
/// low bits, as some drivers report it. 0: no match.
static int fit(CUdevice device, const Place *place) {
  int bus = -1, slot = -1, domain = 0;
  if (cuda.cuDeviceGetAttribute(&bus, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, device)) return 0;
  if (cuda.cuDeviceGetAttribute(&slot, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, device)) return 0;
  if (cuda.cuDeviceGetAttribute(&domain, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, device)) domain = 0;
  if (bus != (int)place->bus || domain != (int)place->domain) return 0;
  if (slot == (int)place->slot) return 2;
  return slot == (int)(place->slot >> 3) ? 1 : 0;
}

static int find(const COpenCLFunctions *opencl, cl_device_id device, CUdevice *ordinal, char *message,
                size_t capacity) {
  int count = 0;
  CUresult result = cuda.cuDeviceGetCount(&count);
  if (result) {
    snprintf(message, capacity, "cuDeviceGetCount failed: %s", cuda_name(result));
    return -1;
  }
  Place place;
  bool is_placed = place_of(opencl, device, &place);
  int best = 0;
  for (int index = 0; index < count && is_placed; index++) {
    CUdevice candidate;
    if (cuda.cuDeviceGet(&candidate, index)) continue;
    int value = fit(candidate, &place);
    if (value > best) (best = value, *ordinal = candidate);
  }
  if (best) return 0;
  if (count == 1 && is_only_gpu(opencl, device) && cuda.cuDeviceGet(ordinal, 0) == CUDA_SUCCESS) return 0;
  snprintf(message, capacity, "none of %d CUDA devices is this OpenCL device", count);
  return -1;
}

static int limits(Device *device, char *message, size_t capacity) {
  for (int axis = 0; axis < 3; axis++) {
    CUresult result = cuda.cuDeviceGetAttribute(
        &device->max_block[axis], CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + axis, device->ordinal);
    if (!result) {
      result = cuda.cuDeviceGetAttribute(
          &device->max_grid[axis], CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + axis, device->ordinal);
    }
    if (result) {
      snprintf(message, capacity, "CUDA does not tell its device's limits: %s", cuda_name(result));
      return -1;
    }
  }
  return 0;
}

static int add(const Device *device, char *message, size_t capacity) {
  int result = 0;
  pthread_mutex_lock(&devices_lock);
  bool is_known = false;
  for (size_t index = 0; index < device_count; index++) is_known |= devices[index].id == device->id;
  if (!is_known && device_count == DEVICE_LIMIT) {
    snprintf(message, capacity, "more than %d devices", DEVICE_LIMIT);
    result = -1;
  } else if (!is_known) {
    devices[device_count++] = *device;
  }
  pthread_mutex_unlock(&devices_lock);
  return result;
}

// MARK: the table

int ccuda_table(const COpenCLFunctions *opencl, cl_device_id id, COpenCLFunctions *functions, char *message,
                 size_t capacity) {
  if (cuda_driver_load(message, capacity)) return -1;
  if (!cuda_device(id)) {
    Device device = {.id = id, .opencl = *opencl};
    if (find(opencl, id, &device.ordinal, message, capacity)) return -1;
    if (limits(&device, message, capacity)) return -1;
    if (add(&device, message, capacity)) return -1;
  }
  COpenCLFunctions table = *opencl;
#define CUDA_TAKE(name) table.name = cuda_##name;
  COPENCL_WORKING_POINTS(CUDA_TAKE)
#undef CUDA_TAKE
  *functions = table;
  return 0;
}
