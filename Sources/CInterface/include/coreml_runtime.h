/* Core ML models on Linux, for C and any language that can call C. C99, usable from C++. See docs/guide/c.md.
 *
 * Status and errors. A function that can fail returns a coreml_status: COREML_OK (0) on success. Its last argument
 * is the address of a coreml_error pointer, or null. On failure the function stores a new error there, which the
 * caller releases. On success it stores null. On failure the other out arguments are set to null or zero. No
 * function ends the process, throws or jumps: a null or invalid argument is an error. Some mistakes cannot be
 * detected: a dangling pointer, a released handle, an array shorter than its count, a string without its terminator.
 *
 * Ownership. Handles are reference-counted. The caller owns each handle that a function returns, and calls
 * coreml_release on it once. An object keeps what it was made from: a feature set keeps its values, and a value from
 * a result outlives the result. Other pointers (strings, shapes, data) point into the handle that they were read
 * from, and are valid while it lives. The exceptions are results of type char *: the caller owns them and calls
 * coreml_free. Arguments are copied unless documented as borrowed.
 *
 * Threads. Every function may be called from any thread. Models, values, plans and errors are immutable: many
 * threads may use one at the same time, and predict with one model. Predictions that share a state run one after the
 * other. Feature sets, batches and options lock themselves for each access. Callbacks run on threads of the caller
 * only, except the callbacks that release memory. A process that forks may use the library in the parent, or in the
 * child if only the child has called it, but not in both.
 *
 * Strings are UTF-8 and zero-terminated. Memory sizes are in bytes, strides in elements, times in seconds. */
#ifndef COREML_RUNTIME_H
#define COREML_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

/* The version of this header; coreml_version() is the library's. Later releases of a major version only add to it. */
#define COREML_RUNTIME_VERSION "0.2.0"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- handles ---- */

typedef struct coreml_model coreml_model;               /* a model, ready to predict */
typedef struct coreml_options coreml_options;           /* how a model is loaded and run */
typedef struct coreml_value coreml_value;               /* one feature: a tensor, an image, a string, ... */
typedef struct coreml_features coreml_features;         /* values by name: inputs or outputs of a prediction */
typedef struct coreml_batch coreml_batch;               /* rows of features */
typedef struct coreml_state coreml_state;               /* what a stateful model keeps between predictions */
typedef struct coreml_update coreml_update;             /* a training run of a model */
typedef struct coreml_cancellation coreml_cancellation; /* stops work from another thread */
typedef struct coreml_error coreml_error;               /* why a call failed */

/* Adds a reference to a handle of any kind. Null is allowed. */
void coreml_retain(const void *handle);

/* Drops a reference to a handle of any kind. The last one frees the object and what it points to. Null is allowed. */
void coreml_release(const void *handle);

/* Frees a string that the caller owns. Null is allowed. */
void coreml_free(char *text);

/* The version of the library, such as "0.2.0". */
const char *coreml_version(void);

/* ---- errors ---- */

typedef int32_t coreml_status;
enum {
  COREML_OK = 0,
  COREML_INVALID_ARGUMENT = 1, /* the call is wrong: a null, an index out of range, a value of the wrong kind */
  COREML_INVALID_MODEL = 2,    /* the file is not a valid model */
  COREML_INVALID_INPUT = 3,    /* the features do not match the model's inputs */
  COREML_UNSUPPORTED = 4,      /* the model is valid, but part of it cannot run here */
  COREML_IO = 5,               /* a file cannot be found, read or written */
  COREML_DEVICE = 6,           /* a device is missing or fails */
  COREML_CANCELLED = 7,        /* stopped by coreml_cancel or by a callback */
  COREML_PARAMETER = 8,        /* the model has no such parameter, or does not allow the value */
  COREML_UPDATE = 9,           /* the training failed */
  COREML_NO_MEMORY = 10,       /* not enough memory */
  COREML_FAILED = 11           /* anything else: see the code and the message */
};

/* The status of the call that made the error; COREML_OK for null. */
coreml_status coreml_error_status(const coreml_error *error);

/* A stable identifier of the cause for programs, such as "runtime.unsupported"; "" for null. Errors of this interface
 * itself start with "interface.". */
