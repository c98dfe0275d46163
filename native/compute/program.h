// Elementwise programs: checked instructions over registers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "compute/kernel.h"
#include "compute/types.h"

namespace stridelab::compute {

/** One instruction with its loops. Registers are numbered: inputs first, then constants, then results. */
struct Instruction {
  Kernel kernel;
  /** Rounds the result to a small float; null if the type is none or the result is already rounded. */
  Kernel round;
  std::array<std::int32_t, 3> operands;  // -1 where unused
};

struct Output {
  std::int32_t source;
  Type type;
};

/** A checked program. Immutable, so that any number of operations may share it. */
class Program {
 public:
  /**
   * `words` and `constants` are those of NativeCompute.makeProgram in src/native/binding.ts. Throws
   * std::invalid_argument if they are not a valid program.
   */
  Program(std::span<const std::int32_t> words, std::span<const std::byte> constants);

  /** Returns the time that an element takes, as the number of bytes that could be moved in it. */
  std::size_t cost() const { return cost_; }
  std::size_t inputs() const { return inputs_; }
  std::size_t constants() const { return constants_; }
  std::size_t registers() const { return types_.size(); }
  Type type_of(std::size_t number) const { return types_[number]; }
  const std::vector<Instruction>& instructions() const { return instructions_; }
  const std::vector<Output>& outputs() const { return outputs_; }
  /** Returns the 16 bytes of a constant, in its type's storage form. */
  const std::byte* constant(std::size_t index) const { return constant_bytes_.data() + 16 * index; }

 private:
  void Add(std::span<const std::int32_t> words);

  std::size_t cost_ = 0;
  std::size_t inputs_ = 0;
  std::size_t constants_ = 0;
  std::vector<Type> types_;
  std::vector<Instruction> instructions_;
  std::vector<Output> outputs_;
  std::vector<std::byte> constant_bytes_;
};

}  // namespace stridelab::compute
