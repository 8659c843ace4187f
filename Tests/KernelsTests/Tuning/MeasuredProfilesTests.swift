import Foundation
import Testing

@testable import CoreMLKernels

@Suite struct MeasuredProfilesTests {
  @Test func aProfileIsMeasuredOnceAndAgainWhenItsFileIsDamaged() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "profiles-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let profiles = MeasuredProfiles(directory: folder.path)
    let pool = ThreadPool(threads: 1)
    let first = try profiles.profile(of: pool, on: "a")
    #expect(first.peakFlops > 1e8 && first.bandwidth > 1e8 && first.transferBandwidth == .infinity)
    #expect(try profiles.profile(of: pool, on: "a") == first, "kept, infinite figures too")
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    #expect(files.count == 1)
    let file = try #require(files.first)
    try Data("damaged".utf8).write(to: file)
    _ = try profiles.profile(of: pool, on: "a")
    #expect(try Data(contentsOf: file).count > 7, "measured again and kept")
    _ = try profiles.profile(of: pool, on: "another processor")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
  }

  @Test(.enabled(if: OpenCLHarness.device != nil, "no OpenCL device")) @MainActor
  func anOpenCLDeviceIsMeasured() throws {
    let profile = try DeviceMeasurement.profile(of: OpenCLHarness.context())
    #expect(profile.peakFlops > 1e7 && profile.bandwidth > 1e7)
    #expect(profile.launch > 0 && profile.launch < 1)
    #expect(profile.transferBandwidth.isFinite && profile.transferLatency > 0)
  }
}