const char *coreml_error_code(const coreml_error *error);

/* One sentence for people: file, feature, layer or argument, with expectation and finding; "" for null. */
const char *coreml_error_message(const coreml_error *error);

/* ---- options ---- */

/* Options with all default values. */
coreml_status coreml_options_create(coreml_options **options, coreml_error **error);

/* Sets an option. A model copies the options when it is opened. Keys and values:
 * - "computeUnits": "all" (default), "cpuOnly", "cpuAndGPU", "cpuAndNeuralEngine"
 * - "device": the id of an OpenCL device (see coreml_devices), which runs the operations that it supports
 * - "function": a function of a multifunction model; default: the model's default function
 * - "threads": threads of one prediction, "1" to "1024"; default: one per core
 * - "memoryLimit": the most memory that predictions may hold at one time, in bytes or as "512M", "2G"; default: what
 *   the machine has
 * - "lowPrecisionAccumulationOnGPU": "true" or "false" (default)
 * - "precision": "default", or "low": matrix products may use bf16 where that is faster
 * - "reshapeFrequency": "frequent" (default) or "infrequent"
 * - "specialization": "default", or "fastPrediction": opening plans and packs ahead and times kernels once per machine
 * - "displayName": a name for people. An empty string restores the default of any option. */
coreml_status coreml_options_set(coreml_options *options, const char *key, const char *value, coreml_error **error);

/* Sets a parameter of the model or of its training, such as "learningRate", "epochs", "miniBatchSize", "shuffle" (0 or
 * 1) or "numberOfNeighbors". scope names a layer, or is null. The model's description lists the allowed values. They
 * are checked when the model is opened or the training is created. */
coreml_status coreml_options_set_parameter(
    coreml_options *options, const char *name, const char *scope, double value, coreml_error **error);

/* ---- models ---- */

/* Opens a .mlmodel, .mlpackage or .mlmodelc. options may be null. A source is compiled in memory on each call, so a
 * .mlmodelc opens faster. Weights are read from the file, which must not change while the model lives. */
coreml_status coreml_model_open(const char *path, const coreml_options *options, coreml_model **model, coreml_error **error);

/* A weight file in memory, under its name in the program, such as "@model_path/weights/weight.bin". */
typedef struct coreml_blob {
  const char *name;
  const void *data;
  size_t size;
} coreml_blob;

/* Opens a model from memory: the bytes of a .mlmodel, or of a package's Data/com.apple.CoreML/model.mlmodel with its
 * weight files as blobs. */
coreml_status coreml_model_open_memory(
    const void *data, size_t size, const coreml_blob *blobs, size_t blob_count, const coreml_options *options,
    coreml_model **model, coreml_error **error);

/* Compiles a .mlmodel or .mlpackage to a .mlmodelc at destination, atomically. A compiled model or an empty folder
 * there is replaced; anything else there is COREML_IO. */
coreml_status coreml_compile(const char *path, const char *destination, coreml_error **error);

/* ---- inputs and outputs of a model ---- */

typedef int32_t coreml_kind;
enum {
  COREML_INT64 = 1,
  COREML_DOUBLE = 2,
  COREML_STRING = 3,
  COREML_IMAGE = 4,
  COREML_TENSOR = 5,
  COREML_DICTIONARY = 6, /* keys are strings or integers, values are numbers */
  COREML_SEQUENCE = 7,   /* strings or integers */
  COREML_STATE = 8
};

typedef int32_t coreml_element;
enum {
  COREML_FLOAT16 = 0x10010,
  COREML_FLOAT32 = 0x10020,
  COREML_FLOAT64 = 0x10040,
  COREML_INT8 = 0x20008,
  COREML_INT32 = 0x20020,
  COREML_TEXT = 0x30040 /* pointers to zero-terminated UTF-8; only for inputs of coreml_predict_rows */
};

/* Pixel formats, as Core Video codes. Models use BGRA, ARGB, GRAY8 and GRAY16F; other formats are converted. */
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
  COREML_FIXED = 1,      /* exactly the given shape or size; any shape if rank is 0 */
  COREML_ENUMERATED = 2, /* one of a list */
  COREML_RANGE = 3       /* a range per axis */
};

