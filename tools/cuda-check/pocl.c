// PoCL together with CUDA: a real OpenCL library lists the devices and compiles, but does not produce PTX.

#include "tests.h"

static bool find_pocl(const COpenCLFunctions *opencl, cl_device_id *id) {
  cl_platform_id platforms[16];
  cl_uint count = 0;
  if (opencl->clGetPlatformIDs(16, platforms, &count)) return false;
  for (cl_uint index = 0; index < count && index < 16; index++) {
    char name[200] = "";
    opencl->clGetPlatformInfo(platforms[index], CL_PLATFORM_NAME, sizeof name, name, NULL);
    if (!strstr(name, "Portable Computing Language")) continue;
    if (!opencl->clGetDeviceIDs(platforms[index], CL_DEVICE_TYPE_ALL, 1, id, NULL)) return true;
  }
  return false;
}

/// There are two CUDA devices, and PoCL does not report its device's location.
static void check_no_place(const COpenCLFunctions *opencl, cl_device_id id) {
  COpenCLFunctions table;
  message[0] = 0;
  CHECK(ccuda_table(opencl, id, &table, message, sizeof message) == -1);
  CHECK(message[0]);
}

static void check_no_ptx(const COpenCLFunctions *table, cl_device_id id) {
  cl_int status;
  char log[500];
  cl_context context = table->clCreateContext(NULL, 1, &id, NULL, NULL, &status);
  OK(status);
  const char *source = "kernel void f(global int *x) { x[0] = 1; }";
  cl_program program = table->clCreateProgramWithSource(context, 1, &source, NULL, &status);
  OK(status);
  CHECK(table->clBuildProgram(program, 1, &id, "-cl-std=CL1.2", NULL, NULL));
  OK(table->clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
  CHECK(log[0]);
  cl_program never_built = table->clCreateProgramWithSource(context, 1, &source, NULL, &status);
  OK(status);
  OK(table->clReleaseProgram(never_built));
  OK(table->clReleaseProgram(program));
  OK(table->clReleaseContext(context));
  check_nothing_left();
}

void check_pocl(void) {
  COpenCLFunctions opencl, table;
  cl_device_id id;
  if (copencl_load("libOpenCL.so.1", &opencl, message, sizeof message)) {
    tell("skipped, %s", message);
  } else if (!find_pocl(&opencl, &id)) {
    tell("skipped, PoCL is not there");
  } else {
    check_no_place(&opencl, id);
    opencl.clGetDeviceInfo = stub().clGetDeviceInfo;
    stub_bus = 0x10;
    OK(ccuda_table(&opencl, id, &table, message, sizeof message));
    CHECK(table.clGetPlatformIDs == opencl.clGetPlatformIDs);
    check_no_ptx(&table, id);
  }
}
