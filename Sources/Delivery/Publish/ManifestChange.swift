import Foundation

/// A difference between two manifests of a channel, for display to the publisher.
public struct ManifestChange: Sendable, Equatable, Codable {
  /// The model that changed; nil for a change of the whole channel.
  public let model: String?
  /// The number of the release that changed; nil for a change of the model or channel.
  public let release: Int?
  /// The name of the changed property, such as `state` or `percentage`.
  public let what: String
  /// The previous value; nil if there was none.
  public let before: String?
  /// The new value; nil if it was removed.
  public let after: String?

  /// A description of the change, without a full stop.
  public var sentence: String {
    let place = [model, release.map { "release \($0)" }].compactMap { $0 }.joined(separator: ", ")
    let head = place.isEmpty ? what : "\(place): \(what)"
    switch (before, after) {
    case (let before?, let after?): return "\(head) \(before) -> \(after)"
    case (nil, let after?): return "\(head) + \(after)"
    case (let before?, nil): return "\(head) - \(before)"
    case (nil, nil): return head
    }
  }
}

extension ReleaseManifest {
  /// Returns the differences from an older manifest, except in versions and times. If `old` is nil, all content is new.
  public func changes(since old: ReleaseManifest?) -> [ManifestChange] {
    var changes: [ManifestChange] = []
    func note(_ what: String, _ before: String?, _ after: String?, _ model: String? = nil, _ release: Int? = nil) {
      guard before != after else { return }
      changes.append(ManifestChange(model: model, release: release, what: what, before: before, after: after))
    }
    note("kill switch", old?.killSwitch?.reason, killSwitch?.reason)
    for name in Set(collections.keys).union(old?.collections.keys ?? [:].keys).sorted() {
      note(
        "collection \(name)", old?.collections[name]?.joined(separator: ", "),
        collections[name]?.joined(separator: ", "))
    }
    for tree in Set(blocked.keys).union(old?.blocked.keys ?? [:].keys).sorted() {
      note("blocked \(tree.prefix(16))", old?.blocked[tree], blocked[tree])
    }
    for name in Set(models.keys).union(old?.models.keys ?? [:].keys).sorted() {
      let (before, after) = (old?.models[name], models[name])
      note("model", before.map { _ in name }, after.map { _ in name })
      note("kill switch", before?.killSwitch?.reason, after?.killSwitch?.reason, name)
      note("forced", before?.forced.map(String.init), after?.forced.map(String.init), name)
      note("experiment", before?.experiment?.summary, after?.experiment?.summary, name)
      let releases = [before, after].map { record in
        Dictionary((record?.releases ?? []).map { ($0.number, $0) }) { $1 }
      }
      for number in Set(releases[0].keys).union(releases[1].keys).sorted() {
        switch (releases[0][number], releases[1][number]) {
        case (let before?, let after?):
          for (was, becomes) in zip(before.properties, after.properties) {
            note(becomes.0, was.1, becomes.1, name, number)
          }
        case (nil, let after?): note("release", nil, after.summary, name, number)
        case (let before?, nil): note("release", before.summary, nil, name, number)
        case (nil, nil): break
        }
      }
    }
    return changes
  }
}

extension Experiment {
  fileprivate var summary: String {
    id + ": " + arms.map { "\($0.role.rawValue) \($0.release) at \($0.weight)" }.joined(separator: ", ")
  }
}

extension Requirements {
  fileprivate var text: String { (try? DocumentJSON.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "" }
}

extension Release {
  fileprivate var summary: String { "\(version), \(state.rawValue) at \(rollout.percentage) %" }

  /// The properties of a release that can change, by name.
  fileprivate var properties: [(String, String?)] {
    [
      ("version", version), ("state", state.rawValue), ("percentage", "\(rollout.percentage)"), ("rollout", rollout.id),
      ("phases", rollout.phases.map { "\($0.percentages) every \($0.interval) s from \($0.start)" }),
      ("critical", critical ? "critical" : nil), ("notes", notes),
      ("variants", variants.map { "\($0.name) \($0.tree.prefix(16))" }.joined(separator: ", ")),
      ("requirements", variants.map { "\($0.name) \($0.requirements.text)" }.joined(separator: ", ")),
      ("golden inputs", "\(variants.map(\.golden.count).reduce(0, +))"),
      ("deltas", "\(variants.map(\.deltas.count).reduce(0, +))"),
    ]
  }
}
