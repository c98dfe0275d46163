// The links to other processes of one JavaScript environment.
#include <chrono>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>

#include "binding/channel_table.h"
#include "binding/parts.h"
#include "ipc/link.h"

namespace stridelab::binding {
struct OpenLink {
  ipc::Link link;
  /** The number of a duplicate of its socket in the table that watches it; its errors, if any, have the next one. */
  std::uint32_t number;
};

/** Links under the numbers of their sockets. JavaScript thread. */
class LinkTable {
 public:
  explicit LinkTable(Napi::Env env) : watched_(std::make_shared<ChannelTable>(env)) {}

  ChannelTable& watched() { return *watched_; }

  std::uint32_t Add(ipc::Link link) {
    const std::uint32_t number = watched_->Add(ipc::Duplicate(link.socket()));
    if (link.errors_open()) watched_->Add(ipc::Duplicate(link.errors()));
    links_.emplace(number, OpenLink{std::move(link), number});
    return number;
  }

  OpenLink& Find(std::uint32_t number) {
    const auto entry = links_.find(number);
    if (entry == links_.end()) throw core::Error(core::ErrorKind::kFreed, "the connection is closed");
    return entry->second;
  }

  /** Returns the link that a watched number belongs to. */
  std::uint32_t OwnerOf(std::uint32_t number) const { return links_.contains(number) ? number : number - 1; }

  void Close(std::uint32_t number) {
    const auto entry = links_.find(number);
    if (entry == links_.end()) return;
    watched_->Close(number);
    if (entry->second.link.errors() >= 0) watched_->Close(number + 1);
    links_.erase(entry);
  }

 private:
  std::shared_ptr<ChannelTable> watched_;
  std::unordered_map<std::uint32_t, OpenLink> links_;
};

using LinkNumber = Within<std::uint32_t, 1, UINT32_MAX - 1>;

static LinkTable& LinksOf(Napi::Env env) {
  std::shared_ptr<LinkTable>& links = Environment::Of(env).links();
  if (links == nullptr) links = std::make_shared<LinkTable>(env);
  return *links;
}
static LinkTable& Read(Call& call, As<LinkTable>) { return LinksOf(call.env()); }
static OpenLink& Convert(const Argument& argument, As<OpenLink>) {
  return LinksOf(argument.value.Env()).Find(Convert(argument, As<LinkNumber>{}));
}
static ipc::Link& Convert(const Argument& argument, As<ipc::Link>) {
  return Convert(argument, As<OpenLink>{}).link;
}

namespace {

using Milliseconds = Within<int, 0, INT32_MAX>;

void WatchLinks(LinkTable& table, const Napi::Function& function) {
  const auto handler = std::make_shared<Napi::FunctionReference>(Napi::Persistent(function));
  table.watched().Watch([handler, &table](Napi::Env env, std::uint32_t number) {
    handler->Call({Napi::Number::New(env, table.OwnerOf(number))});
  });
}

Fields OpenLinkPair(Env env, LinkTable& table) {
  ipc::LinkEnds theirs;
  const std::uint32_t number = table.Add(ipc::Link::Open(theirs));
  return Fields(env)
      .Set("link", number)
      .Set("socket", theirs.socket.Release())
      .Set("errors", theirs.errors.Release());
}

std::uint32_t InheritLink(LinkTable& table, Within<int, 0, INT32_MAX> descriptor) {
  return table.Add(ipc::Link::Inherit(descriptor));
}

bool SendOnLink(ipc::Link& link, std::span<const std::byte> message,
                const std::vector<Within<int, 0, INT32_MAX>>& descriptors) {
  return link.Send(reinterpret_cast<const unsigned char*>(message.data()), message.size(),
                   {descriptors.begin(), descriptors.end()});
}

/** Receives a message: undefined if none has arrived, null if the link was closed. */
napi_value ReceiveOnLink(Env env, LinkTable& table, const core::InterruptFlag& flag, OpenLink& open,
                         Milliseconds limit, bool heed) {
  std::span<const unsigned char> message;
  switch (
      open.link.Receive(message, std::chrono::milliseconds(limit), [&] { return heed && flag.Raised(); })) {
    case ipc::Link::Wait::kEnd:
      return env.Null();
    case ipc::Link::Wait::kNothing:
      if (limit == 0) {
        table.watched().Rearm(open.number);
        if (open.link.errors_open()) table.watched().Rearm(open.number + 1);
      }
      return env.Undefined();
    case ipc::Link::Wait::kMessage:
      break;
  }
  return Napi::Buffer<unsigned char>::Copy(env, message.data(), message.size());
}

int TakeDescriptor(ipc::Link& link) { return link.TakeFile().Release(); }

void CloseLink(LinkTable& table, LinkNumber link) { table.Close(link); }

napi_value ExitOf(Env env, Within<pid_t, 1, INT32_MAX> process, Milliseconds limit) {
  const auto exit = ipc::ExitOf(process, std::chrono::milliseconds(limit));
  if (!exit) return env.Undefined();
  return Fields(env).Set("code", exit->code).Set("signal", exit->signal);
}

constexpr Function kLinkTable[] = {
    Bind<WatchLinks>("watch", "handler"),
    Bind<OpenLinkPair>("open"),
    Bind<InheritLink>("inherit", "descriptor"),
    Bind<SendOnLink>("send", "link", "message", "descriptors"),
    Bind<ReceiveOnLink>("receive", "link", "milliseconds", "heed"),
    Bind<&ipc::Link::Pending>("pending", "link"),
    Bind<&core::InterruptFlag::Take>("takeInterrupt"),
    Bind<TakeDescriptor>("takeDescriptor", "link"),
    Bind<&ipc::Link::TakeErrors>("takeErrors", "link"),
    Bind<CloseLink>("close", "link"),
    Bind<ExitOf>("exitOf", "process", "milliseconds"),
};

}  // namespace

const Functions kLinkCalls = kLinkTable;

}  // namespace stridelab::binding
