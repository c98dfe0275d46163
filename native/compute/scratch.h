// Memory of one run, aligned for vectors.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace stridelab::compute {

/** Uninitialized memory. */
class Scratch {
 public:
  explicit Scratch(std::size_t bytes)
      : memory_(static_cast<std::byte*>(::operator new(bytes, std::align_val_t{64}))) {}
  std::byte* data() const { return memory_.get(); }

 private:
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete(memory, std::align_val_t{64}); }
  };
  std::unique_ptr<std::byte, Free> memory_;
};

}  // namespace stridelab::compute
