#include "check.h"

/* Null pointers, handles of other types and invalid strings: each gives an error, and has no other effect. */
int checks_errors(const checks_places *places) {
  check_failed = 0;
  coreml_error *error = NULL;
  coreml_model *model = (coreml_model *)1;
  coreml_features *features = NULL, *outputs = (coreml_features *)1;
  coreml_value *value = NULL, *other = NULL;

  HOLDS(strcmp(coreml_version(), COREML_RUNTIME_VERSION) == 0);
  HOLDS(coreml_error_status(NULL) == COREML_OK);
  HOLDS(strcmp(coreml_error_code(NULL), "") == 0 && strcmp(coreml_error_message(NULL), "") == 0);
  coreml_retain(NULL);
  coreml_release(NULL);
  coreml_free(NULL);
  coreml_cancel(NULL);
  HOLDS(coreml_features_count(NULL) == 0 && coreml_batch_count(NULL) == 0);
  HOLDS(coreml_value_kind(NULL) == 0 && coreml_value_item_kind(NULL) == 0);

  /* The error pointer may be null, and a result that is not created is null. */
  HOLDS(coreml_model_open("/nothing/here.mlmodel", NULL, &model, NULL) == COREML_IO);
  HOLDS(model == NULL);
  BAD(COREML_IO, "unreadable", "/nothing/here.mlmodel", coreml_model_open("/nothing/here.mlmodel", NULL, &model, &error));
  BAD(COREML_INVALID_ARGUMENT, "interface.null", "'path' is null", coreml_model_open(NULL, NULL, &model, &error));
  BAD(COREML_INVALID_ARGUMENT, "interface.null", "'model' is null", coreml_model_open("x", NULL, NULL, &error));
  BAD(COREML_INVALID_ARGUMENT, "interface.value", "empty", coreml_model_open("", NULL, &model, &error));
  BAD(COREML_INVALID_ARGUMENT, "interface.text", "'path' is not UTF-8", coreml_model_open("a\xff", NULL, &model, &error));
  BAD(COREML_INVALID_MODEL, "notAModel", "zero.png", coreml_model_open(check_path(places->digits, "zero.png"), NULL, &model, &error));

  /* A handle of another type is recognized. */
  GOOD(coreml_features_create(&features, &error));
  BAD(COREML_INVALID_ARGUMENT, "interface.handle", "is a coreml_features, expected a coreml_options",
      coreml_model_open("x", (coreml_options *)features, &model, &error));
  BAD(COREML_INVALID_ARGUMENT, "interface.handle", "expected a coreml_model",
      coreml_predict((coreml_model *)features, features, NULL, &outputs, &error));
  HOLDS(outputs == NULL);
  GOOD(coreml_value_int64(3, &value, &error));
  HOLDS(coreml_features_count((coreml_features *)value) == 0);
  HOLDS(coreml_error_status((coreml_error *)value) == COREML_OK);
  BAD(COREML_INVALID_ARGUMENT, "interface.handle", "expected a coreml_state", coreml_state_read((coreml_state *)value, "x", &other, &error));
  coreml_release(value);
  coreml_release(features);

  /* Every function with null arguments only. */
  const char *text;
  char *own;
  size_t count;
  BAD(1, "interface.null", "'options'", coreml_options_create(NULL, &error));
  BAD(1, "interface.null", "'options'", coreml_options_set(NULL, NULL, NULL, &error));
  BAD(1, "interface.null", "'options'", coreml_options_set_parameter(NULL, NULL, NULL, 0, &error));
  BAD(1, "interface.null", "'model'", coreml_model_open_memory(NULL, 0, NULL, 0, NULL, NULL, &error));
  BAD(1, "interface.null", "'data'", coreml_model_open_memory(NULL, 0, NULL, 0, NULL, &model, &error));
  BAD(1, "interface.null", "'path'", coreml_compile(NULL, NULL, &error));
  BAD(1, "interface.null", "'count'", coreml_model_feature_count(NULL, 0, NULL, &error));
  BAD(1, "interface.null", "'model'", coreml_model_feature_count(NULL, 0, &count, &error));
  BAD(1, "interface.null", "'feature'", coreml_model_feature(NULL, 0, 0, NULL, &error));
  BAD(1, "interface.null", "'json'", coreml_model_describe(NULL, NULL, &error));
  BAD(1, "interface.null", "'model'", coreml_model_describe(NULL, &text, &error));
  BAD(1, "interface.null", "'text'", coreml_model_metadata(NULL, NULL, NULL, &error));
  BAD(1, "interface.null", "'labels'", coreml_model_class_labels(NULL, NULL, &error));
  BAD(1, "interface.null", "'feature'", coreml_model_predicted(NULL, NULL, NULL, &error));
  BAD(1, "interface.null", "'features'", coreml_features_create(NULL, &error));
  BAD(1, "interface.null", "'features'", coreml_features_set(NULL, NULL, NULL, &error));
  BAD(1, "interface.null", "'name'", coreml_features_name(NULL, 0, NULL, &error));
  BAD(1, "interface.null", "'features'", coreml_features_get(NULL, NULL, &value, &error));
  BAD(1, "interface.null", "'batch'", coreml_batch_create(NULL, &error));
  BAD(1, "interface.null", "'batch'", coreml_batch_add(NULL, NULL, &error));
  BAD(1, "interface.null", "'batch'", coreml_batch_get(NULL, 0, &features, &error));
  BAD(1, "interface.null", "'outputs'", coreml_predict(NULL, NULL, NULL, NULL, &error));
  BAD(1, "interface.null", "'model'", coreml_predict(NULL, NULL, NULL, &features, &error));
  BAD(1, "interface.null", "'outputs'", coreml_predict_batch(NULL, NULL, NULL, NULL, &error));
  BAD(1, "interface.null", "'cancellation'", coreml_cancellation_create(NULL, &error));
  BAD(1, "interface.null", "'state'", coreml_state_create(NULL, NULL, &error));
  BAD(1, "interface.null", "'state'", coreml_state_read(NULL, NULL, &value, &error));
  BAD(1, "interface.null", "'state'", coreml_state_write(NULL, NULL, NULL, &error));
  BAD(1, "interface.null", "'json'", coreml_model_plan(NULL, NULL, NULL, &error));
  BAD(1, "interface.null", "'model'", coreml_model_plan(NULL, NULL, &own, &error));
  BAD(1, "interface.null", "'json'", coreml_model_profile(NULL, NULL, 0, NULL, &error));
  BAD(1, "interface.null", "'json'", coreml_devices(NULL, &error));
  BAD(1, "interface.null", "'update'", coreml_update_create(NULL, NULL, NULL, 0, NULL, &error));
  BAD(1, "interface.null", "'update'", coreml_update_run(NULL, NULL, NULL, NULL, &error));
  BAD(1, "interface.null", "'update'", coreml_update_set_parameter(NULL, NULL, NULL, 0, &error));
  BAD(1, "interface.null", "'model'", coreml_update_model(NULL, NULL, &error));
  BAD(1, "interface.null", "'update'", coreml_update_write(NULL, NULL, &error));
  return check_failed;
}

