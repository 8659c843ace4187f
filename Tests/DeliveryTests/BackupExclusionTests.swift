import CoreMLDelivery
import Foundation
import Testing

@Suite struct BackupExclusionTests {
  @Test func aFolderIsExcludedAndIncludedAgain() throws {
    let folder = try TemporaryFolder()
    #expect(try !BackupExclusion.isExcluded(folder.url))
    let outcome = try BackupExclusion.setExcluded(true, at: folder.url)
    // A tag file can be written on any file system.
    #expect(outcome.done.contains(.cacheTag))
    #expect(outcome.done.union(outcome.failed.keys) == Set(BackupExclusion.Mark.allCases))
    #expect(try BackupExclusion.marks(at: folder.url) == outcome.done)
    try BackupExclusion.setExcluded(false, at: folder.url)
    #expect(try BackupExclusion.marks(at: folder.url).isEmpty)
    #expect(try folder.list().isEmpty)
  }

  @Test func theMarksOfAFileAreThoseThatItsFileSystemKeeps() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("weights", to: "weight.bin")
    do {
      let outcome = try BackupExclusion.setExcluded(true, at: file)
      #expect(try BackupExclusion.isExcluded(file))
      #expect(try BackupExclusion.marks(at: file) == outcome.done)
      try BackupExclusion.setExcluded(false, at: file)
      #expect(try !BackupExclusion.isExcluded(file))
    } catch let error as DeliveryError {
      // A file system without flags and attributes must be reported as an error.
      #expect(error.code == .unwritable)
      #expect(try !BackupExclusion.isExcluded(file))
    }
    #expect(try folder.read("weight.bin") == "weights")
  }

  @Test func anotherProgramsFileIsNotTakenForATag() throws {
    let folder = try TemporaryFolder()
    try folder.write("mine", to: "CACHEDIR.TAG")
    let outcome = try? BackupExclusion.setExcluded(true, at: folder.url)
    #expect(outcome?.done.contains(.cacheTag) != true)
    try BackupExclusion.setExcluded(false, at: folder.url)
    #expect(try folder.read("CACHEDIR.TAG") == "mine")
  }

  @Test func whatIsNotThereIsAnError() throws {
    let folder = try TemporaryFolder()
    let absent = folder.url.appending(path: "absent")
    #expect(throws: DeliveryError.self) { try BackupExclusion.setExcluded(true, at: absent) }
    #expect(throws: DeliveryError.self) { try BackupExclusion.isExcluded(absent) }
  }
}
