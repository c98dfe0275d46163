// Copies between host memory and a ring of staging slots, with several threads: one is slower than a GPU's link.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

namespace stridelab::core {

/** Yields of threads that wait for each other: several times the copy of a slot. */
inline constexpr std::chrono::microseconds kThreadYields{200};

/** Host memory, and the slots through which its pieces pass: piece i uses slot i % slots. */
struct Pieces {
  enum class Direction { kToSlots, kToHost };

  std::byte* host;
  std::size_t bytes;
  std::byte* staging;
  std::size_t slots;
  /** Bytes of a slot, and of each piece but the last. */
  std::size_t size;
  Direction direction;

  std::size_t count() const { return (bytes + size - 1) / size; }
  std::size_t BytesOf(std::size_t piece) const;
  std::byte* Slot(std::size_t piece) const { return staging + piece % slots * size; }
};

/**
 * Copies pieces in order: each in parts, by threads of this process and by the calling thread when it helps. The caller allows
 * pieces as their slots become ready. The destructor returns when no thread uses the memory any more; what no thread has begun
 * is not copied.
 */
class PieceCopy {
 public:
  explicit PieceCopy(const Pieces& pieces);
  ~PieceCopy();
  PieceCopy(const PieceCopy&) = delete;
  PieceCopy& operator=(const PieceCopy&) = delete;

  /** Allows the pieces below `count`. */
  void Allow(std::size_t count) { allowed_.store(count, std::memory_order_release); }
  bool Copied(std::size_t piece) const;
  /** Copies the next allowed part that no thread has begun; false if there is none. */
  bool Help();

 private:
  struct alignas(64) Progress {
    /** Parts of all pieces that were copied through a slot. */
    std::atomic<std::size_t> parts{0};
  };

  /** Copies parts until all have begun. */
  void Run();
  void Copy(std::size_t part);

  const Pieces pieces_;
  const std::size_t parts_;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> allowed_{0};
  std::atomic<bool> abandoned_{false};
  std::unique_ptr<Progress[]> progress_;
  const std::function<void()> run_;
  bool has_crew_;
};

}  // namespace stridelab::core
