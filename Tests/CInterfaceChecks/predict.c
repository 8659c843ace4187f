#include "check.h"

#include <math.h>

int checks_features(const checks_places *places) {
  (void)places;
  check_failed = 0;
  coreml_error *error = NULL;
  coreml_features *features = NULL;
  coreml_value *value = NULL, *same = NULL;
  const char *name, *again;

  GOOD(coreml_features_create(&features, &error));
  GOOD(coreml_value_int64(1, &value, &error));
  GOOD(coreml_features_set(features, "second", value, &error));
  GOOD(coreml_features_set(features, "first", value, &error));
  GOOD(coreml_features_set(features, "second", value, &error));
  HOLDS(coreml_features_count(features) == 2);
  GOOD(coreml_features_name(features, 0, &name, &error));
  GOOD(coreml_features_name(features, 0, &again, &error));
  HOLDS(strcmp(name, "second") == 0 && name == again);
  GOOD(coreml_features_get(features, "first", &same, &error));
  HOLDS(same == value);
  coreml_release(same);
  GOOD(coreml_features_set(features, "second", NULL, &error));
  GOOD(coreml_features_set(features, "nothing", NULL, &error));
  HOLDS(coreml_features_count(features) == 1 && strcmp(name, "second") == 0);
  BAD(1, "interface.missing", "no feature 'second'; there are first", coreml_features_get(features, "second", &same, &error));
  BAD(1, "interface.missing", "no place 1", coreml_features_name(features, 1, &name, &error));
  HOLDS(same == NULL && name == NULL);
  coreml_release(features);

  /* The value outlives the set. */
  int64_t number = 0;
  GOOD(coreml_value_get_int64(value, &number, &error));
  HOLDS(number == 1);
  coreml_release(value);
  return check_failed;
}

/* A value of every kind, written and read back. */
static void check_kinds(const checks_places *places) {
  coreml_error *error = NULL;
  coreml_model *model = check_model(places, "kinds.mlmodel");
  coreml_features *inputs = NULL, *outputs = NULL;
  coreml_value *values[10] = {NULL};
  const char *names[10] = {"integer", "number", "text", "words", "numbers", "texts", "integers", "colour", "gray", "gray16"};
  unsigned char pixels[24] = {10, 20, 30, 40, 50, 60, 70};
  uint16_t halves[6] = {0x3c00, 0x4000, 0, 0, 0, 0x5640};
  GOOD(coreml_value_int64(-3, &values[0], &error));
  GOOD(coreml_value_double(0.5, &values[1], &error));
  GOOD(coreml_value_string("caf\xc3\xa9", 5, &values[2], &error));
  GOOD(coreml_value_string_dictionary((const char *[]){"a", "b"}, (double[]){1, 2}, 2, &values[3], &error));
  GOOD(coreml_value_int64_dictionary((int64_t[]){4, 2}, (double[]){8, 4}, 2, &values[4], &error));
  GOOD(coreml_value_string_sequence((const char *[]){"p", "q"}, 2, &values[5], &error));
  GOOD(coreml_value_int64_sequence((int64_t[]){3, 1, 2}, 3, &values[6], &error));
  GOOD(coreml_value_image(COREML_RGBA, 3, 2, 0, pixels, 24, &values[7], &error));
  GOOD(coreml_value_image(COREML_GRAY8, 3, 2, 0, pixels, 6, &values[8], &error));
  GOOD(coreml_value_image(COREML_GRAY16F, 3, 2, 0, halves, 12, &values[9], &error));
  GOOD(coreml_features_create(&inputs, &error));
  for (int index = 0; index < 10; index++) {
    GOOD(coreml_features_set(inputs, names[index], values[index], &error));
    coreml_release(values[index]);
  }
  GOOD(coreml_predict(model, inputs, NULL, &outputs, &error));
  HOLDS(coreml_features_count(outputs) == 10);
  for (size_t index = 0; index < coreml_features_count(outputs); index++) {
    const char *name = "";
    GOOD(coreml_features_name(outputs, index, &name, &error));
    HOLDS(strcmp(name, names[index]) == 0);
  }
  int64_t integer = 0;
  double number = 0;
  const char *text = "", *const *texts = NULL;
  const int64_t *integers = NULL;
  const double *numbers = NULL;
  size_t count = 0;
  coreml_image image = {0};
  GOOD(coreml_value_get_int64(check_get(outputs, "integer"), &integer, &error));
  GOOD(coreml_value_get_double(check_get(outputs, "number"), &number, &error));
  GOOD(coreml_value_get_string(check_get(outputs, "text"), &text, NULL, &error));
  HOLDS(integer == -3 && number == 0.5 && strcmp(text, "caf\xc3\xa9") == 0);
  GOOD(coreml_value_get_string_dictionary(check_get(outputs, "words"), &texts, &numbers, &count, &error));
  HOLDS(count == 2 && strcmp(texts[1], "b") == 0 && numbers[1] == 2);
  GOOD(coreml_value_get_int64_dictionary(check_get(outputs, "numbers"), &integers, &numbers, &count, &error));
  HOLDS(count == 2 && integers[0] == 2 && numbers[0] == 4 && integers[1] == 4);
  GOOD(coreml_value_get_string_sequence(check_get(outputs, "texts"), &texts, &count, &error));
  HOLDS(count == 2 && strcmp(texts[0], "p") == 0 && strcmp(texts[1], "q") == 0);
  GOOD(coreml_value_get_int64_sequence(check_get(outputs, "integers"), &integers, &count, &error));
  HOLDS(count == 3 && integers[0] == 3 && integers[2] == 2);
  GOOD(coreml_value_get_image(check_get(outputs, "colour"), &image, &error));
  HOLDS(image.pixels == COREML_BGRA && memcmp(image.data, (unsigned char[]){30, 20, 10}, 3) == 0);
  GOOD(coreml_value_get_image(check_get(outputs, "gray"), &image, &error));
  HOLDS(image.pixels == COREML_GRAY8 && memcmp(image.data, pixels, 6) == 0);
  GOOD(coreml_value_get_image(check_get(outputs, "gray16"), &image, &error));
  HOLDS(image.pixels == COREML_GRAY16F && memcmp(image.data, halves, 12) == 0);
  coreml_release(outputs);
  coreml_release(inputs);
  coreml_release(model);
}

