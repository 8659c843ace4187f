#pragma once

// What a test demands. A demand that is not met names itself and ends the program: the sanitizer then adds the stack.

#include <stdio.h>
#include <stdlib.h>

#define CHECK(expression)                                                                                              \
  do {                                                                                                                 \
    if (!(expression)) {                                                                                               \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #expression);                                         \
      abort();                                                                                                         \
    }                                                                                                                  \
  } while (0)

/// For calls and statuses of OpenCL, which must be CL_SUCCESS.
#define OK(call)                                                                                                       \
  do {                                                                                                                 \
    int status_of_call = (call);                                                                                       \
    if (status_of_call) {                                                                                              \
      fprintf(stderr, "%s:%d: %s is %d\n", __FILE__, __LINE__, #call, status_of_call);                                 \
      abort();                                                                                                         \
    }                                                                                                                  \
  } while (0)
