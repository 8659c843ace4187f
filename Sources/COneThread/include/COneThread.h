#pragma once
/* Nothing to call: what is linked counts. */
