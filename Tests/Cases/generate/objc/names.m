//
// names.m
//
// This file was automatically generated and should not be edited.
//

#if !__has_feature(objc_arc)
#error This file must be compiled with automatic reference counting enabled (-fobjc-arc)
#endif

#import "names.h"

@implementation namesInput

- (instancetype)initWithCO2_Emissions_g_km_:(double)CO2_Emissions_g_km_ _963:(MLMultiArray *)_963 class_:(CVPixelBufferRef)class_ self_:(NSString *)self_ the_init_:(double)the_init_ Type:(double)Type in_:(MLMultiArray *)in_ None:(CVPixelBufferRef)None id_:(NSString *)id_ a_b:(double)a_b a_b_:(double)a_b_ a_b__:(MLMultiArray *)a_b__ _feature:(CVPixelBufferRef)_feature größe:(NSString *)größe 日本:(double)日本 _feature_:(double)_feature_ featureNames_:(MLMultiArray *)featureNames_ provider_:(CVPixelBufferRef)provider_ MLFeatureValue_:(NSString *)MLFeatureValue_ description_:(double)description_ the_newest:(double)the_newest features:(MLMultiArray *)features __hidden:(CVPixelBufferRef)__hidden x_y:(NSString *)x_y ___line__error__:(double)___line__error__ __HOME____x___s:(double)__HOME____x___s {
    self = [super init];
    if (self) {
        _CO2_Emissions_g_km_ = CO2_Emissions_g_km_;
        __963 = _963;
        _class_ = class_;
        CVPixelBufferRetain(_class_);
        _self_ = self_;
        _the_init_ = the_init_;
        _Type = Type;
        _in_ = in_;
        _None = None;
        CVPixelBufferRetain(_None);
        _id_ = id_;
        _a_b = a_b;
        _a_b_ = a_b_;
        _a_b__ = a_b__;
        __feature = _feature;
        CVPixelBufferRetain(__feature);
        _größe = größe;
        _日本 = 日本;
        __feature_ = _feature_;
        _featureNames_ = featureNames_;
        _provider_ = provider_;
        CVPixelBufferRetain(_provider_);
        _MLFeatureValue_ = MLFeatureValue_;
        _description_ = description_;
        _the_newest = the_newest;
        _features = features;
        ___hidden = __hidden;
        CVPixelBufferRetain(___hidden);
        _x_y = x_y;
        ____line__error__ = ___line__error__;
        ___HOME____x___s = __HOME____x___s;
    }
    return self;
}

