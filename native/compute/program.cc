#include "compute/program.h"

#include <stdexcept>
#include <string>

namespace stridelab::compute {
namespace {

constexpr std::size_t kMostOperands = 64;
constexpr std::size_t kMostInstructions = 4096;
constexpr std::size_t kInstructionWords = 5;
/** See Program::cost. */
constexpr std::size_t kVectorCost = 4;
constexpr std::size_t kMathCost = 64;

[[noreturn]] void Refuse(const std::string& what) { throw std::invalid_argument("invalid program: " + what); }

std::size_t ToCount(std::int32_t word, std::size_t most, const char* what) {
  if (word < 0 || static_cast<std::size_t>(word) > most)
    Refuse(std::string(what) + " is " + std::to_string(word) + ", expected 0 to " + std::to_string(most));
  return static_cast<std::size_t>(word);
}

Type ToType(std::int32_t word) {
  if (word < 0 || word >= kTypeCount) Refuse("element type " + std::to_string(word) + " is unknown");
  return static_cast<Type>(word);
}

/** Returns the type of an instruction's result. */
Type ResultOf(Opcode opcode, Type operand) {
  const ResultType result = kResultTypes[static_cast<int>(opcode)];
  if (result == ResultType::kBool) return Type::kBool;
  if (result == ResultType::kWhole) return operand == Type::kFloat64 ? Type::kComplex128 : Type::kComplex64;
  return result == ResultType::kPart ? RealOf(operand) : operand;
}

Instruction MakeCast(Type operand, Type result, std::int32_t source) {
  Instruction cast{nullptr, nullptr, {source, -1, -1}};
  const bool small = IsSmallFloat(result);
  if (small && operand != result) cast.round = Vector().round(result);
  cast.kernel = small ? Vector().cast_odd(RegisterType(operand)) : FindKernel(Opcode::kCast, operand, result);
  return cast;
}

}  // namespace

Program::Program(std::span<const std::int32_t> words, std::span<const std::byte> constants) {
  if (words.size() < 4) Refuse("the four counts are missing");
  inputs_ = ToCount(words[0], kMostOperands, "inputs");
  const std::size_t outputs = ToCount(words[1], kMostOperands, "outputs");
  constants_ = ToCount(words[2], kMostInstructions, "constants");
  const std::size_t instructions = ToCount(words[3], kMostInstructions, "instructions");
  if (outputs == 0) Refuse("it has no output");
  const std::size_t length = 4 + inputs_ + constants_ + kInstructionWords * instructions + 2 * outputs;
  if (words.size() != length) {
    Refuse("it has " + std::to_string(words.size()) + " words, but its counts need " +
           std::to_string(length));
  }
  if (constants.size() != 16 * constants_) {
    Refuse("it has " + std::to_string(constants.size()) + " bytes of constants, expected " +
           std::to_string(16 * constants_));
  }
  constant_bytes_.assign(constants.begin(), constants.end());
  words = words.subspan(4);
  for (std::size_t index = 0; index < inputs_ + constants_; ++index) types_.push_back(ToType(words[index]));
  words = words.subspan(inputs_ + constants_);
  for (std::size_t index = 0; index < inputs_; ++index) cost_ += SizeOf(types_[index]);
  for (std::size_t index = 0; index < instructions; ++index)
    Add(words.subspan(kInstructionWords * index, kInstructionWords));
  words = words.subspan(kInstructionWords * instructions);
  for (std::size_t index = 0; index < outputs; ++index) {
    const std::int32_t source = words[2 * index];
    const Type type = ToType(words[2 * index + 1]);
    if (source < 0 || static_cast<std::size_t>(source) >= types_.size())
      Refuse("output " + std::to_string(index) + " names no register");
    if (types_[static_cast<std::size_t>(source)] != type)
      Refuse("output " + std::to_string(index) + " and its register have different types");
    outputs_.push_back({source, type});
    cost_ += SizeOf(type);
  }
}

void Program::Add(std::span<const std::int32_t> words) {
  const std::string name = "instruction " + std::to_string(instructions_.size());
  if (words[0] < 0 || words[0] >= kOpcodeCount) Refuse(name + " has an unknown opcode");
  const auto opcode = static_cast<Opcode>(words[0]);
  const Type result = ToType(words[1]);
  const int count = kOperandCounts[words[0]];
  for (int index = 0; index < 3; ++index) {
    const std::int32_t number = words[2 + static_cast<std::size_t>(index)];
    const bool known = number >= 0 && static_cast<std::size_t>(number) < types_.size();
    if (index < count ? !known : number != -1)
      Refuse(name + " needs " + std::to_string(count) + " registers made before it, and -1 after them");
  }
  const auto type_of = [&](int index) {
    return types_[static_cast<std::size_t>(words[2 + static_cast<std::size_t>(index)])];
  };
  const bool where = opcode == Opcode::kWhere;
  const Type operand = type_of(where ? 1 : 0);
  if (where && type_of(0) != Type::kBool) Refuse(name + " needs a bool condition");
  for (int index = where ? 2 : 1; index < count; ++index) {
    if (type_of(index) != operand) Refuse(name + " has operands of different types");
  }
  Instruction made{nullptr, nullptr, {words[2], words[3], words[4]}};
  if (opcode == Opcode::kCast) {
    made = MakeCast(operand, result, words[2]);
  } else {
    if (ResultOf(opcode, operand) != result) Refuse(name + " has the wrong result type");
    made.kernel = FindKernel(opcode, operand, result);
    if (IsSmallFloat(result)) made.round = Vector().round(result);
  }
  if (made.kernel == nullptr)
    Refuse(name + " (opcode " + std::to_string(words[0]) + ") does not support its type");
  cost_ += FindMathKernel(opcode, operand) == nullptr ? kVectorCost : kMathCost;
  instructions_.push_back(made);
  types_.push_back(result);
}

}  // namespace stridelab::compute
