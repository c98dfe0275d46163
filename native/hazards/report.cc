#include "hazards/report.h"

#include <cstdlib>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "driver/locked.h"

namespace stridelab::hazards {
namespace {

/** Maximum number of reports kept until they are taken. */
constexpr std::size_t kMostWaiting = 1000;

struct State {
  std::vector<Report> waiting;
  std::unordered_set<std::string> known;
};

std::atomic<bool> any_waiting{false};
std::atomic<SiteSource> site_source{nullptr};

/** Key under which duplicate reports are suppressed: the places in the program, or the streams if those are
 * unknown. */
std::string KeyOf(const Report& report) {
  std::string key;
  for (const AccessPointer& access : {report.first, report.second}) {
    key += access->write ? 'w' : 'r';
    key += access->operation + '\n';
    key += access->site != nullptr && !access->site->empty() ? *access->site : std::to_string(access->stream);
    key += '\n';
  }
  return key;
}

}  // namespace

bool WantedByEnvironment() {
  const char* text = std::getenv("STRIDELAB_HAZARDS");
  const std::string mode = text == nullptr ? "" : text;
  if (mode.empty() || mode == "0") return false;
  if (mode == "1" || mode == "warn" || mode == "throw") return true;
  throw std::invalid_argument("STRIDELAB_HAZARDS must be 1, warn, throw or 0, not '" + mode + "'");
}

void Add(Report report) {
  const driver::Locked<State> state;
  if (state->waiting.size() >= kMostWaiting || !state->known.insert(KeyOf(report)).second) return;
  state->waiting.push_back(std::move(report));
  any_waiting = true;
}

std::vector<Report> Take() {
  const driver::Locked<State> state;
  any_waiting = false;
  return std::exchange(state->waiting, {});
}

bool HasReports() { return any_waiting.load(std::memory_order_relaxed); }

void Clear() {
  const driver::Locked<State> state;
  any_waiting = false;
  state->waiting.clear();
  state->known.clear();
}

void SetSiteSource(SiteSource source) { site_source = source; }

Site CurrentSite() {
  const SiteSource source = site_source;
  return source == nullptr ? nullptr : source();
}

}  // namespace stridelab::hazards
