#include "binding/graph_object.h"

#include "binding/stream_object.h"

namespace stridelab::binding {
namespace {

constexpr Function kTable[] = {
    Getter<&GraphObject::device>("device"),
    Method<&core::Graph::Launch>("launch", "stream"),
    Method<&GraphObject::Destroy>("destroy"),
};

}  // namespace

const Functions GraphObject::kMethods = kTable;

GraphObject::~GraphObject() {
  if (held_ == nullptr) return;
  // The collector runs this, and the graph may free blocks.
  const core::CollectorScope scope(*releases_);
  held_.reset();
}

void GraphObject::Destroy() {
  held_.reset();
  if (releases_->HasQueued()) releases_->RunQueued(Env());
}

}  // namespace stridelab::binding
