// Compares the C kernels with plain loops, for each family and instruction set.
// usage: checks [--seed N] [FAMILY...]
#include "check.h"

void check_machine(void), check_threads(void), check_elementwise(void), check_casts(void), check_reductions(void),
    check_normalisations(void);
void check_moves(void), check_indices(void), check_convolutions(void), check_pools(void), check_products(void),
    check_few_rows(void);
void check_blocked(void), check_winograd(void), check_row_products(void), check_attention(void), check_recurrent(void),
    check_ensembles(void);
void check_rows_of_doubles(void), check_sorts(void), check_quantized(void);

const struct family families[] = {
    {"machine", check_machine, false},
    {"threads", check_threads, true},
    {"elementwise", check_elementwise, false},
    {"casts", check_casts, false},
    {"reductions", check_reductions, false},
    {"normalisations", check_normalisations, false},
    {"moves", check_moves, false},
    {"indices", check_indices, true},
    {"sorts", check_sorts, true},
    {"convolutions", check_convolutions, false},
    {"pools", check_pools, false},
    {"products", check_products, false},
    {"few-rows", check_few_rows, false},
    {"blocked", check_blocked, false},
    {"quantized", check_quantized, false},
    {"winograd", check_winograd, false},
    {"row-products", check_row_products, false},
    {"attention", check_attention, false},
    {"recurrent", check_recurrent, false},
    {"trees", check_ensembles, false},
    {"doubles", check_rows_of_doubles, false},
};
enum { FAMILIES = sizeof families / sizeof *families };

static const struct family *named(const char *name) {
  for (size_t i = 0; i < FAMILIES; i++) {
    if (strcmp(families[i].name, name) == 0) return &families[i];
  }
  fprintf(stderr, "there is no family '%s'; there are", name);
  for (size_t i = 0; i < FAMILIES; i++) fprintf(stderr, " %s", families[i].name);
  fprintf(stderr, "\n");
  exit(64);
}

int main(int count, char **words) {
  uint64_t seed = 1;
  int first = 1;
  if (count > 2 && strcmp(words[1], "--seed") == 0) seed = strtoull(words[2], NULL, 0), first = 3;
  bool whole = true;
  for (int i = first; i < count; i++) named(words[i]);
  for (int i = first; i < count; i++) whole &= run_family(named(words[i]), seed);
  for (size_t i = 0; first >= count && i < FAMILIES; i++) whole &= run_family(&families[i], seed);
  return whole ? 0 : 1;
}
