// One rank's call of a collective operation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/error.h"
#include "core/storage.h"
#include "core/stream.h"

namespace stridelab::collectives {

class Communicator;

enum class Kind { kAllReduce, kBroadcast, kReduce, kReduceScatter, kAllGather, kSend, kReceive };
inline constexpr std::array<const char*, 7> kKindNames = {"allReduce", "broadcast", "reduce", "reduceScatter",
                                                          "allGather", "send",      "recv"};

/** A reduction, with NCCL's numbers. */
enum class Reduction { kSum = 0, kProduct = 1, kMaximum = 2, kMinimum = 3, kAverage = 4 };
inline constexpr int kReductions = 5;

/** An element type, with NCCL's numbers. */
enum class ElementType {
  kInt8 = 0,
  kUint8 = 1,
  kInt32 = 2,
  kUint32 = 3,
  kInt64 = 4,
  kUint64 = 5,
  kFloat16 = 6,
  kFloat32 = 7,
  kFloat64 = 8,
  kBfloat16 = 9,
  kFloat8e4m3 = 10,
  kFloat8e5m2 = 11,
};
inline constexpr std::array<std::size_t, 12> kElementBytes = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};

/** A buffer at `offset` of a storage; `storage` is null if the rank does not use the buffer. */
struct Buffer {
  std::shared_ptr<core::Storage> storage;
  std::size_t offset = 0;

  std::uint64_t pointer() const { return storage == nullptr ? 0 : storage->pointer() + offset; }
};

struct Call {
  Kind kind;
  std::shared_ptr<Communicator> communicator;
  std::shared_ptr<core::Stream> stream;
  Buffer source;
  Buffer target;
  /** Number of elements, as NCCL counts them: of the whole array for all-reduce, broadcast, reduce, send and
   * recv, of one rank's part for reduce-scatter and all-gather. */
  std::size_t count;
  ElementType type;
  Reduction reduction;
  /** The rank of the root, or of the peer for send and recv. */
  int peer;

  std::size_t bytes() const { return count * kElementBytes[static_cast<std::size_t>(type)]; }
  const char* name() const { return kKindNames[static_cast<std::size_t>(kind)]; }
  /** Throws kind `argument`, with the name of the call. */
  [[noreturn]] void Refuse(const std::string& what) const {
    throw core::Error(core::ErrorKind::kArgument, std::string(name()) + ": " + what);
  }
};

}  // namespace stridelab::collectives