typedef struct coreml_shape {
  size_t rank;
  const int64_t *sizes;
} coreml_shape;

/* A feature of a model. Members that do not apply to its kind are zero. */
typedef struct coreml_feature {
  size_t size;                      /* set by the caller: sizeof(coreml_feature) */
  const char *name;
  coreml_kind kind;
  int32_t is_optional;              /* 1 for an input that may be omitted */
  coreml_element element;           /* tensor and state: the model's type; other types are converted */
  coreml_flexibility flexibility;   /* tensor and image */
  coreml_shape shape;               /* tensor and state: the default shape */
  const coreml_shape *shapes;       /* enumerated: the allowed shapes; for an image (height, width) */
  size_t shape_count;
  coreml_shape minimum;             /* range: the minimum of each axis; for an image (height, width) */
  coreml_shape maximum;             /* range: the maximum of each axis; -1 for no limit */
  coreml_pixels pixels;             /* image: the pixel format */
  int64_t width, height;            /* image: the default size */
  coreml_kind key;                  /* COREML_STRING or COREML_INT64: a dictionary's keys, a sequence's items */
  int64_t minimum_count, maximum_count; /* sequence: number of items; -1 for no limit */
} coreml_feature;

/* The number of features that a model has in a role. */
coreml_status coreml_model_feature_count(const coreml_model *model, coreml_role role, size_t *count, coreml_error **error);

/* A feature by its index in the model's order. Its pointers are valid while the model lives. */
coreml_status coreml_model_feature(
    const coreml_model *model, coreml_role role, size_t index, coreml_feature *feature, coreml_error **error);

/* The model as JSON: features, functions, labels, metadata, training parameters. Valid while the model lives. */
coreml_status coreml_model_describe(const coreml_model *model, const char **json, coreml_error **error);

/* Metadata by key: "description", "version", "author", "license" or the author's own; null if absent. Kept by the
 * model. */
coreml_status coreml_model_metadata(const coreml_model *model, const char *key, const char **text, coreml_error **error);

/* A classifier's labels as a sequence, in the order of its probabilities; null for other models. */
coreml_status coreml_model_class_labels(const coreml_model *model, coreml_value **labels, coreml_error **error);

/* The outputs that hold a classifier's or regressor's prediction, and a classifier's probabilities; null if absent. */
coreml_status coreml_model_predicted(const coreml_model *model, const char **feature, const char **probabilities, coreml_error **error);

/* ---- values: creation ---- */

/* Reports that borrowed memory is no longer used. Runs once, on any thread, possibly before the call returns. */
typedef void (*coreml_memory_callback)(void *context);

/* A tensor over the caller's memory, which is borrowed, not copied. An element is at data + sum(index * stride) *
 * element size. strides may be null for a dense row-major tensor; none may be negative. An axis of size 1 may have any
 * stride. size is the number of readable bytes from data, and must cover the last element. data must be aligned to an
 * element. The memory must stay valid, and unchanged during predictions, until released runs. With a null callback it
 * must stay valid until the value and everything made from it are released. On failure released is not called. */
coreml_status coreml_value_tensor(
    coreml_element element, size_t rank, const int64_t *shape, const int64_t *strides, void *data, size_t size,
    coreml_memory_callback released, void *context, coreml_value **value, coreml_error **error);

/* A dense tensor of zeros in new memory, aligned to 64 bytes. Fill it through coreml_value_get_tensor. */
coreml_status coreml_value_zeros(coreml_element element, size_t rank, const int64_t *shape, coreml_value **value, coreml_error **error);

coreml_status coreml_value_int64(int64_t number, coreml_value **value, coreml_error **error);
coreml_status coreml_value_double(double number, coreml_value **value, coreml_error **error);

/* A string of length bytes, which may contain zero bytes. */
coreml_status coreml_value_string(const char *text, size_t length, coreml_value **value, coreml_error **error);

/* A dictionary with string keys, each at most once. The pointers may be null if count is 0. */
coreml_status coreml_value_string_dictionary(
    const char *const *keys, const double *numbers, size_t count, coreml_value **value, coreml_error **error);
