import Foundation

/// The classes of custom layers, by the names that models have for them. A model is loaded with the classes registered then. Safe to
/// use from any thread.
public enum MLCustomLayerRegistry {
  private static let classes = ClassTable<any MLCustomLayer.Type>()

  /// Layers of models loaded from now on that name this class are of this type; replaces the one registered before.
  public static func register(_ type: any MLCustomLayer.Type, forClassName className: String) {
    classes.set(type, className)
  }

  /// Forgets a class; models that are loaded keep it.
  public static func unregister(_ className: String) { classes.set(nil, className) }

  static func type(_ className: String) -> (any MLCustomLayer.Type)? { classes.get(className) }
}

/// The classes of custom models, by the names that model files have for them. A model is loaded with the classes registered then. Safe
/// to use from any thread.
public enum MLCustomModelRegistry {
  private static let classes = ClassTable<any MLCustomModel.Type>()

  /// Models loaded from now on that name this class are of this type; replaces the one registered before.
  public static func register(_ type: any MLCustomModel.Type, forClassName className: String) {
    classes.set(type, className)
  }

  /// Forgets a class; models that are loaded keep it.
  public static func unregister(_ className: String) { classes.set(nil, className) }

  static func type(_ className: String) -> (any MLCustomModel.Type)? { classes.get(className) }
}

/// Types by name, behind a lock.
private final class ClassTable<T>: @unchecked Sendable {  // types are immutable; the table is behind the lock
  private let lock = NSLock()
  private var types: [String: T] = [:]

  func set(_ type: T?, _ name: String) { lock.withLock { types[name] = type } }
  func get(_ name: String) -> T? { lock.withLock { types[name] } }
}
