/* Calls every function of the interface from C as users do, with valid and with invalid arguments. */
#pragma once

/* The folders of the models from tools/make-interface-models.py and of the digits examples, and a folder for output. */
typedef struct checks_places {
  const char *models;
  const char *digits;
  const char *scratch;
} checks_places;

/* Each returns the number of failed checks. checks_report describes them. */
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

/* The checks that failed since the last call, one per line. Valid until the next call. */
const char *checks_report(void);

/* The mean time of a prediction of `sums` in nanoseconds. */
double checks_latency(const checks_places *places, int count);
