/// The version of this package. It is part of the keys of on-disk caches.
package enum PackageVersion {
  /// `COREML_RUNTIME_VERSION` in `coreml_runtime.h` is the same; a test compares them.
  package static let current = "0.2.0"
}
