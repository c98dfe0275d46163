// Memory for Python libraries, allocated by JavaScript functions.
#include <dlfcn.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "binding/objects.h"
#include "binding/parts.h"
#include "binding/python_scope.h"
#include "python/library_memory.h"

namespace stridelab::binding {
namespace {

using python::LibraryMemory;
using python::MemoryAnswer;
using python::MemoryRequest;

/** Serves requests with two functions of one environment, while it lives. */
class LibraryMemoryServer final : public python::MemoryServer,
                                  public std::enable_shared_from_this<LibraryMemoryServer> {
 public:
  static std::shared_ptr<LibraryMemoryServer> Make(Napi::Env env, Napi::Function serve, Napi::Function freed);

  python::MemoryAnswer Serve(const python::MemoryRequest& request) override;
  void Wake() override { poster_.Post(); }
  void Freed(std::uint64_t pointer, bool elsewhere) override;
  void DropLater(std::shared_ptr<core::Storage> storage) override;

  /** Called by the poster when the environment has ended. */
  void OnEnvironmentEnd();

  /** The stream of the request being served. */
  std::uint64_t asked_stream() const { return asked_stream_; }

 private:
  explicit LibraryMemoryServer(Napi::Env env);

  python::MemoryAnswer Ask(Napi::Env env, const python::MemoryRequest& request, Napi::Value stream);
  void TellFreed(std::uint64_t pointer, bool elsewhere);
  static void OnPosted(napi_env env, void* context, void* data);

  const std::shared_ptr<ReleaseTable> releases_;
  const std::thread::id thread_ = std::this_thread::get_id();
  Napi::FunctionReference serve_;
  Napi::FunctionReference freed_;
  std::uint64_t asked_stream_ = python::kEveryStream;
  Poster poster_;
  std::atomic<bool> ended_{false};
};

LibraryMemoryServer::LibraryMemoryServer(Napi::Env env) : releases_(Environment::Of(env).releases()) {}

std::shared_ptr<LibraryMemoryServer> LibraryMemoryServer::Make(Napi::Env env, Napi::Function serve,
                                                               Napi::Function freed) {
  std::shared_ptr<LibraryMemoryServer> server(new LibraryMemoryServer(env));
  server->poster_.Open<OnPosted>(env, "requests for memory", server);
  server->serve_ = Napi::Persistent(serve);
  server->freed_ = Napi::Persistent(freed);
  return server;
}

MemoryAnswer LibraryMemoryServer::Serve(const MemoryRequest& request) {
  if (ended_) return {0, "the JavaScript environment that serves memory has ended", false};
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
        CallJavaScript(serve_.Value(), {Napi::Number::New(env, request.ordinal),
                                        Napi::Number::New(env, static_cast<double>(request.bytes)), stream});
    if (result.IsBigInt()) return {Convert(Argument{result, "pointer"}, As<Address>{}), "", false};
    const Napi::Object refusal = result.As<Napi::Object>();
    return {0, refusal.Get("message").As<Napi::String>(),
            refusal.Get("outOfMemory").As<Napi::Boolean>().Value()};
  } catch (const Napi::Error& error) {
    return {0, IsStop(error) ? "the JavaScript that serves memory was interrupted" : error.what(), false};
  } catch (const std::exception& error) {
    return {0, error.what(), false};
  }
}

void LibraryMemoryServer::Freed(std::uint64_t pointer, bool elsewhere) {
  releases_->Defer([self = shared_from_this(), pointer, elsewhere] { self->TellFreed(pointer, elsewhere); });
}

void LibraryMemoryServer::DropLater(std::shared_ptr<core::Storage> storage) {
  releases_->Defer([kept = std::move(storage)]() mutable { kept.reset(); });
}

void LibraryMemoryServer::TellFreed(std::uint64_t pointer, bool elsewhere) {
  // Releases left behind by an ended environment run on any thread.
  if (ended_ || std::this_thread::get_id() != thread_) return;
  const Napi::Env env = freed_.Env();
  const Napi::HandleScope scope(env);
  try {
    CallJavaScript(freed_.Value(), {Napi::BigInt::New(env, pointer), Napi::Boolean::New(env, elsewhere)});
  } catch (const Napi::Error&) {
    return;  // JavaScript is being terminated.
  }
}

void LibraryMemoryServer::OnPosted(napi_env env, void*, void*) {
  if (env != nullptr) LibraryMemory::Instance().ServePosted();
}

void LibraryMemoryServer::OnEnvironmentEnd() {
  LibraryMemory::Instance().Close(this);
  ended_ = true;
  serve_.Reset();
  freed_.Reset();
}

/** The servers of this thread by environment: several loads of the package have one each. */
thread_local std::unordered_map<napi_env, std::weak_ptr<LibraryMemoryServer>> serving;

std::shared_ptr<LibraryMemoryServer> ServerOf(napi_env env) {
  const auto found = serving.find(env);
  return found == serving.end() ? nullptr : found->second.lock();
}

bool Open(Env env, std::vector<core::Device*> devices, const Napi::Function& serve,
          const Napi::Function& freed) {
  auto server = LibraryMemoryServer::Make(env, serve, freed);
  const bool opened = LibraryMemory::Instance().Open(server, std::move(devices));
  if (opened) serving[env] = server;
  return opened;
}

void StopServing(Env env) {
  if (const auto server = ServerOf(env)) LibraryMemory::Instance().Close(server.get());
}

void KeepStorage(Env env, const std::shared_ptr<core::Storage>& storage) {
  const auto server = ServerOf(env);
  if (server == nullptr) Refuse("this environment serves no memory");
  LibraryMemory::Instance().Keep(server, storage, server->asked_stream());
}

/** Reads the integer arguments of a function called by Python. */
template <std::size_t Count>
std::array<std::int64_t, Count> ReadWholes(PyObject* const* arguments, python::Size count, PyObject* names) {
  if (count != static_cast<python::Size>(Count) || names != nullptr)
    python::Raise(api.PyExc_TypeError, "this function takes " + std::to_string(Count) + " positional ints");
  std::array<std::int64_t, Count> values{};
  for (std::size_t index = 0; index < Count; ++index) {
    const auto value = python::ToWhole(arguments[index]);
    if (!value) python::Raise(api.PyExc_TypeError, "an argument exceeds 64 bits");
    values[index] = *value;
  }
  return values;
}

PyObject* AllocateForPython(PyObject*, PyObject* const* arguments, python::Size count, PyObject* names) {
  return python::CalledByPython([&] {
    const auto [ordinal, bytes, stream] = ReadWholes<3>(arguments, count, names);
    const MemoryAnswer answer = LibraryMemory::Instance().Allocate(
        {static_cast<int>(ordinal), static_cast<std::size_t>(bytes), static_cast<std::uint64_t>(stream)});
    if (answer.error.empty()) return python::Whole(static_cast<std::int64_t>(answer.pointer));
    python::Raise(answer.out_of_memory ? api.PyExc_MemoryError : api.PyExc_RuntimeError, answer.error);
  });
}

/** Passes an address and a stream on. */
template <void (LibraryMemory::*kTell)(std::uint64_t, std::uint64_t) noexcept>
PyObject* Tell(PyObject*, PyObject* const* arguments, python::Size count, PyObject* names) {
  return python::CalledByPython([&] {
    const auto [address, stream] = ReadWholes<2>(arguments, count, names);
    (LibraryMemory::Instance().*kTell)(static_cast<std::uint64_t>(address),
                                       static_cast<std::uint64_t>(stream));
    return python::None();
  });
}

python::Method allocate_method = {
    "allocate", reinterpret_cast<void*>(AllocateForPython), python::kFastCallWithKeywords,
    "allocate(ordinal, bytes, stream): an address; -1 stands for every stream."};
python::Method free_method = {
    "free", reinterpret_cast<void*>(Tell<&LibraryMemory::Free>), python::kFastCallWithKeywords,
    "free(address, stream): frees the block after the stream's work; -1 stands for every stream."};
python::Method note_use_method = {
    "note_use", reinterpret_cast<void*>(Tell<&LibraryMemory::NoteUse>), python::kFastCallWithKeywords,
    "note_use(address, stream): keeps the block until the stream's work is done too."};

Fields MakeFunctions(Env env) {
  const auto function = [](python::Method& method) {
    return Handle{Made(api.PyCFunction_NewEx(&method, nullptr, nullptr))};
  };
  return Fields(env)
      .Set("allocate", function(allocate_method))
      .Set("free", function(free_method))
      .Set("noteUse", function(note_use_method));
}

/** Returns the path of the addon, with which the loader finds it again. */
const char* Path() {
  Dl_info found{};
  dladdr(reinterpret_cast<void*>(&ServerOf), &found);
  return found.dli_fname == nullptr ? "" : found.dli_fname;
}

Fields Counts(Env env) {
  LibraryMemory& memory = LibraryMemory::Instance();
  const python::BesideManager beside = memory.beside();
  return Fields(env)
      .Set("held", memory.CountHeld())
      .Set("besideCount", beside.count)
      .Set("besideBytes", beside.bytes);
}

constexpr Function kLibraryMemoryTable[] = {
    Bind<Open>("open", "devices", "serve", "freed"),
    Bind<StopServing>("close"),
    Bind<KeepStorage>("keep", "storage"),
    Python<MakeFunctions>("functions"),
    Bind<Path>("path"),
    Bind<Counts>("counts"),
};

}  // namespace

const Functions kLibraryMemoryCalls = kLibraryMemoryTable;

}  // namespace stridelab::binding
