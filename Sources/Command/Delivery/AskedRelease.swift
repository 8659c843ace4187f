import ArgumentParser

/// A release that `channel update --release` asks for: `3` of every model that is followed by name, or `Digits=3` of one.
struct AskedRelease: ExpressibleByArgument {
  /// Nil: every model that is followed by name.
  let model: String?
  let number: Int

  init?(argument: String) {
    let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
    guard let last = parts.last, let number = Int(last), parts.count == 1 || argument.utf8.first != UInt8(ascii: "=")
    else { return nil }
    model = parts.count == 1 ? nil : parts.dropLast().joined(separator: "=")
    self.number = number
  }

  /// The number for each model. What is asked of one model stands above what is asked of all.
  ///
  /// - Parameter followed: the models that are followed by name; nil where all of the channel are.
  static func byModel(_ asked: [AskedRelease], followed: Set<String>?) throws -> [String: Int] {
    var numbers: [String: Int] = [:]
    for release in asked where release.model == nil {
      guard let followed else {
        throw Failure(
          .usage,
          "--release \(release.number): all models of the channel are followed; expected MODEL=\(release.number)")
      }
      for name in followed { numbers[name] = release.number }
    }
    for release in asked {
      if let model = release.model { numbers[model] = release.number }
    }
    return numbers
  }
}
