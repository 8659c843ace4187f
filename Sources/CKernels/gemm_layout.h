// Sizes of the packed layout, chosen for the registers of each instruction set: TILE x 2 vectors of sums, two vectors of B
// and one of A; by lanes, as many of A as hold TILE numbers.
#pragma once
#include "vector.h"

#if defined(CK_TARGET_AVX512)
#define CK_TILE 14
#elif defined(CK_TARGET_AVX2)
#define CK_TILE 6
#elif defined(CK_TARGET_NEON)
#define CK_TILE 12
#else
#define CK_TILE 4
#endif

enum { CK_K_BLOCK = 256 };  // a panel of B this deep fits the first-level cache

extern const ck_unary_row CK_BASE_FN(unary_rows_f32)[];
