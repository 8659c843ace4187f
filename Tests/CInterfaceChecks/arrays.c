/* Predictions from arrays into arrays. */
#include "check.h"

static coreml_array array(
    const char *name, coreml_element element, size_t rank, const int64_t *shape, const int64_t *strides, void *data, size_t size) {
  return (coreml_array){name, element, rank, shape, strides, data, size};
}

int checks_arrays(const checks_places *places) {
  check_failed = 0;
  coreml_error *error = NULL;
  coreml_model *model = check_model(places, "sums.mlmodel"), *sum = check_model(places, "running-sum.mlmodel");
  coreml_model *kinds = check_model(places, "kinds.mlmodel");
  float a[8] = {1, 2, 3, 99, 4, 5, 6, 99}, b[3] = {1, 1, 1}, dense[6] = {0};
  double y[8] = {0, 0, 0, 77, 0, 0, 0, 77};
  uint16_t z[1] = {0};
  const int64_t shape[2] = {2, 3}, gaps[2] = {4, 1}, row[2] = {1, 3}, one[1] = {1};
  coreml_array inputs[2] = {
      array("a", COREML_FLOAT32, 2, shape, gaps, a, sizeof a), array("b", COREML_FLOAT32, 2, row, NULL, b, sizeof b)};
  coreml_array outputs[2] = {
      array("y", COREML_FLOAT64, 2, shape, gaps, y, sizeof y), array("z", COREML_FLOAT16, 1, one, NULL, z, sizeof z)};

  /* With gaps between rows and conversion. Then in the model's own type and layout, in place. */
  GOOD(coreml_predict_arrays(model, inputs, 2, outputs, 2, NULL, &error));
  HOLDS(y[0] == 3 && y[2] == 7 && y[4] == 9 && y[6] == 13 && y[3] == 77 && y[7] == 77 && z[0] == 0x4d40);
  outputs[0] = array("y", COREML_FLOAT32, 2, shape, NULL, dense, sizeof dense);
  GOOD(coreml_predict_arrays(model, inputs, 1, outputs, 1, NULL, &error));
  HOLDS(dense[0] == 2.5f && dense[5] == 12.5f && a[3] == 99);
  GOOD(coreml_predict_arrays(model, inputs, 1, NULL, 0, NULL, &error));

  /* With a state. */
  float x[4] = {1, 2, 3, 4}, total[4] = {0};
  const int64_t four[1] = {4};
  coreml_array given = array("x", COREML_FLOAT32, 1, four, NULL, x, sizeof x);
  coreml_array result = array("y", COREML_FLOAT32, 1, four, NULL, total, sizeof total);
  coreml_predict_options options = {.size = sizeof options};
  GOOD(coreml_state_create(sum, &options.state, &error));
  for (int round = 0; round < 3; round++) GOOD(coreml_predict_arrays(sum, &given, 1, &result, 1, &options, &error));
  HOLDS(total[0] == 3 && total[3] == 12);
  coreml_release(options.state);
  options.state = NULL;
  BAD(COREML_INVALID_INPUT, "runtime.invalid-input", "keeps the state 'total'", coreml_predict_arrays(sum, &given, 1, &result, 1, &options, &error));
  const int64_t rowed[2] = {1, 4};
  coreml_array alone = array("x", COREML_FLOAT32, 2, rowed, NULL, x, sizeof x), totals = array("y", COREML_FLOAT32, 2, rowed, NULL, total, sizeof total);
  BAD(COREML_INVALID_INPUT, "runtime.invalid-input", "keeps the state 'total'",
      coreml_predict_rows(sum, &alone, 1, &totals, 1, 1, NULL, NULL, &error));

  /* The stride of an axis of size 1 is ignored, and so are all strides of a tensor without elements. */
  const int64_t first[2] = {INT64_MAX, 1}, both[2] = {INT64_MAX, INT64_MAX - 1}, empty[2] = {0, 3}, single[2] = {1, 1};
  inputs[1].strides = first;
  GOOD(coreml_predict_arrays(model, inputs, 2, outputs, 1, NULL, &error));
  HOLDS(dense[0] == 3 && dense[5] == 13);
  inputs[1].strides = NULL;
  coreml_value *strange = NULL;
  coreml_tensor seen;
  GOOD(coreml_value_tensor(COREML_FLOAT32, 2, single, both, dense, 4, NULL, NULL, &strange, &error));
  GOOD(coreml_value_get_tensor(strange, &seen, &error));
  HOLDS(seen.size == 4 && seen.shape[0] == 1 && seen.data == dense);
  coreml_release(strange);
  GOOD(coreml_value_tensor(COREML_FLOAT64, 2, empty, first, NULL, 0, NULL, NULL, &strange, &error));
  coreml_release(strange);
  BAD(1, "interface.value", "more elements than memory", coreml_value_tensor(COREML_FLOAT32, 2, shape, first, dense, sizeof dense, NULL, NULL, &strange, &error));

  /* Arrays that do not fit. */
  BAD(1, "interface.null", "'model' is null", coreml_predict_arrays(NULL, inputs, 1, outputs, 1, NULL, &error));
  BAD(1, "interface.null", "'inputs' is null", coreml_predict_arrays(model, NULL, 1, outputs, 1, NULL, &error));
  BAD(1, "interface.size", "the count of 'inputs'", coreml_predict_arrays(model, inputs, SIZE_MAX, outputs, 1, NULL, &error));
  BAD(COREML_INVALID_INPUT, "runtime.invalid-input", "'a' is missing", coreml_predict_arrays(model, NULL, 0, outputs, 1, NULL, &error));
  coreml_array twice[2] = {inputs[0], inputs[0]};
  BAD(1, "interface.value", "'a' is given twice", coreml_predict_arrays(model, twice, 2, outputs, 1, NULL, &error));
  coreml_array wrong = array("w", COREML_FLOAT32, 2, shape, NULL, dense, sizeof dense);
  BAD(1, "interface.missing", "no such output", coreml_predict_arrays(model, inputs, 1, &wrong, 1, NULL, &error));
  wrong = array(NULL, COREML_FLOAT32, 2, shape, NULL, dense, sizeof dense);
  BAD(1, "interface.null", "name of an array", coreml_predict_arrays(model, inputs, 1, &wrong, 1, NULL, &error));
  wrong = array("y", COREML_FLOAT32, 2, shape, NULL, dense, sizeof dense - 1);
  BAD(1, "interface.size", "23 bytes are given", coreml_predict_arrays(model, inputs, 1, &wrong, 1, NULL, &error));
  wrong = array("y", COREML_FLOAT32, 2, shape, NULL, (char *)dense + 1, sizeof dense);
  BAD(1, "interface.size", "not aligned", coreml_predict_arrays(model, inputs, 1, &wrong, 1, NULL, &error));
  wrong = array("y", COREML_FLOAT32, 2, shape, NULL, NULL, sizeof dense);
  BAD(1, "interface.null", "'data' is null", coreml_predict_arrays(model, inputs, 1, &wrong, 1, NULL, &error));
  wrong = array("y", COREML_FLOAT32, 2, row, NULL, dense, sizeof dense);
  BAD(COREML_INVALID_INPUT, "runtime.invalid-input", "backing of output 'y'", coreml_predict_arrays(model, inputs, 1, &wrong, 1, NULL, &error));
  coreml_features_create((coreml_features **)&options.backings, &error);
  BAD(1, "interface.value", "backings as well", coreml_predict_arrays(model, inputs, 1, outputs, 1, &options, &error));
  coreml_release(options.backings);
  wrong = array("text", COREML_FLOAT32, 2, shape, NULL, dense, sizeof dense);
  HOLDS(coreml_predict_arrays(kinds, NULL, 0, &wrong, 1, NULL, NULL) == COREML_INVALID_INPUT);
  coreml_release(model);
  coreml_release(sum);
  coreml_release(kinds);
  return check_failed;
}

