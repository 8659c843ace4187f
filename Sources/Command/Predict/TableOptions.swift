import ArgumentParser

/// How tables are read.
struct TableOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Of a .csv, the columns to read, with commas between; COLUMN=FEATURE where a feature has another name. All by default.",
      valueName: "names"))
  var columns: String?

  func validate() throws { _ = try list() }

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

/// A column of a table and the feature that it is of.
struct Column: Sendable {
  let title: String
  let feature: String
}
