// What goes wrong in a kernel, and where JavaScript finds it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "kernels/program.h"

namespace stridelab::kernels {

/** Blocks and threads of a launch. */
struct Config {
  std::array<std::uint32_t, 3> grid;
  std::array<std::uint32_t, 3> block;
  std::size_t dynamic_shared = 0;

  std::uint64_t blocks() const { return std::uint64_t{grid[0]} * grid[1] * grid[2]; }
  std::size_t threads() const { return std::size_t{block[0]} * block[1] * block[2]; }
};

/** A thread, and the instruction that it runs. */
struct Actor {
  std::uint64_t block = 0;
  std::uint32_t thread = 0;
  std::int32_t place = 0;
};

/** The kind of the fault of a kernel that the interrupt flag stopped. */
inline constexpr const char* kInterruptedKind = "interrupted";

/** A fault; src/native/kernels-binding.ts describes the kinds and the fields. */
struct Fault {
  const char* kind;
  Actor actor;
  /** The number of the array and the index; -1 for none. */
  std::int32_t array = -1;
  std::vector<std::int64_t> index = {};
  /** The axis on which the index is outside the length; -1 for none. */
  int axis = -1;
  std::int64_t length = 0;
  /** Bytes of an access that is not aligned to them; 0 for none. */
  std::size_t bytes = 0;
  std::optional<Actor> other = std::nullopt;
  std::string message = {};
  std::uint64_t count = 1;
};

std::string ToJson(const Fault& fault, const Program& program, const Config& config);
void AppendPlace(std::string& json, const Place& place);
/** Appends a text as a JSON string. */
void AppendQuoted(std::string& json, const std::string& text);

/** What an execution of a kernel tells: its faults and its printed lines. Any thread may add to it. */
class Report {
 public:
  /** With `most` 1 the first fault stops the execution; else equal kinds at one place are counted once. */
  explicit Report(std::size_t most) : most_(most) {}

  void Add(Fault fault);
  /** Stops the execution, as do too many faults. */
  void Stop() { stopped_.store(true, std::memory_order_relaxed); }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  void Print(const std::string& lines);

  // After the execution.
  const std::vector<Fault>& faults() const { return faults_; }
  bool interrupted() const;
  const std::string& output() const { return output_; }

 private:
  std::size_t most_;
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::vector<Fault> faults_;
  std::string output_;
};

/** Bytes of printed lines that are kept until JavaScript takes them. */
inline constexpr std::size_t kMostOutput = std::size_t{1} << 20;

/** Where launches leave their fault and their output for a JavaScript environment. Any thread may use it. */
class Mailbox {
 public:
  /** Sets the word that JavaScript reads: bit 0 says that a fault waits, bit 1 that output does. Null before its memory is freed. */
  void Attach(std::int32_t* word);
  /** Delivers what an execution reported; its fault is dropped if an earlier one waits. */
  void Deliver(const Report& report, const Program& program, const Config& config);
  std::optional<std::string> TakeFault();
  /** Returns whether an execution was interrupted since the last call, and drops the fault if it is that one. */
  bool TakeInterrupt();
  std::string TakeOutput();

 private:
  /** Called with the lock held. */
  void Update();

  std::mutex mutex_;
  std::optional<std::string> fault_;
  bool interrupted_ = false;
  /** The fault that waits is an interrupt. */
  bool interrupt_waits_ = false;
  std::string output_;
  std::int32_t* word_ = nullptr;
};

}  // namespace stridelab::kernels
