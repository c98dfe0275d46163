// The lower bound for the table: the same calls on the driver API, without a library. Prints one line of JSON.
//   c++ -O2 -std=c++17 bench/peers/driver.cc -o driver -ldl && ./driver DEVICE_BYTES HOST_BYTES GROUP...
// It declares the driver's functions itself, so it needs no CUDA toolkit.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

using Handle = void*;
using Address = unsigned long long;

void* g_library = nullptr;

[[noreturn]] void Fail(const char* what, int status) {
  std::fprintf(stderr, "%s: CUresult %d\n", what, status);
  std::exit(1);
}

template <typename... Args>
class Call {
 public:
  explicit Call(const char* name) : name_(name) {
    call_ = reinterpret_cast<int (*)(Args...)>(dlsym(g_library, name));
    if (call_ == nullptr) Fail(name, -1);
  }
  void operator()(Args... args) const {
    if (const int status = call_(args...); status != 0) Fail(name_, status);
  }

 private:
  const char* name_;
  int (*call_)(Args...);
};

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double Now() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

bool g_first = true;

void Print(const char* key, double value) {
  std::printf("%s\"%s\": %.4f", g_first ? "{" : ", ", key, value);
  g_first = false;
}

constexpr size_t kMebi = 1 << 20;
constexpr unsigned kNonBlocking = 1;
constexpr unsigned kNoTiming = 2;
constexpr int kReleaseThreshold = 4;

/** out[i] = x[i] + y[i] for i < n, as a compiler of CUDA C++ writes it; the driver makes machine code of it.
 */
constexpr const char* kAdd = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry add(.param .u64 p_x, .param .u64 p_y, .param .u64 p_out, .param .u32 p_n) {
  .reg .pred %p;
  .reg .f32 %f<3>;
  .reg .b32 %r<5>;
  .reg .b64 %d<8>;
  ld.param.u64 %d0, [p_x];
  ld.param.u64 %d1, [p_y];
  ld.param.u64 %d2, [p_out];
  ld.param.u32 %r0, [p_n];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  setp.ge.s32 %p, %r4, %r0;
  @%p bra done;
  mul.wide.s32 %d3, %r4, 4;
  add.s64 %d4, %d0, %d3;
  add.s64 %d5, %d1, %d3;
  add.s64 %d6, %d2, %d3;
  ld.global.f32 %f0, [%d4];
  ld.global.f32 %f1, [%d5];
  add.f32 %f2, %f0, %f1;
  st.global.f32 [%d6], %f2;
done:
  ret;
}
)";

}  // namespace

