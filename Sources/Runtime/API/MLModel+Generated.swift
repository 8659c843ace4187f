import Foundation

extension MLModel {
  /// Loads a compiled model in the background, as classes that Xcode 12 generated ask for it; new code calls
  /// `load(contentsOf:configuration:completionHandler:)`.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public class func __loadContents(
    of url: URL, configuration: MLModelConfiguration,
    completionHandler handler: @escaping (MLModel?, (any Error)?) -> Void
  ) {
    load(contentsOf: url, configuration: configuration) { result in
      switch result {
      case .success(let model): handler(model, nil)
      case .failure(let error): handler(nil, error)
      }
    }
  }
}
