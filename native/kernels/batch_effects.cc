// Printing, and checks that the program states.
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>

#include "kernels/batch.h"

namespace stridelab::kernels {
namespace {

template <typename T>
void AppendNumber(std::string& line, T number) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(number)) return void(line += "NaN");
    if (std::isinf(number)) return void(line += number > 0 ? "Infinity" : "-Infinity");
  }
  char text[40];
  line.append(text, std::to_chars(text, text + sizeof(text), number).ptr);
}

}  // namespace

void Batch::AppendValue(std::string& line, std::int32_t number, std::size_t lane) {
  switch (TypeOf(number)) {
    case ValueType::kBool:
      return void(line += Held<std::uint8_t>(number)[lane] != 0 ? "true" : "false");
    case ValueType::kI32:
      return AppendNumber(line, Held<std::int32_t>(number)[lane]);
    case ValueType::kU32:
      return AppendNumber(line, Held<std::uint32_t>(number)[lane]);
    case ValueType::kI64:
      return AppendNumber(line, Held<std::int64_t>(number)[lane]);
    case ValueType::kU64:
      return AppendNumber(line, Held<std::uint64_t>(number)[lane]);
    case ValueType::kF32:
      return AppendNumber(line, Held<float>(number)[lane]);
    case ValueType::kF64:
      return AppendNumber(line, Held<double>(number)[lane]);
  }
}

void Batch::Print(const Instruction& instruction) {
  std::string lines;
  EachActive([&](std::size_t lane) {
    if (lines.size() > kMostOutput) return;
    for (std::size_t field = 0; field < instruction.fields.size(); field += 2) {
      const std::int32_t number = instruction.fields[field + 1];
      if (instruction.fields[field] == 0) {
        lines += program_.text(number);
      } else {
        AppendValue(lines, number, lane);
      }
    }
    lines += '\n';
  });
  report_.Print(lines);
}

void Batch::Assert(const Instruction& instruction) {
  const std::uint8_t* holds = Held<std::uint8_t>(instruction.fields[0]);
  bool failed = false;
  EachActive([&](std::size_t lane) {
    if (holds[lane] != 0 || failed) return;
    failed = true;
    report_.Add({.kind = "assert",
                 .actor = ActorOf(lane, instruction),
                 .message = program_.text(instruction.fields[1])});
  });
  if (!failed) return;
  report_.Stop();
  End();
}

void Batch::Fail(const Instruction& instruction) {
  if (now_.none()) return;
  AddFault("unsupported", now_.low, instruction);
  report_.Stop();
  End();
}

void Batch::Nonzero(const Instruction& instruction) {
  if (checker_ == nullptr) return;
  const std::int32_t number = instruction.fields[1];
  const std::size_t size = SizeOf(TypeOf(number));
  constexpr std::byte kZeros[8]{};
  EachActive([&](std::size_t lane) {
    if (std::memcmp(Held<std::byte>(number) + lane * size, kZeros, size) == 0)
      AddFault("divisionByZero", lane, instruction);
  });
}

}  // namespace stridelab::kernels
