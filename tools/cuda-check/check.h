#pragma once

// Test assertions. A failed assertion prints itself and aborts the program; the sanitizer then adds the stack.

#include <stdio.h>
#include <stdlib.h>

#define CHECK(expression)                                                                                              \
  do {                                                                                                                 \
    if (!(expression)) {                                                                                               \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #expression);                                         \
      abort();                                                                                                         \
    }                                                                                                                  \
  } while (0)

/// For OpenCL calls and statuses, which must be CL_SUCCESS.
#define OK(call)                                                                                                       \
  do {                                                                                                                 \
    int status_of_call = (call);                                                                                       \
    if (status_of_call) {                                                                                              \
      fprintf(stderr, "%s:%d: %s is %d\n", __FILE__, __LINE__, #call, status_of_call);                                 \
      abort();                                                                                                         \
    }                                                                                                                  \
  } while (0)
