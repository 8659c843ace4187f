// Reductions, pooling of dense images, normalizations, and the kernels of classical models.
#include "../portable/pooling.h"
#include "../portable/reduce.h"
#include "../portable/normalize.h"
#include "../portable/double.h"
#include "../portable/trees.h"
