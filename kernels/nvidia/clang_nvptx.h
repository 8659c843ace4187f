// What clang needs to compile the kernels of this folder for nvptx64 without OpenCL's headers, to look at them without a GPU
// (`NVIDIACompileTests`): the functions of OpenCL C that they call, declared or made of PTX. NVIDIA's own compiler has them.
