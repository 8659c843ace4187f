//
// functions.m
//
// This file was automatically generated and should not be edited.
//

#if !__has_feature(objc_arc)
#error This file must be compiled with automatic reference counting enabled (-fobjc-arc)
#endif

#import "functions.h"

@implementation functionsInput

- (instancetype)initWithX:(MLMultiArray *)x {
    self = [super init];
    if (self) {
        self->_x = x;
    }
    return self;
}

- (NSSet<NSString *> *)featureNames {
    return [NSSet setWithArray:@[@"x"]];
}

- (nullable MLFeatureValue *)featureValueForName:(NSString *)featureName {
    if ([featureName isEqualToString:@"x"]) {
        return [MLFeatureValue featureValueWithMultiArray:self->_x];
    }
    return nil;
}

@end

@implementation functionsOutput

- (instancetype)initWithY:(MLMultiArray *)y {
    self = [super init];
    if (self) {
        self->_y = y;
    }
    return self;
}

- (NSSet<NSString *> *)featureNames {
    return [NSSet setWithArray:@[@"y"]];
}

- (nullable MLFeatureValue *)featureValueForName:(NSString *)featureName {
    if ([featureName isEqualToString:@"y"]) {
        return [MLFeatureValue featureValueWithMultiArray:self->_y];
    }
    return nil;
}

@end

@implementation functions

+ (nullable NSURL *)URLOfModelInThisBundle {
    NSString *path = [[NSBundle bundleForClass:[self class]] pathForResource:@"functions" ofType:@"mlmodelc"];
    return path == nil ? nil : [NSURL fileURLWithPath:path];
}

- (instancetype)initWithMLModel:(MLModel *)model {
    self = [super init];
    if (self) { _model = model; }
    return self;
}

- (nullable instancetype)init {
    return [self initWithConfiguration:[[MLModelConfiguration alloc] init] error:nil];
}

- (nullable instancetype)initWithConfiguration:(MLModelConfiguration *)configuration error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    NSURL *url = [self.class URLOfModelInThisBundle];
    if (url == nil) {
        if (error) { *error = [NSError errorWithDomain:NSCocoaErrorDomain code:NSFileNoSuchFileError userInfo:nil]; }
        return nil;
    }
    return [self initWithContentsOfURL:url configuration:configuration error:error];
}

- (nullable instancetype)initWithContentsOfURL:(NSURL *)modelURL error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    return [self initWithContentsOfURL:modelURL configuration:[[MLModelConfiguration alloc] init] error:error];
}

- (nullable instancetype)initWithContentsOfURL:(NSURL *)modelURL configuration:(MLModelConfiguration *)configuration error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    MLModel *model = [MLModel modelWithContentsOfURL:modelURL configuration:configuration error:error];
    return model == nil ? nil : [self initWithMLModel:model];
}

+ (void)loadWithConfiguration:(MLModelConfiguration *)configuration completionHandler:(void (^)(functions * _Nullable model, NSError * _Nullable error))handler {
    NSURL *url = [self URLOfModelInThisBundle];
    if (url == nil) {
        handler(nil, [NSError errorWithDomain:NSCocoaErrorDomain code:NSFileNoSuchFileError userInfo:nil]);
        return;
    }
    [self loadContentsOfURL:url configuration:configuration completionHandler:handler];
}

+ (void)loadContentsOfURL:(NSURL *)modelURL configuration:(MLModelConfiguration *)configuration completionHandler:(void (^)(functions * _Nullable model, NSError * _Nullable error))handler {
    [MLModel loadContentsOfURL:modelURL configuration:configuration completionHandler:^(MLModel *model, NSError *error) {
        handler(model == nil ? nil : [[functions alloc] initWithMLModel:model], error);
    }];
}

- (nullable functionsOutput *)predictionFromFeatures:(functionsInput *)input error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    return [self predictionFromFeatures:input options:[[MLPredictionOptions alloc] init] error:error];
}

- (nullable functionsOutput *)predictionFromFeatures:(functionsInput *)input options:(MLPredictionOptions *)options error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    id<MLFeatureProvider> features = [self.model predictionFromFeatures:input options:options error:error];
    return features == nil ? nil : [[functionsOutput alloc] initWithY:[[features featureValueForName:@"y"] multiArrayValue]];
}

- (nullable functionsOutput *)predictionFromX:(MLMultiArray *)x error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    return [self predictionFromFeatures:[[functionsInput alloc] initWithX:x] error:error];
}

- (nullable NSArray<functionsOutput *> *)predictionsFromInputs:(NSArray<functionsInput *> *)inputArray options:(MLPredictionOptions *)options error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    id<MLBatchProvider> inBatch = [[MLArrayBatchProvider alloc] initWithFeatureProviderArray:inputArray];
    id<MLBatchProvider> outBatch = [self.model predictionsFromBatch:inBatch options:options error:error];
    if (outBatch == nil) { return nil; }
    NSMutableArray<functionsOutput *> *results = [NSMutableArray arrayWithCapacity:(NSUInteger)outBatch.count];
    for (NSInteger i = 0; i < outBatch.count; i += 1) {
        id<MLFeatureProvider> features = [outBatch featuresAtIndex:i];
        [results addObject:[[functionsOutput alloc] initWithY:[[features featureValueForName:@"y"] multiArrayValue]]];
    }
    return results;
}

@end

@implementation functions_half_lifeInput

