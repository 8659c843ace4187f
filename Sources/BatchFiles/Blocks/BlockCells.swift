import CNumbers
import CoreMLRuntime
import Foundation

/// Parses values in files directly into elements of a block's inputs, without creating strings or features.
///
/// Each function returns the position after the parsed value, or nil for an unusual value. The row is then predicted
/// separately.
struct BlockCells {
  let text: UnsafePointer<UInt8>
  let end: UnsafePointer<UInt8>

  init?(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
    (text, end) = (base, base + bytes.count)
  }

  typealias Place = UnsafePointer<UInt8>

  func skip(_ place: Place) -> Place {
    var place = place
    while place < end, place.pointee == 0x20 || place.pointee == 0x09 || place.pointee == 0x0A || place.pointee == 0x0D
    {
      place += 1
    }
    return place
  }

  func take(_ byte: UInt8, _ place: Place) -> Place? {
    let place = skip(place)
    return place < end && place.pointee == byte ? place + 1 : nil
  }

  /// Parses a number into an element of an input.
  ///
  /// - Parameter isWord: Whether the number is a cell of a table (`cnumbers_read`).
  @inline(__always)
  func number(
    _ place: Place, isWord: Bool, _ input: BlockInput, at element: Int, _ row: UnsafeMutableRawPointer
  ) -> Place? {
    let result = cnumbers_read(place, end, isWord ? 1 : 0)
    guard let next = result.next else { return nil }
    let isStored =
      result.kind == CNumbersInteger
      ? input.store(result.integer, at: element, row) : input.store(result.number, at: element, row)
    return isStored ? next : nil
  }

  /// Parses nested lists of exactly the input's shape, or a number for an array with one element.
  func array(
    _ place: Place, isWord: Bool, _ input: BlockInput, axis: Int = 0, first: Int = 0, _ row: UnsafeMutableRawPointer
  ) -> Place? {
    let start = skip(place)
    guard axis < input.shape.count, input.shape != [1] || start < end && start.pointee == 0x5B else {
      return number(start, isWord: isWord, input, at: first, row)
    }
    guard var place = take(0x5B, place) else { return nil }
    let size = input.shape[axis]
    if axis == input.shape.count - 1 {
      guard size > 0, let list = input.storing.list,
        let next = cnumbers_read_list(place, end, isWord ? 1 : 0, list.store, size, row + first * list.size)
      else { return nil }
      return take(0x5D, next)
    }
    let step = input.shape[(axis + 1)...].reduce(1, *)
    for item in 0..<size {
      if item > 0 {
        guard let next = take(0x2C, place) else { return nil }
        place = next
      }
      guard let next = array(place, isWord: isWord, input, axis: axis + 1, first: first + item * step, row) else {
        return nil
      }
      place = next
    }
    return size > 0 ? take(0x5D, place) : nil
  }

  /// Parses a JSON string without escapes. Returns its bytes and the position after it.
  func string(_ place: Place) -> (text: UnsafeRawBufferPointer, next: Place)? {
    let place = skip(place)
    guard place < end, place.pointee == 0x22 else { return nil }
    var last = place + 1
    while last < end, last.pointee != 0x22 {
      guard last.pointee != 0x5C, last.pointee >= 0x20 else { return nil }
      last += 1
    }
    guard last < end else { return nil }
    return (UnsafeRawBufferPointer(start: place + 1, count: last - place - 1), last + 1)
  }
}

extension BlockInput.Storing {
  /// The function that the list parser uses to store elements, and the element size in bytes; nil for categories.
  var list: (store: CNumbersStore, size: Int)? {
    switch self {
    case .double: (CNumbersStoreDouble, 8)
    case .single: (CNumbersStoreFloat, 4)
    case .singleToDouble: (CNumbersStoreFloatAsDouble, 8)
    case .int32: (CNumbersStoreInt32, 4)
    case .int32ToDouble: (CNumbersStoreInt32AsDouble, 8)
    case .int64: (CNumbersStoreInt64, 8)
    case .int64ToDouble: (CNumbersStoreInt64AsDouble, 8)
    case .none: nil
    }
  }
}
