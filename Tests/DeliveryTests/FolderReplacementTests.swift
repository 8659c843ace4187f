import CoreMLDelivery
import Foundation
import Testing

@Suite struct FolderReplacementTests {
  @Test func aFolderIsPutWhereNothingStood() throws {
    let folder = try TemporaryFolder()
    try folder.write("new", to: "draft/deep/file")
    try FolderReplacement.replace(folder.url.appending(path: "place"), with: folder.url.appending(path: "draft"))
    #expect(try folder.list() == ["place"])
    #expect(try folder.read("place/deep/file") == "new")
  }

  @Test func whatStoodThereIsExchangedWholeAndStaysForThoseWhoHaveItOpen() throws {
    let folder = try TemporaryFolder()
    let old = try folder.write("old", to: "place/file")
    try folder.write("only in the old one", to: "place/other")
    try folder.write("new", to: "draft/file")
    let reader = try FileHandle(forReadingFrom: old)
    try FolderReplacement.replace(folder.url.appending(path: "place"), with: folder.url.appending(path: "draft"))
    #expect(try folder.list() == ["place"])
    #expect(try folder.list("place") == ["file"])
    #expect(try folder.read("place/file") == "new")
    #expect(try reader.readToEnd() == Data("old".utf8))
  }

  @Test func aFailureLeavesBothWhereTheyWere() throws {
    let folder = try TemporaryFolder()
    try folder.write("new", to: "draft/file")
    let place = folder.url.appending(path: "absent/place")
    let error = #expect(throws: DeliveryError.self) {
      try FolderReplacement.replace(place, with: folder.url.appending(path: "draft"))
    }
    #expect(error?.code == .unwritable)
    #expect(try folder.read("draft/file") == "new")
  }
}
