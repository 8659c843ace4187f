// FeatureFiles