int checks_options(const checks_places *places) {
  check_failed = 0;
  coreml_error *error = NULL;
  coreml_options *options = NULL;
  coreml_model *model = NULL;
  const char *path = check_path(places->models, "sums.mlmodel");

  GOOD(coreml_options_create(&options, &error));
  BAD(1, "interface.value", "there is no option 'speed'; there are computeUnits, device", coreml_options_set(options, "speed", "1", &error));
  BAD(1, "interface.value", "expected one of all, cpuAndGPU", coreml_options_set(options, "computeUnits", "gpu", &error));
  BAD(1, "interface.value", "from 1 to 1024", coreml_options_set(options, "threads", "0", &error));
  BAD(1, "interface.value", "expected one of false, true", coreml_options_set(options, "lowPrecisionAccumulationOnGPU", "1", &error));
  BAD(1, "interface.value", "there is no parameter 'speed'", coreml_options_set_parameter(options, "speed", NULL, 1, &error));
  GOOD(coreml_options_set(options, "computeUnits", "cpuOnly", &error));
  GOOD(coreml_options_set(options, "threads", "2", &error));
  BAD(1, "interface.value", "such as 512M", coreml_options_set(options, "memoryLimit", "much", &error));
  GOOD(coreml_options_set(options, "memoryLimit", "64M", &error));
  GOOD(coreml_options_set(options, "lowPrecisionAccumulationOnGPU", "false", &error));
  GOOD(coreml_options_set(options, "reshapeFrequency", "infrequent", &error));
  GOOD(coreml_options_set(options, "specialization", "fastPrediction", &error));
  GOOD(coreml_options_set(options, "displayName", "sums", &error));
  GOOD(coreml_model_open(path, options, &model, &error));
  coreml_release(model);

  /* An option that only the model can check is checked when the model is opened. */
  GOOD(coreml_options_set(options, "function", "other", &error));
  BAD(COREML_INVALID_INPUT, "runtime.invalid-input", "no function 'other'", coreml_model_open(path, options, &model, &error));
  GOOD(coreml_options_set(options, "function", "", &error));
  GOOD(coreml_options_set(options, "device", "no such device", &error));
  BAD(COREML_DEVICE, "runtime.device", "no such device", coreml_model_open(path, options, &model, &error));
  GOOD(coreml_options_set(options, "device", "", &error));
  GOOD(coreml_options_set_parameter(options, "numberOfNeighbors", NULL, 3, &error));
  BAD(COREML_PARAMETER, "runtime.invalid-input", "numberOfNeighbors", coreml_model_open(path, options, &model, &error));
  coreml_release(options);
  return check_failed;
}
