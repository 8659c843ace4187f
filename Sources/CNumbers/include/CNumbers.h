#ifndef CNUMBERS_H
#define CNUMBERS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a number's text holds.
typedef enum {
  /// An integer that fits 64 bits, without fraction or exponent.
  CNumbersInteger = 0,
  /// A double below 2^52, rounded correctly.
  CNumbersDouble = 1,
  /// Neither: no number, or one that needs a closer look (more than 64 bits, 2^52 and above, beyond a double).
  CNumbersOther = 2,
} CNumbersKind;

typedef struct {
  CNumbersKind kind;
  int64_t integer;
  double number;
  /// The byte behind the number; NULL for `CNumbersOther`.
  const uint8_t *_Nullable next;
} CNumbersResult;

/// Reads the JSON number (RFC 8259) at `text`, never beyond `end`.
///
/// `is_word` also takes numbers that begin with zeros or end with a point: cells of tables have them.
CNumbersResult cnumbers_read(const uint8_t *_Nonnull text, const uint8_t *_Nonnull end, int is_word);

/// How `cnumbers_read_list` stores an element, and what the element's text may be.
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

/// Reads exactly `count` numbers with commas between them, never beyond `end`. JSON whitespace may stand around each comma and before the
/// first number. The list's brackets are the caller's.
///
/// Each number is what `cnumbers_read` makes of its text. `elements` needs no alignment.
///
/// - Returns: The byte behind the last number (`text` if `count` is 0). NULL if there are fewer numbers, or if one is `CNumbersOther` or
///   not of the element's type; some of the elements have been written then.
const uint8_t *_Nullable cnumbers_read_list(const uint8_t *_Nonnull text, const uint8_t *_Nonnull end, int is_word,
                                            CNumbersStore store, size_t count, void *_Nonnull elements);

/// Where the numbers of a table's column go, as `store` says: that of row n to `first` + n * `stride`.
typedef struct {
  CNumbersStore store;
  void *_Nonnull first;
  size_t stride;
} CNumbersColumn;

/// Reads the cells of a table's record, each a number, with `separator` between, never beyond `end`. Nothing else may stand in a cell.
///
/// - Returns: The byte behind the last cell. NULL where there are fewer, or one is `CNumbersOther` or not of its element's type; some have
///   been written then.
const uint8_t *_Nullable cnumbers_read_cells(const uint8_t *_Nonnull text, const uint8_t *_Nonnull end, uint8_t separator,
                                             const CNumbersColumn *_Nonnull columns, size_t count, size_t row);

/// Some numbers of a list, all of them below 2^52.
typedef struct {
  size_t count;
  /// Whether one has a fraction or an exponent; the others are integers.
  int has_fraction;
  /// The byte behind the last of them; `text` if there is none.
  const uint8_t *_Nonnull next;
} CNumbersPart;

/// Reads numbers with commas between them until `most` are read, or until something else follows, never beyond `end`. JSON whitespace may
/// stand around each comma and before the first number.
///
/// Each number is what `cnumbers_read` makes of its text. An integer of 2^52 or more ends the part: a double could not tell it from its neighbours.
CNumbersPart cnumbers_read_part(const uint8_t *_Nonnull text, const uint8_t *_Nonnull end, int is_word, size_t most,
                                double *_Nonnull numbers);

/// The room in bytes that a printed number needs, its separator in a list included. The functions may write all of it, behind the text
/// as well.
enum { CNumbersRoom = 40 };

/// Prints the fewest digits that read back as the same value, and of those the closest: the text of `description` in Swift.
///
/// `out` has `CNumbersRoom` bytes. NaN and infinities are `NaN`, `Infinity` and `-Infinity`.
///
/// - Returns: How many bytes the text has; no zero follows it.
size_t cnumbers_print_double(double value, uint8_t *_Nonnull out);
size_t cnumbers_print_float(float value, uint8_t *_Nonnull out);
size_t cnumbers_print_integer(int64_t value, uint8_t *_Nonnull out);

/// Prints `count` numbers with `, ` between them, NaN and infinities as JSON strings (`"NaN"`).
///
/// `out` has `count * CNumbersRoom` bytes. The elements need no alignment.
///
/// - Returns: How many bytes the text has.
size_t cnumbers_print_doubles(const double *_Nonnull values, size_t count, uint8_t *_Nonnull out);
size_t cnumbers_print_floats(const float *_Nonnull values, size_t count, uint8_t *_Nonnull out);
size_t cnumbers_print_int32s(const int32_t *_Nonnull values, size_t count, uint8_t *_Nonnull out);

#ifdef __cplusplus
}
#endif

#endif
