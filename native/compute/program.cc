#include "compute/program.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

#include "compute/small_floats.h"

namespace stridelab::compute {
namespace {

/** Elements that go through all instructions before the next ones: some registers of it fit the first cache.
 */
constexpr std::size_t kBlock = 2048;
constexpr int kMostParts = 4096;

/** Takes words one by one. */
class Reader {
 public:
  explicit Reader(std::span<const std::int32_t> words) : words_(words) {}

  std::int32_t Next(std::int32_t least, std::int32_t most, const char* what) {
    if (at_ == words_.size()) throw std::invalid_argument("the program ends early");
    const std::int32_t word = words_[at_++];
    if (word < least || word > most)
      throw std::invalid_argument(std::string(what) + " " + std::to_string(word) + " at word " +
                                  std::to_string(at_ - 1));
    return word;
  }
  Type NextType() { return static_cast<Type>(Next(0, kTypes - 1, "type")); }
  bool done() const { return at_ == words_.size(); }

 private:
  std::span<const std::int32_t> words_;
  std::size_t at_ = 0;
};

/** Registers of one run, each a block of elements. */
class Registers {
 public:
  Registers(const std::vector<Type>& types, std::size_t block) {
    std::size_t bytes = 0;
    for (const Type type : types) {
      offsets_.push_back(bytes);
      bytes += (RegisterSize(type) * block + 63) / 64 * 64;
    }
    memory_.resize(bytes + 64);
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    base_ = memory_.data() + (64 - address % 64) % 64;
  }
  std::byte* operator[](std::size_t index) { return base_ + offsets_[index]; }

