// Accesses as people read of them, and the reports of pairs that nothing orders.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace stridelab::hazards {

/** Where in the program work was submitted: a stack as text, null where no JavaScript was running. */
using Site = std::shared_ptr<const std::string>;

struct Access {
  bool write = false;
  std::uint64_t stream = 0;
  /** The number people know the stream by; 0 for one that the library never saw. */
  int stream_id = 0;
  /** Number of the operation on that stream; 0 where it has none. */
  std::uint64_t sequence = 0;
  /** The driver function, or what the kernel is called. */
  std::string operation = {};
  Site site = nullptr;
  /** Kept for a graph when it was submitted, not done. */
  bool captured = false;
};

using AccessPointer = std::shared_ptr<const Access>;

/** Two accesses to the bytes from `start`, at least one of them a write, which nothing orders. */
struct Report {
  std::uint64_t start;
  std::uint64_t bytes;
  AccessPointer first;
  AccessPointer second;
};

/** True once a driver was opened with STRIDELAB_HAZARDS set. */
inline std::atomic<bool> enabled{false};
inline bool Enabled() { return enabled.load(std::memory_order_relaxed); }

/** Reads STRIDELAB_HAZARDS; throws std::invalid_argument for a value that is none of its modes. */
bool WantedByEnvironment();

/** Keeps a report until it is taken, unless the same pair of sites was reported before. */
void Add(Report report);
/** What came since the last call, oldest first. */
std::vector<Report> Take();
/** A cheap look whether Take would give anything. */
bool HasReports();
/** Forgets what waits, and which pairs were reported. */
void Clear();

/** Tells the stack of the calling thread; set by whoever knows JavaScript. */
using SiteSource = Site (*)();
void SetSiteSource(SiteSource source);
Site CurrentSite();

}  // namespace stridelab::hazards
