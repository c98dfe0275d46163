#include "kernels/checker.h"

#include <algorithm>

#include "kernels/batch.h"

namespace stridelab::kernels {
namespace {

std::uint64_t AddressOf(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

/** The memory that an array spans. */
struct Span {
  std::uint64_t start;
  std::uint64_t end;
  std::size_t granule;
  bool written;
  std::vector<std::size_t> arrays;
};

std::vector<Span> SpansOf(const Launch& launch) {
  std::vector<Span> spans;
  for (std::size_t number = 0; number < launch.program->parameters(); ++number) {
    const Array& array = launch.program->arrays()[number];
    const BoundArray& bound = launch.arrays[number];
    if (!array.present || std::ranges::find(bound.extents, 0) != bound.extents.end()) continue;
    const std::size_t size = SizeOf(array.element);
    Span span{AddressOf(bound.base), AddressOf(bound.base) + size, size, array.written, {number}};
    for (std::size_t axis = 0; axis < array.rank; ++axis) {
      const std::int64_t reach = bound.strides[axis] * (bound.extents[axis] - 1);
      (reach < 0 ? span.start : span.end) += static_cast<std::uint64_t>(reach);
    }
    spans.push_back(span);
  }
  return spans;
}

/** Joins spans that overlap. */
std::vector<Span> Joined(std::vector<Span> spans) {
  std::ranges::sort(spans, {}, &Span::start);
  std::vector<Span> joined;
  for (const Span& span : spans) {
    if (joined.empty() || span.start >= joined.back().end) {
      joined.push_back(span);
      continue;
    }
    Span& last = joined.back();
    last.end = std::max(last.end, span.end);
    last.granule = std::min(last.granule, span.granule);
    last.written |= span.written;
    last.arrays.insert(last.arrays.end(), span.arrays.begin(), span.arrays.end());
  }
  return joined;
}

}  // namespace

Checker::Checker(const Launch& launch, Report& report, const RecordOptions& record)
    : launch_(launch),
      program_(*launch.program),
      report_(report),
      threads_(launch.config.threads()),
      clock_(threads_),
      recorder_(record, program_, threads_),
      shadows_(program_.arrays().size()),
      local_(program_.arrays().size()) {
  for (const Span& span : Joined(SpansOf(launch))) {
    // Reads alone race with nothing.
    if (!span.written) continue;
    const auto shadow = std::make_shared<Shadow>(span.start, span.end - span.start, span.granule);
    for (const std::size_t number : span.arrays) shadows_[number] = shadow;
  }
}

void Checker::Start(std::byte* shared, std::size_t bytes, std::uint64_t first, std::size_t blocks) {
  first_ = first;
  shared_bytes_ = bytes;
  clock_.Start(first, blocks);
  std::size_t granule = 8;
  for (const Array& array : program_.arrays()) {
    if (array.space == Space::kShared) granule = std::min(granule, SizeOf(array.element));
  }
  shared_ = std::make_unique<Shadow>(AddressOf(shared), bytes * blocks, granule);
  for (std::vector<bool>& written : local_) written.clear();
}

void Checker::Access(const LaneAccess& access) {
  recorder_.Access(access, first_, shared_bytes_);
  const Space space = program_.arrays()[access.array].space;
  Shadow* shadow = space == Space::kShared ? shared_.get() : shadows_[access.array].get();
  if (shadow == nullptr && space != Space::kLocal) return;
  for (std::size_t lane = access.low; lane < access.high; ++lane) {
    if (access.mask != nullptr && access.mask[lane] == 0) continue;
    if (space == Space::kLocal) {
      CheckLocal(access, lane);
    } else {
      CheckRace(access, *shadow, lane);
    }
  }
}

void Checker::CheckRace(const LaneAccess& access, Shadow& shadow, std::size_t lane) {
  const Array& array = program_.arrays()[access.array];
  const std::uint64_t address = AddressOf(access.base) + static_cast<std::uint64_t>(access.offsets[lane]);
  const bool exchanges =
      access.kind == AccessKind::kAtomic &&
      static_cast<AtomicOperation>(access.instruction.fields[1]) == AtomicOperation::kAtomicExch;
  const bool reads = access.kind != AccessKind::kWrite && !exchanges;
  const std::size_t bytes = program_.BytesOf(access.instruction);
  bool untouched = false;
  for (std::size_t at = 0; at < bytes; at += SizeOf(array.element))
    untouched |= array.space == Space::kShared && reads && shadow.Untouched(address + at);
  if (untouched) AddFault("uninitialized", access, lane, nullptr);
  const Mark mark{first_ * threads_ + lane, clock_.now(), access.instruction.place};
  const auto other = shadow.Touch(address, bytes, access.kind, mark, clock_);
  if (other) AddFault("race", access, lane, &*other);
}

void Checker::CheckLocal(const LaneAccess& access, std::size_t lane) {
  std::vector<bool>& written = local_[access.array];
  const std::size_t element =
      static_cast<std::size_t>(access.offsets[lane]) / SizeOf(program_.arrays()[access.array].element);
  if (element >= written.size()) written.resize(element + 1);
  if (access.kind == AccessKind::kRead && !written[element]) AddFault("uninitialized", access, lane, nullptr);
  if (access.kind != AccessKind::kRead) written[element] = true;
}

void Checker::AddFault(const char* kind, const LaneAccess& access, std::size_t lane, const Mark* other) {
  const auto actor = [&](std::uint64_t thread, std::int32_t place) {
    return Actor{thread / threads_, static_cast<std::uint32_t>(thread % threads_), place};
  };
  Fault fault{.kind = kind,
              .actor = actor(first_ * threads_ + lane, access.instruction.place),
              .array = static_cast<std::int32_t>(access.array),
              .index = access.batch.IndexAt(access.instruction, lane)};
  if (other != nullptr) fault.other = actor(other->thread, other->place);
  report_.Add(fault);
}

}  // namespace stridelab::kernels
