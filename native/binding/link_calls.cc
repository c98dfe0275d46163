#include <chrono>
#include <memory>
#include <unordered_map>
#include <vector>

#include "binding/arguments.h"
#include "binding/channel_table.h"
#include "binding/entry.h"
#include "binding/environment.h"
#include "binding/parts.h"
#include "binding/socket_call.h"
#include "ipc/link.h"

namespace stridelab::binding {
namespace {

struct OpenLink {
  ipc::Link link;
  /** Numbers of duplicates of its two descriptors in the table that watches them. */
  std::uint32_t socket;
  std::uint32_t errors;
};

/** The links of one environment. */
class LinkTable {
 public:
  explicit LinkTable(Napi::Env env) : watched_(new ChannelTable(env)) {}

  /** Goes with the environment once it watches. */
  ChannelTable& watched() { return *watched_; }

  std::uint32_t Add(ipc::Link link) {
    const std::uint32_t socket = watched_->Add(ipc::Duplicate(link.socket()));
    const std::uint32_t errors = watched_->Add(ipc::Duplicate(link.errors()));
    owners_.emplace(errors, socket);
    links_.emplace(socket, OpenLink{std::move(link), socket, errors});
    return socket;
  }

  OpenLink& Find(std::uint32_t number) {
    const auto entry = links_.find(number);
    if (entry == links_.end()) throw core::Error(core::ErrorKind::kFreed, "the connection is closed");
    return entry->second;
  }

  /** The link that a watched number belongs to. */
  std::uint32_t OwnerOf(std::uint32_t number) const {
    const auto entry = owners_.find(number);
    return entry == owners_.end() ? number : entry->second;
  }

  void Close(std::uint32_t number) {
    const auto entry = links_.find(number);
    if (entry == links_.end()) return;
    watched_->Close(entry->second.socket);
    watched_->Close(entry->second.errors);
    owners_.erase(entry->second.errors);
    links_.erase(entry);
  }

 private:
  ChannelTable* watched_;
  std::unordered_map<std::uint32_t, OpenLink> links_;
  std::unordered_map<std::uint32_t, std::uint32_t> owners_;
};

LinkTable& Table(const Napi::CallbackInfo& info) { return *static_cast<LinkTable*>(info.Data()); }

std::uint32_t ToNumber(Napi::Value value) {
  return static_cast<std::uint32_t>(ToInteger(value, "link", 1, UINT32_MAX - 1));
}

std::chrono::milliseconds ToTime(Napi::Value value) {
  return std::chrono::milliseconds(ToInteger(value, "milliseconds", 0, INT32_MAX));
}

Napi::Value Watch(const Napi::CallbackInfo& info) {
  if (!info[0].IsFunction()) throw core::Error(core::ErrorKind::kArgument, "handler must be a function");
  LinkTable& table = Table(info);
  const auto handler =
      std::make_shared<Napi::FunctionReference>(Napi::Persistent(info[0].As<Napi::Function>()));
  table.watched().Watch([handler, &table](Napi::Env env, std::uint32_t number) {
    handler->Call({Napi::Number::New(env, table.OwnerOf(number))});
  });
  return info.Env().Undefined();
}

Napi::Value Open(const Napi::CallbackInfo& info) {
  ipc::LinkEnds theirs;
  const std::uint32_t number = Table(info).Add(ipc::Link::Open(theirs));
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("link", number);
  result.Set("socket", theirs.socket.Release());
  result.Set("errors", theirs.errors.Release());
  return result;
}

Napi::Value Send(const Napi::CallbackInfo& info) {
  ipc::Link& link = Table(info).Find(ToNumber(info[0])).link;
  const HostBytes message = ToHostBytes(info[1], "message");
  if (!info[2].IsArray()) throw core::Error(core::ErrorKind::kArgument, "descriptors must be an array");
  const auto given = info[2].As<Napi::Array>();
  std::vector<int> descriptors;
  descriptors.reserve(given.Length());
  for (std::uint32_t index = 0; index < given.Length(); ++index)
    descriptors.push_back(static_cast<int>(ToInteger(given.Get(index), "descriptor", 0, INT32_MAX)));
  const bool sent = link.Send(static_cast<const unsigned char*>(message.data), message.bytes, descriptors);
  return Napi::Boolean::New(info.Env(), sent);
}

Napi::Value Receive(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  LinkTable& table = Table(info);
  OpenLink& open = table.Find(ToNumber(info[0]));
  const auto limit = ToTime(info[1]);
  const bool heed = ToBoolean(info[2], "heed");
  const core::InterruptFlag flag = Environment::Of(env).interrupt();
  std::span<const unsigned char> message;
  switch (open.link.Receive(message, limit, [&] { return heed && flag.Raised(); })) {
    case ipc::Link::Wait::kEnd:
      return env.Null();
    case ipc::Link::Wait::kNothing:
      if (limit.count() == 0) {
        table.watched().Rearm(open.socket);
        if (open.link.errors_open()) table.watched().Rearm(open.errors);
      }
      return env.Undefined();
    case ipc::Link::Wait::kMessage:
      break;
  }
  return Napi::Buffer<unsigned char>::Copy(env, message.data(), message.size());
}

Napi::Value Pending(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), Table(info).Find(ToNumber(info[0])).link.Pending());
}

Napi::Value TakeInterrupt(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), Environment::Of(info.Env()).interrupt().Take());
}

Napi::Value TakeDescriptor(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), Table(info).Find(ToNumber(info[0])).link.TakeFile().Release());
}

Napi::Value TakeErrors(const Napi::CallbackInfo& info) {
  return Napi::String::New(info.Env(), Table(info).Find(ToNumber(info[0])).link.TakeErrors());
}

Napi::Value Close(const Napi::CallbackInfo& info) {
  Table(info).Close(ToNumber(info[0]));
  return info.Env().Undefined();
}

Napi::Value ExitOf(const Napi::CallbackInfo& info) {
  const auto process = static_cast<pid_t>(ToInteger(info[0], "process", 1, INT32_MAX));
  const auto exit = ipc::ExitOf(process, ToTime(info[1]));
  if (!exit) return info.Env().Undefined();
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("code", exit->code);
  result.Set("signal", exit->signal);
  return result;
}

}  // namespace

Napi::Object DefineLinks(Napi::Env env) {
  Napi::Object links = Napi::Object::New(env);
  auto* table = new LinkTable(env);
  env.AddCleanupHook([table] { delete table; });
  const auto add = [&]<Napi::Value (*Body)(const Napi::CallbackInfo&)>(const char* name) {
    links.Set(name, Entry<SocketCall<Body>>(env, name, table));
  };
  add.operator()<Watch>("watch");
  add.operator()<Open>("open");
  add.operator()<Send>("send");
  add.operator()<Receive>("receive");
  add.operator()<Pending>("pending");
  add.operator()<TakeInterrupt>("takeInterrupt");
  add.operator()<TakeDescriptor>("takeDescriptor");
  add.operator()<TakeErrors>("takeErrors");
  add.operator()<Close>("close");
  add.operator()<ExitOf>("exitOf");
  return links;
}

}  // namespace stridelab::binding
