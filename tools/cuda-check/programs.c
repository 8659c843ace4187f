// Programs from sources and from binaries, and the messages of failed builds.

#include "tests.h"

/// A program's binary can create another program without the compiler.
static void check_binary(cl_context context) {
  cl_program program = source_of(context, sample);
  cl_int status, binary_status;
  CHECK(!cl.clCreateKernel(program, "note", &status));
  CHECK(status == CL_INVALID_PROGRAM_EXECUTABLE);
  OK(cl.clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL));
  CHECK(build(program) == CL_INVALID_OPERATION);

  size_t size;
  OK(cl.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
  CHECK(size == strlen(sample) + 1);
  char *binary = malloc(size);
  OK(cl.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
  CHECK(memcmp(binary, sample, size) == 0);

  int built = stub_built;
  const unsigned char *bytes = (const unsigned char *)binary;
  cl_program again = cl.clCreateProgramWithBinary(context, 1, &device, &size, &bytes, &binary_status, &status);
  OK(status);
  OK(build(again));
  CHECK(stub_built == built);
  free(binary);
  OK(cl.clReleaseProgram(again));
  OK(cl.clReleaseProgram(program));
}

static void check_junk(cl_context context) {
  cl_int status, binary_status;
  size_t size = 4;
  const unsigned char *bytes = (const unsigned char *)"junk";
  CHECK(!cl.clCreateProgramWithBinary(context, 1, &device, &size, &bytes, &binary_status, &status));
  CHECK(status == CL_INVALID_BINARY);
  CHECK(binary_status == CL_INVALID_BINARY);
}

static void check_fails(cl_context context, const char *source, const char *reason) {
  cl_program program = source_of(context, source);
  CHECK(build(program) == CL_BUILD_PROGRAM_FAILURE);
  size_t size;
  OK(cl.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size));
  char *log = malloc(size);
  OK(cl.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log, NULL));
  if (!strstr(log, reason)) fprintf(stderr, "the log is: %s\n", log);
  CHECK(strstr(log, reason));
  free(log);
  cl_int status;
  OK(cl.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
  CHECK(status == CL_BUILD_ERROR);
  OK(cl.clReleaseProgram(program));
}

void check_programs(void) {
  cl_int status;
  cl_context context = cl.clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  OK(status);
  check_binary(context);
  check_junk(context);
  check_fails(context, "ERROR", "clog");
  check_fails(context, ".version .target .entry f() {mov %r, %envreg9;}", "%envreg9");
  check_fails(context, ".version .target .entry f() {BAD}", "ptxas fatal: fake");
  check_fails(context, "no PTX", "gave no PTX");
  check_fails(context, ".version .target .entry f(.param", "cannot be read");
  OK(cl.clReleaseContext(context));
  check_nothing_left();
}
