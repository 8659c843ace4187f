import Foundation

/// Maps the class names of custom layers in model files to Swift types. Loading a model uses the types that are
/// registered at that time. Thread-safe.
public enum MLCustomLayerRegistry {
  private static let classes = ClassTable<any MLCustomLayer.Type>()

  /// Registers the type for a class name and replaces the type registered before. Models loaded from now on use it.
  public static func register(_ type: any MLCustomLayer.Type, forClassName className: String) {
    classes.set(type, className)
  }

  /// Removes a class name. Models that are already loaded keep their type.
  public static func unregister(_ className: String) { classes.set(nil, className) }

  static func type(_ className: String) -> (any MLCustomLayer.Type)? { classes.get(className) }
}

/// Maps the class names of custom models in model files to Swift types. Loading a model uses the types that are
/// registered at that time. Thread-safe.
public enum MLCustomModelRegistry {
  private static let classes = ClassTable<any MLCustomModel.Type>()

  /// Registers the type for a class name and replaces the type registered before. Models loaded from now on use it.
  public static func register(_ type: any MLCustomModel.Type, forClassName className: String) {
    classes.set(type, className)
  }

  /// Removes a class name. Models that are already loaded keep their type.
  public static func unregister(_ className: String) { classes.set(nil, className) }

  static func type(_ className: String) -> (any MLCustomModel.Type)? { classes.get(className) }
}

/// Types by class name, guarded by a lock.
private final class ClassTable<T>: @unchecked Sendable {  // types are immutable; the lock guards the table
  private let lock = NSLock()
  private var types: [String: T] = [:]

  func set(_ type: T?, _ name: String) { lock.withLock { types[name] = type } }
  func get(_ name: String) -> T? { lock.withLock { types[name] } }
}
