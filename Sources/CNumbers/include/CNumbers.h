#ifndef CNUMBERS_H
#define CNUMBERS_H

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

#ifdef __cplusplus
}
#endif

#endif
