#include "CKernelSources.h"
