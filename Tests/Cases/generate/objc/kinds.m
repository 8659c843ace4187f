//
// kinds.m
//
// This file was automatically generated and should not be edited.
//

#if !__has_feature(objc_arc)
#error This file must be compiled with automatic reference counting enabled (-fobjc-arc)
#endif

#import "kinds.h"

@implementation kindsInput

- (instancetype)initWithInteger:(int64_t)integer number:(double)number text:(NSString *)text words:(NSDictionary<NSString *, NSNumber *> *)words numbers:(NSDictionary<NSNumber *, NSNumber *> *)numbers texts:(MLSequence *)texts integers:(MLSequence *)integers colour:(CVPixelBufferRef)colour gray:(CVPixelBufferRef)gray gray16:(CVPixelBufferRef)gray16 {
    self = [super init];
    if (self) {
        self->_integer = integer;
        self->_number = number;
        self->_text = text;
        self->_words = words;
        self->_numbers = numbers;
        self->_texts = texts;
        self->_integers = integers;
        self->_colour = colour;
        CVPixelBufferRetain(self->_colour);
        self->_gray = gray;
        CVPixelBufferRetain(self->_gray);
        self->_gray16 = gray16;
        CVPixelBufferRetain(self->_gray16);
    }
    return self;
}

- (nullable instancetype)initWithInteger:(int64_t)integer number:(double)number text:(NSString *)text words:(NSDictionary<NSString *, NSNumber *> *)words numbers:(NSDictionary<NSNumber *, NSNumber *> *)numbers texts:(MLSequence *)texts integers:(MLSequence *)integers colourFromCGImage:(CGImageRef)colour grayFromCGImage:(CGImageRef)gray gray16FromCGImage:(CGImageRef)gray16 error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    MLFeatureValue *colourValue_ = [MLFeatureValue featureValueWithCGImage:colour pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (colourValue_ == nil) { return nil; }
    MLFeatureValue *grayValue_ = [MLFeatureValue featureValueWithCGImage:gray pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_OneComponent8 options:nil error:error];
    if (grayValue_ == nil) { return nil; }
    MLFeatureValue *gray16Value_ = [MLFeatureValue featureValueWithCGImage:gray16 pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_OneComponent16Half options:nil error:error];
    if (gray16Value_ == nil) { return nil; }
    return [self initWithInteger:integer number:number text:text words:words numbers:numbers texts:texts integers:integers colour:colourValue_.imageBufferValue gray:grayValue_.imageBufferValue gray16:gray16Value_.imageBufferValue];
}

- (nullable instancetype)initWithInteger:(int64_t)integer number:(double)number text:(NSString *)text words:(NSDictionary<NSString *, NSNumber *> *)words numbers:(NSDictionary<NSNumber *, NSNumber *> *)numbers texts:(MLSequence *)texts integers:(MLSequence *)integers colourAtURL:(NSURL *)colour grayAtURL:(NSURL *)gray gray16AtURL:(NSURL *)gray16 error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    MLFeatureValue *colourValue_ = [MLFeatureValue featureValueWithImageAtURL:colour pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (colourValue_ == nil) { return nil; }
    MLFeatureValue *grayValue_ = [MLFeatureValue featureValueWithImageAtURL:gray pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_OneComponent8 options:nil error:error];
    if (grayValue_ == nil) { return nil; }
    MLFeatureValue *gray16Value_ = [MLFeatureValue featureValueWithImageAtURL:gray16 pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_OneComponent16Half options:nil error:error];
    if (gray16Value_ == nil) { return nil; }
    return [self initWithInteger:integer number:number text:text words:words numbers:numbers texts:texts integers:integers colour:colourValue_.imageBufferValue gray:grayValue_.imageBufferValue gray16:gray16Value_.imageBufferValue];
}

- (void)dealloc {
    CVPixelBufferRelease(self->_colour);
    CVPixelBufferRelease(self->_gray);
    CVPixelBufferRelease(self->_gray16);
}

- (void)setColour:(CVPixelBufferRef)colour {
    CVPixelBufferRetain(colour);
    CVPixelBufferRelease(self->_colour);
    self->_colour = colour;
}

