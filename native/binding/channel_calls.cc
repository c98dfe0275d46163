#include <unistd.h>

#include <cstring>
#include <vector>

#include "binding/arguments.h"
#include "binding/channel_table.h"
#include "binding/entry.h"
#include "binding/parts.h"
#include "binding/socket_call.h"

namespace stridelab::binding {
namespace {

ChannelTable& Table(const Napi::CallbackInfo& info) { return *static_cast<ChannelTable*>(info.Data()); }

std::uint32_t ToNumber(Napi::Value value) {
  return static_cast<std::uint32_t>(ToInteger(value, "channel", 1, UINT32_MAX - 1));
}

std::string ToName(Napi::Value value) {
  if (!value.IsString()) throw core::Error(core::ErrorKind::kArgument, "name must be a string");
  return value.As<Napi::String>().Utf8Value();
}

Napi::Value Watch(const Napi::CallbackInfo& info) {
  if (!info[0].IsFunction()) throw core::Error(core::ErrorKind::kArgument, "handler must be a function");
  const auto handler =
      std::make_shared<Napi::FunctionReference>(Napi::Persistent(info[0].As<Napi::Function>()));
  Table(info).Watch(
      [handler](Napi::Env env, std::uint32_t number) { handler->Call({Napi::Number::New(env, number)}); });
  return info.Env().Undefined();
}

Napi::Value Listen(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), Table(info).Add(ipc::Listen(ToName(info[0]))));
}

/** Nobody is there: null, where an error would have to be told from others. */
Napi::Value Connect(const Napi::CallbackInfo& info) {
  const std::string name = ToName(info[0]);
  try {
    return Napi::Number::New(info.Env(), Table(info).Add(ipc::Connect(name)));
  } catch (const ipc::SocketError& error) {
    if (error.code() != ECONNREFUSED) throw;
    return info.Env().Null();
  }
}

Napi::Value Accept(const Napi::CallbackInfo& info) {
  ChannelTable& table = Table(info);
  const std::uint32_t listener = ToNumber(info[0]);
  ipc::File socket = ipc::Accept(table.Find(listener));
  if (socket.open()) return Napi::Number::New(info.Env(), table.Add(std::move(socket)));
  table.Rearm(listener);
  return info.Env().Null();
}

Napi::Value Peer(const Napi::CallbackInfo& info) {
  const ipc::Peer peer = ipc::PeerOf(Table(info).Find(ToNumber(info[0])));
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("process", static_cast<double>(peer.process));
  result.Set("user", static_cast<double>(peer.user));
  result.Set("sameUser", peer.user == geteuid());
  return result;
}

Napi::Value Send(const Napi::CallbackInfo& info) {
  const int socket = Table(info).Find(ToNumber(info[0]));
  const HostBytes message = ToHostBytes(info[1], "message");
  if (message.bytes == 0) throw core::Error(core::ErrorKind::kArgument, "message must not be empty");
  if (!info[2].IsArray()) throw core::Error(core::ErrorKind::kArgument, "descriptors must be an array");
  const auto given = info[2].As<Napi::Array>();
  if (given.Length() > ipc::kMostDescriptors)
    throw core::Error(core::ErrorKind::kArgument, "too many descriptors for one message");
  std::vector<int> descriptors;
  descriptors.reserve(given.Length());
  for (std::uint32_t index = 0; index < given.Length(); ++index)
    descriptors.push_back(static_cast<int>(ToInteger(given.Get(index), "descriptor", 0, INT32_MAX)));
  const bool sent =
      ipc::Send(socket, static_cast<const unsigned char*>(message.data), message.bytes, descriptors);
  return Napi::Boolean::New(info.Env(), sent);
}

Napi::Value Receive(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  ChannelTable& table = Table(info);
  const std::uint32_t number = ToNumber(info[0]);
  ipc::Message message;
  switch (ipc::Receive(table.Find(number), message)) {
    case ipc::Reception::kNothing:
      table.Rearm(number);
      return env.Undefined();
    case ipc::Reception::kEnd:
      return env.Null();
    case ipc::Reception::kMessage:
      break;
  }
  auto bytes = Napi::Uint8Array::New(env, message.bytes.size());
  std::memcpy(bytes.Data(), message.bytes.data(), message.bytes.size());
  auto descriptors = Napi::Array::New(env, message.files.size());
  Napi::Object result = Napi::Object::New(env);
  result.Set("bytes", bytes);
  result.Set("descriptors", descriptors);
  for (std::uint32_t index = 0; index < message.files.size(); ++index)
    descriptors.Set(index, message.files[index].Release());
  return result;
}

Napi::Value Alive(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), ipc::IsAlive(Table(info).Find(ToNumber(info[0]))));
}

Napi::Value Close(const Napi::CallbackInfo& info) {
  Table(info).Close(ToNumber(info[0]));
  return info.Env().Undefined();
}

Napi::Value CloseDescriptor(const Napi::CallbackInfo& info) {
  close(static_cast<int>(ToInteger(info[0], "descriptor", 0, INT32_MAX)));
  return info.Env().Undefined();
}

Napi::Value DuplicateDescriptor(const Napi::CallbackInfo& info) {
  ipc::File copy = ipc::Duplicate(static_cast<int>(ToInteger(info[0], "descriptor", 0, INT32_MAX)));
  if (!copy.open()) throw core::Error(core::ErrorKind::kBuffer, "the descriptor cannot be duplicated");
  return Napi::Number::New(info.Env(), copy.Release());
}

}  // namespace

Napi::Object DefineChannels(Napi::Env env) {
  Napi::Object channels = Napi::Object::New(env);
  // Deleted by a hook of the environment once it watches; before that it holds nothing but itself.
  auto* table = new ChannelTable(env);
  const auto add = [&]<Napi::Value (*Body)(const Napi::CallbackInfo&)>(const char* name) {
    channels.Set(name, Entry<SocketCall<Body>>(env, name, table));
  };
  add.operator()<Watch>("watch");
  add.operator()<Listen>("listen");
  add.operator()<Connect>("connect");
  add.operator()<Accept>("accept");
  add.operator()<Peer>("peer");
  add.operator()<Send>("send");
  add.operator()<Receive>("receive");
  add.operator()<Alive>("alive");
  add.operator()<Close>("close");
  add.operator()<CloseDescriptor>("closeDescriptor");
  add.operator()<DuplicateDescriptor>("duplicateDescriptor");
  return channels;
}

}  // namespace stridelab::binding
