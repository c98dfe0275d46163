#include <chrono>

#include "binding/call.h"
#include "binding/link_table.h"
#include "binding/parts.h"

namespace stridelab::binding {
using LinkNumber = Within<std::uint32_t, 1, UINT32_MAX - 1>;

static LinkTable& Read(Call& call, As<LinkTable>) { return call.environment().links(); }

static OpenLink& Convert(const Argument& argument, As<OpenLink>) {
  return Environment::Of(argument.value.Env()).links().Find(Convert(argument, As<LinkNumber>{}));
}

namespace {

using Milliseconds = Within<int, 0, INT32_MAX>;

void Watch(LinkTable& table, const Napi::Function& function) {
  const auto handler = std::make_shared<Napi::FunctionReference>(Napi::Persistent(function));
  table.watched().Watch([handler, &table](Napi::Env env, std::uint32_t number) {
    handler->Call({Napi::Number::New(env, table.OwnerOf(number))});
  });
}

Fields Open(Env env, LinkTable& table) {
  ipc::LinkEnds theirs;
  const std::uint32_t number = table.Add(ipc::Link::Open(theirs));
  return Fields(env)
      .Set("link", number)
      .Set("socket", theirs.socket.Release())
      .Set("errors", theirs.errors.Release());
}

bool Send(OpenLink& open, std::span<const std::byte> message,
          const std::vector<Within<int, 0, INT32_MAX>>& descriptors) {
  return open.link.Send(reinterpret_cast<const unsigned char*>(message.data()), message.size(),
                        {descriptors.begin(), descriptors.end()});
}

/** Receives a message: undefined if none has arrived, null if the link was closed. */
napi_value Receive(Env env, LinkTable& table, const core::InterruptFlag& flag, OpenLink& open,
                   Milliseconds limit, bool heed) {
  std::span<const unsigned char> message;
  switch (
      open.link.Receive(message, std::chrono::milliseconds(limit), [&] { return heed && flag.Raised(); })) {
    case ipc::Link::Wait::kEnd:
      return env.Null();
    case ipc::Link::Wait::kNothing:
      if (limit == 0) {
        table.watched().Rearm(open.socket);
        if (open.link.errors_open()) table.watched().Rearm(open.errors);
      }
      return env.Undefined();
    case ipc::Link::Wait::kMessage:
      break;
  }
  return Napi::Buffer<unsigned char>::Copy(env, message.data(), message.size());
}

bool Pending(OpenLink& open) { return open.link.Pending(); }

bool TakeInterrupt(const core::InterruptFlag& flag) { return flag.Take(); }

int TakeDescriptor(OpenLink& open) { return open.link.TakeFile().Release(); }

std::string TakeErrors(OpenLink& open) { return open.link.TakeErrors(); }

void Close(LinkTable& table, LinkNumber link) { table.Close(link); }

napi_value ExitOf(Env env, Within<pid_t, 1, INT32_MAX> process, Milliseconds limit) {
  const auto exit = ipc::ExitOf(process, std::chrono::milliseconds(limit));
  if (!exit) return env.Undefined();
  return Fields(env).Set("code", exit->code).Set("signal", exit->signal);
}

constexpr Function kTable[] = {
    Bind<Watch>("watch", "handler"),
    Bind<Open>("open"),
    Bind<Send>("send", "link", "message", "descriptors"),
    Bind<Receive>("receive", "link", "milliseconds", "heed"),
    Bind<Pending>("pending", "link"),
    Bind<TakeInterrupt>("takeInterrupt"),
    Bind<TakeDescriptor>("takeDescriptor", "link"),
    Bind<TakeErrors>("takeErrors", "link"),
    Bind<Close>("close", "link"),
    Bind<ExitOf>("exitOf", "process", "milliseconds"),
};

}  // namespace

const Functions kLinkCalls = kTable;

}  // namespace stridelab::binding
