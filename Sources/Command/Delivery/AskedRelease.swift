import ArgumentParser

/// A release for `channel update --release`: `3` applies to every model that is followed by name, `Digits=3` to one.
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

  /// The release number for each model. A release for one model overrides one for all models.
  ///
  /// - Parameter followed: The models that are followed by name; nil if all models of the channel are followed.
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