int checks_predictions(const checks_places *places) {
  check_failed = 0;
  coreml_error *error = NULL;
  coreml_model *model = check_model(places, "sums.mlmodel");
  coreml_features *outputs = NULL;
  coreml_value *value = NULL;
  coreml_tensor tensor;
  float a[8] = {1, 2, 3, 99, 4, 5, 6, 99};
  int64_t shape[2] = {2, 3};

  /* Rows with gaps, read in place. b has the model's default value. */
  GOOD(coreml_value_tensor(COREML_FLOAT32, 2, shape, (int64_t[]){4, 1}, a, sizeof a, NULL, NULL, &value, &error));
  coreml_features *inputs = check_features("a", value);
  GOOD(coreml_predict(model, inputs, NULL, &outputs, &error));
  const float *y = check_numbers(check_get(outputs, "y"), 6);
  HOLDS(y[0] == 2.5f && y[2] == 6.5f && y[3] == 8.5f && y[5] == 12.5f);
  coreml_value *z = check_get(outputs, "z");
  GOOD(coreml_value_get_tensor(z, &tensor, &error));
  HOLDS(tensor.element == COREML_FLOAT16 && tensor.rank == 1 && tensor.shape[0] == 1 && *(uint16_t *)tensor.data == 0x4d40);
  /* A value outlives its result. */
  coreml_retain(z);
  coreml_release(outputs);
  GOOD(coreml_value_get_tensor(z, &tensor, &error));
  HOLDS(*(uint16_t *)tensor.data == 0x4d40);
  coreml_release(z);
  coreml_release(inputs);

  /* Elements of every type are converted, also from column-major order. */
  double doubles[6] = {1, 4, 2, 5, 3, 6};
  GOOD(coreml_value_tensor(COREML_FLOAT64, 2, shape, (int64_t[]){1, 2}, doubles, sizeof doubles, NULL, NULL, &value, &error));
  inputs = check_features("a", value);
  GOOD(coreml_predict(model, inputs, NULL, &outputs, &error));
  y = check_numbers(check_get(outputs, "y"), 6);
  HOLDS(y[1] == 4.5f && y[3] == 8.5f);
  coreml_release(outputs);
  coreml_release(inputs);
  int32_t integers[3] = {1, 2, 3};
  GOOD(coreml_value_tensor(COREML_INT32, 2, (int64_t[]){1, 3}, NULL, integers, sizeof integers, NULL, NULL, &value, &error));
  inputs = check_features("a", value);
  GOOD(coreml_predict(model, inputs, NULL, &outputs, &error));
  HOLDS(check_numbers(check_get(outputs, "y"), 3)[2] == 6.5f);
  coreml_release(outputs);

  /* Invalid inputs are refused, and the message names them. */
  GOOD(coreml_features_set(inputs, "a", NULL, &error));
  BAD(COREML_INVALID_INPUT, "runtime.invalid-input", "'a' is missing", coreml_predict(model, inputs, NULL, &outputs, &error));
  coreml_release(inputs);
  inputs = check_features("a", check_floats(2, (int64_t[]){9, 3}, (float[27]){0}));
  BAD(COREML_INVALID_INPUT, "runtime.invalid-input", "'a'", coreml_predict(model, inputs, NULL, &outputs, &error));
  coreml_release(inputs);
  GOOD(coreml_value_string("a", 1, &value, &error));
  inputs = check_features("a", value);
  BAD(COREML_INVALID_INPUT, "runtime.invalid-input", "of type string", coreml_predict(model, inputs, NULL, &outputs, &error));
  coreml_predict_options options = {.size = 7};
  BAD(1, "interface.size", "'size' is 7", coreml_predict(model, inputs, &options, &outputs, &error));
  HOLDS(outputs == NULL);
  coreml_release(inputs);
  coreml_release(model);
  check_kinds(places);
  return check_failed;
}

