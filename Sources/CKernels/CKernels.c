#include "CKernels.h"
