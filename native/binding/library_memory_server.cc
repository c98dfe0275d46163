#include "binding/library_memory_server.h"

#include <string>
#include <utility>

#include "binding/entry.h"
#include "binding/environment.h"
#include "binding/parameters.h"

namespace stridelab::binding {

using python::LibraryMemory;
using python::MemoryAnswer;
using python::MemoryRequest;

LibraryMemoryServer::LibraryMemoryServer(Napi::Env env) : releases_(Environment::Of(env).releases()) {}

std::shared_ptr<LibraryMemoryServer> LibraryMemoryServer::Make(Napi::Env env, Napi::Function serve,
                                                               Napi::Function freed) {
  std::shared_ptr<LibraryMemoryServer> server(new LibraryMemoryServer(env));
  server->poster_ = MakePoster<OnPosted>(env, "requests for memory", server);
  server->serve_ = Napi::Persistent(serve);
  server->freed_ = Napi::Persistent(freed);
  return server;
}

MemoryAnswer LibraryMemoryServer::Serve(const MemoryRequest& request) {
  if (gone_) return {0, "the JavaScript that serves memory has ended", false};
  const Napi::Env env = serve_.Env();
  const Napi::HandleScope scope(env);
  // The default stream of another thread cannot be named here: the memory must be ready for any stream.
  constexpr std::uint64_t kPerThread = 2;
  const bool every = request.stream == python::kEveryStream || request.stream == kPerThread;
  const std::uint64_t handle = request.stream == 0 ? 1 : request.stream;
  // A manager that allocates through a library may receive a nested request before this one is answered.
  const std::uint64_t outer = std::exchange(asked_stream_, every ? python::kEveryStream : handle);
  MemoryAnswer answer = Ask(env, request, every ? env.Null() : Napi::Value(Napi::BigInt::New(env, handle)));
  asked_stream_ = outer;
  return answer;
}

MemoryAnswer LibraryMemoryServer::Ask(Napi::Env env, const MemoryRequest& request, Napi::Value stream) {
  try {
    const Napi::Value result =
        serve_.Call({Napi::Number::New(env, request.ordinal),
                     Napi::Number::New(env, static_cast<double>(request.bytes)), stream});
    if (result.IsBigInt()) return {Convert(Argument{result, "pointer"}, As<Address>{}), "", false};
    const Napi::Object refusal = result.As<Napi::Object>();
    return {0, refusal.Get("message").As<Napi::String>(),
            refusal.Get("outOfMemory").As<Napi::Boolean>().Value()};
  } catch (const Napi::Error& error) {
    return {0, IsStop(error) ? "JavaScript that serves memory was interrupted" : error.what(), false};
  } catch (const std::exception& error) {
    return {0, error.what(), false};
  }
}

void LibraryMemoryServer::Wake() {
  const std::lock_guard lock(mutex_);
  if (!gone_) napi_call_threadsafe_function(poster_, nullptr, napi_tsfn_nonblocking);
}

void LibraryMemoryServer::Freed(std::uint64_t pointer, bool elsewhere) {
  releases_->Defer([self = shared_from_this(), pointer, elsewhere] { self->TellFreed(pointer, elsewhere); });
}

void LibraryMemoryServer::DropLater(std::shared_ptr<core::Storage> storage) {
  releases_->Defer([kept = std::move(storage)]() mutable { kept.reset(); });
}

void LibraryMemoryServer::TellFreed(std::uint64_t pointer, bool elsewhere) {
  // Releases left behind by an ended environment run on any thread.
  if (gone_ || std::this_thread::get_id() != thread_) return;
  const Napi::Env env = freed_.Env();
  const Napi::HandleScope scope(env);
  try {
    freed_.Call({Napi::BigInt::New(env, pointer), Napi::Boolean::New(env, elsewhere)});
  } catch (const Napi::Error&) {
    return;  // JavaScript is being terminated.
  }
}

void LibraryMemoryServer::OnPosted(napi_env env, void*, void*) {
  if (env != nullptr) LibraryMemory::Instance().ServePosted();
}

void LibraryMemoryServer::OnPosterGone() {
  LibraryMemory::Instance().Close(this);
  const std::lock_guard lock(mutex_);
  gone_ = true;
  serve_.Reset();
  freed_.Reset();
}

}  // namespace stridelab::binding
