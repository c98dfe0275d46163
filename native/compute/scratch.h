// Memory of one run, aligned for vectors.
#pragma once

#include <cstddef>
#include <memory>

namespace stridelab::compute {

/** Uninitialized memory. Each thread keeps the last blocks that it freed, since every run needs some. */
class Scratch {
 public:
  explicit Scratch(std::size_t bytes);
  std::byte* data() const { return memory_.get(); }

 private:
  struct Free {
    std::size_t bytes = 0;
    void operator()(std::byte* memory) const;
  };
  std::unique_ptr<std::byte, Free> memory_;
};

}  // namespace stridelab::compute
