#include "check.h"

static void count_release(void *context) { *(int *)context += 1; }

int checks_tensors(const checks_places *places) {
  (void)places;
  check_failed = 0;
  coreml_error *error = NULL;
  coreml_value *value = NULL;
  coreml_tensor tensor;
  float memory[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  int64_t shape[2] = {2, 3}, strides[2] = {4, 1}, wrong[2] = {-1, 3}, huge[2] = {INT64_MAX, INT64_MAX};
  int released = 0;

  /* Borrowed in place, and released once. */
  GOOD(coreml_value_tensor(COREML_FLOAT32, 2, shape, strides, memory, 28, count_release, &released, &value, &error));
  HOLDS(coreml_value_kind(value) == COREML_TENSOR && coreml_value_item_kind(value) == 0);
  GOOD(coreml_value_get_tensor(value, &tensor, &error));
  HOLDS(tensor.data == memory && tensor.rank == 2 && tensor.element == COREML_FLOAT32 && tensor.size == 28);
  HOLDS(tensor.shape[0] == 2 && tensor.shape[1] == 3 && tensor.strides[0] == 4 && tensor.strides[1] == 1);
  coreml_retain(value);
  coreml_release(value);
  HOLDS(released == 0);
  coreml_release(value);
  HOLDS(released == 1);

  /* Impossible tensors are refused, and the memory still belongs to the caller. */
  BAD(1, "interface.size", "27 bytes are given", coreml_value_tensor(COREML_FLOAT32, 2, shape, strides, memory, 27, count_release, &released, &value, &error));
  BAD(1, "interface.value", "negative size", coreml_value_tensor(COREML_FLOAT32, 2, wrong, NULL, memory, 48, count_release, &released, &value, &error));
  BAD(1, "interface.value", "negative one", coreml_value_tensor(COREML_FLOAT32, 2, shape, wrong, memory, 48, count_release, &released, &value, &error));
  BAD(1, "interface.value", "more elements", coreml_value_tensor(COREML_FLOAT32, 2, huge, NULL, memory, 48, count_release, &released, &value, &error));
  BAD(1, "interface.value", "more elements", coreml_value_tensor(COREML_FLOAT32, 2, shape, huge, memory, 48, count_release, &released, &value, &error));
  BAD(1, "interface.value", "no element type 7", coreml_value_tensor(7, 2, shape, NULL, memory, 48, NULL, NULL, &value, &error));
  BAD(1, "interface.value", "the rank is", coreml_value_tensor(COREML_FLOAT32, SIZE_MAX, shape, NULL, memory, 48, NULL, NULL, &value, &error));
  BAD(1, "interface.null", "'shape'", coreml_value_tensor(COREML_FLOAT32, 2, NULL, NULL, memory, 48, NULL, NULL, &value, &error));
  BAD(1, "interface.null", "'data'", coreml_value_tensor(COREML_FLOAT32, 2, shape, NULL, NULL, 48, NULL, NULL, &value, &error));
  BAD(1, "interface.size", "not aligned", coreml_value_tensor(COREML_FLOAT32, 2, shape, NULL, (char *)memory + 1, 40, NULL, NULL, &value, &error));
  HOLDS(released == 1 && value == NULL);
  BAD(COREML_NO_MEMORY, "interface.no-memory", "cannot have the shape", coreml_value_zeros(COREML_FLOAT64, 1, (int64_t[]){INT64_C(1) << 55}, &value, &error));

  /* A scalar, an empty tensor, and memory owned by the value. */
  GOOD(coreml_value_tensor(COREML_FLOAT64, 0, NULL, NULL, memory, 8, NULL, NULL, &value, &error));
  coreml_release(value);
  GOOD(coreml_value_tensor(COREML_FLOAT32, 1, (int64_t[]){0}, NULL, NULL, 0, NULL, NULL, &value, &error));
  coreml_release(value);
  GOOD(coreml_value_zeros(COREML_INT8, 2, shape, &value, &error));
  GOOD(coreml_value_get_tensor(value, &tensor, &error));
  HOLDS(tensor.size == 6 && (uintptr_t)tensor.data % 64 == 0 && ((char *)tensor.data)[5] == 0);
  BAD(1, "interface.kind", "of kind tensor, expected double", coreml_value_get_double(value, &(double){0}, &error));
  coreml_release(value);
  return check_failed;
}

int checks_collections(const checks_places *places) {
  (void)places;
  check_failed = 0;
  coreml_error *error = NULL;
  coreml_value *value = NULL;
  int64_t integer = 1;
  double number = 1;
  size_t count = 9;
  const char *text, *const *texts;
  const int64_t *integers;
  const double *numbers;

  GOOD(coreml_value_int64(INT64_MIN, &value, &error));
  GOOD(coreml_value_get_int64(value, &integer, &error));
  HOLDS(integer == INT64_MIN && coreml_value_kind(value) == COREML_INT64);
  BAD(1, "interface.kind", "expected string", coreml_value_get_string(value, &text, NULL, &error));
  HOLDS(text == NULL);
  coreml_release(value);
  GOOD(coreml_value_double(0.25, &value, &error));
  GOOD(coreml_value_get_double(value, &number, &error));
  HOLDS(number == 0.25);
  coreml_release(value);

  GOOD(coreml_value_string("a\0b", 3, &value, &error));
  GOOD(coreml_value_get_string(value, &text, &count, &error));
  HOLDS(count == 3 && memcmp(text, "a\0b", 4) == 0);
  coreml_release(value);
  GOOD(coreml_value_string(NULL, 0, &value, &error));
  coreml_release(value);
  BAD(1, "interface.text", "not UTF-8", coreml_value_string("\xc3", 1, &value, &error));
  BAD(1, "interface.size", "more than memory", coreml_value_string("a", SIZE_MAX, &value, &error));
  BAD(1, "interface.null", "'text'", coreml_value_string(NULL, 1, &value, &error));

  GOOD(coreml_value_string_dictionary((const char *[]){"b", "a"}, (double[]){2, 1}, 2, &value, &error));
  GOOD(coreml_value_get_string_dictionary(value, &texts, &numbers, &count, &error));
  HOLDS(count == 2 && strcmp(texts[0], "a") == 0 && numbers[0] == 1 && strcmp(texts[1], "b") == 0 && numbers[1] == 2);
  HOLDS(coreml_value_item_kind(value) == COREML_STRING);
  BAD(1, "interface.kind", "has texts", coreml_value_get_int64_dictionary(value, &integers, &numbers, &count, &error));
  HOLDS(count == 0);
  coreml_release(value);
  BAD(1, "interface.value", "'a' is given twice", coreml_value_string_dictionary((const char *[]){"a", "a"}, (double[]){2, 1}, 2, &value, &error));
  BAD(1, "interface.null", "'keys'", coreml_value_string_dictionary((const char *[]){NULL}, (double[]){2}, 1, &value, &error));
  BAD(1, "interface.null", "'numbers'", coreml_value_int64_dictionary((int64_t[]){1}, NULL, 1, &value, &error));
  GOOD(coreml_value_int64_dictionary((int64_t[]){5, -5}, (double[]){2, 1}, 2, &value, &error));
  GOOD(coreml_value_get_int64_dictionary(value, &integers, &numbers, &count, &error));
  HOLDS(count == 2 && integers[0] == -5 && numbers[0] == 1 && coreml_value_item_kind(value) == COREML_INT64);
  coreml_release(value);
  /* An empty dictionary has keys of either type. */
  GOOD(coreml_value_int64_dictionary(NULL, NULL, 0, &value, &error));
  GOOD(coreml_value_get_int64_dictionary(value, &integers, &numbers, &count, &error));
  GOOD(coreml_value_get_string_dictionary(value, &texts, &numbers, &count, &error));
  HOLDS(count == 0);
  coreml_release(value);

  GOOD(coreml_value_string_sequence((const char *[]){"x", ""}, 2, &value, &error));
  GOOD(coreml_value_get_string_sequence(value, &texts, &count, &error));
  HOLDS(count == 2 && strcmp(texts[0], "x") == 0 && strcmp(texts[1], "") == 0);
  BAD(1, "interface.kind", "has texts", coreml_value_get_int64_sequence(value, &integers, &count, &error));
  coreml_release(value);
  /* Strings with lengths may contain zero bytes, in inputs and in results. */
  const size_t *lengths;
  GOOD(coreml_value_sized_string_dictionary((const char *[]){"a\0c", "a\0b"}, (size_t[]){3, 3}, (double[]){2, 1}, 2, &value, &error));
  GOOD(coreml_value_get_string_dictionary(value, &texts, &numbers, &count, &error));
  GOOD(coreml_value_get_string_lengths(value, &lengths, &count, &error));
  HOLDS(count == 2 && lengths[0] == 3 && memcmp(texts[0], "a\0b", 4) == 0 && numbers[0] == 1 && memcmp(texts[1], "a\0c", 4) == 0);
  coreml_release(value);
  GOOD(coreml_value_sized_string_sequence((const char *[]){"x\0", "long"}, (size_t[]){2, 1}, 2, &value, &error));
  GOOD(coreml_value_get_string_sequence(value, &texts, &count, &error));
  GOOD(coreml_value_get_string_lengths(value, &lengths, &count, &error));
  HOLDS(count == 2 && lengths[0] == 2 && lengths[1] == 1 && memcmp(texts[0], "x\0", 3) == 0 && strcmp(texts[1], "l") == 0);
  coreml_release(value);
  GOOD(coreml_value_sized_string_dictionary(NULL, NULL, NULL, 0, &value, &error));
  GOOD(coreml_value_get_string_lengths(value, &lengths, &count, &error));
  HOLDS(count == 0);
  coreml_release(value);
  const char *const some[] = {"a", "b"};
  BAD(1, "interface.size", "more than memory", coreml_value_sized_string_sequence(some, (size_t[]){1, SIZE_MAX}, 2, &value, &error));
  BAD(1, "interface.size", "more than memory", coreml_value_sized_string_sequence(some, (size_t[]){1, 1}, SIZE_MAX, &value, &error));
  BAD(1, "interface.null", "'lengths'", coreml_value_sized_string_sequence(some, NULL, 2, &value, &error));
  BAD(1, "interface.null", "'keys'", coreml_value_sized_string_dictionary(NULL, (size_t[]){1}, (double[]){1}, 1, &value, &error));
  BAD(1, "interface.text", "not UTF-8", coreml_value_sized_string_sequence((const char *[]){"\xc3"}, (size_t[]){1}, 1, &value, &error));
  GOOD(coreml_value_int64_sequence((int64_t[]){7}, 1, &value, &error));
  BAD(1, "interface.kind", "expected a dictionary or a sequence of texts", coreml_value_get_string_lengths(value, &lengths, &count, &error));
  HOLDS(lengths == NULL && count == 0);
  coreml_release(value);

  GOOD(coreml_value_int64_sequence((int64_t[]){7}, 1, &value, &error));
  GOOD(coreml_value_get_int64_sequence(value, &integers, &count, &error));
  HOLDS(count == 1 && integers[0] == 7);
  BAD(1, "interface.kind", "expected dictionary", coreml_value_get_string_dictionary(value, &texts, &numbers, &count, &error));
  coreml_release(value);
  return check_failed;
}

int checks_images(const checks_places *places) {
  check_failed = 0;
  coreml_error *error = NULL;
  coreml_value *value = NULL, *fitted = NULL;
  coreml_image image;
  unsigned char rgb[16] = {1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12, 0, 0}, out[16] = {0};

  GOOD(coreml_value_image(COREML_RGB, 2, 2, 8, rgb, 14, &value, &error));
  GOOD(coreml_value_get_image(value, &image, &error));
  HOLDS(image.pixels == COREML_BGRA && image.width == 2 && image.height == 2 && image.row_bytes == 8 && image.size == 16);
  HOLDS(memcmp(image.data, (unsigned char[]){3, 2, 1, 255, 6, 5, 4, 255, 9, 8, 7, 255}, 12) == 0);
  GOOD(coreml_value_copy_image(value, COREML_RGB, 0, out, 12, &error));
  HOLDS(memcmp(out, (unsigned char[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 12) == 0);
  GOOD(coreml_value_copy_image(value, COREML_ARGB, 0, out, 16, &error));
  HOLDS(out[0] == 255 && out[1] == 1 && out[2] == 2 && out[3] == 3);
  BAD(1, "interface.size", "11 bytes are given", coreml_value_copy_image(value, COREML_BGR, 0, out, 11, &error));
  BAD(1, "interface.kind", "not made into", coreml_value_copy_image(value, COREML_GRAY8, 0, out, 16, &error));
  BAD(1, "interface.null", "'data'", coreml_value_copy_image(value, COREML_RGB, 0, NULL, 16, &error));
  coreml_release(value);

  BAD(1, "interface.size", "13 bytes are given", coreml_value_image(COREML_RGB, 2, 2, 8, rgb, 13, &value, &error));
  BAD(1, "interface.size", "5 bytes apart", coreml_value_image(COREML_RGB, 2, 2, 5, rgb, 16, &value, &error));
  BAD(1, "interface.size", "bytes are given", coreml_value_image(COREML_RGB, 2, 2, SIZE_MAX / 2, rgb, 16, &value, &error));
  BAD(1, "interface.value", "cannot have 0 x 2", coreml_value_image(COREML_RGB, 0, 2, 0, rgb, 16, &value, &error));
  BAD(1, "interface.value", "cannot have", coreml_value_image(COREML_RGB, SIZE_MAX, SIZE_MAX, 0, rgb, 16, &value, &error));
  BAD(1, "interface.value", "no pixel format 5", coreml_value_image(5, 2, 2, 0, rgb, 16, &value, &error));
  BAD(1, "interface.null", "'data'", coreml_value_image(COREML_RGB, 2, 2, 0, NULL, 16, &value, &error));

  /* An image, converted to what an input accepts. */
  size_t size;
  unsigned char *bytes = check_file(check_path(places->digits, "seven.png"), &size);
  coreml_model *model = check_model(places, "kinds.mlmodel");
  BAD(COREML_UNSUPPORTED, "image.unsupported", "expected a picture", coreml_value_picture(rgb, 16, &value, &error));
  BAD(COREML_INVALID_INPUT, "image.invalid", "damaged", coreml_value_picture(bytes, size / 2, &value, &error));
  BAD(COREML_UNSUPPORTED, "image.unsupported", "expected a picture", coreml_value_picture(NULL, 0, &value, &error));
  GOOD(coreml_value_picture(bytes, size, &value, &error));
  GOOD(coreml_value_get_image(value, &image, &error));
  HOLDS(image.width == 32 && image.height == 32);
  GOOD(coreml_value_fit_image(value, model, "gray", COREML_SCALE_FILL, &fitted, &error));
  GOOD(coreml_value_get_image(fitted, &image, &error));
  HOLDS(image.pixels == COREML_GRAY8 && image.width == 3 && image.height == 2 && image.size == 6);
  coreml_release(fitted);
  BAD(1, "interface.value", "no fit 9", coreml_value_fit_image(value, model, "gray", 9, &fitted, &error));
  BAD(1, "interface.missing", "no input 'black'", coreml_value_fit_image(value, model, "black", 0, &fitted, &error));
  BAD(1, "interface.kind", "of kind int64", coreml_value_fit_image(value, model, "integer", 0, &fitted, &error));
  coreml_release(value);
  GOOD(coreml_value_int64(1, &value, &error));
  BAD(1, "interface.kind", "expected image", coreml_value_fit_image(value, model, "gray", 0, &fitted, &error));
  BAD(1, "interface.kind", "expected image", coreml_value_get_image(value, &image, &error));
  coreml_release(value);
  coreml_release(model);
  free(bytes);
  return check_failed;
}
