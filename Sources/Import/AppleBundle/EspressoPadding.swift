import CoreMLSpec

/// The padding of a window. `pad_mode` 0 pads by explicit amounts, 1 and 4 keep the size, 2 does not pad.
struct WindowPadding {
  let isSame: Bool
  /// Whether an odd amount pads more at the top and left (`pad_mode` 4) than at the bottom and right.
  let isTopLeftHeavy: Bool
  /// The amounts at the top, bottom, left and right.
  let amounts: [Int]

  init(_ fields: inout EspressoFields) throws {
    let mode = try fields.size("pad_mode", default: 0, in: 0...4)
    guard mode != 3 else { throw fields.error("'pad_mode' is 3, which is not known") }
    try fields.require("pad_value", 0)
    try fields.require("pad_fill_mode", 0)
    let amounts = try ["pad_t", "pad_b", "pad_l", "pad_r"].map { try fields.size($0, default: 0, in: 0...(1 << 24)) }
    guard mode == 0 || amounts.allSatisfy({ $0 == 0 }) else {
      throw fields.error("'pad_mode' is \(mode) and there are amounts of padding \(amounts)")
    }
    (isSame, isTopLeftHeavy) = (mode == 1 || mode == 4, mode == 4)
    self.amounts = amounts
  }

  func write(valid: Int, same: Int, to writer: inout WireWriter) {
    guard !isSame else {
      writer.append(same) { if isTopLeftHeavy { $0.append(1, uint: 1) } }
      return
    }
    writer.append(valid) { writer in
      writer.append(1) { EspressoBorders.write(amounts, to: &$0) }
    }
  }
}

enum EspressoBorders {
  /// Writes the fields of `BorderAmounts` from the amounts at the top, bottom, left and right.
  static func write(_ amounts: [Int], to writer: inout WireWriter) {
    for (start, end) in [(amounts[0], amounts[1]), (amounts[2], amounts[3])] {
      writer.append(10) { writer in
        writer.append(1, uint: UInt64(start))
        writer.append(2, uint: UInt64(end))
      }
    }
  }
}
