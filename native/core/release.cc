#include "core/release.h"

#include <exception>
#include <utility>

namespace stridelab::core {
namespace {

thread_local ReleaseSink* collector = nullptr;

}  // namespace

CollectorScope::CollectorScope(ReleaseSink& sink) : outer_(std::exchange(collector, &sink)) {}

CollectorScope::~CollectorScope() { collector = outer_; }

void RunRelease(Release release) noexcept {
  if (collector != nullptr && release.place == ReleasePlace::kOutsideCollector) {
    collector->Defer(std::move(release.function));
    return;
  }
  try {
    release.function();
  } catch (const std::exception&) {
    return;  // There is no caller to report to; the owner is responsible for its memory.
  }
}

}  // namespace stridelab::core
