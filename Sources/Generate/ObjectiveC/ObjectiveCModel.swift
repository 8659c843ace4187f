/// The class that loads a model, or one function of it, and predicts.
struct ObjectiveCModel {
  private static let error = "error:(NSError * _Nullable __autoreleasing * _Nullable)error"
  private static let settings = "(MLModelConfiguration *)configuration"

  private let function: ObjectiveCFunction

  init(_ function: ObjectiveCFunction) { self.function = function }

  private var name: String { function.name }
  private var input: String { "\(name)Input" }
  private var output: String { "\(name)Output" }
  private var handler: String {
    "completionHandler:(void (^)(\(name) * _Nullable model, NSError * _Nullable error))handler"
  }
  private var isStateful: Bool { !function.function.states.isEmpty }
  /// Nil without inputs, or if the selector would equal the one that takes an input object because of a single input's
  /// name.
  private var convenience: String? {
    let inputs = function.inputs
    guard let first = inputs.features.first else { return nil }
    if inputs.features.count == 1, Identifier.capitalized(first.identifier) == "Features" { return nil }
    return "\(inputs.selector("predictionFrom")) \(Self.error)"
  }

  // MARK: header

  func declare(_ code: inout CodeWriter) {
    code.line()
    code.document("Class for model loading and prediction")
    let model = function.model
    let facts = [("Author", model.author), ("License", model.license), ("Version", model.version)]
    for text in [model.summary] + facts.filter({ !$0.1.isEmpty }).map({ "\($0.0): \($0.1)" }) where !text.isEmpty {
      code.line("///")
      code.document(text)
    }
    code.line(function.availability)
    code.line("@interface \(name) : NSObject")
    code.line("@property (readonly, nonatomic, nullable) MLModel * model;")
    for (words, method) in methods {
      code.line()
      code.document(words)
      code.line("\(method);")
    }
    code.line()
    code.line("@end")
  }

  private var methods: [(String, String)] {
    var methods = [
      ("URL of the compiled model in the bundle that it was built into.", "+ (nullable NSURL *)URLOfModelInThisBundle"),
      ("A model that is loaded already.", "- (instancetype)initWithMLModel:(MLModel *)model NS_DESIGNATED_INITIALIZER"),
      ("The model that was built into the bundle.", "- (nullable instancetype)init"),
      (
        "The model that was built into the bundle, with a configuration.",
        "- (nullable instancetype)initWithConfiguration:\(Self.settings) \(Self.error)"
      ),
      (
        "A compiled model elsewhere.", "- (nullable instancetype)initWithContentsOfURL:(NSURL *)modelURL \(Self.error)"
      ),
      (
        "A compiled model elsewhere, with a configuration.",
        "- (nullable instancetype)initWithContentsOfURL:(NSURL *)modelURL configuration:\(Self.settings) \(Self.error)"
      ),
      (
        "Loads the model that was built into the bundle in the background.",
        "+ (void)loadWithConfiguration:\(Self.settings) \(handler)"
      ),
      (
        "Loads a compiled model in the background.",
        "+ (void)loadContentsOfURL:(NSURL *)modelURL configuration:\(Self.settings) \(handler)"
      ),
    ]
    if isStateful {
      methods.append(("A state at its beginning.", "- (MLState *)newState"))
      methods.append(("Predicts with a state, which it changes.", stateful))
    }
    methods += [
      ("Predicts.", "- (nullable \(output) *)predictionFromFeatures:(\(input) *)input \(Self.error)"),
      ("Predicts, with options.", structured),
    ]
    if let convenience { methods.append(("Predicts.", "- (nullable \(output) *)\(convenience)")) }
    methods.append(("Predicts many inputs at once; the outputs are in their order.", batch))
    return methods
  }

  private var structured: String {
    "- (nullable \(output) *)predictionFromFeatures:(\(input) *)input options:(MLPredictionOptions *)options \(Self.error)"
  }
  private var stateful: String {
    "- (nullable \(output) *)predictionFromFeatures:(\(input) *)input usingState:(MLState *)state options:(MLPredictionOptions *)options \(Self.error)"
  }
  private var batch: String {
    "- (nullable NSArray<\(output) *> *)predictionsFromInputs:(NSArray<\(input) *> *)inputArray options:(MLPredictionOptions *)options \(Self.error)"
  }

  // MARK: implementation

  func define(_ code: inout CodeWriter) {
    code.lines(["", "@implementation \(name)"])
    for (method, lines) in bodies {
      code.line()
      code.block(method) { $0.lines(lines) }
    }
    code.lines(["", "@end"])
  }

