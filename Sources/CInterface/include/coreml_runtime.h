/*
 * Core ML models on Linux, for C and whatever can call C. C99, usable from C++. A tour: docs/c-interface.md.
 *
 * Status and errors. A function that can fail returns a coreml_status, COREML_OK (0) where it did what it says. Its last argument takes
 * the address of a coreml_error pointer, or null where the caller does not want to know: it is set to a new error (release it) where the
 * function fails, and to null where it does not. What the other out arguments point to is set to null or zero where a function fails. No
 * function ends the process, throws or jumps: a null or unsuitable argument is an error. What cannot be checked is a pointer that points
 * nowhere: a handle that was released, an array shorter than its count, a text without an end.
 *
 * Ownership. Handles are references to objects that count them. What a function gives as a handle is the caller's: coreml_release it,
 * once. What a handle is made of is kept by it: a set of features keeps its values, a value of a result lives on when the result is
 * released. Pointers that are no handles (texts, shapes, data) point into the handle they were asked of and are good while it lives; two
 * functions give a text of the caller's own instead, and say so. What is passed to a function is copied unless it says that it is borrowed.
 *
 * Threads. Every function may be called from any thread. Models, values, plans and errors do not change: any number of threads use one at
 * a time, and predict with one model. Predictions that share a state run one after the other. Sets of features, batches and options are
 * locked while they are read or changed. Callbacks never run on threads that are not the caller's, save those that release memory. A
 * process that forks uses the library in the parent or, if only the child has called it, in the child, not in both.
 *
 * Texts are UTF-8, ended by a zero byte. Sizes of memory are in bytes, strides in elements, times in seconds.
 */
#ifndef COREML_RUNTIME_H
#define COREML_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

/* The version of this header; coreml_version() is that of the library. What a version has, later ones of the same major version have. */
#define COREML_RUNTIME_VERSION "0.2.0"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- handles ---- */

typedef struct coreml_model coreml_model;               /* a model, ready to predict */
typedef struct coreml_options coreml_options;           /* how a model is loaded and run */
typedef struct coreml_value coreml_value;               /* one feature: a tensor, an image, a text, ... */
typedef struct coreml_features coreml_features;         /* values by name: what a prediction takes and gives */
typedef struct coreml_batch coreml_batch;               /* rows of features */
typedef struct coreml_state coreml_state;               /* what a stateful model keeps between predictions */
typedef struct coreml_update coreml_update;             /* a training of a model */
typedef struct coreml_cancellation coreml_cancellation; /* stops work from another thread */
typedef struct coreml_error coreml_error;               /* what went wrong */

/* Adds a reference to a handle of any kind. Null is allowed. */
void coreml_retain(const void *handle);

/* Takes back a reference to a handle of any kind; with the last one the object goes, and what it pointed to. Null is allowed. */
void coreml_release(const void *handle);

/* Frees a text that a function gave as the caller's own. Null is allowed. */
void coreml_free(char *text);

/* The version of the library, such as "0.2.0". */
const char *coreml_version(void);

/* ---- errors ---- */

typedef int32_t coreml_status;
enum {
  COREML_OK = 0,
  COREML_INVALID_ARGUMENT = 1, /* the call itself is wrong: a null, an index beyond the end, a value of another kind */
  COREML_INVALID_MODEL = 2,    /* the file is no sound model */
  COREML_INVALID_INPUT = 3,    /* the features are not what the model takes */
  COREML_UNSUPPORTED = 4,      /* the model is sound, and something in it does not run here */
  COREML_IO = 5,               /* a file cannot be found, read or written */
  COREML_DEVICE = 6,           /* a device is not there or fails */
  COREML_CANCELLED = 7,        /* stopped by coreml_cancel or by a callback */
  COREML_PARAMETER = 8,        /* the model has no such parameter, or does not allow the number */
  COREML_UPDATE = 9,           /* the training failed */
  COREML_NO_MEMORY = 10,       /* there is not as much memory */
  COREML_FAILED = 11           /* anything else: the code and the message tell */
};

/* The status of the call that gave the error; COREML_OK of null. */
coreml_status coreml_error_status(const coreml_error *error);

/* A stable word for the cause, such as "runtime.unsupported", for programs; "" of null. Causes of this interface start with "interface.". */
const char *coreml_error_code(const coreml_error *error);

