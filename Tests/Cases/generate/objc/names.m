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

- (instancetype)initWithCO2_Emissions_g_km_:(double)CO2_Emissions_g_km_ _963:(MLMultiArray *)_963 class_:(CVPixelBufferRef)class_ self_:(NSString *)self_ the_init:(double)the_init Type:(double)Type in_:(MLMultiArray *)in_ None:(CVPixelBufferRef)None id_:(NSString *)id_ a_b:(double)a_b a_b_:(double)a_b_ a_b__:(MLMultiArray *)a_b__ the_feature:(CVPixelBufferRef)the_feature größe:(NSString *)größe 日本:(double)日本 the_feature_:(double)the_feature_ featureNames_:(MLMultiArray *)featureNames_ provider_:(CVPixelBufferRef)provider_ MLFeatureValue_:(NSString *)MLFeatureValue_ description_:(double)description_ the_newest:(double)the_newest features:(MLMultiArray *)features the__hidden:(CVPixelBufferRef)the__hidden x_y:(NSString *)x_y the___line__error__:(double)the___line__error__ the__HOME____x___s:(double)the__HOME____x___s {
    self = [super init];
    if (self) {
        self->_CO2_Emissions_g_km_ = CO2_Emissions_g_km_;
        self->__963 = _963;
        self->_class_ = class_;
        CVPixelBufferRetain(self->_class_);
        self->_self_ = self_;
        self->_the_init = the_init;
        self->_Type = Type;
        self->_in_ = in_;
        self->_None = None;
        CVPixelBufferRetain(self->_None);
        self->_id_ = id_;
        self->_a_b = a_b;
        self->_a_b_ = a_b_;
        self->_a_b__ = a_b__;
        self->_the_feature = the_feature;
        CVPixelBufferRetain(self->_the_feature);
        self->_größe = größe;
        self->_日本 = 日本;
        self->_the_feature_ = the_feature_;
        self->_featureNames_ = featureNames_;
        self->_provider_ = provider_;
        CVPixelBufferRetain(self->_provider_);
        self->_MLFeatureValue_ = MLFeatureValue_;
        self->_description_ = description_;
        self->_the_newest = the_newest;
        self->_features = features;
        self->_the__hidden = the__hidden;
        CVPixelBufferRetain(self->_the__hidden);
        self->_x_y = x_y;
        self->_the___line__error__ = the___line__error__;
        self->_the__HOME____x___s = the__HOME____x___s;
    }
    return self;
}