  private var bodies: [(String, [String])] {
    let resource = Literals.c(function.model.resource)
    let path = "[[NSBundle bundleForClass:[self class]] pathForResource:@\(resource) ofType:@\"mlmodelc\"]"
    var bodies: [(String, [String])] = [
      (
        "+ (nullable NSURL *)URLOfModelInThisBundle",
        ["NSString *path = \(path);", "return path == nil ? nil : [NSURL fileURLWithPath:path];"]
      ),
      (
        "- (instancetype)initWithMLModel:(MLModel *)model",
        ["self = [super init];", "if (self) { _model = model; }", "return self;"]
      ),
      (
        "- (nullable instancetype)init",
        [
          "return [self initWithConfiguration:[[MLModelConfiguration alloc] init] error:nil];"
        ]
      ),
      (
        "- (nullable instancetype)initWithConfiguration:\(Self.settings) \(Self.error)",
        [
          "NSURL *url = [self.class URLOfModelInThisBundle];", "if (url == nil) {",
          "    if (error) { *error = [NSError errorWithDomain:NSCocoaErrorDomain code:NSFileNoSuchFileError userInfo:nil]; }",
          "    return nil;", "}", "return [self initWithContentsOfURL:url configuration:configuration error:error];",
        ]
      ),
      (
        "- (nullable instancetype)initWithContentsOfURL:(NSURL *)modelURL \(Self.error)",
        ["return [self initWithContentsOfURL:modelURL configuration:[[MLModelConfiguration alloc] init] error:error];"]
      ),
      (
        "- (nullable instancetype)initWithContentsOfURL:(NSURL *)modelURL configuration:\(Self.settings) \(Self.error)",
        selecting + [
          "MLModel *model = [MLModel modelWithContentsOfURL:modelURL configuration:configuration error:error];",
          "return model == nil ? nil : [self initWithMLModel:model];",
        ]
      ),
      (
        "+ (void)loadWithConfiguration:\(Self.settings) \(handler)",
        [
          "NSURL *url = [self URLOfModelInThisBundle];", "if (url == nil) {",
          "    handler(nil, [NSError errorWithDomain:NSCocoaErrorDomain code:NSFileNoSuchFileError userInfo:nil]);",
          "    return;", "}", "[self loadContentsOfURL:url configuration:configuration completionHandler:handler];",
        ]
      ),
      (
        "+ (void)loadContentsOfURL:(NSURL *)modelURL configuration:\(Self.settings) \(handler)",
        selecting + [
          "[MLModel loadContentsOfURL:modelURL configuration:configuration completionHandler:^(MLModel *model, NSError *error) {",
          "    handler(model == nil ? nil : [[\(name) alloc] initWithMLModel:model], error);", "}];",
        ]
      ),
    ]
    let result = "return features == nil ? nil : \(made("features"));"
    if isStateful {
      bodies.append(("- (MLState *)newState", ["return [self.model newState];"]))
      bodies.append(
        (
          stateful,
          [
            "id<MLFeatureProvider> features = [self.model predictionFromFeatures:input usingState:state options:options error:error];",
            result,
          ]
        ))
    }
    bodies.append(
      (
        "- (nullable \(output) *)predictionFromFeatures:(\(input) *)input \(Self.error)",
        ["return [self predictionFromFeatures:input options:[[MLPredictionOptions alloc] init] error:error];"]
      ))
    bodies.append(
      (
        structured,
        [
          "id<MLFeatureProvider> features = [self.model predictionFromFeatures:input options:options error:error];",
          result,
        ]
      ))
    if let convenience {
      let make = "[[\(input) alloc] \(function.inputs.call("initWith") { $0.identifier })]"
      bodies.append(
        ("- (nullable \(output) *)\(convenience)", ["return [self predictionFromFeatures:\(make) error:error];"]))
    }
    bodies.append(
      (
        batch,
        [
          "id<MLBatchProvider> inBatch = [[MLArrayBatchProvider alloc] initWithFeatureProviderArray:inputArray];",
          "id<MLBatchProvider> outBatch = [self.model predictionsFromBatch:inBatch options:options error:error];",
          "if (outBatch == nil) { return nil; }",
          "NSMutableArray<\(output) *> *results = [NSMutableArray arrayWithCapacity:(NSUInteger)outBatch.count];",
          "for (NSInteger i = 0; i < outBatch.count; i += 1) {",
          "    id<MLFeatureProvider> features = [outBatch featuresAtIndex:i];",
          "    [results addObject:\(made("features"))];", "}", "return results;",
        ]
      ))
    return bodies
  }

  /// Statements that select the function of this class in the configuration.
  private var selecting: [String] {
    function.isDefault
      ? []
      : [
        "configuration = [configuration copy];",
        "configuration.functionName = @\(Literals.c(function.function.name));",
      ]
  }

  /// An expression that creates an output object from a provider's features.
  private func made(_ provider: String) -> String {
    let outputs = ObjectiveCFeatures(function.function.outputs, beside: function.classes)
    let call = outputs.call(outputs.features.isEmpty ? "init" : "initWith") { feature in
      feature.objectiveCContent(of: "[\(provider) featureValueForName:@\(Literals.c(feature.feature.name))]")
    }
    return "[[\(output) alloc] \(call)]"
  }
}