/* One sentence for people: the file, feature, layer or argument, what was expected and what was found; "" of null. */
const char *coreml_error_message(const coreml_error *error);

/* ---- options ---- */

/* Options of a model with every default. */
coreml_status coreml_options_create(coreml_options **options, coreml_error **error);

/*
 * Sets an option; a model takes a copy when it is opened. Keys and what they may be:
 *   "computeUnits"     "all" (default), "cpuOnly", "cpuAndGPU", "cpuAndNeuralEngine"
 *   "device"           the id of an OpenCL device (see coreml_devices): operations run there where it can compute them
 *   "function"         a function of a multifunction model; its default one otherwise
 *   "threads"          threads of one prediction, "1" to "1024"; one a core otherwise
 *   "memoryLimit"      what the model may hold at one time for its predictions, in bytes or as "512M", "2G"; what the machine has otherwise
 *   "lowPrecisionAccumulationOnGPU"  "true" or "false" (default)
 *   "precision"                      "default", or "low": products may be of brain floating point where that is faster
 *   "reshapeFrequency" "frequent" (default) or "infrequent"
 *   "specialization"   "default", or "fastPrediction": opening prepares all, by kernels timed on this machine once
 *   "displayName"      a name for people; an empty text for any of these puts the default back
 */
coreml_status coreml_options_set(coreml_options *options, const char *key, const char *value, coreml_error **error);

/* Sets a parameter of the model or of its training, such as "learningRate", "epochs", "miniBatchSize", "shuffle" (0 or 1) or
 * "numberOfNeighbors"; scope names a layer, or is null. What the model allows is told by its description, and checked when the model is
 * opened or the training is made. */
coreml_status coreml_options_set_parameter(
    coreml_options *options, const char *name, const char *scope, double value, coreml_error **error);

/* ---- models ---- */

/* Opens a .mlmodel, .mlpackage or .mlmodelc; options may be null. Sources are brought into form in memory each time: a compiled model
 * opens faster. Weights stay in the file, which must not change while the model lives. */
coreml_status coreml_model_open(const char *path, const coreml_options *options, coreml_model **model, coreml_error **error);

/* A weight file in memory, under the name that the program has for it, such as "@model_path/weights/weight.bin". */
typedef struct coreml_blob {
  const char *name;
  const void *data;
  size_t size;
} coreml_blob;

/* Opens a model in memory: the bytes of a .mlmodel, or of a package's Data/com.apple.CoreML/model.mlmodel and its weight files. */
coreml_status coreml_model_open_memory(
    const void *data, size_t size, const coreml_blob *blobs, size_t blob_count, const coreml_options *options,
    coreml_model **model, coreml_error **error);

/*
 * Writes the .mlmodelc of a .mlmodel or .mlpackage to a path, whole or not at all. A compiled model or an empty folder there is replaced;
 * anything else is COREML_IO.
 */
coreml_status coreml_compile(const char *path, const char *destination, coreml_error **error);

/* ---- what a model takes and gives ---- */

typedef int32_t coreml_kind;
enum {
  COREML_INT64 = 1,
  COREML_DOUBLE = 2,
  COREML_STRING = 3,
  COREML_IMAGE = 4,
  COREML_TENSOR = 5,
  COREML_DICTIONARY = 6, /* texts or integers to numbers */
  COREML_SEQUENCE = 7,   /* texts or integers */
  COREML_STATE = 8
};

typedef int32_t coreml_element;
enum {
  COREML_FLOAT16 = 0x10010,
  COREML_FLOAT32 = 0x10020,
  COREML_FLOAT64 = 0x10040,
  COREML_INT8 = 0x20008,
  COREML_INT32 = 0x20020,
  COREML_TEXT = 0x30040 /* a pointer to UTF-8 that ends with a zero byte: inputs of coreml_predict_rows alone */
};

/* Pixel formats, by the codes of Core Video. Models take and give BGRA, ARGB, GRAY8 and GRAY16F; the others are converted. */
typedef uint32_t coreml_pixels;
enum {
  COREML_BGRA = 0x42475241,
  COREML_ARGB = 0x00000020,
  COREML_RGBA = 0x52474241,
  COREML_RGB = 0x00000018,
  COREML_BGR = 0x32344247,
  COREML_GRAY8 = 0x4C303038,
  COREML_GRAY16F = 0x4C303068
};

