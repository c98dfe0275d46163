// Accesses as reports show them, and the reports of unordered pairs.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace stridelab::hazards {

/** Place in the program where work was submitted: a stack as text; null if no JavaScript was running. */
using Site = std::shared_ptr<const std::string>;

struct Access {
  bool write = false;
  std::uint64_t stream = 0;
  /** The stream number shown to users; 0 for a stream without a Stream object. */
  int stream_id = 0;
  /** Number of the operation on that stream; 0 if it has none. */
  std::uint64_t sequence = 0;
  /** The name of the driver function or kernel. */
  std::string operation = {};
  Site site = nullptr;
  /** True if the work was captured into a graph instead of being run. */
  bool captured = false;
};

using AccessPointer = std::shared_ptr<const Access>;

/** Two unordered accesses to the bytes from `start`, at least one of them a write. */
struct Report {
  std::uint64_t start;
  std::uint64_t bytes;
  AccessPointer first;
  AccessPointer second;
};

/** True once a driver was opened with STRIDELAB_HAZARDS set. */
inline std::atomic<bool> enabled{false};
inline bool Enabled() { return enabled.load(std::memory_order_relaxed); }

/** Returns whether STRIDELAB_HAZARDS enables detection; throws std::invalid_argument for an unknown mode. */
bool WantedByEnvironment();

/** Keeps a report until it is taken, unless the same pair of sites was reported before. */
void Add(Report report);
/** Takes the reports since the last call, oldest first. */
std::vector<Report> Take();
/** Checks cheaply whether Take would return any report. */
bool HasReports();
/** Drops the reports that were not taken, and forgets which pairs were reported. */
void Clear();

/** A function that returns the calling thread's JavaScript stack; the binding sets it. */
using SiteSource = Site (*)();
void SetSiteSource(SiteSource source);
Site CurrentSite();

}  // namespace stridelab::hazards
