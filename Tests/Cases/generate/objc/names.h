//
// names.h
//
// This file was automatically generated and should not be edited.
//

#import <Foundation/Foundation.h>
#import <CoreML/CoreML.h>
#include <stdint.h>

NS_ASSUME_NONNULL_BEGIN

/// Model Prediction Input Type
API_AVAILABLE(macos(10.15), ios(13.0), tvos(13.0), watchos(6.0), visionos(1.0)) __attribute__((visibility("hidden")))
@interface namesInput : NSObject<MLFeatureProvider>

/// ends a comment */ and begins one /* in Swift as double value
@property (readwrite, nonatomic) double CO2_Emissions_g_km_;

/// two lines
/// #error of text as 2 element vector of floats
@property (readwrite, nonatomic, strong) MLMultiArray *_963;

/// a quote """ of Python as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
@property (readwrite, nonatomic) CVPixelBufferRef class_;

/// a backslash \ as string value
@property (readwrite, nonatomic, strong) NSString *self_;

/// a trigraph ??/ as double value
@property (readwrite, nonatomic) double the_init;

/// turned  round as double value
@property (readwrite, nonatomic) double Type;

///  zero and
///  separator as 2 element vector of floats
@property (readwrite, nonatomic, strong) MLMultiArray *in_;

/// \(fatalError()) \u{22} as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
@property (readwrite, nonatomic) CVPixelBufferRef None;

/// `code` ``` @objc as string value
@property (readwrite, nonatomic, strong) NSString *id_;

/// ends a comment */ and begins one /* in Swift as double value
@property (readwrite, nonatomic) double a_b;

/// two lines
/// #error of text as double value
@property (readwrite, nonatomic) double a_b_;

/// a quote """ of Python as 2 element vector of floats
@property (readwrite, nonatomic, strong) MLMultiArray *a_b__;

/// a backslash \ as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
@property (readwrite, nonatomic) CVPixelBufferRef the_feature;

/// a trigraph ??/ as string value
@property (readwrite, nonatomic, strong) NSString *größe;

/// turned  round as double value
@property (readwrite, nonatomic) double 日本;

///  zero and
///  separator as double value
@property (readwrite, nonatomic) double the_feature_;

/// \(fatalError()) \u{22} as 2 element vector of floats
@property (readwrite, nonatomic, strong) MLMultiArray *featureNames_;

/// `code` ``` @objc as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
@property (readwrite, nonatomic) CVPixelBufferRef provider_;

/// ends a comment */ and begins one /* in Swift as string value
@property (readwrite, nonatomic, strong) NSString *MLFeatureValue_;

/// two lines
/// #error of text as double value
@property (readwrite, nonatomic) double description_;

/// a quote """ of Python as double value
@property (readwrite, nonatomic) double the_newest;

/// a backslash \ as 2 element vector of floats
@property (readwrite, nonatomic, strong) MLMultiArray *features;

/// a trigraph ??/ as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
@property (readwrite, nonatomic) CVPixelBufferRef the__hidden;

/// turned  round as string value
@property (readwrite, nonatomic, strong) NSString *x_y;

///  zero and
///  separator as double value
@property (readwrite, nonatomic) double the___line__error__;

/// \(fatalError()) \u{22} as double value
@property (readwrite, nonatomic) double the__HOME____x___s;

