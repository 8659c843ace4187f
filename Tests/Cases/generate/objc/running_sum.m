//
// running_sum.m
//
// This file was automatically generated and should not be edited.
//

#if !__has_feature(objc_arc)
#error This file must be compiled with automatic reference counting enabled (-fobjc-arc)
#endif

#import "running_sum.h"

@implementation running_sumInput

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

@implementation running_sumOutput

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

@implementation running_sum

+ (nullable NSURL *)URLOfModelInThisBundle {
    NSString *path = [[NSBundle bundleForClass:[self class]] pathForResource:@"running-sum" ofType:@"mlmodelc"];
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

+ (void)loadWithConfiguration:(MLModelConfiguration *)configuration completionHandler:(void (^)(running_sum * _Nullable model, NSError * _Nullable error))handler {
    NSURL *url = [self URLOfModelInThisBundle];
    if (url == nil) {
        handler(nil, [NSError errorWithDomain:NSCocoaErrorDomain code:NSFileNoSuchFileError userInfo:nil]);
        return;
    }
    [self loadContentsOfURL:url configuration:configuration completionHandler:handler];
}

+ (void)loadContentsOfURL:(NSURL *)modelURL configuration:(MLModelConfiguration *)configuration completionHandler:(void (^)(running_sum * _Nullable model, NSError * _Nullable error))handler {
    [MLModel loadContentsOfURL:modelURL configuration:configuration completionHandler:^(MLModel *model, NSError *error) {
        handler(model == nil ? nil : [[running_sum alloc] initWithMLModel:model], error);
    }];
}

- (MLState *)newState {
    return [self.model newState];
}

- (nullable running_sumOutput *)predictionFromFeatures:(running_sumInput *)input usingState:(MLState *)state options:(MLPredictionOptions *)options error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    id<MLFeatureProvider> features = [self.model predictionFromFeatures:input usingState:state options:options error:error];
    return features == nil ? nil : [[running_sumOutput alloc] initWithY:[[features featureValueForName:@"y"] multiArrayValue]];
}

- (nullable running_sumOutput *)predictionFromFeatures:(running_sumInput *)input error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    return [self predictionFromFeatures:input options:[[MLPredictionOptions alloc] init] error:error];
}

- (nullable running_sumOutput *)predictionFromFeatures:(running_sumInput *)input options:(MLPredictionOptions *)options error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    id<MLFeatureProvider> features = [self.model predictionFromFeatures:input options:options error:error];
    return features == nil ? nil : [[running_sumOutput alloc] initWithY:[[features featureValueForName:@"y"] multiArrayValue]];
}

- (nullable running_sumOutput *)predictionFromX:(MLMultiArray *)x error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    return [self predictionFromFeatures:[[running_sumInput alloc] initWithX:x] error:error];
}

- (nullable NSArray<running_sumOutput *> *)predictionsFromInputs:(NSArray<running_sumInput *> *)inputArray options:(MLPredictionOptions *)options error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    id<MLBatchProvider> inBatch = [[MLArrayBatchProvider alloc] initWithFeatureProviderArray:inputArray];
    id<MLBatchProvider> outBatch = [self.model predictionsFromBatch:inBatch options:options error:error];
    if (outBatch == nil) { return nil; }
    NSMutableArray<running_sumOutput *> *results = [NSMutableArray arrayWithCapacity:(NSUInteger)outBatch.count];
    for (NSInteger i = 0; i < outBatch.count; i += 1) {
        id<MLFeatureProvider> features = [outBatch featuresAtIndex:i];
        [results addObject:[[running_sumOutput alloc] initWithY:[[features featureValueForName:@"y"] multiArrayValue]]];
    }
    return results;
}

@end