 private:
  std::vector<std::size_t> offsets_;
  std::vector<std::byte> memory_;
  std::byte* base_;
};

/** True where the operand is one run of elements side by side, in the form that registers have. */
bool IsDense(const Space& space, const Strided& operand, Type type, const std::byte* base) {
  if (IsSmallFloat(type)) return false;
  const auto itemsize = static_cast<std::int64_t>(ItemSize(type));
  const std::size_t alignment = ItemSize(PartOf(type));
  if (reinterpret_cast<std::uintptr_t>(base + operand.offset) % alignment != 0) return false;
  return space.shape.empty() || (space.shape.size() == 1 && operand.strides[0] == itemsize);
}

}  // namespace

Program::Program(std::span<const std::int32_t> words, std::span<const std::byte> constants) {
  Reader reader(words);
  const int inputs = reader.Next(0, kMostParts, "number of inputs");
  const int outputs = reader.Next(1, kMostParts, "number of outputs");
  const int constant_count = reader.Next(0, kMostParts, "number of constants");
  const int instructions = reader.Next(0, kMostParts, "number of instructions");
  for (int index = 0; index < inputs; ++index) inputs_.push_back(reader.NextType());
  types_ = inputs_;
  for (int index = 0; index < constant_count; ++index) types_.push_back(reader.NextType());
  constants_.resize(static_cast<std::size_t>(constant_count));
  if (constants.size() != constants_.size() * 16)
    throw std::invalid_argument("16 bytes are needed for each constant");
  if (!constants.empty()) std::memcpy(constants_.data(), constants.data(), constants.size());
  for (int index = 0; index < instructions; ++index) {
    Instruction instruction{};
    instruction.opcode = static_cast<Opcode>(reader.Next(0, kOpcodes - 1, "instruction"));
    instruction.type = reader.NextType();
    const int arity = Arity(instruction.opcode);
    const auto known = static_cast<int>(types_.size());
    for (int operand = 0; operand < 3; ++operand) {
      const bool used = operand < arity;
      instruction.operands[static_cast<std::size_t>(operand)] =
          reader.Next(used ? 0 : -1, used ? known - 1 : -1, "register");
    }
    const auto [a, b, c] = instruction.operands;
    const Type operand = TypeOf(instruction.opcode == Opcode::kWhere ? b : a);
    const bool matches = (arity < 2 || TypeOf(b) == operand) && (arity < 3 || TypeOf(c) == operand);
    if (!matches || (arity == 3 && TypeOf(a) != Type::kBool))
      throw std::invalid_argument("operands of different types in instruction " + std::to_string(index));
    instruction.kernel = FindKernel(instruction.opcode, operand, instruction.type);
    if (instruction.kernel == nullptr)
      throw std::invalid_argument("instruction " + std::to_string(index) + " has no meaning for its types");
    instructions_.push_back(instruction);
    types_.push_back(instruction.type);
  }
  for (int index = 0; index < outputs; ++index) {
    const int from = reader.Next(0, static_cast<int>(types_.size()) - 1, "register");
    const Type type = reader.NextType();
    if (TypeOf(from) != type) throw std::invalid_argument("an output of another type than its register");
    outputs_.push_back({from, type});
  }
  if (!reader.done()) throw std::invalid_argument("words after the end of the program");
}

void Program::Run(const Space& full, const std::vector<std::byte*>& bases) const {
  const std::int64_t size = full.Size();
  if (size == 0) return;
  const Space space = full.Simplified();
  const auto total = static_cast<std::size_t>(size);
  const std::size_t block = std::min(kBlock, total);
  Registers registers(types_, block);
  std::vector<std::byte*> values(types_.size());
  for (std::size_t index = 0; index < types_.size(); ++index) values[index] = registers[index];

  const std::size_t output_count = outputs_.size();
  std::vector<Cursor> cursors;
  std::vector<bool> dense;
  for (std::size_t which = 0; which < space.operands.size(); ++which) {
    const Type type = which < output_count ? outputs_[which].type : inputs_[which - output_count];
    cursors.emplace_back(space.shape, space.operands[which]);
    dense.push_back(IsDense(space, space.operands[which], type, bases[which]));
  }
  for (std::size_t index = 0; index < constants_.size(); ++index) {
    const std::size_t at = inputs_.size() + index;
    const Type type = types_[at];
    std::array<std::byte, 16> value = constants_[index];
    float decoded = 0;
    if (IsSmallFloat(type)) {
      Decode(type, constants_[index].data(), &decoded, 1);
      std::memcpy(value.data(), &decoded, sizeof(decoded));
    }
    for (std::size_t element = 0; element < block; ++element)
      std::memcpy(values[at] + element * RegisterSize(type), value.data(), RegisterSize(type));
  }
  // A register that goes to one dense output is computed there, unless a later instruction still reads an
  // input in that memory.
  std::vector<int> direct(types_.size(), -1);
  const std::size_t first_result = inputs_.size() + constants_.size();
  for (std::size_t which = 0; which < output_count; ++which) {
    const auto from = static_cast<std::size_t>(outputs_[which].from);
    if (from < first_result || !dense[which] || direct[from] >= 0) continue;
    const auto first_input = bases.begin() + static_cast<std::ptrdiff_t>(output_count);
    const bool shared = std::find(first_input, bases.end(), bases[which]) != bases.end();
    if (from + 1 == types_.size() || !shared) direct[from] = static_cast<int>(which);
  }
  std::array<std::byte, kBlock * 2> codes;
  for (std::size_t start = 0; start < total; start += block) {
    const std::size_t count = std::min(block, total - start);
    const auto place = [&](std::size_t which, Type type) {
      return bases[which] + space.operands[which].offset + start * ItemSize(type);
    };
    for (std::size_t input = 0; input < inputs_.size(); ++input) {
      const std::size_t which = output_count + input;
      const Type type = inputs_[input];
      if (dense[which]) {
        values[input] = place(which, type);
      } else if (IsSmallFloat(type)) {
        cursors[which].Gather(bases[which], ItemSize(type), codes.data(), count);
        Decode(type, codes.data(), reinterpret_cast<float*>(values[input]), count);
      } else {
        cursors[which].Gather(bases[which], ItemSize(type), values[input], count);
      }
    }
    for (std::size_t index = 0; index < instructions_.size(); ++index) {
      const Instruction& instruction = instructions_[index];
      const std::size_t at = first_result + index;
      if (direct[at] >= 0) values[at] = place(static_cast<std::size_t>(direct[at]), types_[at]);
      const auto operand = [&](std::size_t which) -> const void* {
        const int from = instruction.operands[which];
        return from < 0 ? nullptr : values[static_cast<std::size_t>(from)];
      };
      instruction.kernel(values[at], operand(0), operand(1), operand(2), count);
      if (IsSmallFloat(instruction.type))
        Round(instruction.type, reinterpret_cast<float*>(values[at]), count);
    }
    for (std::size_t which = 0; which < output_count; ++which) {
      const auto [from, type] = outputs_[which];
      const std::byte* value = values[static_cast<std::size_t>(from)];
      if (direct[static_cast<std::size_t>(from)] == static_cast<int>(which)) continue;
      if (IsSmallFloat(type)) {
        Encode(type, reinterpret_cast<const float*>(value), codes.data(), count);
        cursors[which].Scatter(bases[which], ItemSize(type), codes.data(), count);
      } else {
        cursors[which].Scatter(bases[which], ItemSize(type), value, count);
      }
    }
  }
}

}  // namespace stridelab::compute
