import Foundation
import Testing

extension Tag {
  /// Takes more than about five seconds on an idle machine.
  @Tag package static var slow: Tag
  /// Starts processes: the command of this build, or programs of the system.
  @Tag package static var process: Tag
  /// Needs an OpenCL driver.
  @Tag package static var driver: Tag
}

extension Trait where Self == ConditionTrait {
  /// Leaves a test out of `tools/test --quick`, which sets COREML_TEST_QUICK. Every slow or driver test has this trait.
  /// It comes before conditions that load a driver.
  package static var unlessQuick: Self {
    .disabled(if: ProcessInfo.processInfo.environment["COREML_TEST_QUICK"] != nil, "left out of quick tests")
  }
}