- (void)setGray:(CVPixelBufferRef)gray {
    CVPixelBufferRetain(gray);
    CVPixelBufferRelease(self->_gray);
    self->_gray = gray;
}

- (void)setGray16:(CVPixelBufferRef)gray16 {
    CVPixelBufferRetain(gray16);
    CVPixelBufferRelease(self->_gray16);
    self->_gray16 = gray16;
}

- (BOOL)setColourWithCGImage:(CGImageRef)colour error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    MLFeatureValue *value_ = [MLFeatureValue featureValueWithCGImage:colour pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (value_ == nil) { return NO; }
    self.colour = value_.imageBufferValue;
    return YES;
}

- (BOOL)setColourWithURL:(NSURL *)colour error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    MLFeatureValue *value_ = [MLFeatureValue featureValueWithImageAtURL:colour pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (value_ == nil) { return NO; }
    self.colour = value_.imageBufferValue;
    return YES;
}

- (BOOL)setGrayWithCGImage:(CGImageRef)gray error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    MLFeatureValue *value_ = [MLFeatureValue featureValueWithCGImage:gray pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_OneComponent8 options:nil error:error];
    if (value_ == nil) { return NO; }
    self.gray = value_.imageBufferValue;
    return YES;
}

- (BOOL)setGrayWithURL:(NSURL *)gray error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    MLFeatureValue *value_ = [MLFeatureValue featureValueWithImageAtURL:gray pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_OneComponent8 options:nil error:error];
    if (value_ == nil) { return NO; }
    self.gray = value_.imageBufferValue;
    return YES;
}

- (BOOL)setGray16WithCGImage:(CGImageRef)gray16 error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    MLFeatureValue *value_ = [MLFeatureValue featureValueWithCGImage:gray16 pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_OneComponent16Half options:nil error:error];
    if (value_ == nil) { return NO; }
    self.gray16 = value_.imageBufferValue;
    return YES;
}

- (BOOL)setGray16WithURL:(NSURL *)gray16 error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    MLFeatureValue *value_ = [MLFeatureValue featureValueWithImageAtURL:gray16 pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_OneComponent16Half options:nil error:error];
    if (value_ == nil) { return NO; }
    self.gray16 = value_.imageBufferValue;
    return YES;
}

- (NSSet<NSString *> *)featureNames {
    return [NSSet setWithArray:@[@"integer", @"number", @"text", @"words", @"numbers", @"texts", @"integers", @"colour", @"gray", @"gray16"]];
}

- (nullable MLFeatureValue *)featureValueForName:(NSString *)featureName {
    if ([featureName isEqualToString:@"integer"]) {
        return [MLFeatureValue featureValueWithInt64:self->_integer];
    }
    if ([featureName isEqualToString:@"number"]) {
        return [MLFeatureValue featureValueWithDouble:self->_number];
    }
    if ([featureName isEqualToString:@"text"]) {
        return [MLFeatureValue featureValueWithString:self->_text];
    }
    if ([featureName isEqualToString:@"words"]) {
        return [MLFeatureValue featureValueWithDictionary:self->_words error:nil];
    }
    if ([featureName isEqualToString:@"numbers"]) {
        return [MLFeatureValue featureValueWithDictionary:self->_numbers error:nil];
    }
    if ([featureName isEqualToString:@"texts"]) {
        return [MLFeatureValue featureValueWithSequence:self->_texts];
    }
    if ([featureName isEqualToString:@"integers"]) {
        return [MLFeatureValue featureValueWithSequence:self->_integers];
    }
    if ([featureName isEqualToString:@"colour"]) {
        return [MLFeatureValue featureValueWithPixelBuffer:self->_colour];
    }
    if ([featureName isEqualToString:@"gray"]) {
        return [MLFeatureValue featureValueWithPixelBuffer:self->_gray];
    }
    if ([featureName isEqualToString:@"gray16"]) {
        return [MLFeatureValue featureValueWithPixelBuffer:self->_gray16];
    }
    return nil;
}

@end

