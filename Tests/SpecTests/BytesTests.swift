import CoreMLBase
import Foundation
import Testing

@testable import CoreMLSpec

@Suite struct BytesTests {
  @Test func slicesAreChecked() throws {
    let bytes = Bytes([1, 2, 3, 4])
    #expect(try bytes.slice(1..<3).array == [2, 3])
    #expect(try bytes.slice(4..<4).isEmpty)
    #expect(try bytes.slice(1..<4).slice(1..<3).array == [3, 4])
    #expect(try bytes.slice(1..<4).slice(1..<3).offset == 2)
    expectError(.outOfBounds) { try bytes.slice(3..<5) }
    expectError(.outOfBounds) { try bytes.slice(-1..<2) }
    expectError(.outOfBounds) { try bytes.slice(at: 2, count: 3) }
    expectError(.outOfBounds) { try bytes.slice(at: .max, count: 2) }
    expectError(.outOfBounds) { try bytes.slice(at: 1, count: .max) }
    #expect(try bytes.slice(at: 4, count: 0).isEmpty)
  }

  @Test func loadsAreCheckedAndLittleEndian() throws {
    let bytes = Bytes([9, 1, 2, 3, 4])
    #expect(try bytes.load(UInt32.self, at: 1) == 0x0403_0201)
    #expect(try bytes.load(UInt8.self, at: 4) == 4)
    expectError(.outOfBounds) { try bytes.load(UInt32.self, at: 2) }
    expectError(.outOfBounds) { try bytes.load(UInt8.self, at: 5) }
    expectError(.outOfBounds) { try bytes.load(UInt8.self, at: -1) }
    expectError(.outOfBounds) { try bytes.load(UInt8.self, at: .max) }
    expectError(.outOfBounds) { try Bytes().load(UInt8.self, at: 0) }
  }

  @Test func slicesKeepAMappingAlive() throws {
    let slice = try inTemporaryFolder { folder in
      try put("hello, model", folder + "/file")
      let bytes = try Bytes.mapping(file: folder + "/file")
      #expect(bytes.file == folder + "/file")
      return try bytes.slice(7..<12)
    }
    // The file is deleted, and only the slice owns its mapping.
    #expect(slice == Bytes(Array("model".utf8)))
    #expect(slice != Bytes(Array("Model".utf8)))
  }

  @Test func emptyFilesMap() throws {
    try inTemporaryFolder { folder in
      try put("", folder + "/empty")
      let bytes = try Bytes.mapping(file: folder + "/empty")
      #expect(bytes.isEmpty && bytes.array.isEmpty)
    }
  }

  @Test func whatIsNoFileIsRefused() throws {
    try inTemporaryFolder { folder in
      expectError(.notAFile) { try Bytes.mapping(file: folder) }
      expectError(.unreadable) { try Bytes.mapping(file: folder + "/absent") }
      expectError(.unreadable) { try Bytes.mapping(file: folder + "/zero\0byte") }
      #expect(mkfifo(folder + "/pipe", 0o600) == 0)
      expectError(.notAFile) { try Bytes.mapping(file: folder + "/pipe") }
    }
  }

  @Test func aFileIsWrittenWholeOrNotAtAll() throws {
    try inTemporaryFolder { folder in
      let path = folder + "/out"
      do {
        let writer = try FileWriter(path: path)
        try writer.append([1, 2, 3])
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
      let writer = try FileWriter(path: path)
      try writer.append([1, 2, 3])
      try [UInt8(9)].withUnsafeBytes { try writer.overwrite($0, at: 1) }
      try writer.append([4])
      #expect(!FileManager.default.fileExists(atPath: path))
      try writer.commit()
      #expect(try Bytes.mapping(file: path).array == [1, 9, 3, 4])
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["out"])
      expectError(.unwritable) { try writer.append([5]) }
      expectError(.unwritable) { try writer.commit() }
      expectError(.unwritable) { try FileWriter(path: folder + "/absent/out") }
    }
  }
}
