// Other kernels on NCHWc images.
#include "../portable/block_window.h"
#include "../portable/block_small_output.h"
#include "../portable/block_channels.h"
#include "../portable/block_move.h"
