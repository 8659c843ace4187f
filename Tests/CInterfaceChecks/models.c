#include "check.h"

int checks_descriptions(const checks_places *places) {
  check_failed = 0;
  coreml_error *error = NULL;
  coreml_model *model = check_model(places, "sums.mlmodel");
  coreml_feature feature = {.size = sizeof feature};
  coreml_value *labels = (coreml_value *)1;
  const char *text, *other;
  size_t count = 9;

  GOOD(coreml_model_feature_count(model, COREML_INPUT, &count, &error));
  HOLDS(count == 2);
  GOOD(coreml_model_feature(model, COREML_INPUT, 0, &feature, &error));
  HOLDS(strcmp(feature.name, "a") == 0 && feature.kind == COREML_TENSOR && feature.element == COREML_FLOAT32 && !feature.is_optional);
  HOLDS(feature.size == sizeof feature && feature.shape.rank == 2 && feature.shape.sizes[0] == 2 && feature.shape.sizes[1] == 3);
  HOLDS(feature.flexibility == COREML_RANGE && feature.minimum.sizes[0] == 1 && feature.maximum.sizes[0] == 8 && feature.maximum.sizes[1] == 3);
  GOOD(coreml_model_feature(model, COREML_INPUT, 1, &feature, &error));
  HOLDS(strcmp(feature.name, "b") == 0 && feature.is_optional == 1 && feature.flexibility == COREML_FIXED && feature.minimum.rank == 0);
  BAD(1, "interface.missing", "no place 2 in a list of 2", coreml_model_feature(model, COREML_INPUT, 2, &feature, &error));
  HOLDS(feature.name == NULL && feature.size == sizeof feature);
  BAD(1, "interface.missing", "no place", coreml_model_feature(model, COREML_INPUT, SIZE_MAX, &feature, &error));
  BAD(1, "interface.value", "no role 4", coreml_model_feature_count(model, 4, &count, &error));
  BAD(1, "interface.value", "no role -1", coreml_model_feature_count(model, -1, &count, &error));
  GOOD(coreml_model_feature_count(model, COREML_STATES, &count, &error));
  HOLDS(count == 0);

  /* A shorter structure, as in a program that was built earlier. The function must not write beyond it. */
  coreml_feature early = {.size = offsetof(coreml_feature, kind)};
  early.kind = 77;
  GOOD(coreml_model_feature(model, COREML_OUTPUT, 0, &early, &error));
  HOLDS(strcmp(early.name, "y") == 0 && early.kind == 77);
  early.size = 0;
  BAD(1, "interface.size", "'size' is 0", coreml_model_feature(model, COREML_OUTPUT, 0, &early, &error));

  GOOD(coreml_model_metadata(model, "author", &text, &error));
  HOLDS(strcmp(text, "nobody") == 0);
  GOOD(coreml_model_metadata(model, "colour", &text, &error));
  HOLDS(strcmp(text, "blue") == 0);
  GOOD(coreml_model_metadata(model, "size", &text, &error));
  HOLDS(text == NULL);
  GOOD(coreml_model_class_labels(model, &labels, &error));
  HOLDS(labels == NULL);
  GOOD(coreml_model_predicted(model, &text, &other, &error));
  HOLDS(text == NULL && other == NULL);
  GOOD(coreml_model_describe(model, &text, &error));
  HOLDS(strstr(text, "\"name\":\"a\"") && strstr(text, "\"ranges\":[[1,8],[3,3]]") && strstr(text, "\"colour\":\"blue\""));
  GOOD(coreml_model_describe(model, &other, &error));
  HOLDS(text == other);
  coreml_release(model);

  model = check_model(places, "kinds.mlmodel");
  GOOD(coreml_model_feature_count(model, COREML_OUTPUT, &count, &error));
  for (size_t index = 0; index < count; index++) {
    GOOD(coreml_model_feature(model, COREML_OUTPUT, index, &feature, &error));
    if (strcmp(feature.name, "words") == 0) HOLDS(feature.kind == COREML_DICTIONARY && feature.key == COREML_STRING);
    if (strcmp(feature.name, "numbers") == 0) HOLDS(feature.kind == COREML_DICTIONARY && feature.key == COREML_INT64);
    if (strcmp(feature.name, "texts") == 0) HOLDS(feature.key == COREML_STRING && feature.minimum_count == 0 && feature.maximum_count == 5);
    if (strcmp(feature.name, "integers") == 0) HOLDS(feature.key == COREML_INT64 && feature.maximum_count == -1);
    if (strcmp(feature.name, "gray16") == 0) HOLDS(feature.pixels == COREML_GRAY16F && feature.width == 3 && feature.height == 2);
  }
  HOLDS(count == 10);
  coreml_release(model);
  return check_failed;
}

