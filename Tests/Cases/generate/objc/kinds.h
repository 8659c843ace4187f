//
// kinds.h
//
// This file was automatically generated and should not be edited.
//

#import <Foundation/Foundation.h>
#import <CoreML/CoreML.h>
#include <stdint.h>

NS_ASSUME_NONNULL_BEGIN

/// Model Prediction Input Type
API_AVAILABLE(macos(10.15), ios(13.0), tvos(13.0), watchos(6.0), visionos(1.0)) __attribute__((visibility("hidden")))
@interface kindsInput : NSObject<MLFeatureProvider>

/// integer as integer value
@property (readwrite, nonatomic) int64_t integer;

/// number as double value
@property (readwrite, nonatomic) double number;

/// text as string value
@property (readwrite, nonatomic, strong) NSString *text;

/// words as dictionary of strings to doubles
@property (readwrite, nonatomic, strong) NSDictionary<NSString *, NSNumber *> *words;

/// numbers as dictionary of 64-bit integers to doubles
@property (readwrite, nonatomic, strong) NSDictionary<NSNumber *, NSNumber *> *numbers;

/// texts as sequence of strings
@property (readwrite, nonatomic, strong) MLSequence *texts;

/// integers as sequence of 64-bit integers
@property (readwrite, nonatomic, strong) MLSequence *integers;

/// colour as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
@property (readwrite, nonatomic) CVPixelBufferRef colour;

/// gray as grayscale (kCVPixelFormatType_OneComponent8) image buffer, 3 pixels wide by 2 pixels high
@property (readwrite, nonatomic) CVPixelBufferRef gray;

/// gray16 as grayscale (kCVPixelFormatType_OneComponent16Half) image buffer, 3 pixels wide by 2 pixels high
@property (readwrite, nonatomic) CVPixelBufferRef gray16;

- (instancetype)init NS_UNAVAILABLE;
- (instancetype)initWithInteger:(int64_t)integer number:(double)number text:(NSString *)text words:(NSDictionary<NSString *, NSNumber *> *)words numbers:(NSDictionary<NSNumber *, NSNumber *> *)numbers texts:(MLSequence *)texts integers:(MLSequence *)integers colour:(CVPixelBufferRef)colour gray:(CVPixelBufferRef)gray gray16:(CVPixelBufferRef)gray16 NS_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithInteger:(int64_t)integer number:(double)number text:(NSString *)text words:(NSDictionary<NSString *, NSNumber *> *)words numbers:(NSDictionary<NSNumber *, NSNumber *> *)numbers texts:(MLSequence *)texts integers:(MLSequence *)integers colourFromCGImage:(CGImageRef)colour grayFromCGImage:(CGImageRef)gray gray16FromCGImage:(CGImageRef)gray16 error:(NSError * _Nullable __autoreleasing * _Nullable)error;
- (nullable instancetype)initWithInteger:(int64_t)integer number:(double)number text:(NSString *)text words:(NSDictionary<NSString *, NSNumber *> *)words numbers:(NSDictionary<NSNumber *, NSNumber *> *)numbers texts:(MLSequence *)texts integers:(MLSequence *)integers colourAtURL:(NSURL *)colour grayAtURL:(NSURL *)gray gray16AtURL:(NSURL *)gray16 error:(NSError * _Nullable __autoreleasing * _Nullable)error;
- (BOOL)setColourWithCGImage:(CGImageRef)colour error:(NSError * _Nullable __autoreleasing * _Nullable)error;
- (BOOL)setColourWithURL:(NSURL *)colour error:(NSError * _Nullable __autoreleasing * _Nullable)error;
- (BOOL)setGrayWithCGImage:(CGImageRef)gray error:(NSError * _Nullable __autoreleasing * _Nullable)error;
- (BOOL)setGrayWithURL:(NSURL *)gray error:(NSError * _Nullable __autoreleasing * _Nullable)error;
- (BOOL)setGray16WithCGImage:(CGImageRef)gray16 error:(NSError * _Nullable __autoreleasing * _Nullable)error;
- (BOOL)setGray16WithURL:(NSURL *)gray16 error:(NSError * _Nullable __autoreleasing * _Nullable)error;