- (instancetype)init NS_UNAVAILABLE;
- (instancetype)initWithCO2_Emissions_g_km_:(double)CO2_Emissions_g_km_ _963:(MLMultiArray *)_963 class_:(CVPixelBufferRef)class_ self_:(NSString *)self_ the_init:(double)the_init Type:(double)Type in_:(MLMultiArray *)in_ None:(CVPixelBufferRef)None id_:(NSString *)id_ a_b:(double)a_b a_b_:(double)a_b_ a_b__:(MLMultiArray *)a_b__ the_feature:(CVPixelBufferRef)the_feature größe:(NSString *)größe 日本:(double)日本 the_feature_:(double)the_feature_ featureNames_:(MLMultiArray *)featureNames_ provider_:(CVPixelBufferRef)provider_ MLFeatureValue_:(NSString *)MLFeatureValue_ description_:(double)description_ the_newest:(double)the_newest features:(MLMultiArray *)features the__hidden:(CVPixelBufferRef)the__hidden x_y:(NSString *)x_y the___line__error__:(double)the___line__error__ the__HOME____x___s:(double)the__HOME____x___s NS_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithCO2_Emissions_g_km_:(double)CO2_Emissions_g_km_ _963:(MLMultiArray *)_963 class_FromCGImage:(CGImageRef)class_ self_:(NSString *)self_ the_init:(double)the_init Type:(double)Type in_:(MLMultiArray *)in_ NoneFromCGImage:(CGImageRef)None id_:(NSString *)id_ a_b:(double)a_b a_b_:(double)a_b_ a_b__:(MLMultiArray *)a_b__ the_featureFromCGImage:(CGImageRef)the_feature größe:(NSString *)größe 日本:(double)日本 the_feature_:(double)the_feature_ featureNames_:(MLMultiArray *)featureNames_ provider_FromCGImage:(CGImageRef)provider_ MLFeatureValue_:(NSString *)MLFeatureValue_ description_:(double)description_ the_newest:(double)the_newest features:(MLMultiArray *)features the__hiddenFromCGImage:(CGImageRef)the__hidden x_y:(NSString *)x_y the___line__error__:(double)the___line__error__ the__HOME____x___s:(double)the__HOME____x___s error:(NSError * _Nullable __autoreleasing * _Nullable)error;
- (nullable instancetype)initWithCO2_Emissions_g_km_:(double)CO2_Emissions_g_km_ _963:(MLMultiArray *)_963 class_AtURL:(NSURL *)class_ self_:(NSString *)self_ the_init:(double)the_init Type:(double)Type in_:(MLMultiArray *)in_ NoneAtURL:(NSURL *)None id_:(NSString *)id_ a_b:(double)a_b a_b_:(double)a_b_ a_b__:(MLMultiArray *)a_b__ the_featureAtURL:(NSURL *)the_feature größe:(NSString *)größe 日本:(double)日本 the_feature_:(double)the_feature_ featureNames_:(MLMultiArray *)featureNames_ provider_AtURL:(NSURL *)provider_ MLFeatureValue_:(NSString *)MLFeatureValue_ description_:(double)description_ the_newest:(double)the_newest features:(MLMultiArray *)features the__hiddenAtURL:(NSURL *)the__hidden x_y:(NSString *)x_y the___line__error__:(double)the___line__error__ the__HOME____x___s:(double)the__HOME____x___s error:(NSError * _Nullable __autoreleasing * _Nullable)error;
- (BOOL)setClass_WithCGImage:(CGImageRef)class_ error:(NSError * _Nullable __autoreleasing * _Nullable)error;
- (BOOL)setClass_WithURL:(NSURL *)class_ error:(NSError * _Nullable __autoreleasing * _Nullable)error;
- (BOOL)setNoneWithCGImage:(CGImageRef)None error:(NSError * _Nullable __autoreleasing * _Nullable)error;
- (BOOL)setNoneWithURL:(NSURL *)None error:(NSError * _Nullable __autoreleasing * _Nullable)error;
- (BOOL)setThe_featureWithCGImage:(CGImageRef)the_feature error:(NSError * _Nullable __autoreleasing * _Nullable)error;
- (BOOL)setThe_featureWithURL:(NSURL *)the_feature error:(NSError * _Nullable __autoreleasing * _Nullable)error;
- (BOOL)setProvider_WithCGImage:(CGImageRef)provider_ error:(NSError * _Nullable __autoreleasing * _Nullable)error;
- (BOOL)setProvider_WithURL:(NSURL *)provider_ error:(NSError * _Nullable __autoreleasing * _Nullable)error;
- (BOOL)setThe__hiddenWithCGImage:(CGImageRef)the__hidden error:(NSError * _Nullable __autoreleasing * _Nullable)error;
- (BOOL)setThe__hiddenWithURL:(NSURL *)the__hidden error:(NSError * _Nullable __autoreleasing * _Nullable)error;