- (nullable instancetype)initWithCO2_Emissions_g_km_:(double)CO2_Emissions_g_km_ _963:(MLMultiArray *)_963 class_FromCGImage:(CGImageRef)class_ self_:(NSString *)self_ the_init:(double)the_init Type:(double)Type in_:(MLMultiArray *)in_ NoneFromCGImage:(CGImageRef)None id_:(NSString *)id_ a_b:(double)a_b a_b_:(double)a_b_ a_b__:(MLMultiArray *)a_b__ the_featureFromCGImage:(CGImageRef)the_feature größe:(NSString *)größe 日本:(double)日本 the_feature_:(double)the_feature_ featureNames_:(MLMultiArray *)featureNames_ provider_FromCGImage:(CGImageRef)provider_ MLFeatureValue_:(NSString *)MLFeatureValue_ description_:(double)description_ the_newest:(double)the_newest features:(MLMultiArray *)features the__hiddenFromCGImage:(CGImageRef)the__hidden x_y:(NSString *)x_y the___line__error__:(double)the___line__error__ the__HOME____x___s:(double)the__HOME____x___s error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    MLFeatureValue *class_Value_ = [MLFeatureValue featureValueWithCGImage:class_ pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (class_Value_ == nil) { return nil; }
    MLFeatureValue *NoneValue_ = [MLFeatureValue featureValueWithCGImage:None pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (NoneValue_ == nil) { return nil; }
    MLFeatureValue *the_featureValue_ = [MLFeatureValue featureValueWithCGImage:the_feature pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (the_featureValue_ == nil) { return nil; }
    MLFeatureValue *provider_Value_ = [MLFeatureValue featureValueWithCGImage:provider_ pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (provider_Value_ == nil) { return nil; }
    MLFeatureValue *the__hiddenValue_ = [MLFeatureValue featureValueWithCGImage:the__hidden pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (the__hiddenValue_ == nil) { return nil; }
    return [self initWithCO2_Emissions_g_km_:CO2_Emissions_g_km_ _963:_963 class_:class_Value_.imageBufferValue self_:self_ the_init:the_init Type:Type in_:in_ None:NoneValue_.imageBufferValue id_:id_ a_b:a_b a_b_:a_b_ a_b__:a_b__ the_feature:the_featureValue_.imageBufferValue größe:größe 日本:日本 the_feature_:the_feature_ featureNames_:featureNames_ provider_:provider_Value_.imageBufferValue MLFeatureValue_:MLFeatureValue_ description_:description_ the_newest:the_newest features:features the__hidden:the__hiddenValue_.imageBufferValue x_y:x_y the___line__error__:the___line__error__ the__HOME____x___s:the__HOME____x___s];
}

- (nullable instancetype)initWithCO2_Emissions_g_km_:(double)CO2_Emissions_g_km_ _963:(MLMultiArray *)_963 class_AtURL:(NSURL *)class_ self_:(NSString *)self_ the_init:(double)the_init Type:(double)Type in_:(MLMultiArray *)in_ NoneAtURL:(NSURL *)None id_:(NSString *)id_ a_b:(double)a_b a_b_:(double)a_b_ a_b__:(MLMultiArray *)a_b__ the_featureAtURL:(NSURL *)the_feature größe:(NSString *)größe 日本:(double)日本 the_feature_:(double)the_feature_ featureNames_:(MLMultiArray *)featureNames_ provider_AtURL:(NSURL *)provider_ MLFeatureValue_:(NSString *)MLFeatureValue_ description_:(double)description_ the_newest:(double)the_newest features:(MLMultiArray *)features the__hiddenAtURL:(NSURL *)the__hidden x_y:(NSString *)x_y the___line__error__:(double)the___line__error__ the__HOME____x___s:(double)the__HOME____x___s error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    MLFeatureValue *class_Value_ = [MLFeatureValue featureValueWithImageAtURL:class_ pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (class_Value_ == nil) { return nil; }
    MLFeatureValue *NoneValue_ = [MLFeatureValue featureValueWithImageAtURL:None pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (NoneValue_ == nil) { return nil; }
    MLFeatureValue *the_featureValue_ = [MLFeatureValue featureValueWithImageAtURL:the_feature pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (the_featureValue_ == nil) { return nil; }
    MLFeatureValue *provider_Value_ = [MLFeatureValue featureValueWithImageAtURL:provider_ pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (provider_Value_ == nil) { return nil; }
    MLFeatureValue *the__hiddenValue_ = [MLFeatureValue featureValueWithImageAtURL:the__hidden pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (the__hiddenValue_ == nil) { return nil; }
    return [self initWithCO2_Emissions_g_km_:CO2_Emissions_g_km_ _963:_963 class_:class_Value_.imageBufferValue self_:self_ the_init:the_init Type:Type in_:in_ None:NoneValue_.imageBufferValue id_:id_ a_b:a_b a_b_:a_b_ a_b__:a_b__ the_feature:the_featureValue_.imageBufferValue größe:größe 日本:日本 the_feature_:the_feature_ featureNames_:featureNames_ provider_:provider_Value_.imageBufferValue MLFeatureValue_:MLFeatureValue_ description_:description_ the_newest:the_newest features:features the__hidden:the__hiddenValue_.imageBufferValue x_y:x_y the___line__error__:the___line__error__ the__HOME____x___s:the__HOME____x___s];
}

- (void)dealloc {
    CVPixelBufferRelease(self->_class_);
    CVPixelBufferRelease(self->_None);
    CVPixelBufferRelease(self->_the_feature);
    CVPixelBufferRelease(self->_provider_);
    CVPixelBufferRelease(self->_the__hidden);
}

- (void)setClass_:(CVPixelBufferRef)class_ {
    CVPixelBufferRetain(class_);
    CVPixelBufferRelease(self->_class_);
    self->_class_ = class_;
}

- (void)setNone:(CVPixelBufferRef)None {
    CVPixelBufferRetain(None);
    CVPixelBufferRelease(self->_None);
    self->_None = None;
}

- (void)setThe_feature:(CVPixelBufferRef)the_feature {
    CVPixelBufferRetain(the_feature);
    CVPixelBufferRelease(self->_the_feature);
    self->_the_feature = the_feature;
}

- (void)setProvider_:(CVPixelBufferRef)provider_ {
    CVPixelBufferRetain(provider_);
    CVPixelBufferRelease(self->_provider_);
    self->_provider_ = provider_;
}

- (void)setThe__hidden:(CVPixelBufferRef)the__hidden {
    CVPixelBufferRetain(the__hidden);
    CVPixelBufferRelease(self->_the__hidden);
    self->_the__hidden = the__hidden;
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

- (BOOL)setThe_featureWithCGImage:(CGImageRef)the_feature error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    MLFeatureValue *value_ = [MLFeatureValue featureValueWithCGImage:the_feature pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (value_ == nil) { return NO; }
    self.the_feature = value_.imageBufferValue;
    return YES;
}

- (BOOL)setThe_featureWithURL:(NSURL *)the_feature error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    MLFeatureValue *value_ = [MLFeatureValue featureValueWithImageAtURL:the_feature pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (value_ == nil) { return NO; }
    self.the_feature = value_.imageBufferValue;
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

- (BOOL)setThe__hiddenWithCGImage:(CGImageRef)the__hidden error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    MLFeatureValue *value_ = [MLFeatureValue featureValueWithCGImage:the__hidden pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (value_ == nil) { return NO; }
    self.the__hidden = value_.imageBufferValue;
    return YES;
}

- (BOOL)setThe__hiddenWithURL:(NSURL *)the__hidden error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    MLFeatureValue *value_ = [MLFeatureValue featureValueWithImageAtURL:the__hidden pixelsWide:3 pixelsHigh:2 pixelFormatType:kCVPixelFormatType_32ARGB options:nil error:error];
    if (value_ == nil) { return NO; }
    self.the__hidden = value_.imageBufferValue;
    return YES;
}

- (NSSet<NSString *> *)featureNames {
    return [NSSet setWithArray:@[@"CO2 Emissions(g/km)", @"963", @"class", @"self", @"init", @"Type", @"in", @"None", @"id", @"a b", @"a_b", @"a\"b", @"_", @"größe", @"日本", @"🙂", @"featureNames", @"provider", @"MLFeatureValue", @"description", @"newest", @"features", @"__hidden", @"x\U0000202ey", @"*/ line\012#error \\", @"${HOME} \\(x) %s"]];
}

- (nullable MLFeatureValue *)featureValueForName:(NSString *)featureName {
    if ([featureName isEqualToString:@"CO2 Emissions(g/km)"]) {
        return [MLFeatureValue featureValueWithDouble:self->_CO2_Emissions_g_km_];
    }
    if ([featureName isEqualToString:@"963"]) {
        return [MLFeatureValue featureValueWithMultiArray:self->__963];
    }
    if ([featureName isEqualToString:@"class"]) {
        return [MLFeatureValue featureValueWithPixelBuffer:self->_class_];
    }
    if ([featureName isEqualToString:@"self"]) {
        return [MLFeatureValue featureValueWithString:self->_self_];
    }
    if ([featureName isEqualToString:@"init"]) {
        return [MLFeatureValue featureValueWithDouble:self->_the_init];
    }
    if ([featureName isEqualToString:@"Type"]) {
        return [MLFeatureValue featureValueWithDouble:self->_Type];
    }
    if ([featureName isEqualToString:@"in"]) {
        return [MLFeatureValue featureValueWithMultiArray:self->_in_];
    }
    if ([featureName isEqualToString:@"None"]) {
        return [MLFeatureValue featureValueWithPixelBuffer:self->_None];
    }
    if ([featureName isEqualToString:@"id"]) {
        return [MLFeatureValue featureValueWithString:self->_id_];
    }
    if ([featureName isEqualToString:@"a b"]) {
        return [MLFeatureValue featureValueWithDouble:self->_a_b];
    }
    if ([featureName isEqualToString:@"a_b"]) {
        return [MLFeatureValue featureValueWithDouble:self->_a_b_];
    }
    if ([featureName isEqualToString:@"a\"b"]) {
        return [MLFeatureValue featureValueWithMultiArray:self->_a_b__];
    }
    if ([featureName isEqualToString:@"_"]) {
        return [MLFeatureValue featureValueWithPixelBuffer:self->_the_feature];
    }
    if ([featureName isEqualToString:@"größe"]) {
        return [MLFeatureValue featureValueWithString:self->_größe];
    }
    if ([featureName isEqualToString:@"日本"]) {
        return [MLFeatureValue featureValueWithDouble:self->_日本];
    }
    if ([featureName isEqualToString:@"🙂"]) {
        return [MLFeatureValue featureValueWithDouble:self->_the_feature_];
    }
    if ([featureName isEqualToString:@"featureNames"]) {
        return [MLFeatureValue featureValueWithMultiArray:self->_featureNames_];
    }
    if ([featureName isEqualToString:@"provider"]) {
        return [MLFeatureValue featureValueWithPixelBuffer:self->_provider_];
    }
    if ([featureName isEqualToString:@"MLFeatureValue"]) {
        return [MLFeatureValue featureValueWithString:self->_MLFeatureValue_];
    }
    if ([featureName isEqualToString:@"description"]) {
        return [MLFeatureValue featureValueWithDouble:self->_description_];
    }
    if ([featureName isEqualToString:@"newest"]) {
        return [MLFeatureValue featureValueWithDouble:self->_the_newest];
    }
    if ([featureName isEqualToString:@"features"]) {
        return [MLFeatureValue featureValueWithMultiArray:self->_features];
    }
    if ([featureName isEqualToString:@"__hidden"]) {
        return [MLFeatureValue featureValueWithPixelBuffer:self->_the__hidden];
    }
    if ([featureName isEqualToString:@"x\U0000202ey"]) {
        return [MLFeatureValue featureValueWithString:self->_x_y];
    }
    if ([featureName isEqualToString:@"*/ line\012#error \\"]) {
        return [MLFeatureValue featureValueWithDouble:self->_the___line__error__];
    }
    if ([featureName isEqualToString:@"${HOME} \\(x) %s"]) {
        return [MLFeatureValue featureValueWithDouble:self->_the__HOME____x___s];
    }
    return nil;
}

@end

@implementation namesOutput

- (instancetype)initWithCO2_Emissions_g_km_:(double)CO2_Emissions_g_km_ _963:(MLMultiArray *)_963 class_:(CVPixelBufferRef)class_ self_:(NSString *)self_ the_init:(double)the_init Type:(double)Type in_:(MLMultiArray *)in_ None:(CVPixelBufferRef)None id_:(NSString *)id_ a_b:(double)a_b a_b_:(double)a_b_ a_b__:(MLMultiArray *)a_b__ the_feature:(CVPixelBufferRef)the_feature größe:(NSString *)größe 日本:(double)日本 the_feature_:(double)the_feature_ featureNames_:(MLMultiArray *)featureNames_ provider_:(CVPixelBufferRef)provider_ MLFeatureValue_:(NSString *)MLFeatureValue_ description_:(double)description_ the_newest:(double)the_newest features:(MLMultiArray *)features the__hidden:(CVPixelBufferRef)the__hidden x_y:(NSString *)x_y the___line__error__:(double)the___line__error__ the__HOME____x___s:(double)the__HOME____x___s {
    self = [super init];
    if (self) {
        self->_CO2_Emissions_g_km_ = CO2_Emissions_g_km_;
        self->__963 = _963;
        self->_class_ = class_;
        CVPixelBufferRetain(self->_class_);
        self->_self_ = self_;
        self->_the_init = the_init;
        self->_Type = Type;
        self->_in_ = in_;
        self->_None = None;
        CVPixelBufferRetain(self->_None);
        self->_id_ = id_;
        self->_a_b = a_b;
        self->_a_b_ = a_b_;
        self->_a_b__ = a_b__;
        self->_the_feature = the_feature;
        CVPixelBufferRetain(self->_the_feature);
        self->_größe = größe;
        self->_日本 = 日本;
        self->_the_feature_ = the_feature_;
        self->_featureNames_ = featureNames_;
        self->_provider_ = provider_;
        CVPixelBufferRetain(self->_provider_);
        self->_MLFeatureValue_ = MLFeatureValue_;
        self->_description_ = description_;
        self->_the_newest = the_newest;
        self->_features = features;
        self->_the__hidden = the__hidden;
        CVPixelBufferRetain(self->_the__hidden);
        self->_x_y = x_y;
        self->_the___line__error__ = the___line__error__;
        self->_the__HOME____x___s = the__HOME____x___s;
    }
    return self;
}

- (void)dealloc {
    CVPixelBufferRelease(self->_class_);
    CVPixelBufferRelease(self->_None);
    CVPixelBufferRelease(self->_the_feature);
    CVPixelBufferRelease(self->_provider_);
    CVPixelBufferRelease(self->_the__hidden);
}

- (void)setClass_:(CVPixelBufferRef)class_ {
    CVPixelBufferRetain(class_);
    CVPixelBufferRelease(self->_class_);
    self->_class_ = class_;
}

- (void)setNone:(CVPixelBufferRef)None {
    CVPixelBufferRetain(None);
    CVPixelBufferRelease(self->_None);
    self->_None = None;
}

- (void)setThe_feature:(CVPixelBufferRef)the_feature {
    CVPixelBufferRetain(the_feature);
    CVPixelBufferRelease(self->_the_feature);
    self->_the_feature = the_feature;
}

- (void)setProvider_:(CVPixelBufferRef)provider_ {
    CVPixelBufferRetain(provider_);
    CVPixelBufferRelease(self->_provider_);
    self->_provider_ = provider_;
}

- (void)setThe__hidden:(CVPixelBufferRef)the__hidden {
    CVPixelBufferRetain(the__hidden);
    CVPixelBufferRelease(self->_the__hidden);
    self->_the__hidden = the__hidden;
}

- (NSSet<NSString *> *)featureNames {
    return [NSSet setWithArray:@[@"CO2 Emissions(g/km)", @"963", @"class", @"self", @"init", @"Type", @"in", @"None", @"id", @"a b", @"a_b", @"a\"b", @"_", @"größe", @"日本", @"🙂", @"featureNames", @"provider", @"MLFeatureValue", @"description", @"newest", @"features", @"__hidden", @"x\U0000202ey", @"*/ line\012#error \\", @"${HOME} \\(x) %s"]];
}

- (nullable MLFeatureValue *)featureValueForName:(NSString *)featureName {
    if ([featureName isEqualToString:@"CO2 Emissions(g/km)"]) {
        return [MLFeatureValue featureValueWithDouble:self->_CO2_Emissions_g_km_];
    }
    if ([featureName isEqualToString:@"963"]) {
        return [MLFeatureValue featureValueWithMultiArray:self->__963];
    }
    if ([featureName isEqualToString:@"class"]) {
        return [MLFeatureValue featureValueWithPixelBuffer:self->_class_];
    }
    if ([featureName isEqualToString:@"self"]) {
        return [MLFeatureValue featureValueWithString:self->_self_];
    }
    if ([featureName isEqualToString:@"init"]) {
        return [MLFeatureValue featureValueWithDouble:self->_the_init];
    }
    if ([featureName isEqualToString:@"Type"]) {
        return [MLFeatureValue featureValueWithDouble:self->_Type];
    }
    if ([featureName isEqualToString:@"in"]) {
        return [MLFeatureValue featureValueWithMultiArray:self->_in_];
    }
    if ([featureName isEqualToString:@"None"]) {
        return [MLFeatureValue featureValueWithPixelBuffer:self->_None];
    }
    if ([featureName isEqualToString:@"id"]) {
        return [MLFeatureValue featureValueWithString:self->_id_];
    }
    if ([featureName isEqualToString:@"a b"]) {
        return [MLFeatureValue featureValueWithDouble:self->_a_b];
    }
    if ([featureName isEqualToString:@"a_b"]) {
        return [MLFeatureValue featureValueWithDouble:self->_a_b_];
    }
    if ([featureName isEqualToString:@"a\"b"]) {
        return [MLFeatureValue featureValueWithMultiArray:self->_a_b__];
    }
    if ([featureName isEqualToString:@"_"]) {
        return [MLFeatureValue featureValueWithPixelBuffer:self->_the_feature];
    }
    if ([featureName isEqualToString:@"größe"]) {
        return [MLFeatureValue featureValueWithString:self->_größe];
    }
    if ([featureName isEqualToString:@"日本"]) {
        return [MLFeatureValue featureValueWithDouble:self->_日本];
    }
    if ([featureName isEqualToString:@"🙂"]) {
        return [MLFeatureValue featureValueWithDouble:self->_the_feature_];
    }
    if ([featureName isEqualToString:@"featureNames"]) {
        return [MLFeatureValue featureValueWithMultiArray:self->_featureNames_];
    }
    if ([featureName isEqualToString:@"provider"]) {
        return [MLFeatureValue featureValueWithPixelBuffer:self->_provider_];
    }
    if ([featureName isEqualToString:@"MLFeatureValue"]) {
        return [MLFeatureValue featureValueWithString:self->_MLFeatureValue_];
    }
    if ([featureName isEqualToString:@"description"]) {
        return [MLFeatureValue featureValueWithDouble:self->_description_];
    }
    if ([featureName isEqualToString:@"newest"]) {
        return [MLFeatureValue featureValueWithDouble:self->_the_newest];
    }
    if ([featureName isEqualToString:@"features"]) {
        return [MLFeatureValue featureValueWithMultiArray:self->_features];
    }
    if ([featureName isEqualToString:@"__hidden"]) {
        return [MLFeatureValue featureValueWithPixelBuffer:self->_the__hidden];
    }
    if ([featureName isEqualToString:@"x\U0000202ey"]) {
        return [MLFeatureValue featureValueWithString:self->_x_y];
    }
    if ([featureName isEqualToString:@"*/ line\012#error \\"]) {
        return [MLFeatureValue featureValueWithDouble:self->_the___line__error__];
    }
    if ([featureName isEqualToString:@"${HOME} \\(x) %s"]) {
        return [MLFeatureValue featureValueWithDouble:self->_the__HOME____x___s];
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
    return features == nil ? nil : [[namesOutput alloc] initWithCO2_Emissions_g_km_:[[features featureValueForName:@"CO2 Emissions(g/km)"] doubleValue] _963:[[features featureValueForName:@"963"] multiArrayValue] class_:[[features featureValueForName:@"class"] imageBufferValue] self_:[[features featureValueForName:@"self"] stringValue] the_init:[[features featureValueForName:@"init"] doubleValue] Type:[[features featureValueForName:@"Type"] doubleValue] in_:[[features featureValueForName:@"in"] multiArrayValue] None:[[features featureValueForName:@"None"] imageBufferValue] id_:[[features featureValueForName:@"id"] stringValue] a_b:[[features featureValueForName:@"a b"] doubleValue] a_b_:[[features featureValueForName:@"a_b"] doubleValue] a_b__:[[features featureValueForName:@"a\"b"] multiArrayValue] the_feature:[[features featureValueForName:@"_"] imageBufferValue] größe:[[features featureValueForName:@"größe"] stringValue] 日本:[[features featureValueForName:@"日本"] doubleValue] the_feature_:[[features featureValueForName:@"🙂"] doubleValue] featureNames_:[[features featureValueForName:@"featureNames"] multiArrayValue] provider_:[[features featureValueForName:@"provider"] imageBufferValue] MLFeatureValue_:[[features featureValueForName:@"MLFeatureValue"] stringValue] description_:[[features featureValueForName:@"description"] doubleValue] the_newest:[[features featureValueForName:@"newest"] doubleValue] features:[[features featureValueForName:@"features"] multiArrayValue] the__hidden:[[features featureValueForName:@"__hidden"] imageBufferValue] x_y:[[features featureValueForName:@"x\U0000202ey"] stringValue] the___line__error__:[[features featureValueForName:@"*/ line\012#error \\"] doubleValue] the__HOME____x___s:[[features featureValueForName:@"${HOME} \\(x) %s"] doubleValue]];
}

- (nullable namesOutput *)predictionFromCO2_Emissions_g_km_:(double)CO2_Emissions_g_km_ _963:(MLMultiArray *)_963 class_:(CVPixelBufferRef)class_ self_:(NSString *)self_ the_init:(double)the_init Type:(double)Type in_:(MLMultiArray *)in_ None:(CVPixelBufferRef)None id_:(NSString *)id_ a_b:(double)a_b a_b_:(double)a_b_ a_b__:(MLMultiArray *)a_b__ the_feature:(CVPixelBufferRef)the_feature größe:(NSString *)größe 日本:(double)日本 the_feature_:(double)the_feature_ featureNames_:(MLMultiArray *)featureNames_ provider_:(CVPixelBufferRef)provider_ MLFeatureValue_:(NSString *)MLFeatureValue_ description_:(double)description_ the_newest:(double)the_newest features:(MLMultiArray *)features the__hidden:(CVPixelBufferRef)the__hidden x_y:(NSString *)x_y the___line__error__:(double)the___line__error__ the__HOME____x___s:(double)the__HOME____x___s error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    return [self predictionFromFeatures:[[namesInput alloc] initWithCO2_Emissions_g_km_:CO2_Emissions_g_km_ _963:_963 class_:class_ self_:self_ the_init:the_init Type:Type in_:in_ None:None id_:id_ a_b:a_b a_b_:a_b_ a_b__:a_b__ the_feature:the_feature größe:größe 日本:日本 the_feature_:the_feature_ featureNames_:featureNames_ provider_:provider_ MLFeatureValue_:MLFeatureValue_ description_:description_ the_newest:the_newest features:features the__hidden:the__hidden x_y:x_y the___line__error__:the___line__error__ the__HOME____x___s:the__HOME____x___s] error:error];
}

- (nullable NSArray<namesOutput *> *)predictionsFromInputs:(NSArray<namesInput *> *)inputArray options:(MLPredictionOptions *)options error:(NSError * _Nullable __autoreleasing * _Nullable)error {
    id<MLBatchProvider> inBatch = [[MLArrayBatchProvider alloc] initWithFeatureProviderArray:inputArray];
    id<MLBatchProvider> outBatch = [self.model predictionsFromBatch:inBatch options:options error:error];
    if (outBatch == nil) { return nil; }
    NSMutableArray<namesOutput *> *results = [NSMutableArray arrayWithCapacity:(NSUInteger)outBatch.count];
    for (NSInteger i = 0; i < outBatch.count; i += 1) {
        id<MLFeatureProvider> features = [outBatch featuresAtIndex:i];
        [results addObject:[[namesOutput alloc] initWithCO2_Emissions_g_km_:[[features featureValueForName:@"CO2 Emissions(g/km)"] doubleValue] _963:[[features featureValueForName:@"963"] multiArrayValue] class_:[[features featureValueForName:@"class"] imageBufferValue] self_:[[features featureValueForName:@"self"] stringValue] the_init:[[features featureValueForName:@"init"] doubleValue] Type:[[features featureValueForName:@"Type"] doubleValue] in_:[[features featureValueForName:@"in"] multiArrayValue] None:[[features featureValueForName:@"None"] imageBufferValue] id_:[[features featureValueForName:@"id"] stringValue] a_b:[[features featureValueForName:@"a b"] doubleValue] a_b_:[[features featureValueForName:@"a_b"] doubleValue] a_b__:[[features featureValueForName:@"a\"b"] multiArrayValue] the_feature:[[features featureValueForName:@"_"] imageBufferValue] größe:[[features featureValueForName:@"größe"] stringValue] 日本:[[features featureValueForName:@"日本"] doubleValue] the_feature_:[[features featureValueForName:@"🙂"] doubleValue] featureNames_:[[features featureValueForName:@"featureNames"] multiArrayValue] provider_:[[features featureValueForName:@"provider"] imageBufferValue] MLFeatureValue_:[[features featureValueForName:@"MLFeatureValue"] stringValue] description_:[[features featureValueForName:@"description"] doubleValue] the_newest:[[features featureValueForName:@"newest"] doubleValue] features:[[features featureValueForName:@"features"] multiArrayValue] the__hidden:[[features featureValueForName:@"__hidden"] imageBufferValue] x_y:[[features featureValueForName:@"x\U0000202ey"] stringValue] the___line__error__:[[features featureValueForName:@"*/ line\012#error \\"] doubleValue] the__HOME____x___s:[[features featureValueForName:@"${HOME} \\(x) %s"] doubleValue]]];
    }
    return results;
}

@end
