/* States, batches, threads and cancellation. */
#include "check.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

int checks_states(const checks_places *places) {
  check_failed = 0;
  coreml_error *error = NULL;
  coreml_model *model = check_model(places, "running-sum.mlmodel"), *other = check_model(places, "sums.mlmodel");
  coreml_features *outputs = NULL, *inputs = check_features("x", check_floats(1, (int64_t[]){4}, (float[]){1, 2, 3, 4}));
  coreml_predict_options options = {.size = sizeof options};
  coreml_value *value = NULL;
  coreml_tensor tensor;

  GOOD(coreml_state_create(model, &options.state, &error));
  for (int round = 1; round <= 3; round++) {
    GOOD(coreml_predict(model, inputs, &options, &outputs, &error));
    HOLDS(check_numbers(check_get(outputs, "y"), 4)[3] == 4.f * (float)round);
    coreml_release(outputs);
  }
  GOOD(coreml_state_read(options.state, "total", &value, &error));
  GOOD(coreml_value_get_tensor(value, &tensor, &error));
  HOLDS(tensor.element == COREML_FLOAT16 && tensor.size == 8 && *(uint16_t *)tensor.data == 0x4200);
  coreml_release(value);
  value = check_floats(1, (int64_t[]){4}, (float[]){10, 10, 10, 10});
  GOOD(coreml_state_write(options.state, "total", value, &error));
  coreml_release(value);
  GOOD(coreml_predict(model, inputs, &options, &outputs, &error));
  HOLDS(check_numbers(check_get(outputs, "y"), 4)[0] == 11);
  coreml_release(outputs);
  /* Another model with the same states continues from it. */
  coreml_model *again = check_model(places, "running-sum.mlmodel");
  GOOD(coreml_predict(again, inputs, &options, &outputs, &error));
  HOLDS(check_numbers(check_get(outputs, "y"), 4)[0] == 12);
  coreml_release(outputs);
  coreml_release(again);
  /* A missing state, or one with other names, is refused. Zeros in its place would give plausible but wrong results. */
  BAD(COREML_INVALID_INPUT, "runtime.invalid-input", "keeps the state 'total'", coreml_predict(model, inputs, NULL, &outputs, &error));
  coreml_predict_options others = {.size = sizeof others};
  GOOD(coreml_state_create(other, &others.state, &error));
  BAD(COREML_INVALID_INPUT, "runtime.invalid-input", "has no 'total', which the model keeps; it has none",
      coreml_predict(model, inputs, &others, &outputs, &error));
  coreml_release(others.state);
  coreml_batch *rows = NULL, *results = NULL;
  GOOD(coreml_batch_create(&rows, &error));
  GOOD(coreml_batch_add(rows, inputs, &error));
  BAD(COREML_INVALID_INPUT, "runtime.invalid-input", "keeps the state 'total'", coreml_predict_batch(model, rows, NULL, &results, &error));
  coreml_release(rows);
  char *profile = NULL;
  GOOD(coreml_model_profile(model, inputs, 1, &profile, &error));
  coreml_free(profile);

  BAD(1, "interface.missing", "no state 'sum'; it has total", coreml_state_read(options.state, "sum", &value, &error));
  value = check_floats(1, (int64_t[]){3}, (float[]){1, 1, 1});
  BAD(COREML_INVALID_INPUT, "runtime.invalid-input", "cannot take", coreml_state_write(options.state, "total", value, &error));
  coreml_release(value);
  /* One element with strides of 0 and a shape of 2^40 elements. It is refused before any allocation. */
  const int64_t endless[2] = {1 << 20, 1 << 20}, still[2] = {0, 0};
  float single = 1;
  GOOD(coreml_value_tensor(COREML_FLOAT32, 2, endless, still, &single, sizeof single, NULL, NULL, &value, &error));
  BAD(COREML_INVALID_INPUT, "runtime.invalid-input", "cannot take", coreml_state_write(options.state, "total", value, &error));
  coreml_release(value);
  GOOD(coreml_value_int64(1, &value, &error));
  BAD(1, "interface.kind", "expected tensor", coreml_state_write(options.state, "total", value, &error));
  coreml_release(value);
  /* A model without states accepts any state. The state outlives its model. */
  coreml_features *pair = check_features("a", check_floats(2, (int64_t[]){1, 3}, (float[]){1, 2, 3}));
  GOOD(coreml_predict(other, pair, &options, &outputs, &error));
  coreml_release(outputs);
  coreml_release(pair);
  coreml_release(model);
  GOOD(coreml_state_read(options.state, "total", &value, &error));
  coreml_release(value);
  coreml_release(options.state);
  coreml_release(other);
  coreml_release(inputs);
  return check_failed;
}

