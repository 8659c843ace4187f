import COpenCL
import Synchronization
import TestSupport
import Testing

@testable import CoreMLKernels

/// A device that completes one launch after the other. An event is the number of its launch.
private enum CountingDevice {
  static let ended = Atomic(0)
  static let released = Atomic(0)

  @MainActor static func functions() throws -> COpenCLFunctions {
    var table = try #require(OpenCLHarness.device).library.functions
    table.clGetEventInfo = { event, _, _, value, _ in
      let hasEnded = Int(bitPattern: event) <= CountingDevice.ended.load(ordering: .relaxed)
      value?.assumingMemoryBound(to: cl_int.self).pointee = hasEnded ? CL_COMPLETE : CL_RUNNING
      return 0
    }
    table.clReleaseEvent = { _ in
      CountingDevice.released.add(1, ordering: .relaxed)
      return 0
    }
    return table
  }
}

/// The launches of a queue for which events are kept, and their release.
@MainActor @Suite(.tags(.driver), .unlessQuick, .serialized, .needsOpenCL) struct OpenCLProgressTests {
  /// The progress is visible after each fiftieth of the launches. At most 256 events are kept at a time, and all of
  /// them are released.
  @Test(arguments: [100, 4096, 5000, 100_000]) func everyPartOfManyLaunchesShows(count: Int) throws {
    let functions = try CountingDevice.functions()
    CountingDevice.ended.store(0, ordering: .relaxed)
    CountingDevice.released.store(0, ordering: .relaxed)
    var progress = OpenCLProgress()
    var added = 0
    for launch in 1...count where progress.isDue {
      progress.add(try #require(cl_event(bitPattern: launch)), functions)
      added += 1
    }
    #expect(added - CountingDevice.released.load(ordering: .relaxed) <= OpenCLProgress.limit)
    let hasMoved = progress.hasMoved(functions)
    #expect(!hasMoved)
    let part = max(count / 50, 16)
    for end in stride(from: part, through: count, by: part) {
      CountingDevice.ended.store(end, ordering: .relaxed)
      let hasMoved = progress.hasMoved(functions)
      #expect(hasMoved, "\(end) of \(count)")
    }
    progress.clear(functions)
    #expect(CountingDevice.released.load(ordering: .relaxed) == added)
    // The count starts again.
    let due = (1...16).map { _ in progress.isDue }
    #expect(due == [Bool](repeating: false, count: 15) + [true])
  }
}
