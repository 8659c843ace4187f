/* Macros and helpers of the checks. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coreml_runtime.h"
#include "include/checks.h"

/* The number of failures in the running function. */
extern _Thread_local int check_failed;

int check_true(int holds, const char *file, int line, const char *what);
int check_good(coreml_status status, coreml_error **error, const char *file, int line, const char *what);
int check_bad(
    coreml_status status, coreml_error **error, coreml_status expected, const char *code, const char *words, const char *file,
    int line, const char *what);

#define HOLDS(condition) check_true((condition) != 0, __FILE__, __LINE__, #condition)
/* Expects success. `error` is a coreml_error pointer in scope, which `call` uses. */
#define GOOD(call) check_good((call), &error, __FILE__, __LINE__, #call)
/* Expects a failure with this status and code, and with a message that contains `words`. */
#define BAD(status, code, words, call) check_bad((call), &error, status, code, words, __FILE__, __LINE__, #call)

/* A path below a folder. It is valid until the eighth call after it. */
const char *check_path(const char *folder, const char *name);
/* Opens a model by its name. */
coreml_model *check_model(const checks_places *places, const char *name);
/* A dense tensor of floats in its own memory. */
coreml_value *check_floats(size_t rank, const int64_t *shape, const float *numbers);
/* A set with one value. Releases the value. */
coreml_features *check_features(const char *name, coreml_value *value);
/* The value with a name, already released. It lives as long as the set. */
coreml_value *check_get(const coreml_features *features, const char *name);
/* The floats of a tensor with `count` elements, otherwise zeros. */
const float *check_numbers(const coreml_value *value, size_t count);
/* The bytes of a file. The caller frees them. */
unsigned char *check_file(const char *path, size_t *size);
