/* Classifies images through the C interface. usage: predict MODEL PICTURE... */
#include <coreml_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Exits with the message of an error, if there is one. */
static void must(coreml_status status, coreml_error *error) {
  if (status == COREML_OK) return;
  fprintf(stderr, "%s (%s)\n", coreml_error_message(error), coreml_error_code(error));
  coreml_release(error);
  exit(1);
}

static void *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  char *bytes = NULL;
  *size = 0;
  if (file && fseek(file, 0, SEEK_END) == 0 && ftell(file) >= 0) {
    size_t length = (size_t)ftell(file);
    bytes = malloc(length + 1);
    rewind(file);
    if (bytes) *size = fread(bytes, 1, length, file);
  }
  if (file) fclose(file);
  return bytes;
}

/* Decodes an image file and fits it to the model's input. */
static coreml_value *picture(const coreml_model *model, const char *input, const char *path) {
  coreml_error *error = NULL;
  coreml_value *picture = NULL, *fitted = NULL;
  size_t size;
  void *bytes = read_file(path, &size);
  must(coreml_value_picture(bytes, size, &picture, &error), error);
  must(coreml_value_fit_image(picture, model, input, COREML_SCALE_FILL, &fitted, &error), error);
  coreml_release(picture);
  free(bytes);
  return fitted;
}

int main(int argc, char **argv) {
  coreml_error *error = NULL;
  coreml_model *model = NULL;
  coreml_feature input = {.size = sizeof input};
  const char *label_name, *probabilities_name;
  if (argc < 3) {
    fprintf(stderr, "usage: %s MODEL PICTURE...\n", argv[0]);
    return 64;
  }

  must(coreml_model_open(argv[1], NULL, &model, &error), error);
  must(coreml_model_feature(model, COREML_INPUT, 0, &input, &error), error);
  must(coreml_model_predicted(model, &label_name, &probabilities_name, &error), error);
  if (input.kind != COREML_IMAGE || !label_name || !probabilities_name) {
    fprintf(stderr, "%s: expected a model that names pictures\n", argv[1]);
    coreml_release(model);
    return 65;
  }
  printf("coreml_runtime %s; '%s' is an image of %d x %d pixels\n", coreml_version(), input.name, (int)input.width, (int)input.height);

  for (int index = 2; index < argc; index++) {
    coreml_features *inputs = NULL, *outputs = NULL;
    coreml_value *image = picture(model, input.name, argv[index]), *label = NULL, *probabilities = NULL;
    must(coreml_features_create(&inputs, &error), error);
    must(coreml_features_set(inputs, input.name, image, &error), error);
    must(coreml_predict(model, inputs, NULL, &outputs, &error), error);

    const char *text, *const *keys;
    const double *numbers;
    size_t count;
    must(coreml_features_get(outputs, label_name, &label, &error), error);
    must(coreml_features_get(outputs, probabilities_name, &probabilities, &error), error);
    must(coreml_value_get_string(label, &text, NULL, &error), error);
    must(coreml_value_get_string_dictionary(probabilities, &keys, &numbers, &count, &error), error);
    const char *name = strrchr(argv[index], '/');
    for (size_t place = 0; place < count; place++)
      if (strcmp(keys[place], text) == 0) printf("%-12s %-8s %.4f\n", name ? name + 1 : argv[index], text, numbers[place]);

    coreml_release(probabilities);
    coreml_release(label);
    coreml_release(outputs);
    coreml_release(inputs);
    coreml_release(image);
  }
  coreml_release(model);
  return 0;
}
