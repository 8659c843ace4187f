import Foundation

// Encoding and decoding of the values that descriptions contain. Decoding returns nil if the value is missing or has
// another type.
extension NSCoder {
  /// Decodes an object of a class. Returns nil if the key is missing, which an unarchiver would report as corruption.
  func object<Object: NSObject & NSCoding>(of type: Object.Type, forKey key: String) -> Object? {
    containsValue(forKey: key) ? decodeObject(of: type, forKey: key) : nil
  }

  /// Decodes an object of one of several classes; nil if the key is missing.
  func object(of types: [AnyClass], forKey key: String) -> Any? {
    containsValue(forKey: key) ? decodeObject(of: types, forKey: key) : nil
  }

  func encode(numbers: [NSNumber], forKey key: String) { encode(numbers as NSArray, forKey: key) }

  func numbers(forKey key: String) -> [NSNumber]? {
    object(of: [NSArray.self, NSNumber.self], forKey: key) as? [NSNumber]
  }

  func encode(integers: [Int], forKey key: String) {
    encode(numbers: integers.map { NSNumber(value: $0) }, forKey: key)
  }

  /// - Returns: nil also if a number is not an integer.
  func integers(forKey key: String) -> [Int]? {
    guard let numbers = numbers(forKey: key) else { return nil }
    let integers = numbers.compactMap { Int(exactly: $0) }
    return integers.count == numbers.count ? integers : nil
  }

  func encode(shapes: [[NSNumber]], forKey key: String) { encode(shapes.map { $0 as NSArray } as NSArray, forKey: key) }

  func shapes(forKey key: String) -> [[NSNumber]]? {
    object(of: [NSArray.self, NSNumber.self], forKey: key) as? [[NSNumber]]
  }

  func encode(ranges: [NSRange], forKey key: String) {
    encode(integers: ranges.flatMap { [$0.location, $0.length] }, forKey: key)
  }

  /// - Returns: nil also if a range starts below 0 or if its end overflows `Int`.
  func ranges(forKey key: String) -> [NSRange]? {
    guard let bounds = integers(forKey: key), bounds.count % 2 == 0 else { return nil }
    var ranges: [NSRange] = []
    for place in stride(from: 0, to: bounds.count, by: 2) {
      let (location, length) = (bounds[place], bounds[place + 1])
      guard location >= 0, length >= 0, !location.addingReportingOverflow(length).overflow else { return nil }
      ranges.append(NSRange(location: location, length: length))
    }
    return ranges
  }

  func encode(text: String?, forKey key: String) { encode(text.map { $0 as NSString }, forKey: key) }

  func text(forKey key: String) -> String? { object(of: NSString.self, forKey: key).map { "\($0)" } }

  func texts(forKey key: String) -> [String]? {
    object(of: [NSArray.self, NSString.self], forKey: key) as? [String]
  }

  /// Decodes a dictionary of strings, which is encoded as a list of keys and a list of values.
  func pairs(_ keys: String, _ values: String) -> [String: String]? {
    guard let keys = texts(forKey: keys), let values = texts(forKey: values), keys.count == values.count else {
      return nil
    }
    return Dictionary(zip(keys, values)) { first, _ in first }
  }

  func objects<Object: NSObject & NSCoding>(of type: Object.Type, forKey key: String) -> [Object]? {
    object(of: [NSArray.self, type], forKey: key) as? [Object]
  }

  /// Decodes an enumeration case from its raw value.
  func choice<Choice: RawRepresentable<Int>>(_ type: Choice.Type = Choice.self, forKey key: String) -> Choice? {
    containsValue(forKey: key) ? Choice(rawValue: decodeInteger(forKey: key)) : nil
  }
}
