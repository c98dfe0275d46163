// Execution of an elementwise program over arrays.
#pragma once

#include <memory>

#include "compute/layout.h"
#include "compute/program.h"

namespace stridelab::compute {

/**
 * A program bound to a layout, whose operands are the program's outputs, then its inputs. An output may be
 * exactly the elements of an input. It may run any number of times, on any thread.
 */
class Elementwise {
 public:
  Elementwise(std::shared_ptr<const Program> program, Layout layout);
  void Run() const;

 private:
  std::shared_ptr<const Program> program_;
  Layout layout_;
};

}  // namespace stridelab::compute