int checks_batches(const checks_places *places) {
  check_failed = 0;
  coreml_error *error = NULL;
  coreml_model *model = check_model(places, "sums.mlmodel");
  coreml_batch *rows = NULL, *results = NULL;
  coreml_features *row = NULL;
  coreml_predict_options options = {.size = sizeof options};

  GOOD(coreml_batch_create(&rows, &error));
  for (int index = 0; index < 3; index++) {
    row = check_features("a", check_floats(2, (int64_t[]){1, 3}, (float[]){(float)index, 0, 0}));
    GOOD(coreml_batch_add(rows, row, &error));
    /* Later changes to the row do not affect the batch. */
    GOOD(coreml_features_set(row, "a", NULL, &error));
    coreml_release(row);
  }
  HOLDS(coreml_batch_count(rows) == 3);
  GOOD(coreml_predict_batch(model, rows, NULL, &results, &error));
  HOLDS(coreml_batch_count(results) == 3);
  for (size_t index = 0; index < 3; index++) {
    GOOD(coreml_batch_get(results, index, &row, &error));
    HOLDS(check_numbers(check_get(row, "y"), 3)[0] == 2.f * (float)index + 0.5f);
    coreml_release(row);
  }
  BAD(1, "interface.missing", "no place 3", coreml_batch_get(results, 3, &row, &error));
  coreml_release(results);
  GOOD(coreml_features_create(&row, &error));
  options.backings = row;
  BAD(1, "interface.value", "neither a state nor backings", coreml_predict_batch(model, rows, &options, &results, &error));
  GOOD(coreml_batch_add(rows, row, &error));
  BAD(COREML_INVALID_INPUT, "runtime.invalid-input", "'a' is missing", coreml_predict_batch(model, rows, NULL, &results, &error));
  coreml_release(row);
  coreml_release(rows);
  coreml_release(model);
  return check_failed;
}

static void *cancel_soon(void *cancellation) {
  usleep(50000);
  coreml_cancel(cancellation);
  return NULL;
}

/* A batch that would run for a long time. */
int checks_cancellation(const checks_places *places) {
  check_failed = 0;
  coreml_error *error = NULL;
  coreml_model *model = check_model(places, "sums.mlmodel");
  coreml_cancellation *cancellation = NULL;
  coreml_features *outputs = NULL, *inputs = check_features("a", check_floats(2, (int64_t[]){1, 3}, (float[3]){1}));
  coreml_batch *rows = NULL, *results = NULL;
  pthread_t thread;

  GOOD(coreml_batch_create(&rows, &error));
  for (int index = 0; index < 40000; index++) coreml_batch_add(rows, inputs, NULL);
  GOOD(coreml_cancellation_create(&cancellation, &error));
  coreml_predict_options options = {.size = sizeof options, .cancellation = cancellation};
  GOOD(coreml_predict(model, inputs, &options, &outputs, &error));
  coreml_release(outputs);
  HOLDS(pthread_create(&thread, NULL, cancel_soon, cancellation) == 0);
  HOLDS(coreml_predict_batch(model, rows, &options, &results, NULL) == COREML_CANCELLED && results == NULL);
  pthread_join(thread, NULL);
  /* The cancellation stays set, and the model still works without it. */
  BAD(COREML_CANCELLED, "interface.cancelled", "before it began", coreml_predict(model, inputs, &options, &outputs, &error));
  coreml_release(cancellation);
  GOOD(coreml_predict(model, inputs, NULL, &outputs, &error));
  coreml_release(outputs);
  coreml_release(rows);
  coreml_release(inputs);
  coreml_release(model);
  return check_failed;
}