int checks_rows(const checks_places *places) {
  check_failed = 0;
  coreml_error *error = NULL;
  coreml_model *model = check_model(places, "sums.mlmodel");
  enum { ROWS = 5 };
  float a[ROWS * 3], y[ROWS * 3];
  size_t failed = 99;
  for (int index = 0; index < ROWS * 3; index++) a[index] = (float)index;
  const int64_t shape[3] = {ROWS, 1, 3}, backwards[3] = {3, 3, 1}, none[3] = {0, 1, 3};
  coreml_array input = array("a", COREML_FLOAT32, 3, shape, backwards, a, sizeof a);
  coreml_array output = array("y", COREML_FLOAT32, 3, shape, NULL, y, sizeof y);
  GOOD(coreml_predict_rows(model, &input, 1, &output, 1, ROWS, NULL, &failed, &error));
  for (int index = 0; index < ROWS * 3; index++) HOLDS(y[index] == 2 * a[index] + 0.5f);
  HOLDS(failed == 0);
  GOOD(coreml_predict_rows(model, &input, 1, NULL, 0, ROWS, NULL, NULL, &error));
  const int64_t lone[3] = {1, 1, 3}, far[3] = {INT64_MAX, INT64_MAX, 1};
  coreml_array one = array("a", COREML_FLOAT32, 3, lone, far, a, sizeof a), other = array("y", COREML_FLOAT32, 3, lone, far, y, sizeof y);
  y[0] = 0;
  GOOD(coreml_predict_rows(model, &one, 1, &other, 1, 1, NULL, &failed, &error));
  HOLDS(y[0] == 2 * a[0] + 0.5f && y[3] == 2 * a[3] + 0.5f);
  BAD(1, "interface.value", "expected 4 rows", coreml_predict_rows(model, &input, 1, &output, 1, 4, NULL, &failed, &error));
  BAD(1, "interface.size", "rows are more", coreml_predict_rows(model, &input, 1, &output, 1, SIZE_MAX, NULL, &failed, &error));
  coreml_array nothing = array("a", COREML_FLOAT32, 3, none, NULL, NULL, 0), nowhere = array("y", COREML_FLOAT32, 3, none, NULL, NULL, 0);
  GOOD(coreml_predict_rows(model, &nothing, 1, &nowhere, 1, 0, NULL, &failed, &error));
  coreml_array scalar = array("a", COREML_FLOAT32, 0, NULL, NULL, a, sizeof a);
  BAD(1, "interface.value", "as its first axis", coreml_predict_rows(model, &scalar, 1, &output, 1, ROWS, NULL, &failed, &error));

  /* The first row that fails is reported. Here the model refuses it. */
  const int64_t wide[3] = {ROWS, 9, 3};
  static float many[ROWS * 27];
  coreml_array large = array("a", COREML_FLOAT32, 3, wide, NULL, many, sizeof many);
  BAD(COREML_INVALID_INPUT, "runtime.invalid-input", "'a'", coreml_predict_rows(model, &large, 1, &output, 1, ROWS, NULL, &failed, &error));
  coreml_cancellation *cancellation = NULL;
  GOOD(coreml_cancellation_create(&cancellation, &error));
  coreml_cancel(cancellation);
  coreml_predict_options options = {.size = sizeof options, .cancellation = cancellation};
  BAD(COREML_CANCELLED, "interface.cancelled", "before it began", coreml_predict_rows(model, &input, 1, &output, 1, ROWS, &options, &failed, &error));
  coreml_release(cancellation);
  options.cancellation = NULL;
  GOOD(coreml_state_create(model, &options.state, &error));
  BAD(1, "interface.value", "do not take a state", coreml_predict_rows(model, &input, 1, &output, 1, ROWS, &options, &failed, &error));
  coreml_release(options.state);
  coreml_release(model);

  /* Numeric columns: more rows than one block has, with separate types and strides. */
  coreml_model *plane = check_model(places, "plane.mlmodel");
  enum { MANY = 5000 };
  static double numbers[MANY], results[MANY];
  static int32_t integers[2 * MANY];
  static float singles[MANY];
  for (int index = 0; index < MANY; index++) numbers[index] = index * 0.5, integers[2 * index] = -index, integers[2 * index + 1] = 77;
  const int64_t count[1] = {MANY}, second[1] = {2}, pairs[2] = {MANY, 1};
  coreml_array columns[2] = {
      array("a", COREML_FLOAT64, 1, count, NULL, numbers, sizeof numbers), array("b", COREML_INT32, 1, count, second, integers, sizeof integers)};
  coreml_array result = array("y", COREML_FLOAT64, 1, count, NULL, results, sizeof results);
  GOOD(coreml_predict_rows(plane, columns, 2, &result, 1, MANY, NULL, &failed, &error));
  for (int index = 0; index < MANY; index++) HOLDS(results[index] == 0.5 - 2 * index);
  coreml_array single = array("y", COREML_FLOAT32, 1, count, NULL, singles, sizeof singles);
  GOOD(coreml_predict_rows(plane, columns, 2, &single, 1, MANY, NULL, &failed, &error));
  for (int index = 0; index < MANY; index++) HOLDS(singles[index] == 0.5f - 2 * index);
  coreml_array integer = array("y", COREML_INT32, 1, count, NULL, integers, sizeof integers);
  BAD(1, "interface.value", "expected COREML_FLOAT64", coreml_predict_rows(plane, columns, 2, &integer, 1, MANY, NULL, &failed, &error));
  coreml_array tensors = array("a", COREML_FLOAT64, 2, pairs, NULL, numbers, sizeof numbers);
  BAD(1, "interface.value", "a number a row", coreml_predict_rows(plane, &tensors, 1, &result, 1, MANY, NULL, &failed, &error));
  BAD(COREML_INVALID_INPUT, "runtime.invalid-input", "'b' is missing", coreml_predict_rows(plane, columns, 1, &result, 1, MANY, NULL, &failed, &error));
  HOLDS(failed == 0);
  coreml_release(plane);
  return check_failed;
}