@implementation kindsOutput

- (instancetype)initWithInteger:(int64_t)integer number:(double)number text:(NSString *)text words:(NSDictionary<NSString *, NSNumber *> *)words numbers:(NSDictionary<NSNumber *, NSNumber *> *)numbers texts:(MLSequence *)texts integers:(MLSequence *)integers colour:(CVPixelBufferRef)colour gray:(CVPixelBufferRef)gray gray16:(CVPixelBufferRef)gray16 {
    self = [super init];
    if (self) {
        self->_integer = integer;
        self->_number = number;
        self->_text = text;
        self->_words = words;
        self->_numbers = numbers;
        self->_texts = texts;
        self->_integers = integers;
        self->_colour = colour;
        CVPixelBufferRetain(self->_colour);
        self->_gray = gray;
        CVPixelBufferRetain(self->_gray);
        self->_gray16 = gray16;
        CVPixelBufferRetain(self->_gray16);
    }
    return self;
}

- (void)dealloc {
    CVPixelBufferRelease(self->_colour);
    CVPixelBufferRelease(self->_gray);
    CVPixelBufferRelease(self->_gray16);
}

- (void)setColour:(CVPixelBufferRef)colour {
    CVPixelBufferRetain(colour);
    CVPixelBufferRelease(self->_colour);
    self->_colour = colour;
}

- (void)setGray:(CVPixelBufferRef)gray {
    CVPixelBufferRetain(gray);
    CVPixelBufferRelease(self->_gray);
    self->_gray = gray;
}

- (void)setGray16:(CVPixelBufferRef)gray16 {
    CVPixelBufferRetain(gray16);
    CVPixelBufferRelease(self->_gray16);
    self->_gray16 = gray16;
}

- (NSSet<NSString *> *)featureNames {
    return [NSSet setWithArray:@[@"integer", @"number", @"text", @"words", @"numbers", @"texts", @"integers", @"colour", @"gray", @"gray16"]];
}

- (nullable MLFeatureValue *)featureValueForName:(NSString *)featureName {
    if ([featureName isEqualToString:@"integer"]) {
        return [MLFeatureValue featureValueWithInt64:self->_integer];
    }
    if ([featureName isEqualToString:@"number"]) {
        return [MLFeatureValue featureValueWithDouble:self->_number];
    }
    if ([featureName isEqualToString:@"text"]) {
        return [MLFeatureValue featureValueWithString:self->_text];
    }
    if ([featureName isEqualToString:@"words"]) {
        return [MLFeatureValue featureValueWithDictionary:self->_words error:nil];
    }
    if ([featureName isEqualToString:@"numbers"]) {
        return [MLFeatureValue featureValueWithDictionary:self->_numbers error:nil];
    }
    if ([featureName isEqualToString:@"texts"]) {
        return [MLFeatureValue featureValueWithSequence:self->_texts];
    }
    if ([featureName isEqualToString:@"integers"]) {
        return [MLFeatureValue featureValueWithSequence:self->_integers];
    }
    if ([featureName isEqualToString:@"colour"]) {
        return [MLFeatureValue featureValueWithPixelBuffer:self->_colour];
    }
    if ([featureName isEqualToString:@"gray"]) {
        return [MLFeatureValue featureValueWithPixelBuffer:self->_gray];
    }
    if ([featureName isEqualToString:@"gray16"]) {
        return [MLFeatureValue featureValueWithPixelBuffer:self->_gray16];
    }
    return nil;
}

@end

@implementation kinds