typedef int32_t coreml_role;
enum { COREML_INPUT = 0, COREML_OUTPUT = 1, COREML_STATES = 2, COREML_TRAINING_INPUT = 3 };

typedef int32_t coreml_flexibility;
enum {
  COREML_FIXED = 1,      /* the shape or size that is told; any shape where rank is 0 */
  COREML_ENUMERATED = 2, /* one of a list */
  COREML_RANGE = 3       /* a range an axis */
};

typedef struct coreml_shape {
  size_t rank;
  const int64_t *sizes;
} coreml_shape;

/* A feature of a model. Members that are not of its kind are zero. */
typedef struct coreml_feature {
  size_t size;                      /* set by the caller: sizeof(coreml_feature) */
  const char *name;
  coreml_kind kind;
  int32_t is_optional;              /* 1 for an input that may be left out */
  coreml_element element;           /* tensor and state: the model's type; others are converted */
  coreml_flexibility flexibility;   /* tensor and image */
  coreml_shape shape;               /* tensor and state: the shape to give unless another is allowed */
  const coreml_shape *shapes;       /* enumerated: the shapes that are allowed; of an image (height, width) */
  size_t shape_count;
  coreml_shape minimum;             /* range: the least size of each axis; of an image (height, width) */
  coreml_shape maximum;             /* range: the largest, -1 where there is none */
  coreml_pixels pixels;             /* image: the format */
  int64_t width, height;            /* image: the size to give unless another is allowed */
  coreml_kind key;                  /* dictionary: COREML_STRING or COREML_INT64; sequence: of its items */
  int64_t minimum_count, maximum_count; /* sequence: how many items; -1 for no limit */
} coreml_feature;

/* How many features a model has in a role. */
coreml_status coreml_model_feature_count(const coreml_model *model, coreml_role role, size_t *count, coreml_error **error);

/* A feature by its place, in the model's order. What it points to lives as long as the model. */
coreml_status coreml_model_feature(
    const coreml_model *model, coreml_role role, size_t index, coreml_feature *feature, coreml_error **error);

/* Everything about a model as JSON: features, functions, class labels, metadata, training parameters. Lives as long as the model. */
coreml_status coreml_model_describe(const coreml_model *model, const char **json, coreml_error **error);

/* What the author says under a key: "description", "version", "author", "license", or a key of the author's own; null where nothing is
 * said. Lives as long as the model. */
coreml_status coreml_model_metadata(const coreml_model *model, const char *key, const char **text, coreml_error **error);

/* A classifier's labels in the order of its probabilities, as a sequence; a null value for another model. */
coreml_status coreml_model_class_labels(const coreml_model *model, coreml_value **labels, coreml_error **error);

/* The outputs with what a classifier or regressor predicts, and with a classifier's probabilities; null where there is none. */
coreml_status coreml_model_predicted(const coreml_model *model, const char **feature, const char **probabilities, coreml_error **error);

/* ---- values: making ---- */

/* Tells that borrowed memory is not read or written any more. Called once, on any thread, maybe before a call returns. */
typedef void (*coreml_memory_callback)(void *context);

/*
 * A tensor over the caller's memory, which is not copied. Elements are at data + sum(index * stride) * size of an element; strides may be
 * null for a dense tensor, last axis fastest; none is negative. An axis of one element may have any stride. size is what may be read from
 * data on, and must hold the last element; data is aligned to an element. The memory must stay, and must not be written to during a
 * prediction, until released is called; with a null callback, until the value and all that was made of it are released. Where this fails,
 * released is not called.
 */
coreml_status coreml_value_tensor(
    coreml_element element, size_t rank, const int64_t *shape, const int64_t *strides, void *data, size_t size,
    coreml_memory_callback released, void *context, coreml_value **value, coreml_error **error);

/* A dense tensor of zeros in memory of its own, aligned to 64 bytes: fill it through coreml_value_get_tensor. */
coreml_status coreml_value_zeros(coreml_element element, size_t rank, const int64_t *shape, coreml_value **value, coreml_error **error);

coreml_status coreml_value_int64(int64_t number, coreml_value **value, coreml_error **error);
coreml_status coreml_value_double(double number, coreml_value **value, coreml_error **error);

/* A text of length bytes, which may hold zero bytes. */
coreml_status coreml_value_string(const char *text, size_t length, coreml_value **value, coreml_error **error);

