import FeatureFiles

/// The values of an `.npz` file by name.
enum NPZFile {
  static func read(_ path: String) throws -> [String: [Double]] { try NPZ.read(path).mapValues(\.doubles) }
}
