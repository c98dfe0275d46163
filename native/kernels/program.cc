#include "kernels/program.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "kernels/loops.h"

namespace stridelab::kernels {
namespace {

constexpr std::int64_t kMostRegisters = 1 << 20;
constexpr std::int64_t kMostRank = 32;

[[noreturn]] void RefuseProgram(const char* what) {
  throw std::invalid_argument(std::string("the words are not a program: ") + what);
}

std::size_t RoundUp(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

/** Reads the words in order. Registers, masks, arrays, places, texts and jumps of instructions are checked, so that running them need
 * not check. */
class Program::Decoder {
 public:
  explicit Decoder(Program& program) : program_(program) {}

  void Read() {
    const std::int64_t registers = Next(0, kMostRegisters);
    program_.masks_ = Count(1);
    program_.parameters_ = Count();
    memories_ = Count();
    tables_ = Count();
    const std::size_t fills = Count();
    places_ = Count();
    texts_ = Count();
    count_ = Count();
    if (texts_ == 0) RefuseProgram("it has no name");
    for (std::int64_t index = 0; index < registers; ++index) {
      const std::int32_t word = Next(0, 511);
      if (word % 256 > static_cast<int>(ValueType::kF64)) RefuseProgram("a register has no type");
      program_.registers_.push_back({static_cast<ValueType>(word % 256), word >= 256});
    }
    program_.arrays_.resize(program_.parameters_ + memories_ + tables_);
    names_.resize(program_.arrays_.size());
    for (std::size_t index = 0; index < program_.arrays_.size(); ++index) ReadArray(index);
    for (std::size_t index = 0; index < fills; ++index) ReadFill();
    for (std::size_t index = 0; index < places_; ++index) {
      const std::int32_t line = Any();
      const std::int32_t column = Any();
      const std::int32_t length = Any();
      program_.places_.push_back({line, column, length, Next(0, static_cast<std::int64_t>(texts_) - 2)});
    }
    for (std::size_t index = 0; index < texts_; ++index) ReadText();
    for (std::size_t index = 0; index < names_.size(); ++index)
      program_.arrays_[index].name = program_.text(names_[index]);
    for (std::size_t index = 0; index < count_; ++index) ReadInstruction();
    if (at_ != program_.words_.size()) RefuseProgram("it has words too many");
  }

 private:
  std::int32_t Any() {
    if (at_ >= program_.words_.size()) RefuseProgram("it ends too early");
    return program_.words_[at_++];
  }
  std::int32_t Next(std::int64_t least, std::int64_t most) {
    const std::int32_t word = Any();
    if (word < least || word > most) RefuseProgram("a number is out of range");
    return word;
  }
  std::size_t Count(std::int64_t least = 0) { return static_cast<std::size_t>(Next(least, INT32_MAX)); }
  bool Flag() { return Next(0, 1) == 1; }
  Element NextElement() { return static_cast<Element>(Next(0, static_cast<int>(Element::kF64))); }
  std::int32_t NextText() { return Next(0, static_cast<std::int64_t>(texts_) - 1); }

  void ReadShape(Array& array) {
    array.rank = static_cast<std::size_t>(Next(0, kMostRank));
    std::int64_t size = 1;
    for (std::size_t axis = 0; axis < array.rank; ++axis) {
      array.shape.push_back(Next(0, INT32_MAX));
      if (__builtin_mul_overflow(size, array.shape.back(), &size) || size > INT32_MAX)
        RefuseProgram("a memory is too large");
    }
  }

  static std::size_t BytesOf(const Array& array) {
    std::size_t bytes = SizeOf(array.element);
    for (const std::int64_t length : array.shape) bytes *= static_cast<std::size_t>(length);
    return bytes;
  }

  void ReadArray(std::size_t index) {
    Array& array = program_.arrays_[index];
    if (index < program_.parameters_) {
      array.present = Flag();
      if (!array.present) {
        array.scalar = static_cast<ValueType>(Next(0, static_cast<int>(ValueType::kF64)));
        return;
      }
      array.element = NextElement();
      array.rank = static_cast<std::size_t>(Next(0, kMostRank));
      array.contiguous = Flag();
      array.wide = Flag();
      array.written = Flag();
      names_[index] = NextText();
    } else if (index < program_.parameters_ + memories_) {
      array.present = true;
      array.space = Flag() ? Space::kLocal : Space::kShared;
      array.element = NextElement();
      array.dynamic = Flag();
      names_[index] = NextText();
      ReadShape(array);
      if (array.dynamic && (array.rank != 1 || array.space != Space::kShared))
        RefuseProgram("dynamic memory must be shared and of rank 1");
      Place(array);
    } else {
      array.present = true;
      array.space = Space::kConstant;
      array.element = NextElement();
      array.offset = Count();
      names_[index] = NextText();
      ReadShape(array);
      const std::size_t end = array.offset + BytesOf(array);
      if (end > program_.constants_.size() || array.offset % SizeOf(array.element) != 0)
        RefuseProgram("a table is not in the constants");
    }
  }

  /** Gives a memory its offset. Dynamic shared memory comes last, at a multiple of 16 bytes. */
  void Place(Array& array) {
    const bool local = array.space == Space::kLocal;
    std::size_t& bytes = local ? program_.local_bytes_ : program_.shared_bytes_;
    if (array.dynamic) return;
    // Shared arrays may be accessed by 16 bytes at a time.
    array.offset = RoundUp(bytes, local ? SizeOf(array.element) : 16);
    bytes = array.offset + BytesOf(array);
  }

  void ReadFill() {
    Fill fill{};
    fill.kind = static_cast<FillKind>(Next(0, static_cast<int>(FillKind::kExtent)));
    fill.target = Next(0, static_cast<std::int64_t>(program_.registers_.size()) - 1);
    fill.first = Any();
    fill.second = Any();
    const std::size_t first = static_cast<std::uint32_t>(fill.first);
    const ValueType type = program_.registers_[static_cast<std::size_t>(fill.target)].type;
    bool good = true;
    switch (fill.kind) {
      case FillKind::kConstant:
        good = 8 * (first + 1) <= program_.constants_.size();
        break;
      case FillKind::kParameter:
        good = first < program_.parameters_ && !program_.arrays_[first].present &&
               program_.arrays_[first].scalar == type;
        break;
      case FillKind::kSpecial:
        good = first <= static_cast<std::size_t>(Special::kLaneId) && type == ValueType::kI32;
        break;
      case FillKind::kExtent:
        good = first < program_.arrays_.size() && program_.arrays_[first].present &&
               static_cast<std::uint32_t>(fill.second) < program_.arrays_[first].rank &&
               (type == ValueType::kI32 || type == ValueType::kI64);
        break;
    }
    if (!good) RefuseProgram("a register is filled with something that is not there");
    program_.fills_.push_back(fill);
  }

  void ReadText() {
    const std::size_t offset = Count();
    const std::size_t bytes = Count();
    if (offset + bytes > program_.constants_.size()) RefuseProgram("a text is not in the constants");
    program_.texts_.emplace_back(reinterpret_cast<const char*>(program_.constants_.data()) + offset, bytes);
  }

  std::int32_t Typed(ValueType type) {
    const std::int32_t found = AnyRegister();
    if (TypeOf(found) != type) RefuseProgram("a register has the wrong type");
    return found;
  }
  std::int32_t AnyRegister() { return Next(0, static_cast<std::int64_t>(program_.registers_.size()) - 1); }
  ValueType TypeOf(std::int32_t number) const {
    return program_.registers_[static_cast<std::size_t>(number)].type;
  }
  std::int32_t TypedOrNone(ValueType type) {
    if (at_ < program_.words_.size() && program_.words_[at_] == -1) return Any();
    return Typed(type);
  }
  ValueType NextType() { return static_cast<ValueType>(Next(0, static_cast<int>(ValueType::kF64))); }
  void Mask() { Next(0, static_cast<std::int64_t>(program_.masks_) - 1); }
  void Jump() { Next(0, static_cast<std::int64_t>(count_)); }

  void Operands(Instruction& instruction, ValueType result, std::initializer_list<ValueType> types) {
    instruction.out = Typed(result);
    std::size_t index = 0;
    for (const ValueType type : types) instruction.operands[index++] = Typed(type);
  }

  const Array& NextArray() {
    const auto number =
        static_cast<std::size_t>(Next(0, static_cast<std::int64_t>(program_.arrays_.size()) - 1));
    if (!program_.arrays_[number].present) RefuseProgram("a scalar is indexed");
    return program_.arrays_[number];
  }

  void Index(Instruction& instruction, const Array& array) {
    const std::size_t from = at_;
    for (std::size_t axis = 0; axis < array.rank; ++axis) {
      const ValueType type = TypeOf(AnyRegister());
      if (type != ValueType::kI32 && type != ValueType::kI64) RefuseProgram("an index is not an integer");
    }
    instruction.index = std::span(program_.words_).subspan(from, array.rank);
  }

  void ReadInstruction() {
    const std::int32_t head = Next(0, INT32_MAX);
    if (head % 256 > static_cast<int>(InstructionKind::kSkip)) RefuseProgram("an instruction is unknown");
    const std::size_t fields = static_cast<std::size_t>(head / 256) - 2;
    Instruction instruction{};
    instruction.kind = static_cast<InstructionKind>(head % 256);
    instruction.place = Next(0, static_cast<std::int64_t>(places_) - 1);
    if (head / 256 < 2 || fields > program_.words_.size() - at_) RefuseProgram("it ends too early");
    const std::size_t end = at_ + fields;
    instruction.fields = std::span(program_.words_).subspan(at_, fields);
    ReadFields(instruction, end);
    if (at_ != end) RefuseProgram("an instruction has the wrong length");
    program_.instructions_.push_back(instruction);
  }

  void ReadFields(Instruction& instruction, std::size_t end) {
    switch (instruction.kind) {
      case InstructionKind::kUnary: {
        const ValueType type = NextType();
        const auto operation = static_cast<UnaryOperation>(Next(0, static_cast<int>(UnaryOperation::kBits)));
        instruction.loop = FindUnary(operation, type);
        return Operands(instruction, ResultOf(operation, type), {type});
      }
      case InstructionKind::kBinary: {
        const ValueType type = NextType();
        const auto operation =
            static_cast<BinaryOperation>(Next(0, static_cast<int>(BinaryOperation::kGreaterEqual)));
        instruction.loop = FindBinary(operation, type);
        return Operands(instruction, ResultOf(operation, type), {type, type});
      }
      case InstructionKind::kFma: {
        const ValueType type = NextType();
        instruction.loop = FindFma(type);
        return Operands(instruction, type, {type, type, type});
      }
      case InstructionKind::kConvert: {
        const ValueType from = NextType();
        const ValueType to = NextType();
        instruction.loop = FindConvert(from, to);
        return Operands(instruction, to, {from});
      }
      case InstructionKind::kNarrow: {
        const Element element = NextElement();
        instruction.loop = FindNarrow(element);
        return Operands(instruction, ValueOf(element), {ValueOf(element)});
      }
      case InstructionKind::kSelect: {
        const ValueType type = NextType();
        instruction.loop = FindSelect(type);
        return Operands(instruction, type, {ValueType::kBool, type, type});
      }
      case InstructionKind::kMove: {
        const ValueType type = NextType();
        instruction.loop = FindConvert(type, type);
        return Operands(instruction, type, {type});
      }
      case InstructionKind::kLoad:
      case InstructionKind::kStore: {
        const Array& array = NextArray();
        const bool load = instruction.kind == InstructionKind::kLoad;
        if (!load && array.space == Space::kConstant) RefuseProgram("a table is written");
        instruction.transfer = load ? FindLoad(array.element) : FindStore(array.element);
        instruction.dense = load ? FindDenseLoad(array.element) : FindDenseStore(array.element);
        Typed(ValueOf(array.element));
        return Index(instruction, array);
      }
      case InstructionKind::kLoadVector:
      case InstructionKind::kStoreVector:
        return ReadVector(instruction);
      default:
        return ReadEffect(instruction, end);
    }
  }

  void ReadVector(Instruction& instruction) {
    const Array& array = NextArray();
    const auto count = static_cast<std::size_t>(Next(2, 16));
    const bool load = instruction.kind == InstructionKind::kLoadVector;
    if (array.space == Space::kConstant || array.space == Space::kLocal || array.rank == 0)
      RefuseProgram("a vector is not in global or shared memory");
    if ((count & (count - 1)) != 0 || count * SizeOf(array.element) > 16)
      RefuseProgram("a vector is too long");
    instruction.transfer = load ? FindLoad(array.element) : FindStore(array.element);
    instruction.vector = std::span(program_.words_).subspan(std::min(at_, program_.words_.size()));
    for (std::size_t element = 0; element < count; ++element) Typed(ValueOf(array.element));
    instruction.vector = instruction.vector.first(count);
    Index(instruction, array);
  }

  void ReadEffect(Instruction& instruction, std::size_t end) {
    switch (instruction.kind) {
      case InstructionKind::kAtomic: {
        const Array& array = NextArray();
        if (array.space == Space::kConstant) RefuseProgram("a table is written");
        const auto operation =
            static_cast<AtomicOperation>(Next(0, static_cast<int>(AtomicOperation::kAtomicDec)));
        instruction.atomic = FindAtomic(operation, array.element);
        TypedOrNone(ValueOf(array.element));
        Typed(ValueOf(array.element));
        if (operation == AtomicOperation::kAtomicCas) {
          Typed(ValueOf(array.element));
        } else {
          Next(-1, -1);
        }
        return Index(instruction, array);
      }
      case InstructionKind::kWarp:
        return ReadWarp();
      case InstructionKind::kBarrier: {
        const auto operation =
            static_cast<BarrierOperation>(Next(0, static_cast<int>(BarrierOperation::kGridSync)));
        const bool counts = operation == BarrierOperation::kSyncThreadsCount;
        const bool asks =
            operation != BarrierOperation::kSyncThreads && operation != BarrierOperation::kGridSync;
        TypedOrNone(counts ? ValueType::kI32 : ValueType::kBool);
        if (asks) {
          Typed(ValueType::kBool);
        } else {
          Next(-1, -1);
        }
        program_.cooperative_ |= operation == BarrierOperation::kGridSync;
        return;
      }
      case InstructionKind::kPrint:
        while (at_ < end) static_cast<void>(Flag() ? AnyRegister() : NextText());
        return;
      case InstructionKind::kAssert:
        Typed(ValueType::kBool);
        NextText();
        return;
      case InstructionKind::kNonzero: {
        const ValueType type = NextType();
        Typed(type);
        return;
      }
      case InstructionKind::kIf:
      case InstructionKind::kTest:
        Typed(ValueType::kBool);
        Mask();
        return Jump();
      case InstructionKind::kElse:
        Mask();
        Mask();
        return Jump();
      case InstructionKind::kLeave:
        Mask();
        return Jump();
      case InstructionKind::kMerge:
      case InstructionKind::kBegin:
        return Mask();
      case InstructionKind::kBack:
      case InstructionKind::kSkip:
        return Jump();
      default:
        return;
    }
  }

  void ReadWarp() {
    const auto operation = static_cast<WarpOperation>(Next(0, static_cast<int>(WarpOperation::kSyncWarp)));
    const ValueType type = NextType();
    const bool shuffles = operation <= WarpOperation::kShflXor;
    const bool truth = operation == WarpOperation::kAny || operation == WarpOperation::kAll;
    const bool votes = truth || operation == WarpOperation::kBallot;
    const bool valued = operation < WarpOperation::kActiveMask;
    TypedOrNone(shuffles ? type : truth ? ValueType::kBool : ValueType::kU32);
    if (operation == WarpOperation::kActiveMask) {
      Next(-1, -1);
    } else {
      Typed(ValueType::kU32);
    }
    if (valued) {
      Typed(votes ? ValueType::kBool : type);
    } else {
      Next(-1, -1);
    }
    for (int field = 0; field < 2; ++field) {
      if (shuffles) {
        Typed(ValueType::kI32);
      } else {
        Next(-1, -1);
      }
    }
  }

  Program& program_;
  std::size_t at_ = 0;
  std::size_t memories_ = 0;
  std::size_t tables_ = 0;
  std::size_t places_ = 0;
  std::size_t texts_ = 0;
  std::size_t count_ = 0;
  std::vector<std::int32_t> names_;
};

Program::Program(std::span<const std::int32_t> words, std::span<const std::byte> constants)
    : words_(words.begin(), words.end()), constants_(constants.begin(), constants.end()) {
  Decoder(*this).Read();
}

}  // namespace stridelab::kernels