/* A dictionary with texts for keys; no key twice. Null pointers will do for count 0. */
coreml_status coreml_value_string_dictionary(
    const char *const *keys, const double *numbers, size_t count, coreml_value **value, coreml_error **error);
coreml_status coreml_value_int64_dictionary(
    const int64_t *keys, const double *numbers, size_t count, coreml_value **value, coreml_error **error);

coreml_status coreml_value_string_sequence(const char *const *items, size_t count, coreml_value **value, coreml_error **error);
coreml_status coreml_value_int64_sequence(const int64_t *items, size_t count, coreml_value **value, coreml_error **error);

/* The same of texts with lengths in bytes, which may hold zero bytes. */
coreml_status coreml_value_sized_string_dictionary(
    const char *const *keys, const size_t *lengths, const double *numbers, size_t count, coreml_value **value, coreml_error **error);
coreml_status coreml_value_sized_string_sequence(
    const char *const *items, const size_t *lengths, size_t count, coreml_value **value, coreml_error **error);

/* An image; its pixels are copied. Rows are row_bytes apart, 0 for rows without gaps; size is what may be read from data on. */
coreml_status coreml_value_image(
    coreml_pixels pixels, size_t width, size_t height, size_t row_bytes, const void *data, size_t size,
    coreml_value **value, coreml_error **error);

/* The picture in a file in memory (PNG, JPEG, WebP, TIFF, GIF, BMP), upright as EXIF tells, in its own size, BGRA. */
coreml_status coreml_value_picture(const void *data, size_t size, coreml_value **value, coreml_error **error);

/* How a picture of other proportions becomes one of the model's size. */
typedef int32_t coreml_fit;
enum {
  COREML_CENTER_CROP = 0, /* fills the size; what is beside it is cut off */
  COREML_SCALE_FIT = 1,   /* is seen whole; black beside it */
  COREML_SCALE_FILL = 2   /* is stretched */
};

/* An image as an input of a model takes it: of an allowed size, in its pixel format. One that fits comes back as it is. */
coreml_status coreml_value_fit_image(
    const coreml_value *image, const coreml_model *model, const char *input, coreml_fit fit, coreml_value **value,
    coreml_error **error);

/* ---- values: reading ---- */

/* The kind of a value; 0 of null. */
coreml_kind coreml_value_kind(const coreml_value *value);

/* Where a tensor's elements are. Everything in it lives as long as the value, data at least until its memory is released. */
typedef struct coreml_tensor {
  coreml_element element;
  size_t rank;
  const int64_t *shape;
  const int64_t *strides; /* in elements */
  void *data;
  size_t size;            /* bytes from data to the end of the last element */
} coreml_tensor;

/* The elements in place, to be read, and to be written where the tensor is the caller's to change. */
coreml_status coreml_value_get_tensor(const coreml_value *value, coreml_tensor *tensor, coreml_error **error);

coreml_status coreml_value_get_int64(const coreml_value *value, int64_t *number, coreml_error **error);
coreml_status coreml_value_get_double(const coreml_value *value, double *number, coreml_error **error);

/* length may be null. */
coreml_status coreml_value_get_string(const coreml_value *value, const char **text, size_t *length, coreml_error **error);

/* Keys (rising) and their numbers, count of each. */
coreml_status coreml_value_get_string_dictionary(
    const coreml_value *value, const char *const **keys, const double **numbers, size_t *count, coreml_error **error);
coreml_status coreml_value_get_int64_dictionary(
    const coreml_value *value, const int64_t **keys, const double **numbers, size_t *count, coreml_error **error);

coreml_status coreml_value_get_string_sequence(const coreml_value *value, const char *const **items, size_t *count, coreml_error **error);
coreml_status coreml_value_get_int64_sequence(const coreml_value *value, const int64_t **items, size_t *count, coreml_error **error);

/* The lengths in bytes of those keys, or of those items, which may hold zero bytes. */
coreml_status coreml_value_get_string_lengths(const coreml_value *value, const size_t **lengths, size_t *count, coreml_error **error);

/* What the keys of a dictionary or the items of a sequence are: COREML_STRING or COREML_INT64; 0 for any other value. */
coreml_kind coreml_value_item_kind(const coreml_value *value);

/* Where an image's pixels are. */
typedef struct coreml_image {
  coreml_pixels pixels;
  size_t width;
  size_t height;
  size_t row_bytes;
  const void *data;
  size_t size;
} coreml_image;

