/*
 * OpenBLAS starts its threads when it is loaded, and they turn round in wait for work while a process starts. Its functions that read the
 * environment give way to those of the executable.
 */
#include "../CInterfaceLibrary/openblas.c"
