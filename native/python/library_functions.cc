// The functions that PyTorch's pluggable allocator calls, exported by name from the addon
// (torch.cuda.memory.CUDAPluggableAllocator). PyTorch raises an exception of an allocation as RuntimeError,
// and does not check for null.

#include <sys/types.h>

#include <stdexcept>

#include "driver/types.h"
#include "python/library_memory.h"

#define STRIDELAB_EXPORTED extern "C" __attribute__((visibility("default")))

using stridelab::driver::HandleValue;
using stridelab::python::LibraryMemory;

/** Allocates for PyTorch. Programs search the message of a full device for PyTorch's own first words. */
STRIDELAB_EXPORTED void* stridelab_torch_allocate(ssize_t bytes, int device, void* stream) {
  if (bytes == 0) return nullptr;
  const auto answer =
      LibraryMemory::Instance().Allocate({device, static_cast<std::size_t>(bytes), HandleValue(stream)});
  if (answer.pointer != 0) return stridelab::driver::HandleFrom<void*>(answer.pointer);
  throw std::runtime_error(answer.out_of_memory ? "CUDA out of memory. " + answer.error : answer.error);
}

STRIDELAB_EXPORTED void stridelab_torch_free(void* pointer, ssize_t, int, void* stream) {
  LibraryMemory::Instance().Free(HandleValue(pointer), HandleValue(stream));
}

STRIDELAB_EXPORTED void stridelab_torch_record_stream(void* pointer, void* stream) {
  LibraryMemory::Instance().NoteUse(HandleValue(pointer), HandleValue(stream));
}
