//
// running_sum.h
//
// This file was automatically generated and should not be edited.
//

#import <Foundation/Foundation.h>
#import <CoreML/CoreML.h>
#include <stdint.h>

NS_ASSUME_NONNULL_BEGIN

/// Model Prediction Input Type
API_AVAILABLE(macos(15.0), ios(18.0), tvos(18.0), watchos(11.0), visionos(2.0)) __attribute__((visibility("hidden")))
@interface running_sumInput : NSObject<MLFeatureProvider>

/// x as 4 element vector of floats
@property (readwrite, nonatomic, strong) MLMultiArray *x;

- (instancetype)init NS_UNAVAILABLE;
- (instancetype)initWithX:(MLMultiArray *)x NS_DESIGNATED_INITIALIZER;

@end

/// Model Prediction Output Type
API_AVAILABLE(macos(15.0), ios(18.0), tvos(18.0), watchos(11.0), visionos(2.0)) __attribute__((visibility("hidden")))
@interface running_sumOutput : NSObject<MLFeatureProvider>

/// y as 4 element vector of floats
@property (readwrite, nonatomic, strong) MLMultiArray *y;

- (instancetype)init NS_UNAVAILABLE;
- (instancetype)initWithY:(MLMultiArray *)y NS_DESIGNATED_INITIALIZER;

@end

/// Class for model loading and prediction
API_AVAILABLE(macos(15.0), ios(18.0), tvos(18.0), watchos(11.0), visionos(2.0)) __attribute__((visibility("hidden")))
@interface running_sum : NSObject
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
+ (void)loadWithConfiguration:(MLModelConfiguration *)configuration completionHandler:(void (^)(running_sum * _Nullable model, NSError * _Nullable error))handler;

/// Loads a compiled model in the background.
+ (void)loadContentsOfURL:(NSURL *)modelURL configuration:(MLModelConfiguration *)configuration completionHandler:(void (^)(running_sum * _Nullable model, NSError * _Nullable error))handler;

/// A state at its beginning.
- (MLState *)newState;

/// Predicts with a state, which it changes.
- (nullable running_sumOutput *)predictionFromFeatures:(running_sumInput *)input usingState:(MLState *)state options:(MLPredictionOptions *)options error:(NSError * _Nullable __autoreleasing * _Nullable)error;

/// Predicts.
- (nullable running_sumOutput *)predictionFromFeatures:(running_sumInput *)input error:(NSError * _Nullable __autoreleasing * _Nullable)error;

/// Predicts, with options.
- (nullable running_sumOutput *)predictionFromFeatures:(running_sumInput *)input options:(MLPredictionOptions *)options error:(NSError * _Nullable __autoreleasing * _Nullable)error;

/// Predicts.
- (nullable running_sumOutput *)predictionFromX:(MLMultiArray *)x error:(NSError * _Nullable __autoreleasing * _Nullable)error;

/// Predicts many inputs at once; the outputs are in their order.
- (nullable NSArray<running_sumOutput *> *)predictionsFromInputs:(NSArray<running_sumInput *> *)inputArray options:(MLPredictionOptions *)options error:(NSError * _Nullable __autoreleasing * _Nullable)error;

@end

NS_ASSUME_NONNULL_END