int main(int argc, char** argv) {
  const size_t device_bytes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : size_t{1} << 30;
  const size_t host_bytes = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : size_t{1} << 28;
  const auto wanted = [&](const char* group) {
    return std::any_of(argv + std::min(argc, 3), argv + argc,
                       [&](const char* name) { return std::strcmp(name, group) == 0; });
  };
  g_library = dlopen("libcuda.so.1", RTLD_NOW);
  if (g_library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  Handle context = nullptr;
  Handle stream = nullptr;
  Handle other = nullptr;
  Handle event = nullptr;
  Handle start = nullptr;
  Handle end = nullptr;
  Handle pool = nullptr;
  Call<unsigned>{"cuInit"}(0);
  int device = 0;
  Call<int*, int>{"cuDeviceGet"}(&device, 0);
  Call<Handle*, int>{"cuDevicePrimaryCtxRetain"}(&context, device);
  Call<Handle>{"cuCtxSetCurrent"}(context);
  const Call<> synchronize{"cuCtxSynchronize"};
  const Call<Handle*, unsigned> make_stream{"cuStreamCreate"};
  make_stream(&stream, kNonBlocking);
  make_stream(&other, kNonBlocking);
  const Call<Handle*, unsigned> make_event{"cuEventCreate"};
  make_event(&event, kNoTiming);
  make_event(&start, 0);
  make_event(&end, 0);
  Call<Handle*, int>{"cuDeviceGetDefaultMemPool"}(&pool, device);
  uint64_t keep_all = UINT64_MAX;
  Call<Handle, int, void*>{"cuMemPoolSetAttribute"}(pool, kReleaseThreshold, &keep_all);

  const auto time = [&](const char* key, auto&& call, int batch = 2000) {
    std::vector<double> runs;
    for (int run = 0; run < 18; ++run) {
      const double began = Now();
      for (int i = 0; i < batch; ++i) call();
      const double elapsed = (Now() - began) / batch;
      synchronize();
      if (run >= 3) runs.push_back(elapsed);
    }
    Print(key, Median(runs));
  };
  const auto rate = [&](const char* key, size_t bytes, auto&& copy) {
    copy();
    std::vector<double> runs;
    for (int run = 0; run < 7; ++run) {
      const double began = Now();
      copy();
      runs.push_back(Now() - began);
    }
    Print(key, static_cast<double>(bytes) / Median(runs) / 1000);
  };

  const Call<Address*, size_t> allocate{"cuMemAlloc_v2"};
  const Call<Address> release{"cuMemFree_v2"};
  const Call<Handle, Handle> record{"cuEventRecord"};
  const Call<Handle> synchronize_stream{"cuStreamSynchronize"};
  const Call<float*, Handle, Handle> elapsed{"cuEventElapsedTime"};
  /** Microseconds of a call by the device's clock: of the second of two, so that the host's time is not in it. */
  const auto device_time = [&](auto&& call) {
    std::vector<double> runs;
    for (int run = 0; run < 18; ++run) {
      float milliseconds = 0;
      call();
      record(start, stream);
      call();
      record(end, stream);
      synchronize_stream(stream);
      elapsed(&milliseconds, start, end);
      if (run >= 3) runs.push_back(milliseconds * 1000.0);
    }
    return Median(runs);
  };

  Handle module = nullptr;
  Handle add = nullptr;
  Call<Handle*, const void*>{"cuModuleLoadData"}(&module, kAdd);
  Call<Handle*, Handle, const char*>{"cuModuleGetFunction"}(&add, module, "add");
  const Call<Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void**,
             void**>
      launch{"cuLaunchKernel"};
  constexpr int kElements = 1024;
  constexpr unsigned kBlock = 256;
  Address operands[3] = {};
  for (Address& operand : operands) allocate(&operand, kElements * sizeof(float));
  int elements = kElements;
  void* parameters[] = {&operands[0], &operands[1], &operands[2], &elements};
  const auto launch_add = [&](unsigned blocks) {
    launch(add, blocks, 1, 1, kBlock, 1, 1, 0, stream, parameters, nullptr);
  };

  if (wanted("calls")) {
    const Call<Address*, size_t, Handle> allocate_async{"cuMemAllocAsync"};
    const Call<Address, Handle> release_async{"cuMemFreeAsync"};
    const Call<Handle, Handle, unsigned> wait{"cuStreamWaitEvent"};
    Address address = 0;
    time("pool", [&] {
      allocate_async(&address, kMebi, stream);
      release_async(address, stream);
    });
    time("malloc", [&] {
      allocate(&address, kMebi);
      release(address);
    });
    time("event", [&] {
      record(event, stream);
      wait(other, event, 0);
    });
    synchronize();
    time("stream.synchronize", [&] { synchronize_stream(stream); });
    time("launch", [&] { launch_add(1); });
  }

  if (wanted("graphs")) {
    constexpr int kOperations = 100;
    constexpr unsigned kBlocks = kElements / kBlock;
    constexpr int kThreadLocal = 1;
    const Call<Handle, int> begin{"cuStreamBeginCapture_v2"};
    const Call<Handle, Handle*> finish{"cuStreamEndCapture"};
    const Call<Handle*, Handle, unsigned long long> instantiate{"cuGraphInstantiateWithFlags"};
    const Call<Handle> destroy{"cuGraphDestroy"};
    const Call<Handle> destroy_executable{"cuGraphExecDestroy"};
    const Call<Handle, Handle> launch_graph{"cuGraphLaunch"};
    const auto all = [&] {
      for (int i = 0; i < kOperations; ++i) launch_add(kBlocks);
    };
    const auto capture = [&] {
      Handle graph = nullptr;
      Handle executable = nullptr;
      begin(stream, kThreadLocal);
      all();
      finish(stream, &graph);
      instantiate(&executable, graph, 0);
      destroy(graph);
      return executable;
    };
    time("graph.capture", [&] { destroy_executable(capture()); }, 10);
    const Handle executable = capture();
    time("graph.launch", [&] { launch_graph(executable, stream); }, 50);
    Print("graph.replay", device_time([&] { launch_graph(executable, stream); }));
    std::vector<double> runs;
    for (int run = 0; run < 51; ++run) {
      const double began = Now();
      all();
      synchronize_stream(stream);
      runs.push_back(Now() - began);
    }
    Print("graph.without", Median(runs));
  }

  Address source = 0;
  Address target = 0;
  allocate(&source, device_bytes);
  allocate(&target, device_bytes);
  Call<Address, unsigned char, size_t>{"cuMemsetD8_v2"}(source, 1, device_bytes);
  if (wanted("operations")) {
    const Call<Address, Address, size_t, Handle> device_to_device{"cuMemcpyDtoDAsync_v2"};
    const double us = device_time([&] { device_to_device(target, source, device_bytes, stream); });
    Print("copy.d2d", 2.0 * static_cast<double>(device_bytes) / us / 1000);
  }

  if (wanted("transfers")) {
    const Call<Address, const void*, size_t> to_device{"cuMemcpyHtoD_v2"};
    const Call<void*, Address, size_t> to_host{"cuMemcpyDtoH_v2"};
    const Call<Address, const void*, size_t, Handle> to_device_async{"cuMemcpyHtoDAsync_v2"};
    const Call<void*, Address, size_t, Handle> to_host_async{"cuMemcpyDtoHAsync_v2"};
    const Call<void**, size_t, unsigned> allocate_host{"cuMemHostAlloc"};
    std::vector<char> pageable(host_bytes, 1);
    rate("copy.h2d.pageable", host_bytes, [&] {
      to_device(target, pageable.data(), host_bytes);
      synchronize();
    });
    rate("copy.d2h.pageable", host_bytes, [&] { to_host(pageable.data(), target, host_bytes); });
    void* pinned = nullptr;
    void* second = nullptr;
    allocate_host(&pinned, host_bytes, 0);
    allocate_host(&second, host_bytes, 0);
    std::memset(pinned, 1, host_bytes);
    std::memset(second, 1, host_bytes);
    rate("copy.h2d.pinned", host_bytes, [&] {
      to_device(target, pinned, host_bytes);
      synchronize();
    });
    rate("copy.d2h.pinned", host_bytes, [&] { to_host(pinned, target, host_bytes); });
    rate("overlap.both", 2 * host_bytes, [&] {
      to_device_async(target, pinned, host_bytes, stream);
      to_host_async(second, source, host_bytes, other);
      synchronize();
    });
  }

  int devices = 0;
  int reachable = 0;
  Call<int*>{"cuDeviceGetCount"}(&devices);
  if (devices > 1) Call<int*, int, int>{"cuDeviceCanAccessPeer"}(&reachable, device, 1);
  if (wanted("several") && reachable != 0) {
    constexpr int kCopies = 20;
    constexpr size_t kSmall = 4096;
    const Call<Handle> make_current{"cuCtxSetCurrent"};
    const Call<Handle, unsigned> reach{"cuCtxEnablePeerAccess"};
    const Call<Address, Handle, Address, Handle, size_t, Handle> copy_peer{"cuMemcpyPeerAsync"};
    Handle peer = nullptr;
    Handle back = nullptr;
    Address there = 0;
    Address there_too = 0;
    Call<Handle*, int>{"cuDevicePrimaryCtxRetain"}(&peer, 1);
    reach(peer, 0);
    make_current(peer);
    reach(context, 0);
    allocate(&there, host_bytes);
    allocate(&there_too, host_bytes);
    make_stream(&back, kNonBlocking);
    make_current(context);
    const auto wait_both = [&] {
      synchronize_stream(stream);
      synchronize_stream(back);
    };
    rate("pair.copy", host_bytes * kCopies, [&] {
      for (int i = 0; i < kCopies; ++i) copy_peer(there, peer, source, context, host_bytes, stream);
      wait_both();
    });
    rate("pair.both", 2 * host_bytes * kCopies, [&] {
      for (int i = 0; i < kCopies; ++i) {
        copy_peer(there, peer, source, context, host_bytes, stream);
        copy_peer(target, context, there_too, peer, host_bytes, back);
      }
      wait_both();
    });
    time("pair.host", [&] { copy_peer(there, peer, source, context, kSmall, stream); }, 200);
    std::vector<double> runs;
    for (int run = 0; run < 101; ++run) {
      const double began = Now();
      copy_peer(there, peer, source, context, kSmall, stream);
      wait_both();
      runs.push_back(Now() - began);
    }
    Print("pair.small", Median(runs));
  }
  std::printf("%s}\n", g_first ? "{" : "");
  return 0;
}
