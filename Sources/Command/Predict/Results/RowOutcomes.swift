/// Outcomes of rows in order, as runs of equal outcomes. The text form is for example `510d1f1d`.
struct RowOutcomes {
  private var runs: [(count: Int, outcome: RunRecord.Outcome)] = []
  private(set) var count = 0

  init() {}

  init(_ outcome: RunRecord.Outcome) { append(outcome) }

  /// Nil for a text of another format.
  init?(_ text: String) {
    var number = 0
    for character in text {
      if let digit = character.wholeNumberValue, character.isASCII {
        number = number * 10 + digit
        guard number <= Self.most else { return nil }
      } else {
        guard let outcome = RunRecord.Outcome(rawValue: character), number > 0 else { return nil }
        runs.append((number, outcome))
        count += number
        guard count <= Self.most else { return nil }
        number = 0
      }
    }
    guard number == 0, count > 0 else { return nil }
  }

  /// More rows than one block holds.
  private static let most = 1 << 20

  var text: String { runs.map { "\($0.count)\($0.outcome.rawValue)" }.joined() }
  var first: RunRecord.Outcome? { runs.first?.outcome }

  mutating func append(_ outcome: RunRecord.Outcome, count more: Int = 1) {
    count += more
    if runs.last?.outcome == outcome {
      runs[runs.count - 1].count += more
    } else {
      runs.append((more, outcome))
    }
  }

  /// The number of rows with another outcome.
  func count(without outcome: RunRecord.Outcome) -> Int {
    runs.reduce(0) { $0 + ($1.outcome == outcome ? 0 : $1.count) }
  }

  func count(of outcome: RunRecord.Outcome) -> Int { count - count(without: outcome) }

  subscript(_ row: Int) -> RunRecord.Outcome? {
    var left = row
    for run in runs {
      if left < run.count { return run.outcome }
      left -= run.count
    }
    return nil
  }
}