int checks_memory_models(const checks_places *places) {
  check_failed = 0;
  coreml_error *error = NULL;
  coreml_model *model = NULL;
  size_t size, weight_size;
  unsigned char *bytes = check_file(check_path(places->models, "sums.mlmodel"), &size);
  const char *compiled = check_path(places->scratch, "sums.mlmodelc");

  GOOD(coreml_model_open_memory(bytes, size, NULL, 0, NULL, &model, &error));
  coreml_release(model);
  HOLDS(coreml_model_open_memory(bytes, size / 2, NULL, 0, NULL, &model, NULL) != COREML_OK);
  HOLDS(coreml_model_open_memory(bytes, 0, NULL, 0, NULL, &model, NULL) != COREML_OK && model == NULL);
  BAD(1, "interface.size", "more than memory", coreml_model_open_memory(bytes, SIZE_MAX, NULL, 0, NULL, &model, &error));
  free(bytes);

  /* A package: its program and its weights. */
  const char *blob_name = "@model_path/weights/weight.bin";
  bytes = check_file(check_path(places->digits, "Digits.mlpackage/Data/com.apple.CoreML/model.mlmodel"), &size);
  unsigned char *weights = check_file(check_path(places->digits, "Digits.mlpackage/Data/com.apple.CoreML/weights/weight.bin"), &weight_size);
  coreml_blob blobs[2] = {{blob_name, weights, weight_size}, {blob_name, weights, weight_size}};
  GOOD(coreml_model_open_memory(bytes, size, blobs, 1, NULL, &model, &error));
  coreml_release(model);
  BAD(1, "interface.value", "given twice", coreml_model_open_memory(bytes, size, blobs, 2, NULL, &model, &error));
  BAD(COREML_INVALID_MODEL, "runtime.invalid-model", "weights are in", coreml_model_open_memory(bytes, size, NULL, 0, NULL, &model, &error));
  blobs[0].name = NULL;
  BAD(1, "interface.null", "blobs[].name", coreml_model_open_memory(bytes, size, blobs, 1, NULL, &model, &error));
  free(bytes);
  free(weights);

  /* Compiled twice to the same path. */
  GOOD(coreml_compile(check_path(places->models, "sums.mlmodel"), compiled, &error));
  GOOD(coreml_compile(check_path(places->models, "sums.mlmodel"), compiled, &error));
  GOOD(coreml_model_open(compiled, NULL, &model, &error));
  coreml_release(model);
  HOLDS(coreml_compile(compiled, check_path(places->scratch, "again.mlmodelc"), NULL) != COREML_OK);
  BAD(COREML_IO, "runtime.io", "no folder can be made", coreml_compile(check_path(places->models, "sums.mlmodel"), check_path(places->models, "sums.mlmodel/a.mlmodelc"), &error));
  return check_failed;
}

int checks_plans(const checks_places *places) {
  check_failed = 0;
  coreml_error *error = NULL;
  coreml_model *model = check_model(places, "sums.mlmodel");
  coreml_features *features = check_features("a", check_floats(2, (int64_t[]){3, 3}, (float[9]){0}));
  char *json = NULL;

  GOOD(coreml_model_plan(model, NULL, &json, &error));
  HOLDS(strstr(json, "\"steps\"") && strstr(json, "\"kernel\"") && strstr(json, "[2, 3]"));
  coreml_free(json);
  GOOD(coreml_model_plan(model, features, &json, &error));
  HOLDS(strstr(json, "[3, 3]") && !strstr(json, "[2, 3]"));
  coreml_free(json);
  GOOD(coreml_model_profile(model, features, 3, &json, &error));
  HOLDS(strstr(json, "\"seconds\""));
  coreml_free(json);
  BAD(1, "interface.value", "iterations", coreml_model_profile(model, features, SIZE_MAX, &json, &error));
  HOLDS(json == NULL);
  coreml_release(features);
  features = check_features("c", check_floats(1, (int64_t[]){1}, (float[]){0}));
  BAD(COREML_INVALID_INPUT, "runtime.invalid-input", "'a' is missing", coreml_model_plan(model, features, &json, &error));
  coreml_release(features);
  GOOD(coreml_structure(check_path(places->models, "sums.mlmodel"), &json, &error));
  HOLDS(strstr(json, "\"modelType\":\"mlProgram\"") && strstr(json, "\"type\":\"mul\"") && strstr(json, "\"origins\":[\"y\"]"));
  coreml_free(json);
  BAD(COREML_IO, "unreadable", "nothing.mlmodel", coreml_structure("/nothing.mlmodel", &json, &error));
  HOLDS(json == NULL);
  GOOD(coreml_devices(&json, &error));
  HOLDS(strstr(json, "\"cpu\"") && strstr(json, "\"openCL\""));
  coreml_free(json);
  coreml_release(model);
  return check_failed;
}
