/// A class of features: the inputs or outputs of a prediction, or a training example.
struct ObjectiveCProvider {
  private static let error = "error:(NSError * _Nullable __autoreleasing * _Nullable)error"

  private let function: ObjectiveCFunction
  private let name: String
  private let title: String
  private let all: ObjectiveCFeatures
  private let takesPictures: Bool

  init(
    _ function: ObjectiveCFunction, _ name: String, _ title: String, _ features: [ModelFeature], takesPictures: Bool
  ) {
    self.function = function
    self.name = name
    self.title = title
    all = ObjectiveCFeatures(features, beside: function.classes)
    self.takesPictures = takesPictures
  }

  private var features: [NamedFeature] { all.features }
  private var initializer: String { all.selector(features.isEmpty ? "init" : "initWith") }
  private var pictureForms: [ObjectiveCRendering] {
    takesPictures && features.contains(where: \.isImage) ? [.pictures, .files] : []
  }

  /// The instance variable, qualified so that a parameter with the same name does not hide it.
  private func variable(_ feature: NamedFeature) -> String { "self->_\(feature.identifier)" }

  // MARK: header

  func declare(_ code: inout CodeWriter) {
    code.line()
    code.document(title)
    code.line(function.availability)
    code.line("@interface \(name) : NSObject<MLFeatureProvider>")
    for feature in features {
      code.line()
      code.document(feature.feature.sentence)
      code.line(feature.objectiveCProperty)
    }
    code.line()
    if features.isEmpty {
      code.line("- (instancetype)init NS_DESIGNATED_INITIALIZER;")
    } else {
      code.line("- (instancetype)init NS_UNAVAILABLE;")
      code.line("- (instancetype)\(initializer) NS_DESIGNATED_INITIALIZER;")
    }
    for form in pictureForms {
      code.line("- (nullable instancetype)\(all.selector("initWith", form: form)) \(Self.error);")
    }
    if takesPictures { for setter in setters { code.line("- (BOOL)\(setter.selector);") } }
    code.line()
    code.line("@end")
  }

  private var setters: [(selector: String, feature: NamedFeature, source: String)] {
    features.filter(\.isImage).flatMap { feature in
      let stem = "set\(Identifier.capitalized(feature.identifier))With"
      return [
        ("\(stem)CGImage:(CGImageRef)\(feature.identifier) \(Self.error)", feature, "CGImage"),
        ("\(stem)URL:(NSURL *)\(feature.identifier) \(Self.error)", feature, "ImageAtURL"),
      ]
    }
  }

  // MARK: implementation

  func define(_ code: inout CodeWriter) {
    code.line()
    code.line("@implementation \(name)")
    code.line()
    code.block("- (instancetype)\(initializer)") { code in
      code.line("self = [super init];")
      code.block("if (self)") { code in
        for feature in features {
          code.line("\(variable(feature)) = \(feature.identifier);")
          if feature.isImage { code.line("CVPixelBufferRetain(\(variable(feature)));") }
        }
      }
      code.line("return self;")
    }
    for form in pictureForms { pictureInitializer(form, &code) }
    buffers(&code)
    if takesPictures { for setter in setters { define(setter, &code) } }
    provider(&code)
    code.line()
    code.line("@end")
  }

  /// Buffers are not objects, so they are retained and released by hand.
  private func buffers(_ code: inout CodeWriter) {
    let images = features.filter(\.isImage)
    guard !images.isEmpty else { return }
    code.line()
    code.block("- (void)dealloc") { code in
      for image in images { code.line("CVPixelBufferRelease(\(variable(image)));") }
    }
    for image in images {
      let capitalized = Identifier.capitalized(image.identifier)
      code.line()
      code.block("- (void)set\(capitalized):(\(image.objectiveCType))\(image.identifier)") { code in
        code.line("CVPixelBufferRetain(\(image.identifier));")
        code.line("CVPixelBufferRelease(\(variable(image)));")
        code.line("\(variable(image)) = \(image.identifier);")
      }
    }
  }

  private func pictureInitializer(_ form: ObjectiveCRendering, _ code: inout CodeWriter) {
    code.line()
    code.block("- (nullable instancetype)\(all.selector("initWith", form: form)) \(Self.error)") { code in
      for (image, value) in all.pictures {
        code.line("MLFeatureValue *\(value) = \(picture(image, form == .pictures ? "CGImage" : "ImageAtURL"));")
        code.line("if (\(value) == nil) { return nil; }")
      }
      let values = Dictionary(uniqueKeysWithValues: all.pictures.map { ($0.image.identifier, $0.value) })
      let call = all.call("initWith") { values[$0.identifier].map { "\($0).imageBufferValue" } ?? $0.identifier }
      code.line("return [self \(call)];")
    }
  }

  private func define(
    _ setter: (selector: String, feature: NamedFeature, source: String), _ code: inout CodeWriter
  ) {
    code.line()
    code.block("- (BOOL)\(setter.selector)") { code in
      code.line("MLFeatureValue *value_ = \(picture(setter.feature, setter.source));")
      code.line("if (value_ == nil) { return NO; }")
      code.line("self.\(setter.feature.identifier) = value_.imageBufferValue;")
      code.line("return YES;")
    }
  }

  /// An expression for a picture in the size and format of the model.
  private func picture(_ feature: NamedFeature, _ source: String) -> String {
    guard case .image(let image) = feature.kind else { return "nil" }
    return
      "[MLFeatureValue featureValueWith\(source):\(feature.identifier) pixelsWide:\(image.width) pixelsHigh:\(image.height) pixelFormatType:\(feature.swiftPictureFormat) options:nil error:error]"
  }

  private func provider(_ code: inout CodeWriter) {
    let names = features.map { "@\(Literals.c($0.feature.name))" }.joined(separator: ", ")
    code.line()
    code.block("- (NSSet<NSString *> *)featureNames") { $0.line("return [NSSet setWithArray:@[\(names)]];") }
    code.line()
    code.block("- (nullable MLFeatureValue *)featureValueForName:(NSString *)featureName") { code in
      for feature in features {
        code.block("if ([featureName isEqualToString:@\(Literals.c(feature.feature.name))])") { code in
          if feature.isOptional { code.line("if (\(variable(feature)) == nil) { return nil; }") }
          code.line("return \(feature.objectiveCValue(of: variable(feature)));")
        }
      }
      code.line("return nil;")
    }
  }
}
