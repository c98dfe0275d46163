#include <unistd.h>

#include <utility>

#include "binding/channel_table.h"
#include "binding/parts.h"
#include "core/error.h"
#include "driver/types.h"

namespace stridelab::binding {
namespace {

using Channel = Within<std::uint32_t, 1, UINT32_MAX - 1>;
using Descriptor = Within<int, 0, INT32_MAX>;

void Watch(ChannelTable& table, const Napi::Function& function) {
  const auto handler = std::make_shared<Napi::FunctionReference>(Napi::Persistent(function));
  table.Watch(
      [handler](Napi::Env env, std::uint32_t number) { handler->Call({Napi::Number::New(env, number)}); });
}

std::uint32_t Listen(ChannelTable& table, const std::string& name) { return table.Add(ipc::Listen(name)); }

/** Connects to a channel. Returns nothing if there is no listener, which is not an error for the caller. */
std::optional<std::uint32_t> Connect(ChannelTable& table, const std::string& name) {
  try {
    return table.Add(ipc::Connect(name));
  } catch (const ipc::SocketError& error) {
    if (error.code() != ECONNREFUSED) throw;
    return std::nullopt;
  }
}

std::optional<std::uint32_t> Accept(ChannelTable& table, Channel listener) {
  ipc::File socket = ipc::Accept(table.Find(listener));
  if (socket.open()) return table.Add(std::move(socket));
  table.Rearm(listener);
  return std::nullopt;
}

Fields Peer(Env env, const ChannelTable& table, Channel channel) {
  const ipc::Peer peer = ipc::PeerOf(table.Find(channel));
  return Fields(env)
      .Set("process", peer.process)
      .Set("user", peer.user)
      .Set("sameUser", peer.user == geteuid());
}

bool Send(const ChannelTable& table, Channel channel, std::span<const std::byte> message,
          const std::vector<Descriptor>& descriptors) {
  const int socket = table.Find(channel);
  if (message.empty()) Refuse("message must not be empty");
  if (descriptors.size() > ipc::kMostDescriptors) {
    Refuse(std::to_string(descriptors.size()) + " descriptors: a message takes at most " +
           std::to_string(ipc::kMostDescriptors));
  }
  return ipc::Send(socket, reinterpret_cast<const unsigned char*>(message.data()), message.size(),
                   {descriptors.begin(), descriptors.end()});
}

/** Receives a message: undefined if none has arrived, null if the channel was closed. */
napi_value Receive(Env env, ChannelTable& table, Channel channel) {
  ipc::Message message;
  switch (ipc::Receive(table.Find(channel), message)) {
    case ipc::Reception::kNothing:
      table.Rearm(channel);
      return env.Undefined();
    case ipc::Reception::kEnd:
      return env.Null();
    case ipc::Reception::kMessage:
      break;
  }
  const auto bytes = ColumnOf<Napi::Uint8Array>(env, message.bytes);
  auto descriptors = Napi::Array::New(env, message.files.size());
  const Fields result = Fields(env).Set("bytes", bytes).Set("descriptors", descriptors);
  for (std::uint32_t index = 0; index < message.files.size(); ++index)
    descriptors.Set(index, message.files[index].Release());
  return result;
}

bool Alive(const ChannelTable& table, Channel channel) { return ipc::IsAlive(table.Find(channel)); }

void Close(ChannelTable& table, Channel channel) { table.Close(channel); }

void CloseDescriptor(Descriptor descriptor) { close(descriptor); }

int DuplicateDescriptor(Descriptor descriptor) {
  ipc::File copy = ipc::Duplicate(descriptor);
  if (!copy.open()) {
    throw core::Error(core::ErrorKind::kBuffer,
                      "descriptor " + std::to_string(descriptor) + " cannot be duplicated");
  }
  return copy.Release();
}

constexpr Function kChannelTable[] = {
    Bind<Watch>("watch", "handler"),
    Bind<Listen>("listen", "name"),
    Bind<Connect>("connect", "name"),
    Bind<Accept>("accept", "channel"),
    Bind<Peer>("peer", "channel"),
    Bind<Send>("send", "channel", "message", "descriptors"),
    Bind<Receive>("receive", "channel"),
    Bind<Alive>("alive", "channel"),
    Bind<Close>("close", "channel"),
    Bind<CloseDescriptor>("closeDescriptor", "descriptor"),
    Bind<DuplicateDescriptor>("duplicateDescriptor", "descriptor"),
};

}  // namespace

const Functions kChannelCalls = kChannelTable;

void ChannelTable::Watch(Handler handler) {
  handlers_.push_back(std::move(handler));
  if (watcher_ != nullptr) return;
  poster_.Open<OnReady>(env_, "ready channels", shared_from_this());
  watcher_ = std::make_unique<ipc::Watcher>(
      [this](std::uint32_t number) { poster_.Post(driver::HandleFrom<void*>(number)); });
}

void ChannelTable::OnReady(napi_env env, void* table, void* number) {
  if (env == nullptr) return;
  const auto channel = static_cast<std::uint32_t>(driver::HandleValue(number));
  for (const Handler& handler : static_cast<ChannelTable*>(table)->handlers_) handler(env, channel);
}

std::uint32_t ChannelTable::Add(ipc::File socket) {
  if (watcher_ == nullptr)
    throw core::Error(core::ErrorKind::kArgument, "channels are not watched yet: call watch first");
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
