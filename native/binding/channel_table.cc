#include "binding/channel_table.h"

#include <utility>

#include "binding/entry.h"
#include "core/error.h"
#include "driver/types.h"

namespace stridelab::binding {

void ChannelTable::OnEnvironmentEnds(void* ended) {
  auto& table = *static_cast<ChannelTable*>(ended);
  // The thread first: it calls this function.
  table.watcher_.reset();
  napi_release_threadsafe_function(table.notify_, napi_tsfn_abort);
}

void ChannelTable::Watch(Handler handler) {
  handlers_.push_back(std::move(handler));
  if (notify_ != nullptr) return;
  napi_value name = Napi::String::New(env_, "stridelab channels");
  if (napi_create_threadsafe_function(env_, nullptr, nullptr, name, 0, 1, nullptr, nullptr, this,
                                      TurnEntry<OnReady>, &notify_) != napi_ok)
    throw Napi::Error::New(env_, "channels cannot be watched");
  napi_unref_threadsafe_function(env_, notify_);
  // After the function was made: hooks run in reverse, and the thread must end before the function does.
  napi_add_env_cleanup_hook(env_, OnEnvironmentEnds, this);
  watcher_ = std::make_unique<ipc::Watcher>([notify = notify_](std::uint32_t number) {
    napi_call_threadsafe_function(notify, driver::HandleFrom<void*>(number), napi_tsfn_nonblocking);
  });
}

void ChannelTable::OnReady(napi_env env, void* table, void* number) {
  if (env == nullptr) return;
  const auto channel = static_cast<std::uint32_t>(driver::HandleValue(number));
  for (const Handler& handler : static_cast<ChannelTable*>(table)->handlers_) handler(env, channel);
}

std::uint32_t ChannelTable::Add(ipc::File socket) {
  if (watcher_ == nullptr) throw core::Error(core::ErrorKind::kArgument, "channels are not watched yet");
  const std::uint32_t number = next_++;
  watcher_->Watch(socket.descriptor(), number);
  sockets_.emplace(number, std::move(socket));
  return number;
}

int ChannelTable::Find(std::uint32_t number) const {
  const auto entry = sockets_.find(number);
  if (entry == sockets_.end()) throw core::Error(core::ErrorKind::kFreed, "the channel is closed");
  return entry->second.descriptor();
}

void ChannelTable::Rearm(std::uint32_t number) { watcher_->Rearm(Find(number), number); }

}  // namespace stridelab::binding
