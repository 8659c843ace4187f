import ArgumentParser

/// How tables are read.
struct TableOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The columns of a .csv or .tsv to read, separated by commas; COLUMN=FEATURE if a feature has another name. All by default.",
      valueName: "names"))
  var columns: String?

  @Option(
    help: ArgumentHelp(
      "Columns of a .csv or .tsv to copy to each row of a batch's output, separated by commas; they need not be features.",
      valueName: "names"))
  var keepColumns: String?

  func validate() throws {
    _ = try list()
    _ = try kept()
  }

  /// Titles of columns that results repeat.
  func kept() throws -> [String] {
    guard let text = keepColumns else { return [] }
    let titles = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard titles.allSatisfy({ !$0.isEmpty }), Set(titles).count == titles.count else {
      throw ValidationError("--keep-columns is '\(text)', expected names with commas between, each once")
    }
    return titles
  }

  /// Nil for all columns.
  func list() throws -> [Column]? {
    try columns.map { text in
      let columns = try text.split(separator: ",", omittingEmptySubsequences: false).map { word in
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.allSatisfy({ !$0.isEmpty }), let title = parts.first, let feature = parts.last else {
          throw ValidationError("--columns is '\(text)', expected names with commas between, COLUMN or COLUMN=FEATURE")
        }
        return Column(title: title, feature: feature)
      }
      guard Set(columns.map(\.feature)).count == columns.count, Set(columns.map(\.title)).count == columns.count else {
        throw ValidationError("--columns is '\(text)', in which a name stands twice")
      }
      return columns
    }
  }
}

/// A column of a table and its feature.
struct Column: Sendable {
  let title: String
  let feature: String
}
