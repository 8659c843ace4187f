// The rig: objects that most tests need, and helper calls.

#include "tests.h"

// MARK: objects

cl_program program_of(cl_context context, const char *ptx) {
  cl_int status, binary_status;
  size_t size = strlen(ptx);
  const unsigned char *bytes = (const unsigned char *)ptx;
  cl_program program = cl.clCreateProgramWithBinary(context, 1, &device, &size, &bytes, &binary_status, &status);
  OK(status);
  OK(binary_status);
  OK(build(program));
  return program;
}

cl_program source_of(cl_context context, const char *source) {
  cl_int status;
  cl_program program = cl.clCreateProgramWithSource(context, 1, &source, NULL, &status);
  OK(status);
  return program;
}

cl_int build(cl_program program) { return cl.clBuildProgram(program, 1, &device, "", NULL, NULL); }

cl_kernel kernel_of(cl_program program, const char *name) {
  cl_int status;
  cl_kernel kernel = cl.clCreateKernel(program, name, &status);
  OK(status);
  return kernel;
}

cl_mem buffer_of(cl_context context, size_t size, const void *bytes) {
  cl_int status;
  cl_mem_flags flags = bytes ? CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR : 0;
  cl_mem memory = cl.clCreateBuffer(context, flags, size, (void *)bytes, &status);
  OK(status);
  return memory;
}

void set_number(cl_kernel kernel, cl_uint index, uint32_t number) {
  OK(cl.clSetKernelArg(kernel, index, sizeof number, &number));
}

void set_memory(cl_kernel kernel, cl_uint index, cl_mem memory) {
  OK(cl.clSetKernelArg(kernel, index, sizeof memory, &memory));
}

// MARK: rigs

Rig rig_open(bool is_profiling) {
  Rig rig;
  cl_int status;
  fake->notes = 0;
  fake->direct = 0;
  fake->captures = 0;
  fake->graph_launches = 0;
  fake->overlapped = 0;
  rig.context = cl.clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  OK(status);
  cl_command_queue_properties properties = is_profiling ? CL_QUEUE_PROFILING_ENABLE : 0;
  rig.queue = cl.clCreateCommandQueue(rig.context, device, properties, &status);
  OK(status);
  rig.program = program_of(rig.context, sample);
  rig.note = kernel_of(rig.program, "note");
  rig.add = kernel_of(rig.program, "scale_add");
  static const unsigned char zeros[256];
  rig.memory = buffer_of(rig.context, sizeof zeros, zeros);
  CHECK(rig.memory->address % 256 == 0);
  set_memory(rig.note, 0, rig.memory);
  return rig;
}

void rig_close(const Rig *rig) {
  finish(rig);
  OK(cl.clReleaseKernel(rig->note));
  OK(cl.clReleaseKernel(rig->add));
  OK(cl.clReleaseMemObject(rig->memory));
  OK(cl.clReleaseCommandQueue(rig->queue));
  OK(cl.clReleaseProgram(rig->program));
  OK(cl.clReleaseContext(rig->context));
  check_nothing_left();
}

void check_nothing_left(void) {
  CHECK(fake->live_streams == 0);
  CHECK(fake->live_events == 0);
  CHECK(fake->live_modules == 0);
  CHECK(fake->live_graphs == 0);
  CHECK(fake->live_execs == 0);
  CHECK(fake->live_buffers == 0);
  CHECK(fake->live_pinned == 0);
  CHECK(fake->live_contexts == 0);
  CHECK(stub_live == 0);
}

// MARK: launches

void launch_one(cl_command_queue queue, cl_kernel kernel, size_t items) {
  OK(cl.clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL));
}

void note(const Rig *rig, uint32_t number) {
  set_number(rig->note, 1, number);
  launch_one(rig->queue, rig->note, 32);
}

void notes(const Rig *rig, uint32_t first, uint32_t count) {
  for (uint32_t index = 0; index < count; index++) note(rig, first + index);
}

cl_event noted(const Rig *rig, uint32_t number) {
  cl_event event = NULL;
  size_t items = 32;
  set_number(rig->note, 1, number);
  OK(cl.clEnqueueNDRangeKernel(rig->queue, rig->note, 1, NULL, &items, &items, 0, NULL, &event));
  CHECK(event);
  return event;
}

uint32_t digest(uint32_t word, uint32_t first, uint32_t count) {
  for (uint32_t index = 0; index < count; index++) word = word * 31 + first + index;
  return word;
}

void finish(const Rig *rig) { OK(cl.clFinish(rig->queue)); }

// MARK: transfers

void read_now(cl_command_queue queue, cl_mem memory, void *bytes, size_t size) {
  OK(cl.clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, size, bytes, 0, NULL, NULL));
}

void read_later(cl_command_queue queue, cl_mem memory, void *bytes, size_t size) {
  OK(cl.clEnqueueReadBuffer(queue, memory, CL_FALSE, 0, size, bytes, 0, NULL, NULL));
}

void write_later(cl_command_queue queue, cl_mem memory, const void *bytes, size_t size) {
  OK(cl.clEnqueueWriteBuffer(queue, memory, CL_FALSE, 0, size, bytes, 0, NULL, NULL));
}

// MARK: states

cl_int state_of(cl_event event) {
  cl_int state = 77;
  OK(cl.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
  return state;
}

void fail(const char *name, int number, int code) {
  fake->fail_name = name;
  fake->fail_in = number;
  fake->code = code;
  fake->is_broken = false;
  fake->failed[0] = 0;
}

void fail_never(void) {
  fake->fail_name = NULL;
  fake->fail_in = 0;
  fake->fails_for_good = false;
  fake->is_broken = false;
}
