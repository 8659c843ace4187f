// Elementary functions of vectors.
#pragma once
#include "vactivation.h"
#include "vexp.h"
#include "vpower.h"
