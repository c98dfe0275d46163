// Elementwise programs: what a fused expression becomes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "compute/kernels.h"
#include "compute/layout.h"
#include "compute/types.h"

namespace stridelab::compute {

struct Instruction {
  Opcode opcode;
  Type type;
  std::array<int, 3> operands;
  Kernel kernel;
};

/** A register that goes to an array of a type, which is the register's own. */
struct Output {
  int from;
  Type type;
};

/**
 * Registers are numbered: inputs, then constants, then the results of the instructions. The words are those
 * of NativeCompute.makeProgram.
 */
class Program {
 public:
  /** Throws std::invalid_argument saying which part of the words is wrong. */
  Program(std::span<const std::int32_t> words, std::span<const std::byte> constants);

  const std::vector<Type>& inputs() const { return inputs_; }
  const std::vector<Output>& outputs() const { return outputs_; }

  /** Runs for every element of the space, whose operands are the outputs and then the inputs; `bases` are
   * their memory. */
  void Run(const Space& space, const std::vector<std::byte*>& bases) const;

 private:
  Type TypeOf(int from) const { return types_[static_cast<std::size_t>(from)]; }

  std::vector<Type> inputs_;
  std::vector<Type> types_;
  /** 16 bytes each, in the form of their storage. */
  std::vector<std::array<std::byte, 16>> constants_;
  std::vector<Instruction> instructions_;
  std::vector<Output> outputs_;
};

}  // namespace stridelab::compute
