import Foundation

/// The records of models trained on this device, one file per name.
struct PersonalRecords: Sendable {
  let folder: URL

  func file(of name: String) -> URL { folder.appending(path: "\(name).json") }

  /// - Throws: ``DeliveryError`` `damagedRecord`, `unreadable`, `noSuchModel`.
  func record(of name: String) throws -> PersonalRecord? {
    guard InstalledModels.isName(name) else {
      throw DeliveryError(.noSuchModel, "'\(name)' cannot be the name of an installed model")
    }
    let file = self.file(of: name)
    guard let record = try DurableFile.read(formatted: PersonalRecord.self, at: file) else { return nil }
    guard record.models.allSatisfy({ TreeDigest.isDigest($0.tree) && TreeDigest.isDigest($0.base) }) else {
      throw DeliveryError(.damagedRecord, "the record is not of the expected form", file: file.path)
    }
    return record
  }

  /// Returns all records, by name.
  func all() throws -> [String: PersonalRecord] {
    var records: [String: PersonalRecord] = [:]
    for file in try StoreObjects.names(in: folder) where file.hasSuffix(".json") && !file.hasPrefix(".") {
      let name = String(file.dropLast(5))
      // A record removed meanwhile is nil.
      records[name] = try record(of: name)
    }
    return records
  }
}