- (instancetype)initWithX:(MLMultiArray *)x {
    self = [super init];
    if (self) {
        self->_x = x;
    }
    return self;
}

- (NSSet<NSString *> *)featureNames {
    return [NSSet setWithArray:@[@"x"]];
}

- (nullable MLFeatureValue *)featureValueForName:(NSString *)featureName {
    if ([featureName isEqualToString:@"x"]) {
        return [MLFeatureValue featureValueWithMultiArray:self->_x];
    }
    return nil;
}

@end

@implementation functions_half_lifeOutput

- (instancetype)initWithY:(MLMultiArray *)y {
    self = [super init];
    if (self) {
        self->_y = y;
    }
    return self;
}

- (NSSet<NSString *> *)featureNames {
    return [NSSet setWithArray:@[@"y"]];
}

- (nullable MLFeatureValue *)featureValueForName:(NSString *)featureName {
    if ([featureName isEqualToString:@"y"]) {
        return [MLFeatureValue featureValueWithMultiArray:self->_y];
    }
    return nil;
}

@end

@implementation functions_half_life

+ (nullable NSURL *)URLOfModelInThisBundle {
    NSString *path = [[NSBundle bundleForClass:[self class]] pathForResource:@"functions" ofType:@"mlmodelc"];
    return path == nil ? nil : [NSURL fileURLWithPath:path];
}

- (instancetype)initWithMLModel:(MLModel *)model {
    self = [super init];
    if (self) { _model = model; }
    return self;
}

- (nullable instancetype)init {
    return [self initWithConfiguration:[[MLModelConfiguration alloc] init] error:nil];
}

- (nullable instancetype)initWithConfiguration:(MLModelConfiguration *)configuration error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    NSURL *url = [self.class URLOfModelInThisBundle];
    if (url == nil) {
        if (error) { *error = [NSError errorWithDomain:NSCocoaErrorDomain code:NSFileNoSuchFileError userInfo:nil]; }
        return nil;
    }
    return [self initWithContentsOfURL:url configuration:configuration error:error];
}

- (nullable instancetype)initWithContentsOfURL:(NSURL *)modelURL error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    return [self initWithContentsOfURL:modelURL configuration:[[MLModelConfiguration alloc] init] error:error];
}

- (nullable instancetype)initWithContentsOfURL:(NSURL *)modelURL configuration:(MLModelConfiguration *)configuration error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    configuration = [configuration copy];
    configuration.functionName = @"half-life";
    MLModel *model = [MLModel modelWithContentsOfURL:modelURL configuration:configuration error:error];
    return model == nil ? nil : [self initWithMLModel:model];
}

+ (void)loadWithConfiguration:(MLModelConfiguration *)configuration completionHandler:(void (^)(functions_half_life * _Nullable model, NSError * _Nullable error))handler {
    NSURL *url = [self URLOfModelInThisBundle];
    if (url == nil) {
        handler(nil, [NSError errorWithDomain:NSCocoaErrorDomain code:NSFileNoSuchFileError userInfo:nil]);
        return;
    }
    [self loadContentsOfURL:url configuration:configuration completionHandler:handler];
}

+ (void)loadContentsOfURL:(NSURL *)modelURL configuration:(MLModelConfiguration *)configuration completionHandler:(void (^)(functions_half_life * _Nullable model, NSError * _Nullable error))handler {
    configuration = [configuration copy];
    configuration.functionName = @"half-life";
    [MLModel loadContentsOfURL:modelURL configuration:configuration completionHandler:^(MLModel *model, NSError *error) {
        handler(model == nil ? nil : [[functions_half_life alloc] initWithMLModel:model], error);
    }];
}

- (nullable functions_half_lifeOutput *)predictionFromFeatures:(functions_half_lifeInput *)input error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    return [self predictionFromFeatures:input options:[[MLPredictionOptions alloc] init] error:error];
}

- (nullable functions_half_lifeOutput *)predictionFromFeatures:(functions_half_lifeInput *)input options:(MLPredictionOptions *)options error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    id<MLFeatureProvider> features = [self.model predictionFromFeatures:input options:options error:error];
    return features == nil ? nil : [[functions_half_lifeOutput alloc] initWithY:[[features featureValueForName:@"y"] multiArrayValue]];
}

- (nullable functions_half_lifeOutput *)predictionFromX:(MLMultiArray *)x error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    return [self predictionFromFeatures:[[functions_half_lifeInput alloc] initWithX:x] error:error];
}

- (nullable NSArray<functions_half_lifeOutput *> *)predictionsFromInputs:(NSArray<functions_half_lifeInput *> *)inputArray options:(MLPredictionOptions *)options error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    id<MLBatchProvider> inBatch = [[MLArrayBatchProvider alloc] initWithFeatureProviderArray:inputArray];
    id<MLBatchProvider> outBatch = [self.model predictionsFromBatch:inBatch options:options error:error];
    if (outBatch == nil) { return nil; }
    NSMutableArray<functions_half_lifeOutput *> *results = [NSMutableArray arrayWithCapacity:(NSUInteger)outBatch.count];
    for (NSInteger i = 0; i < outBatch.count; i += 1) {
        id<MLFeatureProvider> features = [outBatch featuresAtIndex:i];
        [results addObject:[[functions_half_lifeOutput alloc] initWithY:[[features featureValueForName:@"y"] multiArrayValue]]];
    }
    return results;
}

@end
