// Programs of the simulated machine, decoded from the words of src/kernels/machine/encode.ts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compute/kernel.h"
#include "generated/kernel_codes.h"

namespace stridelab::kernels {

constexpr std::size_t SizeOf(ValueType type) {
  constexpr std::uint8_t kSizes[] = {1, 4, 4, 8, 8, 4, 8};
  return kSizes[static_cast<int>(type)];
}
constexpr std::size_t SizeOf(Element element) {
  constexpr std::uint8_t kSizes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8};
  return kSizes[static_cast<int>(element)];
}
/** Returns the type that a loaded element has. */
ValueType ValueOf(Element element);

struct Register {
  ValueType type;
  /** Changes in active lanes only. */
  bool variable;
};

enum class Space : std::uint8_t { kGlobal, kShared, kLocal, kConstant };

/** An array of a program: a parameter, a memory or a table. */
struct Array {
  Space space = Space::kGlobal;
  /** False for a scalar parameter, which has a number but is no array. */
  bool present = false;
  Element element{};
  std::string name;
  std::size_t rank = 0;
  /** Of parameters. */
  bool contiguous = false;
  bool wide = false;
  bool written = false;
  /** Of a scalar parameter. */
  ValueType scalar{};
  /** Of memories and tables. */
  std::vector<std::int64_t> shape;
  bool dynamic = false;
  /** Offset in bytes in the block's shared memory, a thread's local memory or the constants. */
  std::size_t offset = 0;
};

struct Fill {
  FillKind kind;
  std::int32_t target;
  std::int32_t first;
  std::int32_t second;
};

struct Place {
  std::int32_t line;
  std::int32_t column;
  std::int32_t length;
  std::int32_t file;
};

/** Loads elements at byte offsets into a register, or stores them, for the lanes from `low` to `high` that `mask` has (null: all). */
using Transfer = void (*)(std::byte* base, const std::int64_t* offsets, const std::uint8_t* mask, void* held,
                          std::size_t low, std::size_t high);
/** Loads `count` elements from `first` on into a register, or stores them. */
using DenseTransfer = void (*)(std::byte* first, void* held, std::size_t count);
/** Applies an atomic operation in the order of the lanes; `old` may be null. */
using AtomicLoop = void (*)(std::byte* base, const std::int64_t* offsets, const std::uint8_t* mask,
                            const void* first, const void* second, void* old, std::size_t low,
                            std::size_t high);

struct Instruction {
  InstructionKind kind;
  std::int32_t place;
  /** The words after the place; which they are depends on the kind. */
  std::span<const std::int32_t> fields;
  /** Of arithmetic: `out` and up to three operands. */
  compute::Kernel loop = nullptr;
  std::int32_t out = -1;
  std::array<std::int32_t, 3> operands{-1, -1, -1};
  /** Of loads, stores and atomics. */
  Transfer transfer = nullptr;
  /** For elements that follow each other in the order of the lanes. */
  DenseTransfer dense = nullptr;
  AtomicLoop atomic = nullptr;
  /** Registers of the index. */
  std::span<const std::int32_t> index;
  /** Registers of the elements of a vector; empty for other accesses. */
  std::span<const std::int32_t> vector;
};

/** A checked program. Immutable, so that any number of launches may share it. */
class Program {
 public:
  /** Throws std::invalid_argument if the words are not a valid program. */
  Program(std::span<const std::int32_t> words, std::span<const std::byte> constants);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  const std::string& name() const { return texts_[0]; }
  const std::vector<Register>& registers() const { return registers_; }
  std::size_t masks() const { return masks_; }
  std::size_t parameters() const { return parameters_; }
  const std::vector<Array>& arrays() const { return arrays_; }
  const std::vector<Fill>& fills() const { return fills_; }
  const std::vector<Instruction>& instructions() const { return instructions_; }
  const std::vector<std::byte>& constants() const { return constants_; }
  /** Bytes that a lane accesses by a load, a store or an atomic operation. */
  std::size_t BytesOf(const Instruction& access) const {
    const Array& array = arrays_[static_cast<std::size_t>(access.fields[0])];
    return SizeOf(array.element) * (access.vector.empty() ? 1 : access.vector.size());
  }
  std::size_t places() const { return places_.size(); }
  const Place& place(std::int32_t number) const { return places_[static_cast<std::size_t>(number)]; }
  const std::string& file(std::int32_t number) const { return texts_[1 + static_cast<std::size_t>(number)]; }
  const std::string& text(std::int32_t number) const { return texts_[static_cast<std::size_t>(number)]; }
  /** Bytes of shared memory of a block without its dynamic part, which comes last. */
  std::size_t shared_bytes() const { return shared_bytes_; }
  std::size_t local_bytes() const { return local_bytes_; }
  /** True if it waits for the whole grid. */
  bool cooperative() const { return cooperative_; }

 private:
  class Decoder;

  std::size_t masks_ = 0;
  std::size_t parameters_ = 0;
  std::vector<std::int32_t> words_;
  std::vector<std::byte> constants_;
  std::vector<Register> registers_;
  std::vector<Array> arrays_;
  std::vector<Fill> fills_;
  std::vector<Place> places_;
  std::vector<std::string> texts_;
  std::vector<Instruction> instructions_;
  std::size_t shared_bytes_ = 0;
  std::size_t local_bytes_ = 0;
  bool cooperative_ = false;
};

}  // namespace stridelab::kernels
