import ArgumentParser

/// Names of commands as typed. For an unknown name the error suggests a similar one.
enum CommandNames {
  /// Throws if the first words of a command line, also after `help`, do not name a command.
  static func check(_ arguments: [String], of root: any ParsableCommand.Type) throws {
    var words = arguments[...]
    if words.first == "help" { words = words.dropFirst() }
    var command = root
    while let word = words.first, !word.hasPrefix("-"), !command.configuration.subcommands.isEmpty {
      let names = command.configuration.subcommands.map { ($0._commandName, $0) }
      guard let next = names.first(where: { $0.0 == word })?.1 else {
        // The parser's own commands.
        if word == "help" { return }
        let near = names.map(\.0).filter { distance($0, word) <= max(1, word.count / 3) }
          .min { distance($0, word) < distance($1, word) }
        let hint = near.map { "did you mean '\($0)'?" } ?? "expected one of \(names.map(\.0).joined(separator: ", "))"
        throw Failure(.usage, "there is no command '\(word)'; \(hint)")
      }
      (command, words) = (next, words.dropFirst())
    }
  }

  /// The edit distance: letters to insert, remove, replace or swap with their neighbors.
  static func distance(_ first: String, _ second: String) -> Int {
    let (a, b) = (Array(first), Array(second))
    var rows = [Array(0...b.count)]
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var least = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, rows[i - 1][j - 1] + 1) }
        row.append(least)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}