/* An infinite loop. */
int checks_endless(const checks_places *places) {
  check_failed = 0;
  coreml_error *error = NULL;
  coreml_model *model = check_model(places, "endless.mlmodel");
  coreml_cancellation *cancellation = NULL;
  coreml_features *outputs = NULL, *inputs = check_features("x", check_floats(1, (int64_t[]){1}, (float[]){1}));
  coreml_features *ends = check_features("x", check_floats(1, (int64_t[]){1}, (float[]){-1}));
  pthread_t thread;

  GOOD(coreml_cancellation_create(&cancellation, &error));
  coreml_predict_options options = {.size = sizeof options, .cancellation = cancellation};
  HOLDS(pthread_create(&thread, NULL, cancel_soon, cancellation) == 0);
  BAD(COREML_CANCELLED, "runtime.cancelled", "stopped", coreml_predict(model, inputs, &options, &outputs, &error));
  pthread_join(thread, NULL);
  GOOD(coreml_predict(model, ends, NULL, &outputs, &error));
  HOLDS(check_numbers(check_get(outputs, "y"), 1)[0] == -1);
  coreml_release(outputs);
  coreml_release(cancellation);
  coreml_release(inputs);
  coreml_release(ends);
  coreml_release(model);
  return check_failed;
}

typedef struct {
  coreml_model *model;
  coreml_features *shared;
  float start;
  int failed;
} worker;

static void *predict_often(void *argument) {
  worker *work = argument;
  coreml_error *error = NULL;
  coreml_features *outputs = NULL;
  check_failed = 0;
  for (int round = 0; round < 50; round++) {
    float first = work->start + (float)round;
    coreml_features *inputs = check_features("a", check_floats(2, (int64_t[]){1 + round % 3, 3}, (float[9]){first}));
    GOOD(coreml_predict(work->model, inputs, NULL, &outputs, &error));
    HOLDS(check_numbers(check_get(outputs, "y"), 3 * (size_t)(1 + round % 3))[0] == 2 * first + 0.5f);
    coreml_release(outputs);
    coreml_release(inputs);
    GOOD(coreml_predict(work->model, work->shared, NULL, &outputs, &error));
    HOLDS(check_numbers(check_get(outputs, "y"), 3)[0] == 2.5f);
    coreml_release(outputs);
  }
  work->failed = check_failed;
  return NULL;
}

int checks_threads(const checks_places *places) {
  check_failed = 0;
  coreml_model *model = check_model(places, "sums.mlmodel");
  coreml_features *shared = check_features("a", check_floats(2, (int64_t[]){1, 3}, (float[]){1, 0, 0}));
  pthread_t threads[4];
  worker workers[4];
  for (int index = 0; index < 4; index++) {
    workers[index] = (worker){model, shared, (float)(100 * index), 1};
    HOLDS(pthread_create(&threads[index], NULL, predict_often, &workers[index]) == 0);
  }
  for (int index = 0; index < 4; index++) {
    pthread_join(threads[index], NULL);
    HOLDS(workers[index].failed == 0);
  }
  coreml_release(shared);
  coreml_release(model);
  return check_failed;
}

double checks_latency(const checks_places *places, int count) {
  coreml_error *error = NULL;
  coreml_model *model = check_model(places, "sums.mlmodel");
  coreml_features *outputs = NULL, *inputs = check_features("a", check_floats(2, (int64_t[]){2, 3}, (float[6]){1}));
  struct timespec start, end;
  GOOD(coreml_predict(model, inputs, NULL, &outputs, &error));
  coreml_release(outputs);
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (int round = 0; round < count; round++) {
    if (coreml_predict(model, inputs, NULL, &outputs, NULL) != COREML_OK) break;
    coreml_release(outputs);
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  coreml_release(inputs);
  coreml_release(model);
  return ((double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec)) / count;
}
