#include "python/library_memory.h"

#include <chrono>
#include <exception>
#include <utility>

#include "core/device.h"
#include "core/error.h"
#include "core/exit.h"
#include "core/stream.h"
#include "python/gil.h"

namespace stridelab::python {
namespace {

/** How long a request waits while the JavaScript thread is in Python. */
constexpr std::chrono::milliseconds kPatience{200};
/** Limits the recursion of a manager whose allocation requests an allocation. */
constexpr int kDeepest = 8;

/** The largest integer that a JavaScript number holds exactly. */
constexpr std::size_t kMostBytes = (std::size_t{1} << 53) - 1;

constexpr const char* kEnded =
    "the JavaScript environment whose memory manager serves this library has ended";

std::uint64_t KnownHandle(std::uint64_t stream) { return stream == 0 ? 1 : stream; }

}  // namespace

struct LibraryMemory::Posted {
  MemoryRequest request;
  MemoryAnswer answer;
  enum class State { kWaiting, kRunning, kAnswered, kWithdrawn } state = State::kWaiting;
};

LibraryMemory& LibraryMemory::Instance() {
  static LibraryMemory& instance = *new LibraryMemory;
  return instance;
}

bool LibraryMemory::Open(std::shared_ptr<MemoryServer> server, std::vector<core::Device*> devices) {
  const std::lock_guard lock(mutex_);
  if (server_ != nullptr && home_ != std::this_thread::get_id()) return false;
  server_ = std::move(server);
  devices_ = std::move(devices);
  home_ = std::this_thread::get_id();
  stuck_ = false;
  Gil::Watch(&home_in_python_);
  return true;
}

void LibraryMemory::Close(const MemoryServer* server) {
  const std::lock_guard lock(mutex_);
  if (server_ == nullptr || server_.get() != server) return;
  server_ = nullptr;
  posted_.clear();
  answered_.notify_all();
}

void LibraryMemory::Keep(std::shared_ptr<MemoryServer> server, std::shared_ptr<core::Storage> storage,
                         std::uint64_t stream) {
  const std::uint64_t pointer = storage->pointer();
  const std::lock_guard lock(blocks_mutex_);
  blocks_[pointer] = Block{std::move(storage), std::move(server), stream};
}

MemoryAnswer LibraryMemory::Allocate(const MemoryRequest& request) {
  if (request.bytes == 0) return {};
  if (core::ProcessWasForked())
    return {0, "a forked process cannot use the device: start it with spawn", false};
  if (request.bytes > kMostBytes)
    return {0, "no device has " + std::to_string(request.bytes) + " bytes", true};
  const GilAside aside;
  std::shared_ptr<MemoryServer> server;
  {
    const std::lock_guard lock(mutex_);
    if (server_ == nullptr) return {0, kEnded, false};
    if (std::this_thread::get_id() == home_) {
      if (depth_ >= kDeepest)
        return {0, "the memory manager and this library allocate from each other", false};
      ++depth_;
      stuck_ = false;
      server = server_;
    }
  }
  if (server == nullptr) return AllocateElsewhere(request);
  MemoryAnswer answer = server->Serve(request);
  --depth_;
  return answer;
}

MemoryAnswer LibraryMemory::AllocateElsewhere(const MemoryRequest& request) {
  using State = Posted::State;
  const auto posted = std::make_shared<Posted>(Posted{request, {}});
  std::unique_lock lock(mutex_);
  if (server_ == nullptr) return {0, kEnded, false};
  if (!(stuck_ && home_in_python_)) {
    posted_.push_back(posted);
    server_->Wake();
    while (posted->state != State::kAnswered) {
      if (posted->state == State::kWaiting && server_ == nullptr) return {0, kEnded, false};
      const bool told = answered_.wait_for(lock, kPatience) == std::cv_status::no_timeout;
      // A running request is waited for. If JavaScript is running, its event loop will serve the request.
      if (!told && posted->state == State::kWaiting && home_in_python_) {
        posted->state = State::kWithdrawn;
        stuck_ = true;
        break;
      }
    }
    if (posted->state == State::kAnswered) return std::move(posted->answer);
  }
  lock.unlock();
  return AllocateBeside(request);
}

void LibraryMemory::ServePosted() {
  using State = Posted::State;
  for (;;) {
    std::shared_ptr<Posted> posted;
    std::shared_ptr<MemoryServer> server;
    {
      const std::lock_guard lock(mutex_);
      stuck_ = false;
      while (!posted_.empty() && posted_.front()->state == State::kWithdrawn) posted_.pop_front();
      if (server_ == nullptr || posted_.empty()) return;
      posted = std::move(posted_.front());
      posted_.pop_front();
      posted->state = State::kRunning;
      server = server_;
    }
    MemoryAnswer answer = server->Serve(posted->request);
    const std::lock_guard lock(mutex_);
    posted->answer = std::move(answer);
    posted->state = State::kAnswered;
    answered_.notify_all();
  }
}

MemoryAnswer LibraryMemory::AllocateBeside(const MemoryRequest& request) {
  core::Device* device = nullptr;
  std::shared_ptr<MemoryServer> server;
  {
    const std::lock_guard lock(mutex_);
    const auto index = static_cast<std::size_t>(request.ordinal);
    if (index < devices_.size()) device = devices_[index];
    server = server_;
  }
  if (server == nullptr) return {0, kEnded, false};
  if (device == nullptr) return {0, "there is no device " + std::to_string(request.ordinal), false};
  try {
    auto storage = core::Storage::Allocate(*device, request.bytes, core::MemoryKind::kDevice);
    const std::uint64_t pointer = storage->pointer();
    const std::lock_guard lock(blocks_mutex_);
    blocks_[pointer] = Block{std::move(storage), std::move(server), request.stream, false, true};
    ++beside_count_;
    beside_bytes_ += request.bytes;
    return {pointer, "", false};
  } catch (const core::Error& error) {
    const bool full = error.failure() && error.failure()->status == driver::kOutOfMemory;
    return {0, error.what(), full};
  } catch (const std::exception& error) {
    return {0, error.what(), false};
  }
}

void LibraryMemory::Use(core::Storage& storage, std::uint64_t stream) {
  core::Device& device = storage.device();
  const bool every = stream == kEveryStream;
  const auto named = every ? nullptr : core::Stream::Wrap(device, KnownHandle(stream));
  // A library may destroy its stream before the memory is reused.
  if ((every || named->foreign()) && core::Stream::CanBeUnnamed(device)) {
    storage.RecordUnnamedUse(core::Access::kWrite);
    return;
  }
  if (!every) {
    storage.NotePending(named);
    // May be a default stream of this thread: the block is released on another one.
    storage.LeaveThread();
    return;
  }
  // The legacy default stream waits for blocking streams; the other known streams are queried.
  storage.NotePending(device.LegacyStream());
  for (const std::shared_ptr<core::Stream>& other : device.LiveStreams()) {
    if (!other->destroyed() && !other->capturing() && !other->Query()) storage.NotePending(other);
  }
}

void LibraryMemory::NoteUse(std::uint64_t pointer, std::uint64_t stream) noexcept {
  if (core::ProcessIsExiting() || core::ProcessWasForked()) return;
  const std::lock_guard lock(blocks_mutex_);
  const auto found = blocks_.find(pointer);
  if (found == blocks_.end()) return;
  found->second.elsewhere = true;
  try {
    Use(*found->second.storage, stream);
  } catch (const std::exception&) {
    return;  // The stream was destroyed or the device lost: there is no work to wait for.
  }
}

void LibraryMemory::Free(std::uint64_t pointer, std::uint64_t stream) noexcept {
  if (pointer == 0 || core::ProcessIsExiting() || core::ProcessWasForked()) return;
  Block block;
  {
    const std::lock_guard lock(blocks_mutex_);
    const auto found = blocks_.find(pointer);
    if (found == blocks_.end()) return;
    block = std::move(found->second);
    blocks_.erase(found);
  }
  // kEveryStream is never a single stream whose order a pool could rely on.
  if (stream == kEveryStream || KnownHandle(stream) != KnownHandle(block.stream)) block.elsewhere = true;
  try {
    Use(*block.storage, stream);
  } catch (const std::exception&) {
    block.elsewhere = true;  // The stream was destroyed or the device lost: there is no work to wait for.
  }
  if (block.beside) {
    block.server->DropLater(std::move(block.storage));
    return;
  }
  // Before the server is notified: its object must hold the only reference to the block.
  block.storage.reset();
  block.server->Freed(pointer, block.elsewhere);
}

std::size_t LibraryMemory::CountHeld() {
  const std::lock_guard lock(blocks_mutex_);
  return blocks_.size();
}

}  // namespace stridelab::python