@end

/// Model Prediction Output Type
API_AVAILABLE(macos(10.15), ios(13.0), tvos(13.0), watchos(6.0), visionos(1.0)) __attribute__((visibility("hidden")))
@interface namesOutput : NSObject<MLFeatureProvider>

/// ends a comment */ and begins one /* in Swift as double value
@property (readwrite, nonatomic) double CO2_Emissions_g_km_;

/// two lines
/// #error of text as 2 element vector of floats
@property (readwrite, nonatomic, strong) MLMultiArray *_963;

/// a quote """ of Python as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
@property (readwrite, nonatomic) CVPixelBufferRef class_;

/// a backslash \ as string value
@property (readwrite, nonatomic, strong) NSString *self_;

/// a trigraph ??/ as double value
@property (readwrite, nonatomic) double the_init;

/// turned  round as double value
@property (readwrite, nonatomic) double Type;

///  zero and
///  separator as 2 element vector of floats
@property (readwrite, nonatomic, strong) MLMultiArray *in_;

/// \(fatalError()) \u{22} as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
@property (readwrite, nonatomic) CVPixelBufferRef None;

/// `code` ``` @objc as string value
@property (readwrite, nonatomic, strong) NSString *id_;

/// ends a comment */ and begins one /* in Swift as double value
@property (readwrite, nonatomic) double a_b;

/// two lines
/// #error of text as double value
@property (readwrite, nonatomic) double a_b_;

/// a quote """ of Python as 2 element vector of floats
@property (readwrite, nonatomic, strong) MLMultiArray *a_b__;

/// a backslash \ as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
@property (readwrite, nonatomic) CVPixelBufferRef the_feature;

/// a trigraph ??/ as string value
@property (readwrite, nonatomic, strong) NSString *größe;

/// turned  round as double value
@property (readwrite, nonatomic) double 日本;

///  zero and
///  separator as double value
@property (readwrite, nonatomic) double the_feature_;

/// \(fatalError()) \u{22} as 2 element vector of floats
@property (readwrite, nonatomic, strong) MLMultiArray *featureNames_;

/// `code` ``` @objc as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
@property (readwrite, nonatomic) CVPixelBufferRef provider_;

/// ends a comment */ and begins one /* in Swift as string value
@property (readwrite, nonatomic, strong) NSString *MLFeatureValue_;

/// two lines
/// #error of text as double value
@property (readwrite, nonatomic) double description_;

/// a quote """ of Python as double value
@property (readwrite, nonatomic) double the_newest;

/// a backslash \ as 2 element vector of floats
@property (readwrite, nonatomic, strong) MLMultiArray *features;

/// a trigraph ??/ as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
@property (readwrite, nonatomic) CVPixelBufferRef the__hidden;

/// turned  round as string value
@property (readwrite, nonatomic, strong) NSString *x_y;

///  zero and
///  separator as double value
@property (readwrite, nonatomic) double the___line__error__;

/// \(fatalError()) \u{22} as double value
@property (readwrite, nonatomic) double the__HOME____x___s;

- (instancetype)init NS_UNAVAILABLE;
- (instancetype)initWithCO2_Emissions_g_km_:(double)CO2_Emissions_g_km_ _963:(MLMultiArray *)_963 class_:(CVPixelBufferRef)class_ self_:(NSString *)self_ the_init:(double)the_init Type:(double)Type in_:(MLMultiArray *)in_ None:(CVPixelBufferRef)None id_:(NSString *)id_ a_b:(double)a_b a_b_:(double)a_b_ a_b__:(MLMultiArray *)a_b__ the_feature:(CVPixelBufferRef)the_feature größe:(NSString *)größe 日本:(double)日本 the_feature_:(double)the_feature_ featureNames_:(MLMultiArray *)featureNames_ provider_:(CVPixelBufferRef)provider_ MLFeatureValue_:(NSString *)MLFeatureValue_ description_:(double)description_ the_newest:(double)the_newest features:(MLMultiArray *)features the__hidden:(CVPixelBufferRef)the__hidden x_y:(NSString *)x_y the___line__error__:(double)the___line__error__ the__HOME____x___s:(double)the__HOME____x___s NS_DESIGNATED_INITIALIZER;

