import CoreMLBase
import CoreMLSpec
import Foundation

/// Makes a variant's tree of the objects that were fetched, in a private folder.
public enum VariantAssembly {
  /// The objects that a device needs, smallest form each.
  public static func objects(of variant: Variant) -> [ShippedFile.Encoding] {
    var seen: Set<String> = []
    return variant.files.compactMap(\.smallest).filter { seen.insert($0.object).inserted }
  }

  /// Unpacks every file of a variant.
  ///
  /// - Parameters:
  ///   - folder: must be there, empty and on the file system where the tree will stand.
  ///   - object: the file of a fetched object.
  /// - Throws: ``DeliveryError``, as ``PayloadCodec/decode(_:_:of:to:)``; what was written stays in `folder`.
  public static func assemble(
    _ variant: Variant, in folder: URL, object: (ShippedFile.Encoding) throws -> URL
  ) throws {
    for file in variant.files { try unpack(file, in: folder, object: object) }
  }

  /// Makes a variant's tree of an older one.
  ///
  /// - Throws: ``DeliveryError`` `deltaBase` when the old tree is not what the delta needs: fetch the whole then.
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

  /// Unpacks one file below a folder.
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