coreml_status coreml_value_get_image(const coreml_value *value, coreml_image *image, coreml_error **error);

/* Writes an image's pixels in a format of the caller's choice; row_bytes 0 for rows without gaps. Colour and gray do not mix. */
coreml_status coreml_value_copy_image(
    const coreml_value *value, coreml_pixels pixels, size_t row_bytes, void *data, size_t size, coreml_error **error);

/* ---- features and batches ---- */

/* An empty set. */
coreml_status coreml_features_create(coreml_features **features, coreml_error **error);

/* Puts a value under a name, in the place of another; a null value takes the name out. */
coreml_status coreml_features_set(coreml_features *features, const char *name, const coreml_value *value, coreml_error **error);

/* How many values there are; 0 of null. */
size_t coreml_features_count(const coreml_features *features);

/* A name by its place: a prediction's in the order of the model, else in the order they were set. Good until the set is released. */
coreml_status coreml_features_name(const coreml_features *features, size_t index, const char **name, coreml_error **error);

/* The value under a name. */
coreml_status coreml_features_get(const coreml_features *features, const char *name, coreml_value **value, coreml_error **error);

/* A batch without rows. */
coreml_status coreml_batch_create(coreml_batch **batch, coreml_error **error);

/* Adds a row: the features as they are now. */
coreml_status coreml_batch_add(coreml_batch *batch, const coreml_features *features, coreml_error **error);

/* How many rows there are; 0 of null. */
size_t coreml_batch_count(const coreml_batch *batch);

/* The features of a row. */
coreml_status coreml_batch_get(const coreml_batch *batch, size_t index, coreml_features **features, coreml_error **error);

/* ---- predicting ---- */

/* What a prediction may be told beside its inputs. */
typedef struct coreml_predict_options {
  size_t size;                             /* set by the caller: sizeof(coreml_predict_options) */
  coreml_state *state;                     /* the state to go on from, which is changed; a stateful model refuses null */
  const coreml_features *backings;         /* tensors or images that outputs are written to, by name; null for none */
  const coreml_cancellation *cancellation; /* what can stop it; null for nothing */
} coreml_predict_options;

/* Predicts; options may be null. The calling thread does the work, with those of the model's pool. An output that has a backing is
 * written to its memory, converted to its type, and the result's value is that memory; a backing that does not fit is an error. */
coreml_status coreml_predict(
    const coreml_model *model, const coreml_features *inputs, const coreml_predict_options *options,
    coreml_features **outputs, coreml_error **error);

/* Predicts every row; each equals its single prediction. Neither a state nor backings may be given, so a stateful model is refused. */
coreml_status coreml_predict_batch(
    const coreml_model *model, const coreml_batch *inputs, const coreml_predict_options *options,
    coreml_batch **outputs, coreml_error **error);

/* An array of the caller's under a feature's name. Layout and memory are those of coreml_value_tensor. */
typedef struct coreml_array {
  const char *name;
  coreml_element element;
  size_t rank;
  const int64_t *shape, *strides; /* strides in elements; null for a dense array */
  void *data;
  size_t size; /* bytes from data on */
} coreml_array;

/* Predicts from arrays into arrays, without a handle for any: inputs are read and outputs written in place, converted where types differ.
 * Each output that is named must be a tensor, and its array of the shape that comes out; others are not given. The arrays are not used once the
 * function has returned, save where it returned COREML_CANCELLED: a device may read the inputs then until the model is released. Options may
 * be null; backings may not be given. */
coreml_status coreml_predict_arrays(
    const coreml_model *model, const coreml_array *inputs, size_t input_count, const coreml_array *outputs,
    size_t output_count, const coreml_predict_options *options, coreml_error **error);

/* The same for rows, which are the first axis of every array. Features that are doubles are read from arrays of a number a row, and given in those of
 * COREML_FLOAT64 or 32; features that are texts are read from arrays of COREML_TEXT, a text a row; a classifier's label in one of COREML_INT32, by its place in coreml_model_class_labels, its probabilities as a number for each label.
 * The row that fails is told in `failed` (null will do); those before it are done. A state may not be given, so a stateful model is refused. */
coreml_status coreml_predict_rows(
    const coreml_model *model, const coreml_array *inputs, size_t input_count, const coreml_array *outputs,
    size_t output_count, size_t rows, const coreml_predict_options *options, size_t *failed, coreml_error **error);

