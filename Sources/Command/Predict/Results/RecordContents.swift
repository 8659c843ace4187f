import Foundation

/// What a run record contains.
struct RecordContents {
  /// Nil if no run has begun.
  private(set) var beginning: RunRecord.Beginning?
  private(set) var entries: [RunRecord.Entry] = []
  private(set) var isFinished = false
  /// Byte offsets: the end of the first line, of the first entry, and so on.
  private(set) var ends: [Int] = []
  /// The number of the first complete line that cannot be read.
  private(set) var damagedLine: Int?
  /// The number of bytes in complete lines. A process that ended while it wrote leaves an incomplete line after them.
  private(set) var size = 0

  init(_ data: Data) {
    guard let last = data.lastIndex(of: 0x0A) else { return }
    size = last + 1
    for (number, line) in data[..<last].split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      if number == 0, let beginning = try? JSONDecoder().decode(RunRecord.Beginning.self, from: line) {
        self.beginning = beginning
      } else if number > 0, line.elementsEqual("finished".utf8) {
        isFinished = true
        continue
      } else if number > 0, let entry = Self.entry(line) {
        entries.append(entry)
      } else {
        damagedLine = damagedLine ?? number + 1
        continue
      }
      ends.append(line.endIndex + 1)
    }
  }

  private static func entry(_ line: Data) -> RunRecord.Entry? {
    let words = String(decoding: line, as: UTF8.self).split(separator: " ", maxSplits: 3).map(String.init)
    guard words.count == 4, Fingerprint.isText(words[0]), let outcomes = RowOutcomes(words[1]),
      let name = try? JSONDecoder().decode(String.self, from: Data(words[3].utf8))
    else { return nil }
    return RunRecord.Entry(fingerprint: words[0], outcomes: outcomes, result: words[2], name: name)
  }
}
