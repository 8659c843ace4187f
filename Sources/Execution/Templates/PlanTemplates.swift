import CoreMLBase
import CoreMLKernels
import MIL

import class Foundation.NSLock

/// The templates of a function, the one that was used last in front. A function of one shape never has any.
// Sendable: the lock guards the state
final class PlanTemplates: @unchecked Sendable {
  private let lock = NSLock()
  private var templates: [PlanTemplate] = []
  /// Whether a plan was made, so that the next one is for other shapes.
  private var isFlexible = false
  private var mayRecord = true
  /// Plans from templates, and plans that no template could give.
  private(set) var counts = (instances: 0, misses: 0)

  /// Classes of shapes to keep a template for. A class is, for example, one token, few or many.
  private static let most = 6

  /// - Parameters:
  ///   - full: Plans from the start.
  ///   - template: Plans from the start and records it. Nil if the function cannot be recorded.
  func plan(
    for inputs: [String: TensorType], full: () throws -> Plan, template: () throws -> PlanTemplate?
  ) throws -> Plan {
    let (known, isFirst, mayRecord) = lock.withLock {
      defer { isFlexible = true }
      return (templates, !isFlexible, self.mayRecord)
    }
    for template in known {
      guard let plan = try instance(of: template, for: inputs) else { continue }
      #if DEBUG
        if let difference = try plan.difference(from: full()) {
          throw MILError(.invalidProgram, "a plan from a template is not the one from the start: \(difference)")
        }
      #endif
      lock.withLock {
        counts.instances += 1
        bringToFront(template)
      }
      return plan
    }
    guard !isFirst, mayRecord else { return try full() }
    lock.withLock { counts.misses += 1 }
    guard let made = try template() else {
      lock.withLock { self.mayRecord = false }
      return try full()
    }
    lock.withLock { bringToFront(made) }
    return made.plan
  }

  /// An error of an instance is not told: planning from the start has the sentence for it.
  private func instance(of template: PlanTemplate, for inputs: [String: TensorType]) throws -> Plan? {
    do { return try template.instance(for: inputs) } catch let error as MILError {
      guard error.code != .cancelled, error.code != .outOfMemory else { throw error }
      return nil
    } catch is KernelError {
      return nil
    }
  }

  /// Must be called with the lock held.
  private func bringToFront(_ template: PlanTemplate) {
    templates.removeAll { $0 === template }
    templates.insert(template, at: 0)
    if templates.count > Self.most { templates.removeLast() }
  }
}