int checks_backings(const checks_places *places) {
  check_failed = 0;
  coreml_error *error = NULL;
  coreml_model *model = check_model(places, "sums.mlmodel");
  coreml_features *outputs = NULL;
  coreml_value *value = NULL;
  coreml_tensor tensor;
  double y[8] = {0, 0, 0, 77, 0, 0, 0, 77};
  float wrong[4] = {0};
  coreml_features *inputs = check_features("a", check_floats(2, (int64_t[]){2, 3}, (float[]){1, 2, 3, 4, 5, 6}));

  /* Into the caller's memory, in its type and around its gaps. */
  GOOD(coreml_value_tensor(COREML_FLOAT64, 2, (int64_t[]){2, 3}, (int64_t[]){4, 1}, y, sizeof y, NULL, NULL, &value, &error));
  coreml_predict_options options = {.size = sizeof options, .backings = check_features("y", value)};
  GOOD(coreml_predict(model, inputs, &options, &outputs, &error));
  HOLDS(y[0] == 2.5 && y[4] == 8.5 && y[6] == 12.5 && y[3] == 77 && y[7] == 77);
  GOOD(coreml_value_get_tensor(check_get(outputs, "y"), &tensor, &error));
  HOLDS(tensor.data == y);
  coreml_release(outputs);
  coreml_release(options.backings);

  GOOD(coreml_value_tensor(COREML_FLOAT32, 1, (int64_t[]){4}, NULL, wrong, sizeof wrong, NULL, NULL, &value, &error));
  options.backings = check_features("y", value);
  BAD(COREML_INVALID_INPUT, "runtime.invalid-input", "backing of output 'y'", coreml_predict(model, inputs, &options, &outputs, &error));
  coreml_release(options.backings);
  GOOD(coreml_value_double(1, &value, &error));
  options.backings = check_features("y", value);
  BAD(1, "interface.kind", "the backing of 'y'", coreml_predict(model, inputs, &options, &outputs, &error));
  coreml_release(options.backings);
  options.backings = check_features("x", check_floats(1, (int64_t[]){1}, wrong));
  BAD(1, "interface.missing", "no such output", coreml_predict(model, inputs, &options, &outputs, &error));
  coreml_release(options.backings);
  coreml_release(inputs);
  coreml_release(model);
  return check_failed;
}

int checks_digits(const checks_places *places) {
  check_failed = 0;
  coreml_error *error = NULL;
  coreml_model *model = NULL;
  coreml_value *picture = NULL, *image = NULL, *labels = NULL;
  coreml_features *outputs = NULL;
  const char *label = "", *probabilities = "", *text = "", *const *keys = NULL;
  const double *numbers = NULL;
  size_t size, count = 0;
  double best = 0;
  unsigned char *bytes = check_file(check_path(places->digits, "seven.png"), &size);

  GOOD(coreml_model_open(check_path(places->digits, "Digits.mlpackage"), NULL, &model, &error));
  GOOD(coreml_model_predicted(model, &label, &probabilities, &error));
  GOOD(coreml_model_class_labels(model, &labels, &error));
  GOOD(coreml_value_get_string_sequence(labels, &keys, &count, &error));
  HOLDS(count == 10 && strcmp(keys[0], "zero") == 0 && strcmp(keys[9], "nine") == 0);
  coreml_release(labels);
  GOOD(coreml_value_picture(bytes, size, &picture, &error));
  GOOD(coreml_value_fit_image(picture, model, "image", COREML_SCALE_FILL, &image, &error));
  coreml_features *inputs = check_features("image", image);
  GOOD(coreml_predict(model, inputs, NULL, &outputs, &error));
  GOOD(coreml_value_get_string(check_get(outputs, label), &text, NULL, &error));
  HOLDS(strcmp(text, "seven") == 0);
  GOOD(coreml_value_get_string_dictionary(check_get(outputs, probabilities), &keys, &numbers, &count, &error));
  for (size_t index = 0; index < count; index++)
    if (strcmp(keys[index], "seven") == 0) best = numbers[index];
  HOLDS(count == 10 && fabs(best - 0.9884) < 1e-3);
  coreml_release(outputs);
  coreml_release(inputs);
  coreml_release(picture);
  coreml_release(model);
  free(bytes);
  return check_failed;
}
