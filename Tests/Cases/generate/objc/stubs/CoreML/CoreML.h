// As much of the framework's declarations as generated code speaks of.
#pragma once
#import <Foundation/Foundation.h>

typedef struct CVBuffer *CVPixelBufferRef;
typedef struct CGImage *CGImageRef;
typedef uint32_t OSType;
CVPixelBufferRef _Nullable CVPixelBufferRetain(CVPixelBufferRef _Nullable buffer);
void CVPixelBufferRelease(CVPixelBufferRef _Nullable buffer);
enum { kCVPixelFormatType_32ARGB = 32, kCVPixelFormatType_OneComponent8 = 8, kCVPixelFormatType_OneComponent16Half = 16 };

NS_ASSUME_NONNULL_BEGIN
#define ERROR error:(NSError *_Nullable __autoreleasing *_Nullable)error
@interface MLMultiArray : NSObject
@end
@interface MLSequence : NSObject
@end
@interface MLState : NSObject
@end
@interface MLPredictionOptions : NSObject
@end
@interface MLModelConfiguration : NSObject
@property (copy, nullable) NSString *functionName;
@end
@interface MLFeatureValue : NSObject
@property (readonly) int64_t int64Value;
@property (readonly) double doubleValue;
@property (readonly) NSString *stringValue;
@property (readonly, nullable) MLMultiArray *multiArrayValue;
@property (readonly, nullable) MLSequence *sequenceValue;
@property (readonly) NSDictionary<id, NSNumber *> *dictionaryValue;
@property (readonly, nullable) CVPixelBufferRef imageBufferValue;
+ (instancetype)featureValueWithInt64:(int64_t)value;
+ (instancetype)featureValueWithDouble:(double)value;
+ (instancetype)featureValueWithString:(NSString *)value;
+ (instancetype)featureValueWithMultiArray:(MLMultiArray *)value;
+ (instancetype)featureValueWithPixelBuffer:(CVPixelBufferRef)value;
+ (instancetype)featureValueWithSequence:(MLSequence *)value;
+ (nullable instancetype)featureValueWithDictionary:(NSDictionary<id, NSNumber *> *)value ERROR;
+ (nullable instancetype)featureValueWithCGImage:(CGImageRef)image pixelsWide:(NSInteger)wide pixelsHigh:(NSInteger)high pixelFormatType:(OSType)type options:(nullable NSDictionary *)options ERROR;
+ (nullable instancetype)featureValueWithImageAtURL:(NSURL *)url pixelsWide:(NSInteger)wide pixelsHigh:(NSInteger)high pixelFormatType:(OSType)type options:(nullable NSDictionary *)options ERROR;
@end
@protocol MLFeatureProvider
@property (readonly) NSSet<NSString *> *featureNames;
- (nullable MLFeatureValue *)featureValueForName:(NSString *)name;
@end
@protocol MLBatchProvider
@property (readonly) NSInteger count;
- (id<MLFeatureProvider>)featuresAtIndex:(NSInteger)index;
@end
@interface MLArrayBatchProvider : NSObject <MLBatchProvider>
- (instancetype)initWithFeatureProviderArray:(NSArray<id<MLFeatureProvider>> *)array;
@end
@interface MLModel : NSObject
+ (nullable instancetype)modelWithContentsOfURL:(NSURL *)url configuration:(MLModelConfiguration *)configuration ERROR;
+ (void)loadContentsOfURL:(NSURL *)url configuration:(MLModelConfiguration *)configuration completionHandler:(void (^)(MLModel *_Nullable model, NSError *_Nullable error))handler;
- (MLState *)newState;
- (nullable id<MLFeatureProvider>)predictionFromFeatures:(id<MLFeatureProvider>)input options:(MLPredictionOptions *)options ERROR;
- (nullable id<MLFeatureProvider>)predictionFromFeatures:(id<MLFeatureProvider>)input usingState:(MLState *)state options:(MLPredictionOptions *)options ERROR;
- (nullable id<MLBatchProvider>)predictionsFromBatch:(id<MLBatchProvider>)batch options:(MLPredictionOptions *)options ERROR;
@end
#undef ERROR
NS_ASSUME_NONNULL_END
