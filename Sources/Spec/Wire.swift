import CoreMLBase

/// One decoded field, or the error in it. All readers of messages are built on it.
///
/// Groups are refused, since no Core ML message has one. As in protobuf, a varint may have more bytes than necessary,
/// up to ten. A varint that overflows 64 bits is refused.
struct WireStep {
  enum Kind: UInt8 {
    case varint, fixed64, range, fixed32
    case varintEnds, varintOverflows, lengthEnds, fixedEnds, badNumber, badWireType, group
  }

  private(set) var kind = Kind.varint
  private(set) var number: UInt64 = 0
  /// The value. For a range, its start in the message.
  private(set) var value: UInt64 = 0
  /// The end of the field in the message.
  private(set) var end = 0

  /// Decodes the field at `start`, which must be less than `count`.
  @inline(__always)
  init(_ base: UnsafeRawPointer, _ count: Int, at start: Int) {
    end = start
    guard let tag = varint(base, count) else { return }
    number = tag >> 3
    guard number >= 1, number <= 536_870_911 else {
      kind = .badNumber
      return
    }
    switch tag & 7 {
    case 0: value = varint(base, count) ?? 0
    case 1: fixed(base, count, UInt64.self, .fixed64)
    case 2:
      guard let length = varint(base, count) else { return }
      guard length <= UInt64(count - end) else {
        (kind, value) = (.lengthEnds, length)
        return
      }
      (kind, value) = (.range, UInt64(end))
      end += Int(length)
    case 3, 4: kind = .group
    case 5: fixed(base, count, UInt32.self, .fixed32)
    default: (kind, value) = (.badWireType, tag & 7)
    }
  }

  /// Decodes the varint at `end` and advances past it. If it is damaged, sets `kind`.
  @inline(__always)
  private mutating func varint(_ base: UnsafeRawPointer, _ count: Int) -> UInt64? {
    if end < count {
      let byte = base.load(fromByteOffset: end, as: UInt8.self)
      if byte < 0x80 {
        end += 1
        return UInt64(byte)
      }
    }
    var position = end
    guard let value = Self.longVarint(base, count, &position) else {
      kind = position == count ? .varintEnds : .varintOverflows
      return nil
    }
    end = position
    return value
  }

  /// Decodes the varint at `position` and advances past it. Returns nil if it exceeds the message (then `position` is
  /// `count`) or overflows.
  static func longVarint(_ base: UnsafeRawPointer, _ count: Int, _ position: inout Int) -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    let start = position
    while position < count {
      let byte = UInt64(base.load(fromByteOffset: position, as: UInt8.self))
      if shift > 63 || shift == 63 && byte > 1 {
        position = start
        return nil
      }
      value |= (byte & 0x7f) << shift
      position += 1
      if byte < 0x80 { return value }
      shift += 7
    }
    return nil
  }

  @inline(__always)
  private mutating func fixed<T: FixedWidthInteger & BitwiseCopyable>(
    _ base: UnsafeRawPointer, _ count: Int, _ type: T.Type, _ kind: Kind
  ) {
    let size = MemoryLayout<T>.size
    guard count - end >= size else {
      (self.kind, value) = (.fixedEnds, UInt64(size))
      return
    }
    self.kind = kind
    value = UInt64(T(littleEndian: base.loadUnaligned(fromByteOffset: end, as: T.self)))
    end += size
  }

  /// The error of a field that starts at `start`; nil if the field is valid.
  func error(in bytes: Bytes, at start: Int) -> SpecError? {
    let left = bytes.count - end
    switch kind {
    case .varint, .fixed64, .range, .fixed32: return nil
    case .varintEnds: return bytes.damaged(.truncated, "a varint ends after its message", at: start)
    case .varintOverflows: return bytes.damaged(.malformedVarint, "a varint overflows 64 bits", at: start)
    case .lengthEnds:
      return bytes.damaged(
        .truncated, "field \(number) states \(value) bytes and its message has \(left) left", at: start)
    case .fixedEnds:
      return bytes.damaged(
        .truncated, "field \(number) takes \(value) bytes and its message has \(left) left", at: start)
    case .badNumber:
      return bytes.damaged(.malformedTag, "field number \(number) is not within 1...536870911", at: start)
    case .badWireType:
      return bytes.damaged(.malformedTag, "field \(number) has wire type \(value), which does not exist", at: start)
    case .group:
      return bytes.damaged(.group, "field \(number) is a group, which no Core ML message has", at: start)
    }
  }
}

extension Bytes {
  /// An error with the position in the file.
  func damaged(_ code: SpecError.Code, _ sentence: String, at position: Int) -> SpecError {
    error(code, "damaged at byte \(offset + position): \(sentence)")
  }
}
