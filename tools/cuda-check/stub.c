// A stub of OpenCL's driver: its compiler returns the source itself.

#include "tests.h"

int stub_live, stub_built;
cl_uint stub_bus, stub_slot;
void *stub_handle;

static char text[1 << 16];
static int the_program;

static cl_context create_context(const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
                                 void (*notify)(const char *, const void *, size_t, void *), void *data,
                                 cl_int *status) {
  (void)properties, (void)count, (void)devices, (void)notify, (void)data;
  stub_live++;
  *status = CL_SUCCESS;
  return (cl_context)&stub_handle;
}

static cl_int release_context(cl_context context) {
  (void)context;
  stub_live--;
  return CL_SUCCESS;
}

static cl_program create_program(cl_context context, cl_uint count, const char **texts, const size_t *lengths,
                                 cl_int *status) {
  (void)context, (void)count, (void)lengths;
  CHECK(strlen(texts[0]) < sizeof text);
  strcpy(text, texts[0]);
  stub_live++;
  *status = CL_SUCCESS;
  return (cl_program)&the_program;
}

static cl_int release_program(cl_program program) {
  (void)program;
  stub_live--;
  return CL_SUCCESS;
}

static cl_int build_program(cl_program program, cl_uint count, const cl_device_id *devices, const char *arguments,
                            void (*notify)(cl_program, void *), void *data) {
  (void)program, (void)count, (void)devices, (void)arguments, (void)notify, (void)data;
  stub_built++;
  return strstr(text, "ERROR") ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS;
}

/// The binary, including its zero byte, as NVIDIA's driver counts it.
static cl_int program_info(cl_program program, cl_program_info name, size_t capacity, void *out, size_t *size) {
  (void)program, (void)capacity, (void)size;
  if (name == CL_PROGRAM_BINARY_SIZES) *(size_t *)out = strlen(text) + 1;
  else strcpy(*(char **)out, text);
  return CL_SUCCESS;
}

static cl_int build_info(cl_program program, cl_device_id id, cl_program_build_info name, size_t capacity, void *out,
                         size_t *size) {
  (void)program, (void)id, (void)name, (void)capacity;
  static const char log[] = "clog";
  if (size) *size = sizeof log;
  if (out) strcpy(out, log);
  return CL_SUCCESS;
}

static cl_int device_info(cl_device_id id, cl_device_info name, size_t capacity, void *out, size_t *size) {
  (void)id, (void)capacity, (void)size;
  cl_int status = CL_SUCCESS;
  switch (name) {
  case 0x4008: *(cl_uint *)out = stub_bus; break;
  case 0x4009: *(cl_uint *)out = stub_slot; break;
  case 0x400A: *(cl_uint *)out = 0; break;  // the domain
  default: status = CL_INVALID_VALUE;
  }
  return status;
}

COpenCLFunctions stub(void) {
  COpenCLFunctions table;
  memset(&table, 0, sizeof table);
  table.clCreateContext = create_context;
  table.clReleaseContext = release_context;
  table.clCreateProgramWithSource = create_program;
  table.clReleaseProgram = release_program;
  table.clBuildProgram = build_program;
  table.clGetProgramInfo = program_info;
  table.clGetProgramBuildInfo = build_info;
  table.clGetDeviceInfo = device_info;
  return table;
}
