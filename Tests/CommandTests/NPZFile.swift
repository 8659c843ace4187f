import FeatureFiles

/// The numbers of an `.npz`, by name.
enum NPZFile {
  static func read(_ path: String) throws -> [String: [Double]] { try NPZ.read(path).mapValues(\.doubles) }
}
