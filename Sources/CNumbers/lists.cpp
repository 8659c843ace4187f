#include "CNumbers.h"
#include "plain.h"

#include <cstring>

namespace {

/// The conversions of `CNumbersStore`. They return false for a number that is not of the element's type.
struct StoreDouble {
  using Element = double;
  static bool convert(int64_t integer, Element &element) { return convert(static_cast<double>(integer), element); }
  static bool convert(double number, Element &element) {
    element = number;
    return true;
  }
};

template <typename Type>
struct StoreFloat {
  using Element = Type;
  static bool convert(int64_t integer, Element &element) { return convert(static_cast<double>(integer), element); }
  static bool convert(double number, Element &element) {
    element = static_cast<float>(number);
    return true;
  }
};

template <typename Type>
struct StoreInt32 {
  using Element = Type;
  static bool convert(int64_t integer, Element &element) { return convert(static_cast<double>(integer), element); }
  static bool convert(double number, Element &element) {
    // Outside these bounds the cast below is undefined.
    if (!(number >= INT32_MIN && number <= INT32_MAX)) return false;
    const auto integer = static_cast<int32_t>(number);
    element = integer;
    return integer == number;
  }
};

template <typename Type>
struct StoreInt64 {
  using Element = Type;
  static bool convert(int64_t integer, Element &element) {
    element = static_cast<Element>(integer);
    return true;
  }
  static bool convert(double, Element &) { return false; }
};

const uint8_t *skip(const uint8_t *text, const uint8_t *end) {
  while (text < end && (*text == ' ' || *text == '\t' || *text == '\n' || *text == '\r')) ++text;
  return text;
}

CNumbersResult read_one(const uint8_t *text, const uint8_t *end, bool is_word) {
  if (end - text >= cnumbers::plain_room) {
    const CNumbersResult result = cnumbers::read_plain(text);
    if (result.next != nullptr) return result;
  }
  return cnumbers_read(text, end, is_word);
}

/// Stores a number as an element. Returns false if it is not of the element's type.
template <typename Store>
bool store(const CNumbersResult &result, void *target) {
  typename Store::Element element;
  const bool is_stored = result.kind == CNumbersInteger ? Store::convert(result.integer, element)
                                                        : Store::convert(result.number, element);
  if (is_stored) std::memcpy(target, &element, sizeof element);
  return is_stored;
}

template <typename Store>
const uint8_t *read_list(const uint8_t *text, const uint8_t *end, bool is_word, size_t count, void *elements) {
  auto *out = static_cast<uint8_t *>(elements);
  for (size_t index = 0; index < count; ++index) {
    if (index > 0) {
      text = skip(text, end);
      if (text == end || *text != ',') return nullptr;
      ++text;
    }
    text = skip(text, end);
    const CNumbersResult result = read_one(text, end, is_word);
    if (result.next == nullptr) return nullptr;
    if (!store<Store>(result, out)) return nullptr;
    out += sizeof(typename Store::Element);
    text = result.next;
  }
  return text;
}

bool store(CNumbersStore kind, const CNumbersResult &result, void *target) {
  switch (kind) {
    case CNumbersStoreDouble: return store<StoreDouble>(result, target);
    case CNumbersStoreFloat: return store<StoreFloat<float>>(result, target);
    case CNumbersStoreFloatAsDouble: return store<StoreFloat<double>>(result, target);
    case CNumbersStoreInt32: return store<StoreInt32<int32_t>>(result, target);
    case CNumbersStoreInt32AsDouble: return store<StoreInt32<double>>(result, target);
    case CNumbersStoreInt64: return store<StoreInt64<int64_t>>(result, target);
    case CNumbersStoreInt64AsDouble: return store<StoreInt64<double>>(result, target);
  }
  return false;
}

}  // namespace

const uint8_t *cnumbers_read_cells(const uint8_t *text, const uint8_t *end, uint8_t separator,
                                   const CNumbersColumn *columns, size_t count, size_t row) {
  for (size_t index = 0; index < count; ++index) {
    if (index > 0) {
      if (text == end || *text != separator) return nullptr;
      ++text;
    }
    const CNumbersResult result = read_one(text, end, true);
    auto *target = static_cast<uint8_t *>(columns[index].first) + row * columns[index].stride;
    if (result.next == nullptr || !store(columns[index].store, result, target)) return nullptr;
    text = result.next;
  }
  return text;
}

const uint8_t *cnumbers_read_list(const uint8_t *text, const uint8_t *end, int is_word, CNumbersStore store,
                                  size_t count, void *elements) {
  const bool word = is_word != 0;
  switch (store) {
    case CNumbersStoreDouble: return read_list<StoreDouble>(text, end, word, count, elements);
    case CNumbersStoreFloat: return read_list<StoreFloat<float>>(text, end, word, count, elements);
    case CNumbersStoreFloatAsDouble: return read_list<StoreFloat<double>>(text, end, word, count, elements);
    case CNumbersStoreInt32: return read_list<StoreInt32<int32_t>>(text, end, word, count, elements);
    case CNumbersStoreInt32AsDouble: return read_list<StoreInt32<double>>(text, end, word, count, elements);
    case CNumbersStoreInt64: return read_list<StoreInt64<int64_t>>(text, end, word, count, elements);
    case CNumbersStoreInt64AsDouble: return read_list<StoreInt64<double>>(text, end, word, count, elements);
  }
  return nullptr;
}

CNumbersPart cnumbers_read_part(const uint8_t *text, const uint8_t *end, int is_word, size_t most, double *numbers) {
  constexpr int64_t small = int64_t{1} << 52;
  CNumbersPart part = {0, 0, text};
  while (part.count < most) {
    if (part.count > 0) {
      text = skip(text, end);
      if (text == end || *text != ',') break;
      ++text;
    }
    const CNumbersResult result = read_one(skip(text, end), end, is_word != 0);
    if (result.next == nullptr) break;
    if (result.kind == CNumbersInteger) {
      if (result.integer <= -small || result.integer >= small) break;
      numbers[part.count] = static_cast<double>(result.integer);
    } else {
      numbers[part.count] = result.number;
      part.has_fraction = 1;
    }
    ++part.count;
    part.next = text = result.next;
  }
  return part;
}
