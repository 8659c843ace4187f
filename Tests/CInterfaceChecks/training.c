#include "check.h"

#include <math.h>

typedef struct {
  int begun, epochs, batches, stop_after;
  double first, last;
} told;

static int32_t listen(void *context, coreml_update *update, const coreml_progress *progress) {
  told *told = context;
  coreml_error *error = NULL;
  coreml_model *model = NULL;
  if (progress->event == COREML_TRAINING_BEGIN) {
    told->begun += 1;
    HOLDS(progress->epoch == -1 && progress->mini_batch == -1 && isnan(progress->loss));
  }
  if (progress->event == COREML_MINI_BATCH_END) told->batches += 1;
  if (progress->event == COREML_EPOCH_END) {
    if (told->epochs == 0) {
      told->first = progress->loss;
      GOOD(coreml_update_model(update, &model, &error));
      coreml_release(model);
      GOOD(coreml_update_set_parameter(update, "learningRate", NULL, 0.02, &error));
    }
    HOLDS(progress->epoch == told->epochs);
    told->epochs += 1;
    told->last = progress->loss;
  }
  return told->stop_after != 0 && told->batches >= told->stop_after;
}

/* Rows of y = 3 x0 - x1 + 1. */
static coreml_batch *examples(void) {
  coreml_error *error = NULL;
  coreml_batch *batch = NULL;
  GOOD(coreml_batch_create(&batch, &error));
  for (int index = 0; index < 16; index++) {
    float x0 = (float)(index % 4), x1 = (float)(index / 4), y = 3 * x0 - x1 + 1;
    coreml_features *row = check_features("x", check_floats(1, (int64_t[]){2}, (float[]){x0, x1}));
    coreml_value *target = check_floats(1, (int64_t[]){1}, (float[]){y});
    GOOD(coreml_features_set(row, "y_true", target, &error));
    coreml_release(target);
    GOOD(coreml_batch_add(batch, row, &error));
    coreml_release(row);
  }
  return batch;
}

/* The value of y. */
static double number(const coreml_features *outputs) {
  coreml_error *error = NULL;
  coreml_tensor tensor;
  GOOD(coreml_value_get_tensor(check_get(outputs, "y"), &tensor, &error));
  return HOLDS(tensor.element == COREML_FLOAT64 && tensor.size == 8) ? *(double *)tensor.data : 0;
}

int checks_training(const checks_places *places) {
  check_failed = 0;
  coreml_error *error = NULL;
  const char *path = check_path(places->models, "line.mlmodel");
  coreml_batch *rows = examples(), *none = NULL;
  coreml_options *options = NULL;
  coreml_update *update = NULL;
  coreml_model *model = NULL;
  coreml_features *outputs = NULL;
  coreml_cancellation *cancellation = NULL;
  const char *json = "";
  told told = {0};

  model = check_model(places, "line.mlmodel");
  size_t count = 0;
  GOOD(coreml_model_feature_count(model, COREML_TRAINING_INPUT, &count, &error));
  HOLDS(count == 2);
  GOOD(coreml_model_describe(model, &json, &error));
  HOLDS(strstr(json, "\"isUpdatable\":true") && strstr(json, "\"learningRate\""));
  coreml_release(model);

  GOOD(coreml_options_create(&options, &error));
  GOOD(coreml_options_set_parameter(options, "learningRate", NULL, 0.04, &error));
  GOOD(coreml_update_create(path, rows, options, 7, &update, &error));
  GOOD(coreml_update_set_parameter(update, "learningRate", NULL, 0.03, &error));
  BAD(1, "interface.order", "there is no model", coreml_update_model(update, &model, &error));
  GOOD(coreml_update_run(update, listen, &told, NULL, &error));
  HOLDS(told.begun == 1 && told.epochs == 40 && told.batches == 160 && told.last < told.first / 20);
  BAD(1, "interface.order", "was run before", coreml_update_run(update, NULL, NULL, NULL, &error));
  GOOD(coreml_update_model(update, &model, &error));
  coreml_features *inputs = check_features("x", check_floats(1, (int64_t[]){2}, (float[]){2, 1}));
  GOOD(coreml_predict(model, inputs, NULL, &outputs, &error));
  double learned = number(outputs);
  HOLDS(fabs(learned - 6) < 0.5);
  coreml_release(outputs);
  coreml_release(model);
  const char *written = check_path(places->scratch, "line.mlmodelc");
  GOOD(coreml_update_write(update, written, &error));
  HOLDS(coreml_update_write(update, check_path(places->models, "line.mlmodel/a.mlmodelc"), NULL) == COREML_IO);
  coreml_release(update);
  GOOD(coreml_model_open(written, NULL, &model, &error));
  GOOD(coreml_predict(model, inputs, NULL, &outputs, &error));
  HOLDS(number(outputs) == learned);
  coreml_release(outputs);
  coreml_release(inputs);
  coreml_release(model);

  /* A callback that stops the update, a cancellation during it, and one that was set before. */
  told.stop_after = 200;
  told.epochs = 0;
  GOOD(coreml_update_create(path, rows, NULL, 6, &update, &error));
  GOOD(coreml_update_set_parameter(update, "epochs", NULL, 1000000, &error));
  BAD(COREML_CANCELLED, "runtime.cancelled", "cancelled", coreml_update_run(update, listen, &told, NULL, &error));
  BAD(1, "interface.order", "there is no model", coreml_update_write(update, written, &error));
  coreml_release(update);
  GOOD(coreml_cancellation_create(&cancellation, &error));
  coreml_cancel(cancellation);
  GOOD(coreml_update_create(path, rows, NULL, 0, &update, &error));
  BAD(COREML_CANCELLED, "runtime.cancelled", "cancelled", coreml_update_run(update, NULL, NULL, cancellation, &error));
  coreml_release(update);
  coreml_release(cancellation);

  /* An update that never runs, and invalid updates. */
  GOOD(coreml_update_create(path, rows, NULL, 0, &update, &error));
  coreml_release(update);
  GOOD(coreml_batch_create(&none, &error));
  BAD(COREML_UPDATE, "runtime.invalid-input", "no training examples", coreml_update_create(path, none, NULL, 0, &update, &error));
  BAD(COREML_UNSUPPORTED, "runtime.unsupported", "sums.mlmodel: the model is not updatable",
      coreml_update_create(check_path(places->models, "sums.mlmodel"), rows, NULL, 0, &update, &error));
  GOOD(coreml_options_set_parameter(options, "epochs", NULL, 3, &error));
  BAD(COREML_PARAMETER, "runtime.invalid-input", "one of 1, 2, 40", coreml_update_create(path, rows, options, 0, &update, &error));
  BAD(1, "interface.value", "the events are 8", coreml_update_create(path, rows, NULL, 8, &update, &error));
  BAD(1, "interface.value", "no parameter 'speed'", coreml_options_set_parameter(options, "speed", NULL, 3, &error));
  HOLDS(update == NULL);
  coreml_release(none);
  coreml_release(rows);
  coreml_release(options);
  return check_failed;
}
