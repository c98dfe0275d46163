// One launch of a program: its blocks and threads, and its arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/checker.h"
#include "kernels/fault.h"
#include "kernels/program.h"

namespace stridelab::kernels {

/** An array with its memory; that of shared and local arrays belongs to each batch. */
struct BoundArray {
  std::byte* base = nullptr;
  std::vector<std::int64_t> extents;
  /** In bytes. */
  std::vector<std::int64_t> strides;
};

/** Immutable; it may run any number of times, on any thread. */
struct Launch {
  std::shared_ptr<const Program> program;
  Config config;
  /** As many as the program has; those of parameters are given. */
  std::vector<BoundArray> arrays;
  /** The values of scalar parameters, 8 bytes each, by the number of the parameter. */
  std::vector<std::uint64_t> scalars;

  /** Binds memories and tables. Throws std::invalid_argument if the launch is not possible. */
  void Bind();
  /** Bytes of shared memory of one block. */
  std::size_t shared_bytes() const;
  /** Offset of a shared array in the shared memory of its block. */
  std::size_t OffsetOf(const Array& array) const;

  /** Runs all blocks, on several threads if there is enough to do. */
  void Run(Report& report) const;
  /** Runs all blocks in order, with the checks. */
  void RunChecked(Report& report, const RecordOptions& record, std::string& recorded) const;
};

}  // namespace stridelab::kernels