coreml_status coreml_value_int64_dictionary(
    const int64_t *keys, const double *numbers, size_t count, coreml_value **value, coreml_error **error);

coreml_status coreml_value_string_sequence(const char *const *items, size_t count, coreml_value **value, coreml_error **error);
coreml_status coreml_value_int64_sequence(const int64_t *items, size_t count, coreml_value **value, coreml_error **error);

/* The same with string lengths in bytes. The strings may contain zero bytes. */
coreml_status coreml_value_sized_string_dictionary(
    const char *const *keys, const size_t *lengths, const double *numbers, size_t count, coreml_value **value, coreml_error **error);
coreml_status coreml_value_sized_string_sequence(
    const char *const *items, const size_t *lengths, size_t count, coreml_value **value, coreml_error **error);

/* An image; its pixels are copied. row_bytes 0 means dense rows. size is the number of readable bytes from data. */
coreml_status coreml_value_image(
    coreml_pixels pixels, size_t width, size_t height, size_t row_bytes, const void *data, size_t size,
    coreml_value **value, coreml_error **error);

/* Decodes an image in memory (PNG, JPEG, WebP, TIFF, GIF, BMP) to BGRA in its own size, upright as its EXIF says. */
coreml_status coreml_value_picture(const void *data, size_t size, coreml_value **value, coreml_error **error);

/* How an image of another aspect ratio is fitted to the model's size. */
typedef int32_t coreml_fit;
enum {
  COREML_CENTER_CROP = 0, /* fills the size; the overhang is cut off */
  COREML_SCALE_FIT = 1,   /* fits inside the size; the rest is black */
  COREML_SCALE_FILL = 2   /* is stretched to the size */
};

/* Converts an image to an allowed size and the pixel format of a model's input. Returns one that fits as it is. */
coreml_status coreml_value_fit_image(
    const coreml_value *image, const coreml_model *model, const char *input, coreml_fit fit, coreml_value **value,
    coreml_error **error);

/* ---- values: reading ---- */

/* The kind of a value; 0 for null. */
coreml_kind coreml_value_kind(const coreml_value *value);

/* A tensor's elements. All pointers are valid while the value lives, data at least until its memory is released. */
typedef struct coreml_tensor {
  coreml_element element;
  size_t rank;
  const int64_t *shape;
  const int64_t *strides; /* in elements */
  void *data;
  size_t size;            /* bytes from data to the end of the last element */
} coreml_tensor;

/* The elements in place, for reading. They may be written if the caller may change the tensor. */
coreml_status coreml_value_get_tensor(const coreml_value *value, coreml_tensor *tensor, coreml_error **error);

coreml_status coreml_value_get_int64(const coreml_value *value, int64_t *number, coreml_error **error);
coreml_status coreml_value_get_double(const coreml_value *value, double *number, coreml_error **error);

/* length may be null. */
coreml_status coreml_value_get_string(const coreml_value *value, const char **text, size_t *length, coreml_error **error);

/* Keys in rising order and their numbers; count is the size of each array. */
coreml_status coreml_value_get_string_dictionary(
    const coreml_value *value, const char *const **keys, const double **numbers, size_t *count, coreml_error **error);
coreml_status coreml_value_get_int64_dictionary(
    const coreml_value *value, const int64_t **keys, const double **numbers, size_t *count, coreml_error **error);

coreml_status coreml_value_get_string_sequence(const coreml_value *value, const char *const **items, size_t *count, coreml_error **error);
coreml_status coreml_value_get_int64_sequence(const coreml_value *value, const int64_t **items, size_t *count, coreml_error **error);

/* The lengths in bytes of string keys or items, which may contain zero bytes. */
coreml_status coreml_value_get_string_lengths(const coreml_value *value, const size_t **lengths, size_t *count, coreml_error **error);

/* The type of a dictionary's keys or a sequence's items: COREML_STRING or COREML_INT64; 0 for any other value. */
coreml_kind coreml_value_item_kind(const coreml_value *value);

/* An image's pixels. */
typedef struct coreml_image {
  coreml_pixels pixels;
  size_t width;
  size_t height;
  size_t row_bytes;
  const void *data;
  size_t size;
} coreml_image;

