/* OpenBLAS starts its threads when it is loaded, and they spin while a process starts. The executable's definitions
 * take precedence over OpenBLAS's functions that read the environment. */
#include "../CInterfaceLibrary/openblas.c"