@end

/// Model Prediction Output Type
API_AVAILABLE(macos(10.15), ios(13.0), tvos(13.0), watchos(6.0), visionos(1.0)) __attribute__((visibility("hidden")))
@interface kindsOutput : NSObject<MLFeatureProvider>

/// integer as integer value
@property (readwrite, nonatomic) int64_t integer;

/// number as double value
@property (readwrite, nonatomic) double number;

/// text as string value
@property (readwrite, nonatomic, strong) NSString *text;

/// words as dictionary of strings to doubles
@property (readwrite, nonatomic, strong) NSDictionary<NSString *, NSNumber *> *words;

/// numbers as dictionary of 64-bit integers to doubles
@property (readwrite, nonatomic, strong) NSDictionary<NSNumber *, NSNumber *> *numbers;

/// texts as sequence of strings
@property (readwrite, nonatomic, strong) MLSequence *texts;

/// integers as sequence of 64-bit integers
@property (readwrite, nonatomic, strong) MLSequence *integers;

/// colour as color (kCVPixelFormatType_32BGRA) image buffer, 3 pixels wide by 2 pixels high
@property (readwrite, nonatomic) CVPixelBufferRef colour;

/// gray as grayscale (kCVPixelFormatType_OneComponent8) image buffer, 3 pixels wide by 2 pixels high
@property (readwrite, nonatomic) CVPixelBufferRef gray;

/// gray16 as grayscale (kCVPixelFormatType_OneComponent16Half) image buffer, 3 pixels wide by 2 pixels high
@property (readwrite, nonatomic) CVPixelBufferRef gray16;

- (instancetype)init NS_UNAVAILABLE;
- (instancetype)initWithInteger:(int64_t)integer number:(double)number text:(NSString *)text words:(NSDictionary<NSString *, NSNumber *> *)words numbers:(NSDictionary<NSNumber *, NSNumber *> *)numbers texts:(MLSequence *)texts integers:(MLSequence *)integers colour:(CVPixelBufferRef)colour gray:(CVPixelBufferRef)gray gray16:(CVPixelBufferRef)gray16 NS_DESIGNATED_INITIALIZER;

@end

/// Class for model loading and prediction
API_AVAILABLE(macos(10.15), ios(13.0), tvos(13.0), watchos(6.0), visionos(1.0)) __attribute__((visibility("hidden")))
@interface kinds : NSObject
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
+ (void)loadWithConfiguration:(MLModelConfiguration *)configuration completionHandler:(void (^)(kinds * _Nullable model, NSError * _Nullable error))handler;

/// Loads a compiled model in the background.
+ (void)loadContentsOfURL:(NSURL *)modelURL configuration:(MLModelConfiguration *)configuration completionHandler:(void (^)(kinds * _Nullable model, NSError * _Nullable error))handler;

/// Predicts.
- (nullable kindsOutput *)predictionFromFeatures:(kindsInput *)input error:(NSError * _Nullable __autoreleasing * _Nullable)error;

/// Predicts, with options.
- (nullable kindsOutput *)predictionFromFeatures:(kindsInput *)input options:(MLPredictionOptions *)options error:(NSError * _Nullable __autoreleasing * _Nullable)error;

/// Predicts.
- (nullable kindsOutput *)predictionFromInteger:(int64_t)integer number:(double)number text:(NSString *)text words:(NSDictionary<NSString *, NSNumber *> *)words numbers:(NSDictionary<NSNumber *, NSNumber *> *)numbers texts:(MLSequence *)texts integers:(MLSequence *)integers colour:(CVPixelBufferRef)colour gray:(CVPixelBufferRef)gray gray16:(CVPixelBufferRef)gray16 error:(NSError * _Nullable __autoreleasing * _Nullable)error;

/// Predicts many inputs at once; the outputs are in their order.
- (nullable NSArray<kindsOutput *> *)predictionsFromInputs:(NSArray<kindsInput *> *)inputArray options:(MLPredictionOptions *)options error:(NSError * _Nullable __autoreleasing * _Nullable)error;

@end

NS_ASSUME_NONNULL_END
