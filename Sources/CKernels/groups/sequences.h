// Attention and recurrent layers.
#include "../portable/attention.h"
#include "../portable/recurrent.h"
