#include "check.h"

#include <pthread.h>

_Thread_local int check_failed = 0;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char lines[16384];
static char told[16384];

static int fail(const char *file, int line, const char *what, const char *why) {
  const char *name = strrchr(file, '/');
  check_failed += 1;
  pthread_mutex_lock(&lock);
  size_t used = strlen(lines);
  snprintf(lines + used, sizeof lines - used, "%s:%d: %s: %s\n", name ? name + 1 : file, line, what, why);
  pthread_mutex_unlock(&lock);
  return 0;
}

const char *checks_report(void) {
  pthread_mutex_lock(&lock);
  memcpy(told, lines, sizeof lines);
  lines[0] = 0;
  pthread_mutex_unlock(&lock);
  return told;
}

int check_true(int holds, const char *file, int line, const char *what) { return holds ? 1 : fail(file, line, what, "does not hold"); }

int check_good(coreml_status status, coreml_error **error, const char *file, int line, const char *what) {
  int good = status == COREML_OK && *error == NULL;
  if (!good) fail(file, line, what, coreml_error_message(*error));
  coreml_release(*error);
  *error = NULL;
  return good;
}

int check_bad(
    coreml_status status, coreml_error **error, coreml_status expected, const char *code, const char *words, const char *file,
    int line, const char *what) {
  char found[512];
  int bad = status == expected && coreml_error_status(*error) == expected && strcmp(coreml_error_code(*error), code) == 0 &&
            strstr(coreml_error_message(*error), words) != NULL;
  if (!bad) {
    snprintf(found, sizeof found, "status %d, code '%s', message '%s'", status, coreml_error_code(*error), coreml_error_message(*error));
    fail(file, line, what, found);
  }
  coreml_release(*error);
  *error = NULL;
  return bad;
}

const char *check_path(const char *folder, const char *name) {
  static _Thread_local char paths[8][1024];
  static _Thread_local int next = 0;
  char *path = paths[next++ % 8];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

coreml_model *check_model(const checks_places *places, const char *name) {
  coreml_error *error = NULL;
  coreml_options *options = NULL;
  coreml_model *model = NULL;
  GOOD(coreml_options_create(&options, &error));
  GOOD(coreml_options_set(options, "computeUnits", "cpuOnly", &error));
  GOOD(coreml_model_open(check_path(places->models, name), options, &model, &error));
  coreml_release(options);
  return model;
}

coreml_value *check_floats(size_t rank, const int64_t *shape, const float *numbers) {
  coreml_error *error = NULL;
  coreml_value *value = NULL;
  coreml_tensor tensor;
  if (GOOD(coreml_value_zeros(COREML_FLOAT32, rank, shape, &value, &error)) &&
      GOOD(coreml_value_get_tensor(value, &tensor, &error)))
    memcpy(tensor.data, numbers, tensor.size);
  return value;
}

coreml_features *check_features(const char *name, coreml_value *value) {
  coreml_error *error = NULL;
  coreml_features *features = NULL;
  GOOD(coreml_features_create(&features, &error));
  GOOD(coreml_features_set(features, name, value, &error));
  coreml_release(value);
  return features;
}

coreml_value *check_get(const coreml_features *features, const char *name) {
  coreml_error *error = NULL;
  coreml_value *value = NULL;
  GOOD(coreml_features_get(features, name, &value, &error));
  coreml_release(value);
  return value;
}

const float *check_numbers(const coreml_value *value, size_t count) {
  static const float zeros[64];
  coreml_error *error = NULL;
  coreml_tensor tensor;
  if (!GOOD(coreml_value_get_tensor(value, &tensor, &error))) return zeros;
  if (!HOLDS(tensor.element == COREML_FLOAT32) || !HOLDS(tensor.size == count * sizeof(float))) return zeros;
  return tensor.data;
}

unsigned char *check_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  unsigned char *bytes = malloc(1 << 20);
  *size = file && bytes ? fread(bytes, 1, 1 << 20, file) : 0;
  HOLDS(*size > 0);
  if (file) fclose(file);
  return bytes;
}
