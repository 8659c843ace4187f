#ifndef CNUMBERS_H
#define CNUMBERS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The kind of a number's text.
typedef enum {
  /// An integer that fits 64 bits, without fraction or exponent.
  CNumbersInteger = 0,
  /// A double below 2^52, rounded correctly.
  CNumbersDouble = 1,
  /// Neither: not a number, or a number for a full parser (more than 64 bits, 2^52 and above, beyond a double).
  CNumbersOther = 2,
} CNumbersKind;

typedef struct {
  CNumbersKind kind;
  int64_t integer;
  double number;
  /// The byte after the number; NULL for `CNumbersOther`.
  const uint8_t *_Nullable next;
} CNumbersResult;

/// Reads the JSON number (RFC 8259) at `text`, never beyond `end`.
///
/// `is_word` also accepts numbers that begin with zeros or end with a point, as in table cells.
CNumbersResult cnumbers_read(const uint8_t *_Nonnull text, const uint8_t *_Nonnull end, int is_word);

/// How `cnumbers_read_list` stores an element, and which texts it accepts.
typedef enum {
  /// A double; an integer's text is converted to the nearest double.
  CNumbersStoreDouble = 0,
  /// A float: the nearest to that double, so a text may be rounded twice.
  CNumbersStoreFloat = 1,
  /// A double that holds the value of that float.
  CNumbersStoreFloatAsDouble = 2,
  /// An `int32_t`; the text may be `2.0` or `2e0`, but not `2.5`.
  CNumbersStoreInt32 = 3,
  /// A double that holds the value of that `int32_t`.
  CNumbersStoreInt32AsDouble = 4,
  /// An `int64_t`; the text has no fraction and no exponent.
  CNumbersStoreInt64 = 5,
  /// The double nearest to that `int64_t`.
  CNumbersStoreInt64AsDouble = 6,
} CNumbersStore;

/// Reads exactly `count` numbers separated by commas, never beyond `end`. JSON whitespace may surround each comma and
/// precede the first number. The caller parses the list's brackets.
///
/// Each number is the result of `cnumbers_read` for its text. `elements` needs no alignment.
///
/// - Returns: The byte after the last number (`text` if `count` is 0). NULL if there are fewer numbers, or if one is
///   `CNumbersOther` or not of the element's type; some elements may be written then.
const uint8_t *_Nullable cnumbers_read_list(const uint8_t *_Nonnull text, const uint8_t *_Nonnull end, int is_word,
                                            CNumbersStore store, size_t count, void *_Nonnull elements);

/// The destination of a table column: the number of row n is stored at `first` + n * `stride`, as `store` says.
typedef struct {
  CNumbersStore store;
  void *_Nonnull first;
  size_t stride;
} CNumbersColumn;

/// Reads the cells of a table record, each a number, separated by `separator`, never beyond `end`. A cell may contain
/// nothing else.
///
/// - Returns: The byte after the last cell. NULL if there are fewer cells, or if one is `CNumbersOther` or not of its
///   element's type; some elements may be written then.
const uint8_t *_Nullable cnumbers_read_cells(const uint8_t *_Nonnull text, const uint8_t *_Nonnull end, uint8_t separator,
                                             const CNumbersColumn *_Nonnull columns, size_t count, size_t row);

/// A part of a list of numbers, all below 2^52.
typedef struct {
  size_t count;
  /// Whether any number has a fraction or an exponent; otherwise all are integers.
  int has_fraction;
  /// The byte after the last number; `text` if there is none.
  const uint8_t *_Nonnull next;
} CNumbersPart;

/// Reads numbers separated by commas until `most` are read or something else follows, never beyond `end`. JSON
/// whitespace may surround each comma and precede the first number.
///
/// Each number is the result of `cnumbers_read` for its text. An integer of 2^52 or more ends the part, because a
/// double may not represent it exactly.
CNumbersPart cnumbers_read_part(const uint8_t *_Nonnull text, const uint8_t *_Nonnull end, int is_word, size_t most,
                                double *_Nonnull numbers);

/// The bytes that a printed number needs, including its separator in a list. The functions may write all of them, also
/// after the text.
enum { CNumbersRoom = 40 };

/// Prints the fewest digits that read back as the same value, and among those the closest: the text of `description` in
/// Swift.
///
/// `out` has `CNumbersRoom` bytes. NaN and infinities are `NaN`, `Infinity` and `-Infinity`.
///
/// - Returns: The number of bytes of the text, which is not zero-terminated.
size_t cnumbers_print_double(double value, uint8_t *_Nonnull out);
size_t cnumbers_print_float(float value, uint8_t *_Nonnull out);
size_t cnumbers_print_integer(int64_t value, uint8_t *_Nonnull out);

/// Prints `count` numbers separated by `, `, NaN and infinities as JSON strings (`"NaN"`).
///
/// `out` has `count * CNumbersRoom` bytes. The elements need no alignment.
///
/// - Returns: The number of bytes of the text.
size_t cnumbers_print_doubles(const double *_Nonnull values, size_t count, uint8_t *_Nonnull out);
size_t cnumbers_print_floats(const float *_Nonnull values, size_t count, uint8_t *_Nonnull out);
size_t cnumbers_print_int32s(const int32_t *_Nonnull values, size_t count, uint8_t *_Nonnull out);

#ifdef __cplusplus
}
#endif

#endif
