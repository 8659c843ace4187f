/* Every function of the interface, called from C as its users call it, rightly and wrongly. */
#pragma once

/* Where the models of tools/make-interface-models.py are, the examples with digits, and a folder to write to. */
typedef struct checks_places {
  const char *models;
  const char *digits;
  const char *scratch;
} checks_places;

/* Each returns how many of its checks failed; checks_report tells of them. */
int checks_errors(const checks_places *places);
int checks_options(const checks_places *places);
int checks_tensors(const checks_places *places);
int checks_collections(const checks_places *places);
int checks_images(const checks_places *places);
int checks_features(const checks_places *places);
int checks_descriptions(const checks_places *places);
int checks_memory_models(const checks_places *places);
int checks_predictions(const checks_places *places);
int checks_backings(const checks_places *places);
int checks_arrays(const checks_places *places);
int checks_rows(const checks_places *places);
int checks_texts(const checks_places *places);
int checks_classes(const checks_places *places);
int checks_states(const checks_places *places);
int checks_batches(const checks_places *places);
int checks_plans(const checks_places *places);
int checks_cancellation(const checks_places *places);
int checks_endless(const checks_places *places);
int checks_threads(const checks_places *places);
int checks_training(const checks_places *places);
int checks_digits(const checks_places *places);

/* The checks that failed since it was asked last, a line each; good until it is asked again. */
const char *checks_report(void);

/* Nanoseconds of a prediction of `sums`, the mean of many. */
double checks_latency(const checks_places *places, int count);
