/* What checks are written with. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coreml_runtime.h"
#include "include/checks.h"

/* Counts failures of the function that runs. */
extern _Thread_local int check_failed;

int check_true(int holds, const char *file, int line, const char *what);
int check_good(coreml_status status, coreml_error **error, const char *file, int line, const char *what);
int check_bad(
    coreml_status status, coreml_error **error, coreml_status expected, const char *code, const char *words, const char *file,
    int line, const char *what);

#define HOLDS(condition) check_true((condition) != 0, __FILE__, __LINE__, #condition)
/* The call succeeds. `error` is a coreml_error pointer in scope, which the call is given. */
#define GOOD(call) check_good((call), &error, __FILE__, __LINE__, #call)
/* The call fails with a status, a code, and a message that has some words in it. */
#define BAD(status, code, words, call) check_bad((call), &error, status, code, words, __FILE__, __LINE__, #call)

/* A path below a folder; good until the eighth call after it. */
const char *check_path(const char *folder, const char *name);
/* A model by its name. */
coreml_model *check_model(const checks_places *places, const char *name);
/* A dense tensor of floats of its own. */
coreml_value *check_floats(size_t rank, const int64_t *shape, const float *numbers);
/* A set of one value, which is released. */
coreml_features *check_features(const char *name, coreml_value *value);
/* The value under a name, released: it lives as long as the set does. */
coreml_value *check_get(const coreml_features *features, const char *name);
/* The floats of a tensor that has as many, else zeros. */
const float *check_numbers(const coreml_value *value, size_t count);
/* The bytes of a file, to be freed. */
unsigned char *check_file(const char *path, size_t *size);
