import Foundation

/// A progress line as text: for a terminal of some width, or for a log.
struct ProgressLine {
  enum Unit { case count, bytes, milliseconds }

  let label: String
  /// Nil if the amount of work is unknown.
  let total: Int?
  var unit = Unit.count
  /// What was done before this process began: it counts in the total, but not in the rate.
  var before = 0
  var done = 0
  var seconds = 0.0
  /// The end of the line.
  var remark = ""

  /// Text of at most `width` columns. The least important parts are dropped first, then the label is cut.
  func text(width: Int) -> String {
    let times = [rate, left].filter { !$0.isEmpty }
    let poorer = [
      [bar(24), amount] + times + [remark], [bar(24), amount] + times, [bar(12), amount] + times, [amount] + times,
      [amount, left], [amount],
    ]
    for words in poorer {
      let text = ([label] + words).filter { !$0.isEmpty }.joined(separator: "  ")
      if Self.columns(text) <= width { return text }
    }
    let room = width - Self.columns(amount) - 2
    return room >= 4 ? "\(Self.cut(label, room))  \(amount)" : Self.cut(amount, max(width, 0))
  }

  /// The same as a sentence.
  var sentence: String {
    ["\(label): \(amount)", rate, left, remark].filter { !$0.isEmpty }.joined(separator: ", ")
  }

  private var amount: String {
    switch (unit, total) {
    case (.count, let total?): return "\(done)/\(total)"
    case (.bytes, let total?): return "\(Console.bytes(done)) of \(Console.bytes(total))"
    case (.count, nil): return done > 0 ? "\(done)" : "\(Int(seconds)) s"
    case (.bytes, nil): return Console.bytes(done)
    case (.milliseconds, let total?): return String(format: "%.1f of %.1f s", Double(done) / 1e3, Double(total) / 1e3)
    case (.milliseconds, nil): return String(format: "%.1f s", Double(done) / 1e3)
    }
  }

  private func bar(_ width: Int) -> String {
    guard let total, total > 0 else { return "" }
    let filled = min(Int(Double(width) * Double(done) / Double(total)), width)
    return "[\(String(repeating: "#", count: filled))\(String(repeating: ".", count: width - filled))]"
  }

  private var rate: String {
    guard done > before, seconds > 1, unit != .milliseconds else { return "" }
    let rate = Double(done - before) / seconds
    return unit == .bytes ? "\(Console.bytes(Int(rate)))/s" : String(format: "%.1f/s", rate)
  }

  private var left: String {
    guard let total, total > done, done > before, seconds > 1 else { return "" }
    let left = Int(min(seconds / Double(done - before) * Double(total - done), 1e9))
    return left >= 3600
      ? String(format: "%d:%02d:%02d left", left / 3600, left / 60 % 60, left % 60)
      : String(format: "%d:%02d left", left / 60, left % 60)
  }

  // MARK: columns

  /// The terminal columns of a text: two for most East Asian characters and emoji, none for combining marks.
  static func columns(_ text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + columns($1) } }

  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
    0xFE30...0xFE6F,
    0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
  ]

  private static func columns(_ scalar: UnicodeScalar) -> Int {
    if scalar.value < 0x300 { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: return wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }
  }

  /// The beginning of a text, with dots if it is cut.
  private static func cut(_ text: String, _ width: Int) -> String {
    guard columns(text) > width else { return text }
    let dots = min(3, width)
    var result = ""
    var used = dots
    for character in text {
      used += columns(String(character))
      if used > width { break }
      result.append(character)
    }
    return result + String(repeating: ".", count: dots)
  }
}
