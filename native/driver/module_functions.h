// The driver functions for compiled code, which simulated devices cannot run; see driver_functions.h.
// clang-format off

#ifndef STRIDELAB_UNLOGGED
#define STRIDELAB_UNLOGGED STRIDELAB_REQUIRED
#endif
#ifndef STRIDELAB_OPTIONAL
#define STRIDELAB_OPTIONAL STRIDELAB_REQUIRED
#endif

STRIDELAB_UNLOGGED(cuModuleLoadDataEx, , (CUmodule* module, const void* image, unsigned count, int* options, void** values))
STRIDELAB_REQUIRED(cuModuleUnload, , (CUmodule module))
STRIDELAB_UNLOGGED(cuModuleGetFunction, , (CUfunction* function, CUmodule module, const char* name))
STRIDELAB_UNLOGGED(cuModuleGetGlobal, _v2, (CUdeviceptr* pointer, std::size_t* bytes, CUmodule module, const char* name))
STRIDELAB_UNLOGGED(cuFuncGetAttribute, , (int* value, int attribute, CUfunction function))
STRIDELAB_REQUIRED(cuFuncSetAttribute, , (CUfunction function, int attribute, int value))
// Null if the driver is older than 12.4.
STRIDELAB_OPTIONAL(cuFuncGetParamInfo, , (CUfunction function, std::size_t index, std::size_t* offset, std::size_t* bytes))
STRIDELAB_REQUIRED(cuLaunchKernel, , (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void** parameters, void** extra))
STRIDELAB_REQUIRED(cuLaunchCooperativeKernel, , (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void** parameters))
STRIDELAB_UNLOGGED(cuOccupancyMaxActiveBlocksPerMultiprocessor, , (int* blocks, CUfunction function, int block, std::size_t shared_bytes))
STRIDELAB_UNLOGGED(cuOccupancyMaxPotentialBlockSize, , (int* least_grid, int* block, CUfunction function, std::size_t (*shared_of_block)(int block), std::size_t shared_bytes, int block_limit))

#undef STRIDELAB_REQUIRED
#undef STRIDELAB_UNLOGGED
#undef STRIDELAB_OPTIONAL