@end

/// Class for model loading and prediction
///
/// gives what it is given */ """
/// second line \ .
///
/// Author: some*/body \ .
///
/// License: any
/// #error
///
/// Version: 1 ??/ .
API_AVAILABLE(macos(10.15), ios(13.0), tvos(13.0), watchos(6.0), visionos(1.0)) __attribute__((visibility("hidden")))
@interface names : NSObject
@property (readonly, nonatomic, nullable) MLModel * model;

/// URL of the compiled model in the bundle that it was built into.
+ (nullable NSURL *)URLOfModelInThisBundle;

/// A model that is loaded already.
- (instancetype)initWithMLModel:(MLModel *)model NS_DESIGNATED_INITIALIZER;

/// The model that was built into the bundle.
- (nullable instancetype)init;

/// The model that was built into the bundle, with a configuration.
- (nullable instancetype)initWithConfiguration:(MLModelConfiguration *)configuration error:(NSError * _Nullable __autoreleasing * _Nullable)error;

/// A compiled model elsewhere.
- (nullable instancetype)initWithContentsOfURL:(NSURL *)modelURL error:(NSError * _Nullable __autoreleasing * _Nullable)error;

/// A compiled model elsewhere, with a configuration.
- (nullable instancetype)initWithContentsOfURL:(NSURL *)modelURL configuration:(MLModelConfiguration *)configuration error:(NSError * _Nullable __autoreleasing * _Nullable)error;

/// Loads the model that was built into the bundle in the background.
+ (void)loadWithConfiguration:(MLModelConfiguration *)configuration completionHandler:(void (^)(names * _Nullable model, NSError * _Nullable error))handler;

/// Loads a compiled model in the background.
+ (void)loadContentsOfURL:(NSURL *)modelURL configuration:(MLModelConfiguration *)configuration completionHandler:(void (^)(names * _Nullable model, NSError * _Nullable error))handler;

/// Predicts.
- (nullable namesOutput *)predictionFromFeatures:(namesInput *)input error:(NSError * _Nullable __autoreleasing * _Nullable)error;

/// Predicts, with options.
- (nullable namesOutput *)predictionFromFeatures:(namesInput *)input options:(MLPredictionOptions *)options error:(NSError * _Nullable __autoreleasing * _Nullable)error;

/// Predicts.
- (nullable namesOutput *)predictionFromCO2_Emissions_g_km_:(double)CO2_Emissions_g_km_ _963:(MLMultiArray *)_963 class_:(CVPixelBufferRef)class_ self_:(NSString *)self_ the_init:(double)the_init Type:(double)Type in_:(MLMultiArray *)in_ None:(CVPixelBufferRef)None id_:(NSString *)id_ a_b:(double)a_b a_b_:(double)a_b_ a_b__:(MLMultiArray *)a_b__ the_feature:(CVPixelBufferRef)the_feature größe:(NSString *)größe 日本:(double)日本 the_feature_:(double)the_feature_ featureNames_:(MLMultiArray *)featureNames_ provider_:(CVPixelBufferRef)provider_ MLFeatureValue_:(NSString *)MLFeatureValue_ description_:(double)description_ the_newest:(double)the_newest features:(MLMultiArray *)features the__hidden:(CVPixelBufferRef)the__hidden x_y:(NSString *)x_y the___line__error__:(double)the___line__error__ the__HOME____x___s:(double)the__HOME____x___s error:(NSError * _Nullable __autoreleasing * _Nullable)error;

/// Predicts many inputs at once; the outputs are in their order.
- (nullable NSArray<namesOutput *> *)predictionsFromInputs:(NSArray<namesInput *> *)inputArray options:(MLPredictionOptions *)options error:(NSError * _Nullable __autoreleasing * _Nullable)error;

@end

NS_ASSUME_NONNULL_END
