// Kernel arguments and launch sizes: invalid ones are rejected, valid ones reach the kernel.

#include "tests.h"

static cl_int launch(const Rig *rig, cl_uint dimensions, const size_t *global, const size_t *group) {
  return cl.clEnqueueNDRangeKernel(rig->queue, rig->note, dimensions, NULL, global, group, 0, NULL, NULL);
}

static void check_set(const Rig *rig) {
  uint64_t value = 7;
  cl_mem none = NULL;
  CHECK(cl.clSetKernelArg(rig->add, 6, 4, &value) == CL_INVALID_ARG_INDEX);
  CHECK(cl.clSetKernelArg(rig->add, 4, 8, &value) == CL_INVALID_ARG_SIZE);
  CHECK(cl.clSetKernelArg(rig->add, 4, 4, NULL) == CL_INVALID_ARG_VALUE);
  CHECK(cl.clSetKernelArg(rig->add, 0, 8, &rig->queue) == CL_INVALID_MEM_OBJECT);
  CHECK(cl.clSetKernelArg(NULL, 0, 8, &value) == CL_INVALID_KERNEL);
  OK(cl.clSetKernelArg(rig->add, 0, 8, &none));
  OK(cl.clSetKernelArg(rig->add, 0, 8, NULL));
  size_t global = 64, group = 32;
  CHECK(cl.clEnqueueNDRangeKernel(rig->queue, rig->add, 1, NULL, &global, &group, 0, NULL, NULL) ==
        CL_INVALID_KERNEL_ARGS);
}

static void check_sizes(const Rig *rig) {
  size_t global = 64, group = 32, uneven = 48, huge = 2048, zero = 0;
  size_t many_groups[2] = {1, 65536}, one_each[2] = {1, 1};
  set_number(rig->note, 1, 7);
  CHECK(launch(rig, 1, &uneven, &group) == CL_INVALID_WORK_GROUP_SIZE);
  CHECK(launch(rig, 1, &huge, &huge) == CL_INVALID_WORK_ITEM_SIZE);
  CHECK(launch(rig, 1, &zero, &group) == CL_INVALID_GLOBAL_WORK_SIZE);
  CHECK(launch(rig, 1, &global, &zero) == CL_INVALID_WORK_GROUP_SIZE);
  CHECK(launch(rig, 4, &global, &group) == CL_INVALID_WORK_DIMENSION);
  CHECK(launch(rig, 1, NULL, &group) == CL_INVALID_GLOBAL_WORK_SIZE);
  CHECK(launch(rig, 2, many_groups, one_each) == CL_INVALID_GLOBAL_WORK_SIZE);
  OK(launch(rig, 1, &global, NULL));
}

static void check_launch(const Rig *rig) {
  size_t global = 64, group = 32, offset = 32;
  CHECK(cl.clEnqueueNDRangeKernel(rig->queue, rig->note, 1, &offset, &global, &group, 0, NULL, NULL) ==
        CL_INVALID_GLOBAL_OFFSET);
  CHECK(cl.clEnqueueNDRangeKernel(NULL, rig->note, 1, NULL, &global, &group, 0, NULL, NULL) ==
        CL_INVALID_COMMAND_QUEUE);
  CHECK(cl.clEnqueueNDRangeKernel(rig->queue, rig->note, 1, NULL, &global, &group, 1, NULL, NULL) ==
        CL_INVALID_EVENT_WAIT_LIST);
}

static void check_kernels(const Rig *rig) {
  cl_int status;
  CHECK(!cl.clCreateKernel(rig->program, "nobody", &status));
  CHECK(status == CL_INVALID_KERNEL_NAME);
  CHECK(!cl.clCreateKernel(rig->program, "local_one", &status));
  CHECK(status == CL_INVALID_KERNEL_DEFINITION);
  cl_kernel none = kernel_of(rig->program, "none");
  size_t global = 64, group = 32;
  OK(cl.clEnqueueNDRangeKernel(rig->queue, none, 1, NULL, &global, &group, 0, NULL, NULL));
  OK(cl.clReleaseKernel(none));
  CHECK(cl.clReleaseKernel(none) == CL_INVALID_KERNEL);
  size_t size, answer_size;
  OK(cl.clGetKernelWorkGroupInfo(rig->note, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, &answer_size));
  CHECK(size == 1024);
  CHECK(answer_size == sizeof size);
}

/// A structure reaches the kernel byte for byte. Work-group sizes other than the required one are rejected.
static void check_structure(const Rig *rig) {
  cl_kernel take = kernel_of(rig->program, "take");
  size_t demanded[3];
  OK(cl.clGetKernelWorkGroupInfo(
      take, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof demanded, demanded, NULL));
  CHECK(demanded[0] == 8);
  CHECK(demanded[1] == 4);
  CHECK(demanded[2] == 1);
  int64_t given[3] = {5, 6, 7}, got[3];
  set_memory(take, 0, rig->memory);
  set_number(take, 1, 1);
  OK(cl.clSetKernelArg(take, 2, sizeof given, given));
  size_t global[2] = {16, 8}, group[2] = {8, 4}, wrong[2] = {4, 8};
  CHECK(cl.clEnqueueNDRangeKernel(rig->queue, take, 2, NULL, global, wrong, 0, NULL, NULL) ==
        CL_INVALID_WORK_GROUP_SIZE);
  OK(cl.clEnqueueNDRangeKernel(rig->queue, take, 2, NULL, global, group, 0, NULL, NULL));
  read_now(rig->queue, rig->memory, got, sizeof got);
  CHECK(memcmp(got, given, sizeof got) == 0);
  OK(cl.clReleaseKernel(take));
}

void check_arguments(void) {
  Rig rig = rig_open(false);
  check_set(&rig);
  check_sizes(&rig);
  check_launch(&rig);
  check_kernels(&rig);
  check_structure(&rig);
  rig_close(&rig);
}