int checks_texts(const checks_places *places) {
  check_failed = 0;
  coreml_error *error = NULL;
  enum { ROWS = 5 };
  size_t failed = 0;
  /* y = 1.5 a - 2.25 b + 10 for red, 100 for blue + 0.125. */
  coreml_model *model = check_model(places, "../rows/mixed.mlmodel");
  double numbers[ROWS] = {0, 1, 2, 3, 4}, sums[ROWS];
  const char *colors[ROWS] = {"red", "bl\xc3\xbc\x65", "red", "red", "red"};
  const int64_t each = ROWS;
  coreml_array columns[] = {
      array("a", COREML_FLOAT64, 1, &each, NULL, numbers, sizeof numbers), array("b", COREML_FLOAT64, 1, &each, NULL, numbers, sizeof numbers),
      array("color", COREML_TEXT, 1, &each, NULL, colors, sizeof colors)};
  coreml_array output = array("y", COREML_FLOAT64, 1, &each, NULL, sums, sizeof sums);
  GOOD(coreml_predict_rows(model, columns, 3, &output, 1, ROWS, NULL, &failed, &error));
  for (int index = 0; index < ROWS; index++) HOLDS(sums[index] == -0.75 * index + (index == 1 ? 100 : 10) + 0.125);
  colors[3] = "green";
  BAD(COREML_FAILED, "mil.invalid-argument", "green", coreml_predict_rows(model, columns, 3, &output, 1, ROWS, NULL, &failed, &error));
  HOLDS(failed == 3);
  colors[3] = NULL;
  BAD(1, "interface.value", "row 3 is null or not UTF-8", coreml_predict_rows(model, columns, 3, &output, 1, ROWS, NULL, &failed, &error));
  colors[3] = "\xff";
  BAD(1, "interface.value", "row 3 is null or not UTF-8", coreml_predict_rows(model, columns, 3, &output, 1, ROWS, NULL, &failed, &error));
  columns[2] = array("color", COREML_FLOAT64, 1, &each, NULL, numbers, sizeof numbers);
  BAD(1, "interface.value", "expected COREML_TEXT", coreml_predict_rows(model, columns, 3, &output, 1, ROWS, NULL, &failed, &error));
  columns[2] = array("color", COREML_TEXT, 1, &each, NULL, colors, sizeof colors - 1);
  BAD(1, "interface.size", "bytes are given", coreml_predict_rows(model, columns, 3, &output, 1, ROWS, NULL, &failed, &error));
  coreml_release(model);
  return check_failed;
}

