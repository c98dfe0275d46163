#include "driver/simulated/shared_mark.h"

namespace stridelab::driver::simulated {
namespace {

constexpr std::uint64_t kEventMagic = 0x746e657665637069;  // "ipcevent"

}  // namespace

std::shared_ptr<SharedMark> SharedMark::Map(ipc::File file) {
  void* page = file.open() ? ipc::MapFile(file.descriptor(), 0, ipc::kPageBytes) : nullptr;
  if (page == nullptr) return nullptr;
  return std::shared_ptr<SharedMark>(new SharedMark(std::move(file), static_cast<Page*>(page)));
}

std::shared_ptr<SharedMark> SharedMark::Open(const ipc::FileName& name) {
  if (name.magic != kEventMagic || name.bytes != ipc::kPageBytes) return nullptr;
  return Map(ipc::OpenByName(name));
}

SharedMark::~SharedMark() { ipc::Unmap(page_, ipc::kPageBytes); }

ipc::FileName SharedMark::Name() const {
  return ipc::NameOf(file_.descriptor(), kEventMagic, ipc::kPageBytes);
}

void SharedMark::Publish(std::int64_t remaining) {
  page_->remaining.store(remaining, std::memory_order_relaxed);
  seen_ = page_->records.fetch_add(1, std::memory_order_release) + 1;
}

std::optional<std::int64_t> SharedMark::Take() {
  const std::uint64_t records = page_->records.load(std::memory_order_acquire);
  if (records == seen_) return std::nullopt;
  seen_ = records;
  return page_->remaining.load(std::memory_order_relaxed);
}

}  // namespace stridelab::driver::simulated