/* A switch that is off. It serves any number of calls, and stays on once it was used. */
coreml_status coreml_cancellation_create(coreml_cancellation **cancellation, coreml_error **error);

/* Stops the calls that were given it, soon, with COREML_CANCELLED; from any thread. Null is allowed. */
void coreml_cancel(const coreml_cancellation *cancellation);

/* ---- states ---- */

/* A model's states, zero. They fit every model and function with states of the same names, types and shapes. A model without any takes all. */
coreml_status coreml_state_create(const coreml_model *model, coreml_state **state, coreml_error **error);

/* A copy of a state's tensor as it is now. */
coreml_status coreml_state_read(coreml_state *state, const char *name, coreml_value **tensor, coreml_error **error);

/* Overwrites a state with a tensor of its shape, converted to its type. */
coreml_status coreml_state_write(coreml_state *state, const char *name, const coreml_value *tensor, coreml_error **error);

/* ---- what runs where ---- */

/* The plan for the shapes of some inputs, or with null for the declared ones, as JSON: each step with its operation, device, kernel and
 * estimated seconds, and which kernels were passed over and why. The text is the caller's: coreml_free it. */
coreml_status coreml_model_plan(const coreml_model *model, const coreml_features *inputs, char **json, coreml_error **error);

/* Predicts `iterations` times (at least once, each from states of zeros) after a first time and tells the median seconds of each step, as
 * JSON. The text is the caller's: coreml_free it. */
coreml_status coreml_model_profile(
    const coreml_model *model, const coreml_features *inputs, size_t iterations, char **json, coreml_error **error);

/*
 * What the model at a path is made of, as JSON: the functions of its program with their blocks and operations, those with the names of the
 * file's operations or layers that they stand for. The text is the caller's: coreml_free it.
 */
coreml_status coreml_structure(const char *path, char **json, coreml_error **error);

/*
 * The CPU and the OpenCL devices with what was measured of them, as JSON. Measuring takes a moment the first time on a machine. The text
 * is the caller's: coreml_free it.
 */
coreml_status coreml_devices(char **json, coreml_error **error);

/* ---- training ---- */

typedef int32_t coreml_update_event;
enum { COREML_TRAINING_BEGIN = 1, COREML_EPOCH_END = 2, COREML_MINI_BATCH_END = 4 };

/* A moment of a training. */
typedef struct coreml_progress {
  coreml_update_event event;
  int64_t epoch;      /* from 0; -1 where there is none yet */
  int64_t mini_batch; /* from 0 within the epoch; -1 where there is none yet */
  double loss;        /* the mean over the examples of the mini-batch or epoch; NaN where there is none */
} coreml_progress;

/* Called on the thread that called coreml_update_run, which may use the update meanwhile. Anything but 0 stops the training. */
typedef int32_t (*coreml_progress_callback)(void *context, coreml_update *update, const coreml_progress *progress);

/*
 * A training of the updatable model at a path (of any form) on examples, which have the model's training inputs; rows added to the batch
 * later do not count. Options may be null; their parameters take the place of the model's own. events is the sum of those at which
 * coreml_update_run calls back, 0 for none: at each the model is made anew, which takes its time. The file stays as it is.
 */
coreml_status coreml_update_create(
    const char *path, const coreml_batch *examples, const coreml_options *options, int32_t events,
    coreml_update **update, coreml_error **error);

/* Trains, once, and returns when it is done. progress may be null, and so may cancellation. */
coreml_status coreml_update_run(
    coreml_update *update, coreml_progress_callback progress, void *context, const coreml_cancellation *cancellation,
    coreml_error **error);

/* Changes a parameter of the training, from the next mini-batch on; one that the model does not allow ends the training with an error. */
coreml_status coreml_update_set_parameter(coreml_update *update, const char *name, const char *scope, double value, coreml_error **error);

/* The model as the training has made it: after coreml_update_run, or in a callback. */
coreml_status coreml_update_model(const coreml_update *update, coreml_model **model, coreml_error **error);

/* Writes that model as a .mlmodelc, whole or not at all; what stands at the path is replaced. */
coreml_status coreml_update_write(const coreml_update *update, const char *path, coreml_error **error);

#ifdef __cplusplus
}
#endif

#endif