int checks_classes(const checks_places *places) {
  check_failed = 0;
  coreml_error *error = NULL;
  enum { ROWS = 700, LABELS = 3 };
  coreml_model *sorts = check_model(places, "sorts.mlmodel");
  coreml_value *labels = NULL;
  GOOD(coreml_model_class_labels(sorts, &labels, &error));
  coreml_release(labels);
  static float x[ROWS * 2];
  static int32_t label[ROWS], pairs[2 * ROWS];
  static double shares[ROWS * LABELS], turned[LABELS * ROWS];
  for (int row = 0; row < ROWS; row++) x[2 * row] = (float)(row % 17 - 8), x[2 * row + 1] = (float)(row % 5 - 2);
  const int64_t two[2] = {ROWS, 2}, one[1] = {ROWS}, three[2] = {ROWS, LABELS}, by_label[2] = {1, ROWS}, few[2] = {ROWS, 2};
  size_t failed = 99;
  coreml_array input = array("x", COREML_FLOAT32, 2, two, NULL, x, sizeof x);
  coreml_array outputs[2] = {
      array("label", COREML_INT32, 1, one, NULL, label, sizeof label), array("shares", COREML_FLOAT64, 2, three, NULL, shares, sizeof shares)};
  GOOD(coreml_predict_rows(sorts, &input, 1, outputs, 2, ROWS, NULL, &failed, &error));
  HOLDS(failed == 0);
  for (int row = 0; row < ROWS; row++) {
    /* Scores for each label: x0, x1 + 0.5, -x0 - x1. */
    const float a = x[2 * row], b = x[2 * row + 1], scores[LABELS] = {a, b + 0.5f, -a - b};
    double sum = 0;
    int best = 0;
    for (int each = 0; each < LABELS; each++) {
      if (scores[each] > scores[best]) best = each;
      sum += shares[row * LABELS + each];
    }
    HOLDS(label[row] == best);
    HOLDS(sum > 0.999999 && sum < 1.000001);
    for (int each = 0; each < LABELS; each++) HOLDS(shares[row * LABELS + each] <= shares[row * LABELS + best]);
  }
  /* Scores by label, which are predicted row by row. Then too few rows for a block. */
  coreml_array columns = array("shares", COREML_FLOAT64, 2, three, by_label, turned, sizeof turned);
  GOOD(coreml_predict_rows(sorts, &input, 1, &columns, 1, ROWS, NULL, &failed, &error));
  for (int index = 0; index < ROWS * LABELS; index++) HOLDS(turned[index % LABELS * ROWS + index / LABELS] == shares[index]);
  const int64_t short_two[2] = {2, 2}, short_one[1] = {2};
  coreml_array few_rows = array("x", COREML_FLOAT32, 2, short_two, NULL, x, sizeof x);
  coreml_array few_labels = array("label", COREML_INT32, 1, short_one, NULL, pairs, sizeof pairs);
  GOOD(coreml_predict_rows(sorts, &few_rows, 1, &few_labels, 1, 2, NULL, &failed, &error));
  HOLDS(pairs[0] == label[0] && pairs[1] == label[1]);

  coreml_array single = array("label", COREML_FLOAT32, 1, one, NULL, x, sizeof x);
  BAD(1, "interface.value", "COREML_INT32", coreml_predict_rows(sorts, &input, 1, &single, 1, ROWS, NULL, &failed, &error));
  coreml_array wide = array("label", COREML_INT32, 2, two, NULL, pairs, sizeof pairs);
  BAD(1, "interface.value", "a number a row", coreml_predict_rows(sorts, &input, 1, &wide, 1, ROWS, NULL, &failed, &error));
  coreml_array narrow = array("shares", COREML_FLOAT64, 2, few, NULL, shares, sizeof shares);
  BAD(1, "interface.value", "each of 3 labels", coreml_predict_rows(sorts, &input, 1, &narrow, 1, ROWS, NULL, &failed, &error));
  coreml_array whole = array("shares", COREML_INT32, 2, few, NULL, shares, sizeof shares);
  whole.shape = three;
  BAD(1, "interface.value", "COREML_FLOAT64 or", coreml_predict_rows(sorts, &input, 1, &whole, 1, ROWS, NULL, &failed, &error));
  coreml_release(sorts);

  /* Integer labels are also reported by their index. */
  coreml_model *signs = check_model(places, "signs.mlmodel");
  GOOD(coreml_predict_rows(signs, &input, 1, outputs, 1, ROWS, NULL, &failed, &error));
  for (int row = 0; row < ROWS; row++) HOLDS(label[row] == (x[2 * row] - x[2 * row + 1] + 0.25f > 0));
  coreml_release(signs);
  return check_failed;
}