+ (nullable NSURL *)URLOfModelInThisBundle {
    NSString *path = [[NSBundle bundleForClass:[self class]] pathForResource:@"kinds" ofType:@"mlmodelc"];
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

+ (void)loadWithConfiguration:(MLModelConfiguration *)configuration completionHandler:(void (^)(kinds * _Nullable model, NSError * _Nullable error))handler {
    NSURL *url = [self URLOfModelInThisBundle];
    if (url == nil) {
        handler(nil, [NSError errorWithDomain:NSCocoaErrorDomain code:NSFileNoSuchFileError userInfo:nil]);
        return;
    }
    [self loadContentsOfURL:url configuration:configuration completionHandler:handler];
}

+ (void)loadContentsOfURL:(NSURL *)modelURL configuration:(MLModelConfiguration *)configuration completionHandler:(void (^)(kinds * _Nullable model, NSError * _Nullable error))handler {
    [MLModel loadContentsOfURL:modelURL configuration:configuration completionHandler:^(MLModel *model, NSError *error) {
        handler(model == nil ? nil : [[kinds alloc] initWithMLModel:model], error);
    }];
}

- (nullable kindsOutput *)predictionFromFeatures:(kindsInput *)input error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    return [self predictionFromFeatures:input options:[[MLPredictionOptions alloc] init] error:error];
}

- (nullable kindsOutput *)predictionFromFeatures:(kindsInput *)input options:(MLPredictionOptions *)options error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    id<MLFeatureProvider> features = [self.model predictionFromFeatures:input options:options error:error];
    return features == nil ? nil : [[kindsOutput alloc] initWithInteger:[[features featureValueForName:@"integer"] int64Value] number:[[features featureValueForName:@"number"] doubleValue] text:[[features featureValueForName:@"text"] stringValue] words:(NSDictionary<NSString *, NSNumber *> *)[[features featureValueForName:@"words"] dictionaryValue] numbers:(NSDictionary<NSNumber *, NSNumber *> *)[[features featureValueForName:@"numbers"] dictionaryValue] texts:[[features featureValueForName:@"texts"] sequenceValue] integers:[[features featureValueForName:@"integers"] sequenceValue] colour:[[features featureValueForName:@"colour"] imageBufferValue] gray:[[features featureValueForName:@"gray"] imageBufferValue] gray16:[[features featureValueForName:@"gray16"] imageBufferValue]];
}

- (nullable kindsOutput *)predictionFromInteger:(int64_t)integer number:(double)number text:(NSString *)text words:(NSDictionary<NSString *, NSNumber *> *)words numbers:(NSDictionary<NSNumber *, NSNumber *> *)numbers texts:(MLSequence *)texts integers:(MLSequence *)integers colour:(CVPixelBufferRef)colour gray:(CVPixelBufferRef)gray gray16:(CVPixelBufferRef)gray16 error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    return [self predictionFromFeatures:[[kindsInput alloc] initWithInteger:integer number:number text:text words:words numbers:numbers texts:texts integers:integers colour:colour gray:gray gray16:gray16] error:error];
}

- (nullable NSArray<kindsOutput *> *)predictionsFromInputs:(NSArray<kindsInput *> *)inputArray options:(MLPredictionOptions *)options error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    id<MLBatchProvider> inBatch = [[MLArrayBatchProvider alloc] initWithFeatureProviderArray:inputArray];
    id<MLBatchProvider> outBatch = [self.model predictionsFromBatch:inBatch options:options error:error];
    if (outBatch == nil) { return nil; }
    NSMutableArray<kindsOutput *> *results = [NSMutableArray arrayWithCapacity:(NSUInteger)outBatch.count];
    for (NSInteger i = 0; i < outBatch.count; i += 1) {
        id<MLFeatureProvider> features = [outBatch featuresAtIndex:i];
        [results addObject:[[kindsOutput alloc] initWithInteger:[[features featureValueForName:@"integer"] int64Value] number:[[features featureValueForName:@"number"] doubleValue] text:[[features featureValueForName:@"text"] stringValue] words:(NSDictionary<NSString *, NSNumber *> *)[[features featureValueForName:@"words"] dictionaryValue] numbers:(NSDictionary<NSNumber *, NSNumber *> *)[[features featureValueForName:@"numbers"] dictionaryValue] texts:[[features featureValueForName:@"texts"] sequenceValue] integers:[[features featureValueForName:@"integers"] sequenceValue] colour:[[features featureValueForName:@"colour"] imageBufferValue] gray:[[features featureValueForName:@"gray"] imageBufferValue] gray16:[[features featureValueForName:@"gray16"] imageBufferValue]]];
    }
    return results;
}

@end
