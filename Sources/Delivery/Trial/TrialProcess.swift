import CPlatform
import CoreMLRuntime
import Foundation
import Synchronization

/// A process that tries models for another one.
///
/// If a program that installs models calls ``runIfAsked()`` first, it is started again for each trial. So a model that
/// aborts, hangs or exhausts the memory does so in another process:
///
/// ```swift
/// @main struct Server {
///   static func main() async throws {
///     TrialProcess.runIfAsked()
/// ```
///
/// Register the classes of custom layers and models before this call.
public enum TrialProcess {
  /// The only argument of a process that tries a model.
  static let word = "--coreml-trial"
  private static let offered = Atomic(false)

  /// Whether this program can be started as a trial helper.
  static var isOffered: Bool { offered.load(ordering: .relaxed) }

  /// If this process was started as a trial helper, tries the model and exits; otherwise returns at once.
  public static func runIfAsked() {
    offered.store(true, ordering: .relaxed)
    let arguments = CommandLine.arguments
    guard arguments.count == 2, arguments[1] == word else { return }
    // Without the report descriptor or a parent, a user probably started the program by hand.
    guard fcntl(reports, F_GETFD) >= 0, getppid() != 1 else {
      FileHandle.standardError.write(Data("'\(word)' is for processes that try models\n".utf8))
      exit(64)
    }
    exit(run())
  }

  /// The descriptor for the report. The order arrives on standard input.
  private static let reports: Int32 = 3

  private static func run() -> Int32 {
    guard write(TrialReport.ready), let (order, key) = order() else { return 65 }
    order.settings.limits.impose(memory: order.memory)
    let processors = max(ProcessInfo.processInfo.activeProcessorCount, 1)
    // Memory beyond the models' limit: thread stacks and the program itself.
    let room = Int64(clamping: order.memory).addingReportingOverflow(Int64(512 << 20 + processors << 24))
    guard cplatform_child_contain(order.parent, room.overflow ? 0 : room.partialValue) == 0 else { return 71 }
    var (code, message): (String?, String?)
    do {
      try TrialWork.run(order, key, order.settings.configuration)
    } catch let error as DeliveryError {
      (code, message) = (error.code.rawValue, error.message)
    } catch {
      (code, message) = (DeliveryError.Code.doesNotLoad.rawValue, "\(error)")
    }
    let report = TrialReport(
      nonce: order.nonce, digest: order.digest, code: code, message: message.map { String($0.prefix(4000)) })
    guard let bytes = try? JSONEncoder().encode(report) else { return 70 }
    return write(String(decoding: bytes, as: UTF8.self)) ? 0 : 74
  }

  private static func order() -> (order: TrialOrder, key: ModelKey?)? {
    let message = try? SecretFile.read(
      STDIN_FILENO, limit: TrialOrder.sizeLimit, what: "order of a trial", from: "standard input", wrong: .badSetting)
    return message.flatMap(TrialOrder.received)
  }

  private static func write(_ text: String) -> Bool {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Foundation.write(reports, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      bytes = bytes.dropFirst(count)
    }
    return true
  }
}