- (nullable instancetype)initWithCO2_Emissions_g_km_:(double)CO2_Emissions_g_km_ _963:(MLMultiArray *)_963 class_FromCGImage:(CGImageRef)class_ self_:(NSString *)self_ the_init_:(double)the_init_ Type:(double)Type in_:(MLMultiArray *)in_ NoneFromCGImage:(CGImageRef)None id_:(NSString *)id_ a_b:(double)a_b a_b_:(double)a_b_ a_b__:(MLMultiArray *)a_b__ _featureFromCGImage:(CGImageRef)_feature größe:(NSString *)größe 日本:(double)日本 _feature_:(double)_feature_ featureNames_:(MLMultiArray *)featureNames_ provider_FromCGImage:(CGImageRef)provider_ MLFeatureValue_:(NSString *)MLFeatureValue_ description_:(double)description_ the_newest:(double)the_newest features:(MLMultiArray *)features __hiddenFromCGImage:(CGImageRef)__hidden x_y:(NSString *)x_y ___line__error__:(double)___line__error__ __HOME____x___s:(double)__HOME____x___s error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    MLFeatureValue *class_Value_ = [MLFeatureValue featureValueWithCGImage:class_ pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (class_Value_ == nil) { return nil; }
    MLFeatureValue *NoneValue_ = [MLFeatureValue featureValueWithCGImage:None pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (NoneValue_ == nil) { return nil; }
    MLFeatureValue *_featureValue_ = [MLFeatureValue featureValueWithCGImage:_feature pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (_featureValue_ == nil) { return nil; }
    MLFeatureValue *provider_Value_ = [MLFeatureValue featureValueWithCGImage:provider_ pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (provider_Value_ == nil) { return nil; }
    MLFeatureValue *__hiddenValue_ = [MLFeatureValue featureValueWithCGImage:__hidden pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (__hiddenValue_ == nil) { return nil; }
    return [self initWithCO2_Emissions_g_km_:CO2_Emissions_g_km_ _963:_963 class_:class_Value_.imageBufferValue self_:self_ the_init_:the_init_ Type:Type in_:in_ None:NoneValue_.imageBufferValue id_:id_ a_b:a_b a_b_:a_b_ a_b__:a_b__ _feature:_featureValue_.imageBufferValue größe:größe 日本:日本 _feature_:_feature_ featureNames_:featureNames_ provider_:provider_Value_.imageBufferValue MLFeatureValue_:MLFeatureValue_ description_:description_ the_newest:the_newest features:features __hidden:__hiddenValue_.imageBufferValue x_y:x_y ___line__error__:___line__error__ __HOME____x___s:__HOME____x___s];
}

- (nullable instancetype)initWithCO2_Emissions_g_km_:(double)CO2_Emissions_g_km_ _963:(MLMultiArray *)_963 class_AtURL:(NSURL *)class_ self_:(NSString *)self_ the_init_:(double)the_init_ Type:(double)Type in_:(MLMultiArray *)in_ NoneAtURL:(NSURL *)None id_:(NSString *)id_ a_b:(double)a_b a_b_:(double)a_b_ a_b__:(MLMultiArray *)a_b__ _featureAtURL:(NSURL *)_feature größe:(NSString *)größe 日本:(double)日本 _feature_:(double)_feature_ featureNames_:(MLMultiArray *)featureNames_ provider_AtURL:(NSURL *)provider_ MLFeatureValue_:(NSString *)MLFeatureValue_ description_:(double)description_ the_newest:(double)the_newest features:(MLMultiArray *)features __hiddenAtURL:(NSURL *)__hidden x_y:(NSString *)x_y ___line__error__:(double)___line__error__ __HOME____x___s:(double)__HOME____x___s error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    MLFeatureValue *class_Value_ = [MLFeatureValue featureValueWithImageAtURL:class_ pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (class_Value_ == nil) { return nil; }
    MLFeatureValue *NoneValue_ = [MLFeatureValue featureValueWithImageAtURL:None pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (NoneValue_ == nil) { return nil; }
    MLFeatureValue *_featureValue_ = [MLFeatureValue featureValueWithImageAtURL:_feature pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (_featureValue_ == nil) { return nil; }
    MLFeatureValue *provider_Value_ = [MLFeatureValue featureValueWithImageAtURL:provider_ pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (provider_Value_ == nil) { return nil; }
    MLFeatureValue *__hiddenValue_ = [MLFeatureValue featureValueWithImageAtURL:__hidden pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (__hiddenValue_ == nil) { return nil; }
    return [self initWithCO2_Emissions_g_km_:CO2_Emissions_g_km_ _963:_963 class_:class_Value_.imageBufferValue self_:self_ the_init_:the_init_ Type:Type in_:in_ None:NoneValue_.imageBufferValue id_:id_ a_b:a_b a_b_:a_b_ a_b__:a_b__ _feature:_featureValue_.imageBufferValue größe:größe 日本:日本 _feature_:_feature_ featureNames_:featureNames_ provider_:provider_Value_.imageBufferValue MLFeatureValue_:MLFeatureValue_ description_:description_ the_newest:the_newest features:features __hidden:__hiddenValue_.imageBufferValue x_y:x_y ___line__error__:___line__error__ __HOME____x___s:__HOME____x___s];
}

- (void)dealloc {
    CVPixelBufferRelease(_class_);
    CVPixelBufferRelease(_None);
    CVPixelBufferRelease(__feature);
    CVPixelBufferRelease(_provider_);
    CVPixelBufferRelease(___hidden);
}

- (void)setClass_:(CVPixelBufferRef)class_ {
    CVPixelBufferRetain(class_);
    CVPixelBufferRelease(_class_);
    _class_ = class_;
}

- (void)setNone:(CVPixelBufferRef)None {
    CVPixelBufferRetain(None);
    CVPixelBufferRelease(_None);
    _None = None;
}

- (void)set_feature:(CVPixelBufferRef)_feature {
    CVPixelBufferRetain(_feature);
    CVPixelBufferRelease(__feature);
    __feature = _feature;
}

- (void)setProvider_:(CVPixelBufferRef)provider_ {
    CVPixelBufferRetain(provider_);
    CVPixelBufferRelease(_provider_);
    _provider_ = provider_;
}

- (void)set__hidden:(CVPixelBufferRef)__hidden {
    CVPixelBufferRetain(__hidden);
    CVPixelBufferRelease(___hidden);
    ___hidden = __hidden;
}

- (BOOL)setClass_WithCGImage:(CGImageRef)class_ error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    MLFeatureValue *value_ = [MLFeatureValue featureValueWithCGImage:class_ pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (value_ == nil) { return NO; }
    self.class_ = value_.imageBufferValue;
    return YES;
}

- (BOOL)setClass_WithURL:(NSURL *)class_ error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    MLFeatureValue *value_ = [MLFeatureValue featureValueWithImageAtURL:class_ pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (value_ == nil) { return NO; }
    self.class_ = value_.imageBufferValue;
    return YES;
}

- (BOOL)setNoneWithCGImage:(CGImageRef)None error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    MLFeatureValue *value_ = [MLFeatureValue featureValueWithCGImage:None pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (value_ == nil) { return NO; }
    self.None = value_.imageBufferValue;
    return YES;
}

- (BOOL)setNoneWithURL:(NSURL *)None error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    MLFeatureValue *value_ = [MLFeatureValue featureValueWithImageAtURL:None pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (value_ == nil) { return NO; }
    self.None = value_.imageBufferValue;
    return YES;
}

- (BOOL)set_featureWithCGImage:(CGImageRef)_feature error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    MLFeatureValue *value_ = [MLFeatureValue featureValueWithCGImage:_feature pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (value_ == nil) { return NO; }
    self._feature = value_.imageBufferValue;
    return YES;
}

- (BOOL)set_featureWithURL:(NSURL *)_feature error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    MLFeatureValue *value_ = [MLFeatureValue featureValueWithImageAtURL:_feature pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (value_ == nil) { return NO; }
    self._feature = value_.imageBufferValue;
    return YES;
}

- (BOOL)setProvider_WithCGImage:(CGImageRef)provider_ error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    MLFeatureValue *value_ = [MLFeatureValue featureValueWithCGImage:provider_ pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (value_ == nil) { return NO; }
    self.provider_ = value_.imageBufferValue;
    return YES;
}

- (BOOL)setProvider_WithURL:(NSURL *)provider_ error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    MLFeatureValue *value_ = [MLFeatureValue featureValueWithImageAtURL:provider_ pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (value_ == nil) { return NO; }
    self.provider_ = value_.imageBufferValue;
    return YES;
}

- (BOOL)set__hiddenWithCGImage:(CGImageRef)__hidden error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    MLFeatureValue *value_ = [MLFeatureValue featureValueWithCGImage:__hidden pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (value_ == nil) { return NO; }
    self.__hidden = value_.imageBufferValue;
    return YES;
}

- (BOOL)set__hiddenWithURL:(NSURL *)__hidden error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    MLFeatureValue *value_ = [MLFeatureValue featureValueWithImageAtURL:__hidden pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (value_ == nil) { return NO; }
    self.__hidden = value_.imageBufferValue;
    return YES;
}

- (NSSet<NSString *> *)featureNames {
    return [NSSet setWithArray:@[@"CO2 Emissions(g/km)", @"963", @"class", @"self", @"init", @"Type", @"in", @"None", @"id", @"a b", @"a_b", @"a\"b", @"_", @"größe", @"日本", @"🙂", @"featureNames", @"provider", @"MLFeatureValue", @"description", @"newest", @"features", @"__hidden", @"x\U0000202ey", @"*/ line\012#error \\", @"${HOME} \\(x) %s"]];
}

- (nullable MLFeatureValue *)featureValueForName:(NSString *)featureName {
    if ([featureName isEqualToString:@"CO2 Emissions(g/km)"]) {
        return [MLFeatureValue featureValueWithDouble:_CO2_Emissions_g_km_];
    }
    if ([featureName isEqualToString:@"963"]) {
        return [MLFeatureValue featureValueWithMultiArray:__963];
    }
    if ([featureName isEqualToString:@"class"]) {
        return [MLFeatureValue featureValueWithPixelBuffer:_class_];
    }
    if ([featureName isEqualToString:@"self"]) {
        return [MLFeatureValue featureValueWithString:_self_];
    }
    if ([featureName isEqualToString:@"init"]) {
        return [MLFeatureValue featureValueWithDouble:_the_init_];
    }
    if ([featureName isEqualToString:@"Type"]) {
        return [MLFeatureValue featureValueWithDouble:_Type];
    }
    if ([featureName isEqualToString:@"in"]) {
        return [MLFeatureValue featureValueWithMultiArray:_in_];
    }
    if ([featureName isEqualToString:@"None"]) {
        return [MLFeatureValue featureValueWithPixelBuffer:_None];
    }
    if ([featureName isEqualToString:@"id"]) {
        return [MLFeatureValue featureValueWithString:_id_];
    }
    if ([featureName isEqualToString:@"a b"]) {
        return [MLFeatureValue featureValueWithDouble:_a_b];
    }
    if ([featureName isEqualToString:@"a_b"]) {
        return [MLFeatureValue featureValueWithDouble:_a_b_];
    }
    if ([featureName isEqualToString:@"a\"b"]) {
        return [MLFeatureValue featureValueWithMultiArray:_a_b__];
    }
    if ([featureName isEqualToString:@"_"]) {
        return [MLFeatureValue featureValueWithPixelBuffer:__feature];
    }
    if ([featureName isEqualToString:@"größe"]) {
        return [MLFeatureValue featureValueWithString:_größe];
    }
    if ([featureName isEqualToString:@"日本"]) {
        return [MLFeatureValue featureValueWithDouble:_日本];
    }
    if ([featureName isEqualToString:@"🙂"]) {
        return [MLFeatureValue featureValueWithDouble:__feature_];
    }
    if ([featureName isEqualToString:@"featureNames"]) {
        return [MLFeatureValue featureValueWithMultiArray:_featureNames_];
    }
    if ([featureName isEqualToString:@"provider"]) {
        return [MLFeatureValue featureValueWithPixelBuffer:_provider_];
    }
    if ([featureName isEqualToString:@"MLFeatureValue"]) {
        return [MLFeatureValue featureValueWithString:_MLFeatureValue_];
    }
    if ([featureName isEqualToString:@"description"]) {
        return [MLFeatureValue featureValueWithDouble:_description_];
    }
    if ([featureName isEqualToString:@"newest"]) {
        return [MLFeatureValue featureValueWithDouble:_the_newest];
    }
    if ([featureName isEqualToString:@"features"]) {
        return [MLFeatureValue featureValueWithMultiArray:_features];
    }
    if ([featureName isEqualToString:@"__hidden"]) {
        return [MLFeatureValue featureValueWithPixelBuffer:___hidden];
    }
    if ([featureName isEqualToString:@"x\U0000202ey"]) {
        return [MLFeatureValue featureValueWithString:_x_y];
    }
    if ([featureName isEqualToString:@"*/ line\012#error \\"]) {
        return [MLFeatureValue featureValueWithDouble:____line__error__];
    }
    if ([featureName isEqualToString:@"${HOME} \\(x) %s"]) {
        return [MLFeatureValue featureValueWithDouble:___HOME____x___s];
    }
    return nil;
}

@end

@implementation namesOutput

- (instancetype)initWithCO2_Emissions_g_km_:(double)CO2_Emissions_g_km_ _963:(MLMultiArray *)_963 class_:(CVPixelBufferRef)class_ self_:(NSString *)self_ the_init_:(double)the_init_ Type:(double)Type in_:(MLMultiArray *)in_ None:(CVPixelBufferRef)None id_:(NSString *)id_ a_b:(double)a_b a_b_:(double)a_b_ a_b__:(MLMultiArray *)a_b__ _feature:(CVPixelBufferRef)_feature größe:(NSString *)größe 日本:(double)日本 _feature_:(double)_feature_ featureNames_:(MLMultiArray *)featureNames_ provider_:(CVPixelBufferRef)provider_ MLFeatureValue_:(NSString *)MLFeatureValue_ description_:(double)description_ the_newest:(double)the_newest features:(MLMultiArray *)features __hidden:(CVPixelBufferRef)__hidden x_y:(NSString *)x_y ___line__error__:(double)___line__error__ __HOME____x___s:(double)__HOME____x___s {
    self = [super init];
    if (self) {
        _CO2_Emissions_g_km_ = CO2_Emissions_g_km_;
        __963 = _963;
        _class_ = class_;
        CVPixelBufferRetain(_class_);
        _self_ = self_;
        _the_init_ = the_init_;
        _Type = Type;
        _in_ = in_;
        _None = None;
        CVPixelBufferRetain(_None);
        _id_ = id_;
        _a_b = a_b;
        _a_b_ = a_b_;
        _a_b__ = a_b__;
        __feature = _feature;
        CVPixelBufferRetain(__feature);
        _größe = größe;
        _日本 = 日本;
        __feature_ = _feature_;
        _featureNames_ = featureNames_;
        _provider_ = provider_;
        CVPixelBufferRetain(_provider_);
        _MLFeatureValue_ = MLFeatureValue_;
        _description_ = description_;
        _the_newest = the_newest;
        _features = features;
        ___hidden = __hidden;
        CVPixelBufferRetain(___hidden);
        _x_y = x_y;
        ____line__error__ = ___line__error__;
        ___HOME____x___s = __HOME____x___s;
    }
    return self;
}

- (void)dealloc {
    CVPixelBufferRelease(_class_);
    CVPixelBufferRelease(_None);
    CVPixelBufferRelease(__feature);
    CVPixelBufferRelease(_provider_);
    CVPixelBufferRelease(___hidden);
}

- (void)setClass_:(CVPixelBufferRef)class_ {
    CVPixelBufferRetain(class_);
    CVPixelBufferRelease(_class_);
    _class_ = class_;
}

- (void)setNone:(CVPixelBufferRef)None {
    CVPixelBufferRetain(None);
    CVPixelBufferRelease(_None);
    _None = None;
}

- (void)set_feature:(CVPixelBufferRef)_feature {
    CVPixelBufferRetain(_feature);
    CVPixelBufferRelease(__feature);
    __feature = _feature;
}

- (void)setProvider_:(CVPixelBufferRef)provider_ {
    CVPixelBufferRetain(provider_);
    CVPixelBufferRelease(_provider_);
    _provider_ = provider_;
}

- (void)set__hidden:(CVPixelBufferRef)__hidden {
    CVPixelBufferRetain(__hidden);
    CVPixelBufferRelease(___hidden);
    ___hidden = __hidden;
}

- (NSSet<NSString *> *)featureNames {
    return [NSSet setWithArray:@[@"CO2 Emissions(g/km)", @"963", @"class", @"self", @"init", @"Type", @"in", @"None", @"id", @"a b", @"a_b", @"a\"b", @"_", @"größe", @"日本", @"🙂", @"featureNames", @"provider", @"MLFeatureValue", @"description", @"newest", @"features", @"__hidden", @"x\U0000202ey", @"*/ line\012#error \\", @"${HOME} \\(x) %s"]];
}

- (nullable MLFeatureValue *)featureValueForName:(NSString *)featureName {
    if ([featureName isEqualToString:@"CO2 Emissions(g/km)"]) {
        return [MLFeatureValue featureValueWithDouble:_CO2_Emissions_g_km_];
    }
    if ([featureName isEqualToString:@"963"]) {
        return [MLFeatureValue featureValueWithMultiArray:__963];
    }
    if ([featureName isEqualToString:@"class"]) {
        return [MLFeatureValue featureValueWithPixelBuffer:_class_];
    }
    if ([featureName isEqualToString:@"self"]) {
        return [MLFeatureValue featureValueWithString:_self_];
    }
    if ([featureName isEqualToString:@"init"]) {
        return [MLFeatureValue featureValueWithDouble:_the_init_];
    }
    if ([featureName isEqualToString:@"Type"]) {
        return [MLFeatureValue featureValueWithDouble:_Type];
    }
    if ([featureName isEqualToString:@"in"]) {
        return [MLFeatureValue featureValueWithMultiArray:_in_];
    }
    if ([featureName isEqualToString:@"None"]) {
        return [MLFeatureValue featureValueWithPixelBuffer:_None];
    }
    if ([featureName isEqualToString:@"id"]) {
        return [MLFeatureValue featureValueWithString:_id_];
    }
    if ([featureName isEqualToString:@"a b"]) {
        return [MLFeatureValue featureValueWithDouble:_a_b];
    }
    if ([featureName isEqualToString:@"a_b"]) {
        return [MLFeatureValue featureValueWithDouble:_a_b_];
    }
    if ([featureName isEqualToString:@"a\"b"]) {
        return [MLFeatureValue featureValueWithMultiArray:_a_b__];
    }
    if ([featureName isEqualToString:@"_"]) {
        return [MLFeatureValue featureValueWithPixelBuffer:__feature];
    }
    if ([featureName isEqualToString:@"größe"]) {
        return [MLFeatureValue featureValueWithString:_größe];
    }
    if ([featureName isEqualToString:@"日本"]) {
        return [MLFeatureValue featureValueWithDouble:_日本];
    }
    if ([featureName isEqualToString:@"🙂"]) {
        return [MLFeatureValue featureValueWithDouble:__feature_];
    }
    if ([featureName isEqualToString:@"featureNames"]) {
        return [MLFeatureValue featureValueWithMultiArray:_featureNames_];
    }
    if ([featureName isEqualToString:@"provider"]) {
        return [MLFeatureValue featureValueWithPixelBuffer:_provider_];
    }
    if ([featureName isEqualToString:@"MLFeatureValue"]) {
        return [MLFeatureValue featureValueWithString:_MLFeatureValue_];
    }
    if ([featureName isEqualToString:@"description"]) {
        return [MLFeatureValue featureValueWithDouble:_description_];
    }
    if ([featureName isEqualToString:@"newest"]) {
        return [MLFeatureValue featureValueWithDouble:_the_newest];
    }
    if ([featureName isEqualToString:@"features"]) {
        return [MLFeatureValue featureValueWithMultiArray:_features];
    }
    if ([featureName isEqualToString:@"__hidden"]) {
        return [MLFeatureValue featureValueWithPixelBuffer:___hidden];
    }
    if ([featureName isEqualToString:@"x\U0000202ey"]) {
        return [MLFeatureValue featureValueWithString:_x_y];
    }
    if ([featureName isEqualToString:@"*/ line\012#error \\"]) {
        return [MLFeatureValue featureValueWithDouble:____line__error__];
    }
    if ([featureName isEqualToString:@"${HOME} \\(x) %s"]) {
        return [MLFeatureValue featureValueWithDouble:___HOME____x___s];
    }
    return nil;
}

@end

@implementation names

+ (nullable NSURL *)URLOfModelInThisBundle {
    NSString *path = [[NSBundle bundleForClass:[self class]] pathForResource:@"names" ofType:@"mlmodelc"];
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

+ (void)loadWithConfiguration:(MLModelConfiguration *)configuration completionHandler:(void (^)(names * _Nullable model, NSError * _Nullable error))handler {
    NSURL *url = [self URLOfModelInThisBundle];
    if (url == nil) {
        handler(nil, [NSError errorWithDomain:NSCocoaErrorDomain code:NSFileNoSuchFileError userInfo:nil]);
        return;
    }
    [self loadContentsOfURL:url configuration:configuration completionHandler:handler];
}

+ (void)loadContentsOfURL:(NSURL *)modelURL configuration:(MLModelConfiguration *)configuration completionHandler:(void (^)(names * _Nullable model, NSError * _Nullable error))handler {
    [MLModel loadContentsOfURL:modelURL configuration:configuration completionHandler:^(MLModel *model, NSError *error) {
        handler(model == nil ? nil : [[names alloc] initWithMLModel:model], error);
    }];
}

- (nullable namesOutput *)predictionFromFeatures:(namesInput *)input error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    return [self predictionFromFeatures:input options:[[MLPredictionOptions alloc] init] error:error];
}

- (nullable namesOutput *)predictionFromFeatures:(namesInput *)input options:(MLPredictionOptions *)options error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    id<MLFeatureProvider> features = [self.model predictionFromFeatures:input options:options error:error];
    return features == nil ? nil : [[namesOutput alloc] initWithCO2_Emissions_g_km_:[[features featureValueForName:@"CO2 Emissions(g/km)"] doubleValue] _963:[[features featureValueForName:@"963"] multiArrayValue] class_:[[features featureValueForName:@"class"] imageBufferValue] self_:[[features featureValueForName:@"self"] stringValue] the_init_:[[features featureValueForName:@"init"] doubleValue] Type:[[features featureValueForName:@"Type"] doubleValue] in_:[[features featureValueForName:@"in"] multiArrayValue] None:[[features featureValueForName:@"None"] imageBufferValue] id_:[[features featureValueForName:@"id"] stringValue] a_b:[[features featureValueForName:@"a b"] doubleValue] a_b_:[[features featureValueForName:@"a_b"] doubleValue] a_b__:[[features featureValueForName:@"a\"b"] multiArrayValue] _feature:[[features featureValueForName:@"_"] imageBufferValue] größe:[[features featureValueForName:@"größe"] stringValue] 日本:[[features featureValueForName:@"日本"] doubleValue] _feature_:[[features featureValueForName:@"🙂"] doubleValue] featureNames_:[[features featureValueForName:@"featureNames"] multiArrayValue] provider_:[[features featureValueForName:@"provider"] imageBufferValue] MLFeatureValue_:[[features featureValueForName:@"MLFeatureValue"] stringValue] description_:[[features featureValueForName:@"description"] doubleValue] the_newest:[[features featureValueForName:@"newest"] doubleValue] features:[[features featureValueForName:@"features"] multiArrayValue] __hidden:[[features featureValueForName:@"__hidden"] imageBufferValue] x_y:[[features featureValueForName:@"x\U0000202ey"] stringValue] ___line__error__:[[features featureValueForName:@"*/ line\012#error \\"] doubleValue] __HOME____x___s:[[features featureValueForName:@"${HOME} \\(x) %s"] doubleValue]];
}

- (nullable namesOutput *)predictionFromCO2_Emissions_g_km_:(double)CO2_Emissions_g_km_ _963:(MLMultiArray *)_963 class_:(CVPixelBufferRef)class_ self_:(NSString *)self_ the_init_:(double)the_init_ Type:(double)Type in_:(MLMultiArray *)in_ None:(CVPixelBufferRef)None id_:(NSString *)id_ a_b:(double)a_b a_b_:(double)a_b_ a_b__:(MLMultiArray *)a_b__ _feature:(CVPixelBufferRef)_feature größe:(NSString *)größe 日本:(double)日本 _feature_:(double)_feature_ featureNames_:(MLMultiArray *)featureNames_ provider_:(CVPixelBufferRef)provider_ MLFeatureValue_:(NSString *)MLFeatureValue_ description_:(double)description_ the_newest:(double)the_newest features:(MLMultiArray *)features __hidden:(CVPixelBufferRef)__hidden x_y:(NSString *)x_y ___line__error__:(double)___line__error__ __HOME____x___s:(double)__HOME____x___s error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    return [self predictionFromFeatures:[[namesInput alloc] initWithCO2_Emissions_g_km_:CO2_Emissions_g_km_ _963:_963 class_:class_ self_:self_ the_init_:the_init_ Type:Type in_:in_ None:None id_:id_ a_b:a_b a_b_:a_b_ a_b__:a_b__ _feature:_feature größe:größe 日本:日本 _feature_:_feature_ featureNames_:featureNames_ provider_:provider_ MLFeatureValue_:MLFeatureValue_ description_:description_ the_newest:the_newest features:features __hidden:__hidden x_y:x_y ___line__error__:___line__error__ __HOME____x___s:__HOME____x___s] error:error];
}

- (nullable NSArray<namesOutput *> *)predictionsFromInputs:(NSArray<namesInput *> *)inputArray options:(MLPredictionOptions *)options error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    id<MLBatchProvider> inBatch = [[MLArrayBatchProvider alloc] initWithFeatureProviderArray:inputArray];
    id<MLBatchProvider> outBatch = [self.model predictionsFromBatch:inBatch options:options error:error];
    if (outBatch == nil) { return nil; }
    NSMutableArray<namesOutput *> *results = [NSMutableArray arrayWithCapacity:(NSUInteger)outBatch.count];
    for (NSInteger i = 0; i < outBatch.count; i += 1) {
        id<MLFeatureProvider> features = [outBatch featuresAtIndex:i];
        [results addObject:[[namesOutput alloc] initWithCO2_Emissions_g_km_:[[features featureValueForName:@"CO2 Emissions(g/km)"] doubleValue] _963:[[features featureValueForName:@"963"] multiArrayValue] class_:[[features featureValueForName:@"class"] imageBufferValue] self_:[[features featureValueForName:@"self"] stringValue] the_init_:[[features featureValueForName:@"init"] doubleValue] Type:[[features featureValueForName:@"Type"] doubleValue] in_:[[features featureValueForName:@"in"] multiArrayValue] None:[[features featureValueForName:@"None"] imageBufferValue] id_:[[features featureValueForName:@"id"] stringValue] a_b:[[features featureValueForName:@"a b"] doubleValue] a_b_:[[features featureValueForName:@"a_b"] doubleValue] a_b__:[[features featureValueForName:@"a\"b"] multiArrayValue] _feature:[[features featureValueForName:@"_"] imageBufferValue] größe:[[features featureValueForName:@"größe"] stringValue] 日本:[[features featureValueForName:@"日本"] doubleValue] _feature_:[[features featureValueForName:@"🙂"] doubleValue] featureNames_:[[features featureValueForName:@"featureNames"] multiArrayValue] provider_:[[features featureValueForName:@"provider"] imageBufferValue] MLFeatureValue_:[[features featureValueForName:@"MLFeatureValue"] stringValue] description_:[[features featureValueForName:@"description"] doubleValue] the_newest:[[features featureValueForName:@"newest"] doubleValue] features:[[features featureValueForName:@"features"] multiArrayValue] __hidden:[[features featureValueForName:@"__hidden"] imageBufferValue] x_y:[[features featureValueForName:@"x\U0000202ey"] stringValue] ___line__error__:[[features featureValueForName:@"*/ line\012#error \\"] doubleValue] __HOME____x___s:[[features featureValueForName:@"${HOME} \\(x) %s"] doubleValue]]];
    }
    return results;
}

@end
