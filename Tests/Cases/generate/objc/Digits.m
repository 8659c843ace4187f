//
// Digits.m
//
// This file was automatically generated and should not be edited.
//

#if !__has_feature(objc_arc)
#error This file must be compiled with automatic reference counting enabled (-fobjc-arc)
#endif

#import "Digits.h"

@implementation DigitsInput

- (instancetype)initWithImage:(CVPixelBufferRef)image {
    self = [super init];
    if (self) {
        self->_image = image;
        CVPixelBufferRetain(self->_image);
    }
    return self;
}

- (nullable instancetype)initWithImageFromCGImage:(CGImageRef)image error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    MLFeatureValue *imageValue_ = [MLFeatureValue featureValueWithCGImage:image pixelsWide:32 pixelsHigh:32 pixelFormatType:kCVPixelFormatType_OneComponent8 options:nil error:error];
    if (imageValue_ == nil) { return nil; }
    return [self initWithImage:imageValue_.imageBufferValue];
}

- (nullable instancetype)initWithImageAtURL:(NSURL *)image error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    MLFeatureValue *imageValue_ = [MLFeatureValue featureValueWithImageAtURL:image pixelsWide:32 pixelsHigh:32 pixelFormatType:kCVPixelFormatType_OneComponent8 options:nil error:error];
    if (imageValue_ == nil) { return nil; }
    return [self initWithImage:imageValue_.imageBufferValue];
}

- (void)dealloc {
    CVPixelBufferRelease(self->_image);
}

- (void)setImage:(CVPixelBufferRef)image {
    CVPixelBufferRetain(image);
    CVPixelBufferRelease(self->_image);
    self->_image = image;
}

- (BOOL)setImageWithCGImage:(CGImageRef)image error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    MLFeatureValue *value_ = [MLFeatureValue featureValueWithCGImage:image pixelsWide:32 pixelsHigh:32 pixelFormatType:kCVPixelFormatType_OneComponent8 options:nil error:error];
    if (value_ == nil) { return NO; }
    self.image = value_.imageBufferValue;
    return YES;
}

- (BOOL)setImageWithURL:(NSURL *)image error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    MLFeatureValue *value_ = [MLFeatureValue featureValueWithImageAtURL:image pixelsWide:32 pixelsHigh:32 pixelFormatType:kCVPixelFormatType_OneComponent8 options:nil error:error];
    if (value_ == nil) { return NO; }
    self.image = value_.imageBufferValue;
    return YES;
}

- (NSSet<NSString *> *)featureNames {
    return [NSSet setWithArray:@[@"image"]];
}

- (nullable MLFeatureValue *)featureValueForName:(NSString *)featureName {
    if ([featureName isEqualToString:@"image"]) {
        return [MLFeatureValue featureValueWithPixelBuffer:self->_image];
    }
    return nil;
}

@end

@implementation DigitsOutput

- (instancetype)initWithClassLabel:(NSString *)classLabel classLabel_probs:(NSDictionary<NSString *, NSNumber *> *)classLabel_probs {
    self = [super init];
    if (self) {
        self->_classLabel = classLabel;
        self->_classLabel_probs = classLabel_probs;
    }
    return self;
}

- (NSSet<NSString *> *)featureNames {
    return [NSSet setWithArray:@[@"classLabel", @"classLabel_probs"]];
}

- (nullable MLFeatureValue *)featureValueForName:(NSString *)featureName {
    if ([featureName isEqualToString:@"classLabel"]) {
        return [MLFeatureValue featureValueWithString:self->_classLabel];
    }
    if ([featureName isEqualToString:@"classLabel_probs"]) {
        return [MLFeatureValue featureValueWithDictionary:self->_classLabel_probs error:nil];
    }
    return nil;
}

@end

@implementation Digits

+ (nullable NSURL *)URLOfModelInThisBundle {
    NSString *path = [[NSBundle bundleForClass:[self class]] pathForResource:@"Digits" ofType:@"mlmodelc"];
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

+ (void)loadWithConfiguration:(MLModelConfiguration *)configuration completionHandler:(void (^)(Digits * _Nullable model, NSError * _Nullable error))handler {
    NSURL *url = [self URLOfModelInThisBundle];
    if (url == nil) {
        handler(nil, [NSError errorWithDomain:NSCocoaErrorDomain code:NSFileNoSuchFileError userInfo:nil]);
        return;
    }
    [self loadContentsOfURL:url configuration:configuration completionHandler:handler];
}

+ (void)loadContentsOfURL:(NSURL *)modelURL configuration:(MLModelConfiguration *)configuration completionHandler:(void (^)(Digits * _Nullable model, NSError * _Nullable error))handler {
    [MLModel loadContentsOfURL:modelURL configuration:configuration completionHandler:^(MLModel *model, NSError *error) {
        handler(model == nil ? nil : [[Digits alloc] initWithMLModel:model], error);
    }];
}

- (nullable DigitsOutput *)predictionFromFeatures:(DigitsInput *)input error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    return [self predictionFromFeatures:input options:[[MLPredictionOptions alloc] init] error:error];
}

- (nullable DigitsOutput *)predictionFromFeatures:(DigitsInput *)input options:(MLPredictionOptions *)options error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    id<MLFeatureProvider> features = [self.model predictionFromFeatures:input options:options error:error];
    return features == nil ? nil : [[DigitsOutput alloc] initWithClassLabel:[[features featureValueForName:@"classLabel"] stringValue] classLabel_probs:(NSDictionary<NSString *, NSNumber *> *)[[features featureValueForName:@"classLabel_probs"] dictionaryValue]];
}

- (nullable DigitsOutput *)predictionFromImage:(CVPixelBufferRef)image error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    return [self predictionFromFeatures:[[DigitsInput alloc] initWithImage:image] error:error];
}

- (nullable NSArray<DigitsOutput *> *)predictionsFromInputs:(NSArray<DigitsInput *> *)inputArray options:(MLPredictionOptions *)options error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    id<MLBatchProvider> inBatch = [[MLArrayBatchProvider alloc] initWithFeatureProviderArray:inputArray];
    id<MLBatchProvider> outBatch = [self.model predictionsFromBatch:inBatch options:options error:error];
    if (outBatch == nil) { return nil; }
    NSMutableArray<DigitsOutput *> *results = [NSMutableArray arrayWithCapacity:(NSUInteger)outBatch.count];
    for (NSInteger i = 0; i < outBatch.count; i += 1) {
        id<MLFeatureProvider> features = [outBatch featuresAtIndex:i];
        [results addObject:[[DigitsOutput alloc] initWithClassLabel:[[features featureValueForName:@"classLabel"] stringValue] classLabel_probs:(NSDictionary<NSString *, NSNumber *> *)[[features featureValueForName:@"classLabel_probs"] dictionaryValue]]];
    }
    return results;
}

@end
