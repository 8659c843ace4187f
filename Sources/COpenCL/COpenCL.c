#include "COpenCL.h"
