// Streams, layouts and storages of array operations, checked here so that the loops need not check them.
#pragma once

#include <napi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "binding/call.h"
#include "compute/layout.h"
#include "compute/types.h"
#include "core/operation.h"

namespace stridelab::binding {

inline constexpr std::size_t kMostAxes = 32;
inline constexpr std::int64_t kLongestAxis = (std::int64_t{1} << 53) - 1;

/** The layout of one operand: byte offset of its first element, and byte strides. */
struct View {
  std::int64_t offset;
  std::vector<std::int64_t> strides;
};

/** Reads the numbers of a layout in order. All methods throw kind `argument`. */
class LayoutWords {
 public:
  explicit LayoutWords(std::span<const double> words) : words_(words) {}
  std::int64_t Next(const char* what, std::int64_t least, std::int64_t most) {
    if (at_ < words_.size()) {
      const double word = words_[at_];
      // In the range first, because other numbers have no integer.
      if (word >= static_cast<double>(least) && word <= static_cast<double>(most)) {
        const auto whole = static_cast<std::int64_t>(word);
        if (static_cast<double>(whole) == word) {
          ++at_;
          return whole;
        }
      }
    }
    RefuseNext(what, least, most);
  }
  /** Reads a rank of at most `most`, then that many lengths, whose product is at most 2^53 - 1. */
  std::vector<std::int64_t> Shape(const char* what, std::size_t most = kMostAxes);
  std::vector<std::int64_t> Strides(std::size_t rank);
  /** Reads an offset, then `rank` strides. */
  View NextView(std::size_t rank);
  /** Throws if numbers are left. */
  void End() const;

 private:
  [[noreturn]] void RefuseNext(const char* what, std::int64_t least, std::int64_t most) const;

  std::span<const double> words_;
  std::size_t at_ = 0;
};

inline LayoutWords Convert(const Argument& argument, As<LayoutWords>) {
  Napi::Float64Array words = Convert(argument, As<Napi::Float64Array>{});
  return LayoutWords({words.Data(), words.ElementLength()});
}

/** The words of one operation (NativeCompute.words): the keys of its storages, then its layout. As a parameter it takes their number. */
class OperationWords : public LayoutWords {
 public:
  using LayoutWords::LayoutWords;
  /** Reads the keys of `count` storages, of which the operation writes the first `written` and reads the others. */
  std::vector<core::Operand> Storages(std::size_t count, std::size_t written);
};

OperationWords Read(Call& call, As<OperationWords>);

/** Throws kind `argument` if the product of the non-zero lengths exceeds 2^53 - 1. */
void CheckSize(std::span<const std::int64_t> shape);

std::size_t SizeOfShape(std::span<const std::int64_t> shape);

/**
 * Makes the operand `view` of a storage. Throws kind `bounds` if an element lies outside the storage, kind
 * `argument` if it is written and two elements of a broadcast axis share an address.
 */
compute::Operand ToOperand(const core::Operand& used, View view, std::span<const std::int64_t> shape,
                           std::size_t itemsize);

/** A stream whose device runs host code. As a parameter it throws kind `argument` or `freed` for others. */
struct ComputeStream {
  const std::shared_ptr<core::Stream>& stream;
  core::InterruptFlag interrupt;

  /**
   * Submits `work`, ordered after earlier uses of the storages. `bytes` is the number of bytes that it moves.
   * Returns the number of the operation.
   */
  std::uint64_t Submit(const char* name, std::span<const core::Operand> storages, std::size_t bytes,
                       std::function<void()> work) const;
};

/** A ComputeStream for which JavaScript passes the key. */
struct KeyedComputeStream : ComputeStream {};

ComputeStream Read(Call& call, As<ComputeStream>);
KeyedComputeStream Read(Call& call, As<KeyedComputeStream>);

}  // namespace stridelab::binding
