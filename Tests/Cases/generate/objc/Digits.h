//
// Digits.h
//
// This file was automatically generated and should not be edited.
//

#import <Foundation/Foundation.h>
#import <CoreML/CoreML.h>
#include <stdint.h>

NS_ASSUME_NONNULL_BEGIN

/// Model Prediction Input Type
API_AVAILABLE(macos(13.0), ios(16.0), tvos(16.0), watchos(9.0), visionos(1.0)) __attribute__((visibility("hidden")))
@interface DigitsInput : NSObject<MLFeatureProvider>

/// The digit, white on black as grayscale (kCVPixelFormatType_OneComponent8) image buffer, 32 pixels wide by 32 pixels high
@property (readwrite, nonatomic) CVPixelBufferRef image;

- (instancetype)init NS_UNAVAILABLE;
- (instancetype)initWithImage:(CVPixelBufferRef)image NS_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithImageFromCGImage:(CGImageRef)image error:(NSError * _Nullable __autoreleasing * _Nullable)error;
- (nullable instancetype)initWithImageAtURL:(NSURL *)image error:(NSError * _Nullable __autoreleasing * _Nullable)error;
- (BOOL)setImageWithCGImage:(CGImageRef)image error:(NSError * _Nullable __autoreleasing * _Nullable)error;
- (BOOL)setImageWithURL:(NSURL *)image error:(NSError * _Nullable __autoreleasing * _Nullable)error;

@end

/// Model Prediction Output Type
API_AVAILABLE(macos(13.0), ios(16.0), tvos(16.0), watchos(9.0), visionos(1.0)) __attribute__((visibility("hidden")))
@interface DigitsOutput : NSObject<MLFeatureProvider>

/// The most likely digit as string value
@property (readwrite, nonatomic, strong) NSString *classLabel;

/// The probability of each digit as dictionary of strings to doubles
@property (readwrite, nonatomic, strong) NSDictionary<NSString *, NSNumber *> *classLabel_probs;

- (instancetype)init NS_UNAVAILABLE;
- (instancetype)initWithClassLabel:(NSString *)classLabel classLabel_probs:(NSDictionary<NSString *, NSNumber *> *)classLabel_probs NS_DESIGNATED_INITIALIZER;

@end

/// Class for model loading and prediction
///
/// Names the handwritten digit on a 32 by 32 grayscale image, white on black.
///
/// Author: The project's tools/make-demo-model.py
///
/// License: Apache-2.0; trained on UCI's Optical Recognition of Handwritten Digits, CC BY 4.0
///
/// Version: 1.0
API_AVAILABLE(macos(13.0), ios(16.0), tvos(16.0), watchos(9.0), visionos(1.0)) __attribute__((visibility("hidden")))
@interface Digits : NSObject
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
+ (void)loadWithConfiguration:(MLModelConfiguration *)configuration completionHandler:(void (^)(Digits * _Nullable model, NSError * _Nullable error))handler;

/// Loads a compiled model in the background.
+ (void)loadContentsOfURL:(NSURL *)modelURL configuration:(MLModelConfiguration *)configuration completionHandler:(void (^)(Digits * _Nullable model, NSError * _Nullable error))handler;

/// Predicts.
- (nullable DigitsOutput *)predictionFromFeatures:(DigitsInput *)input error:(NSError * _Nullable __autoreleasing * _Nullable)error;

/// Predicts, with options.
- (nullable DigitsOutput *)predictionFromFeatures:(DigitsInput *)input options:(MLPredictionOptions *)options error:(NSError * _Nullable __autoreleasing * _Nullable)error;

/// Predicts.
- (nullable DigitsOutput *)predictionFromImage:(CVPixelBufferRef)image error:(NSError * _Nullable __autoreleasing * _Nullable)error;

/// Predicts many inputs at once; the outputs are in their order.
- (nullable NSArray<DigitsOutput *> *)predictionsFromInputs:(NSArray<DigitsInput *> *)inputArray options:(MLPredictionOptions *)options error:(NSError * _Nullable __autoreleasing * _Nullable)error;

@end

NS_ASSUME_NONNULL_END
