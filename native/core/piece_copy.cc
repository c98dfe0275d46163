#include "core/piece_copy.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "core/crew.h"
#include "core/stream_copy.h"
#include "core/wait.h"

namespace stridelab::core {
namespace {

constexpr unsigned kMostHelpers = 8;
/** Parts of a piece, which several threads copy at a time. */
constexpr std::size_t kParts = 16;

/** The threads that copy; null with a single core. */
Crew* TheCrew() {
  static const unsigned helpers = std::min(std::thread::hardware_concurrency() / 2, kMostHelpers);
  static Crew* const crew = helpers == 0 ? nullptr : new Crew(helpers);
  return crew;
}

}  // namespace

std::size_t Pieces::BytesOf(std::size_t piece) const { return std::min(size, bytes - piece * size); }

PieceCopy::PieceCopy(const Pieces& pieces)
    : pieces_(pieces),
      parts_(pieces.count() * kParts),
      progress_(new Progress[pieces.slots]),
      run_([this] { Run(); }) {
  Crew* crew = TheCrew();
  has_crew_ = crew != nullptr && crew->Begin(run_);
}

PieceCopy::~PieceCopy() {
  abandoned_.store(true, std::memory_order_release);
  if (has_crew_) TheCrew()->End();
}

bool PieceCopy::Copied(std::size_t piece) const {
  const std::size_t round = piece / pieces_.slots;
  return progress_[piece % pieces_.slots].parts.load(std::memory_order_acquire) >= (round + 1) * kParts;
}

bool PieceCopy::Help() {
  std::size_t part = next_.load(std::memory_order_relaxed);
  const std::size_t end = std::min(allowed_.load(std::memory_order_acquire) * kParts, parts_);
  while (part < end) {
    if (next_.compare_exchange_weak(part, part + 1, std::memory_order_relaxed)) {
      Copy(part);
      return true;
    }
  }
  return false;
}

void PieceCopy::Run() {
  for (;;) {
    const std::size_t part = next_.fetch_add(1, std::memory_order_relaxed);
    if (part >= parts_) return;
    for (Backoff backoff(kThreadYields); allowed_.load(std::memory_order_acquire) <= part / kParts;
         backoff.Pause())
      if (abandoned_.load(std::memory_order_acquire)) return;
    if (abandoned_.load(std::memory_order_acquire)) return;
    Copy(part);
  }
}

void PieceCopy::Copy(std::size_t part) {
  const std::size_t piece = part / kParts;
  const std::size_t share = pieces_.size / kParts;
  const std::size_t bytes = pieces_.BytesOf(piece);
  // The last piece may have fewer bytes than parts.
  const std::size_t start = std::min(bytes, part % kParts * share);
  const std::size_t size = std::min(share, bytes - start);
  std::byte* const host = pieces_.host + piece * pieces_.size + start;
  std::byte* const slot = pieces_.Slot(piece) + start;
  if (pieces_.direction == Pieces::Direction::kToSlots) {
    // The device reads the slot soon, faster from the cache than from memory.
    std::memcpy(slot, host, size);
  } else {
    StreamCopy(host, slot, size);
    FinishStreamCopies();
  }
  progress_[piece % pieces_.slots].parts.fetch_add(1, std::memory_order_acq_rel);
}

}  // namespace stridelab::core