coreml_status coreml_value_get_image(const coreml_value *value, coreml_image *image, coreml_error **error);

/* Copies an image's pixels in the given format; row_bytes 0 means dense rows. Color never converts to gray or back. */
coreml_status coreml_value_copy_image(
    const coreml_value *value, coreml_pixels pixels, size_t row_bytes, void *data, size_t size, coreml_error **error);

/* ---- features and batches ---- */

/* An empty set. */
coreml_status coreml_features_create(coreml_features **features, coreml_error **error);

/* Sets the value of a name and replaces an earlier one. A null value removes the name. */
coreml_status coreml_features_set(coreml_features *features, const char *name, const coreml_value *value, coreml_error **error);

/* The number of values; 0 for null. */
size_t coreml_features_count(const coreml_features *features);

/* A name by index: outputs in the model's order, other sets in insertion order. Valid until the set is released. */
coreml_status coreml_features_name(const coreml_features *features, size_t index, const char **name, coreml_error **error);

/* The value of a name. */
coreml_status coreml_features_get(const coreml_features *features, const char *name, coreml_value **value, coreml_error **error);

/* An empty batch. */
coreml_status coreml_batch_create(coreml_batch **batch, coreml_error **error);

/* Appends a row: a copy of the features as they are now. */
coreml_status coreml_batch_add(coreml_batch *batch, const coreml_features *features, coreml_error **error);

/* The number of rows; 0 for null. */
size_t coreml_batch_count(const coreml_batch *batch);

/* The features of a row. */
coreml_status coreml_batch_get(const coreml_batch *batch, size_t index, coreml_features **features, coreml_error **error);

/* ---- prediction ---- */

/* Optional arguments of a prediction. */
typedef struct coreml_predict_options {
  size_t size;                             /* set by the caller: sizeof(coreml_predict_options) */
  coreml_state *state;                     /* read and updated; required by a stateful model */
  const coreml_features *backings;         /* tensors or images that receive outputs, by name; or null */
  const coreml_cancellation *cancellation; /* can stop the call; or null */
} coreml_predict_options;

/* Predicts. options may be null. The calling thread and the model's thread pool do the work. An output with a backing
 * is converted to the backing's type and written to its memory, and the result's value is that memory. A backing that
 * does not fit is an error. */
coreml_status coreml_predict(
    const coreml_model *model, const coreml_features *inputs, const coreml_predict_options *options,
    coreml_features **outputs, coreml_error **error);

/* Predicts every row, as separate predictions would. A state or backings are not allowed, nor a stateful model. */
coreml_status coreml_predict_batch(
    const coreml_model *model, const coreml_batch *inputs, const coreml_predict_options *options,
    coreml_batch **outputs, coreml_error **error);

/* An array of the caller, for the named feature. Layout and memory rules are those of coreml_value_tensor. */
typedef struct coreml_array {
  const char *name;
  coreml_element element;
  size_t rank;
  const int64_t *shape, *strides; /* strides in elements; null for a dense array */
  void *data;
  size_t size; /* bytes from data */
} coreml_array;

/* Predicts from arrays into arrays, without handles for values. Inputs are read and outputs written in place, and
 * converted where types differ. Each named output must be a tensor, with an array of the resulting shape; other outputs
 * are not returned. The arrays are not used after the call returns. The exception is COREML_CANCELLED: a device may
 * still read the inputs until the model is released. options may be null; backings are not allowed. */
coreml_status coreml_predict_arrays(
    const coreml_model *model, const coreml_array *inputs, size_t input_count, const coreml_array *outputs,
    size_t output_count, const coreml_predict_options *options, coreml_error **error);

/* The same for many rows: the first axis of every array is the row.
 * - Double features use one number per row; as outputs, COREML_FLOAT64 or COREML_FLOAT32.
 * - String inputs use COREML_TEXT, one string per row.
 * - A classifier's label uses COREML_INT32: its index in coreml_model_class_labels. Its probabilities are one number
 *   per label.
 * On failure, failed (may be null) is the row that fails, and the rows before it are done. State is not allowed, so a
 * stateful model is refused. */
