import CoreMLBase
import CoreMLSpec
import Foundation

/// Assembles a variant's tree from downloaded objects, in a private folder.
public enum VariantAssembly {
  /// Returns the objects that a device needs, in the smallest encoding of each file.
  public static func objects(of variant: Variant) -> [ShippedFile.Encoding] {
    var seen: Set<String> = []
    return variant.files.compactMap(\.smallest).filter { seen.insert($0.object).inserted }
  }

  /// Decodes every file of a variant.
  ///
  /// - Parameters:
  ///   - folder: an existing, empty folder on the file system of the final location.
  ///   - object: returns the path of a downloaded object.
  /// - Throws: ``DeliveryError``, as ``PayloadCodec/decode(_:_:of:to:)`` does; files written before the error remain in
  ///   `folder`.
  public static func assemble(
    _ variant: Variant, in folder: URL, object: (ShippedFile.Encoding) throws -> URL
  ) throws {
    for file in variant.files { try unpack(file, in: folder, object: object) }
  }

  /// Creates a variant's tree from an older tree and a delta.
  ///
  /// - Throws: ``DeliveryError`` `deltaBase` if the delta does not fit the old tree; the caller must then fetch the
  ///   whole files.
  public static func assemble(
    _ variant: Variant, applying delta: TreeDelta, to base: URL, in folder: URL,
    object: (ShippedFile.Encoding) throws -> URL
  ) throws {
    let payload = folder.appending(path: ".\(String(UInt64.random(in: .min ... .max), radix: 36)).delta")
    defer { unlink(payload.path) }
    guard let encoding = delta.payload.smallest else {
      throw DeliveryError(.malformedManifest, "the release manifest has a delta without an object")
    }
    try PayloadCodec.decode(object(encoding), encoding, of: delta.payload, to: payload)
    try DeltaPayload.apply(payload, to: base, making: variant.files, in: folder)
  }

  /// Decodes one file into a folder.
  public static func unpack(
    _ file: ShippedFile, in folder: URL, object: (ShippedFile.Encoding) throws -> URL
  ) throws {
    guard let path = RelativePath(file.path), let encoding = file.smallest else {
      throw DeliveryError(.malformedManifest, "the release manifest has an impossible file '\(file.path.prefix(100))'")
    }
    let destination = URL(filePath: path.below(folder.path))
    try DeliveryDirectories.makeFolder(destination.deletingLastPathComponent())
    try PayloadCodec.decode(object(encoding), encoding, of: file, to: destination)
  }
}