coreml_status coreml_predict_rows(
    const coreml_model *model, const coreml_array *inputs, size_t input_count, const coreml_array *outputs,
    size_t output_count, size_t rows, const coreml_predict_options *options, size_t *failed, coreml_error **error);

/* A cancellation switch, initially off. It may serve many calls, and stays on after coreml_cancel. */
coreml_status coreml_cancellation_create(coreml_cancellation **cancellation, coreml_error **error);

/* Stops the calls that use the switch, soon, with COREML_CANCELLED. May be called from any thread. Null is allowed. */
void coreml_cancel(const coreml_cancellation *cancellation);

/* ---- states ---- */

/* A model's states, set to zero. They fit every model and function with states of the same names, types and shapes. A
 * model without states accepts any. */
coreml_status coreml_state_create(const coreml_model *model, coreml_state **state, coreml_error **error);

/* A copy of a state's tensor at this moment. */
coreml_status coreml_state_read(coreml_state *state, const char *name, coreml_value **tensor, coreml_error **error);

/* Overwrites a state with a tensor of its shape, converted to its type. */
coreml_status coreml_state_write(coreml_state *state, const char *name, const coreml_value *tensor, coreml_error **error);

/* ---- plans and devices ---- */

/* The execution plan as JSON, for the shapes of some inputs, or for the declared shapes if inputs is null. Each step
 * has its operation, device, kernel and estimated seconds, and the rejected kernels with reasons. */
coreml_status coreml_model_plan(const coreml_model *model, const coreml_features *inputs, char **json, coreml_error **error);

/* Runs one warm-up prediction, then `iterations` (at least one), each from zeroed states. Returns the median seconds of
 * each step as JSON. */
coreml_status coreml_model_profile(
    const coreml_model *model, const coreml_features *inputs, size_t iterations, char **json, coreml_error **error);

/* The structure of the model at a path as JSON: the functions of its program with blocks and operations. Each operation
 * names the operations or layers of the file that it implements. */
coreml_status coreml_structure(const char *path, char **json, coreml_error **error);

/* The CPU and the OpenCL devices with their measured speeds, as JSON. The first call on a machine measures them. */
coreml_status coreml_devices(char **json, coreml_error **error);

/* ---- training ---- */

typedef int32_t coreml_update_event;
enum { COREML_TRAINING_BEGIN = 1, COREML_EPOCH_END = 2, COREML_MINI_BATCH_END = 4 };

/* An event of a training. */
typedef struct coreml_progress {
  coreml_update_event event;
  int64_t epoch;      /* from 0; -1 before the first */
  int64_t mini_batch; /* from 0 within the epoch; -1 before the first */
  double loss;        /* mean over the examples of the mini-batch or epoch; NaN if there is none */
} coreml_progress;

/* Runs on the thread that called coreml_update_run, and may use the update. A non-zero result stops the training. */
typedef int32_t (*coreml_progress_callback)(void *context, coreml_update *update, const coreml_progress *progress);

/* Creates a training of the updatable model at a path (of any format). The examples have the model's training inputs;
 * rows that are added to the batch later are ignored. options may be null; their parameters override the model's own.
 * events is the sum of the events at which coreml_update_run calls back, 0 for none. Each event rebuilds the model,
 * which takes time. The file does not change. */
coreml_status coreml_update_create(
    const char *path, const coreml_batch *examples, const coreml_options *options, int32_t events,
    coreml_update **update, coreml_error **error);

/* Trains once and returns at the end. progress and cancellation may be null. */
coreml_status coreml_update_run(
    coreml_update *update, coreml_progress_callback progress, void *context, const coreml_cancellation *cancellation,
    coreml_error **error);

/* Changes a training parameter from the next mini-batch on. A value that the model does not allow ends the training
 * with an error. */
coreml_status coreml_update_set_parameter(coreml_update *update, const char *name, const char *scope, double value, coreml_error **error);

/* The trained model: after coreml_update_run, or in a callback. */
coreml_status coreml_update_model(const coreml_update *update, coreml_model **model, coreml_error **error);

/* Writes that model as a .mlmodelc, atomically; replaces what is at the path. */
coreml_status coreml_update_write(const coreml_update *update, const char *path, coreml_error **error);

#ifdef __cplusplus
}
#endif

#endif
