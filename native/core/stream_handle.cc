#include "core/stream_handle.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace stridelab::core {
namespace {

constexpr std::uint64_t kWord = sizeof(std::uint64_t);
/** Handles below the first page are default streams, or are refused by the driver. */
constexpr std::uint64_t kFirstPage = 4096;

/** The content of a stream object's first word: an address in all known drivers; others may differ. */
enum class FirstWord { kUnknown, kAddress, kOther };
std::atomic<FirstWord> first_word{FirstWord::kUnknown};

/** Returns true if 8 bytes can be read. The kernel copies them before it checks the first argument, which is
 * deliberately invalid, so that the signal mask does not change. */
bool IsReadable(std::uint64_t address) {
  if (address % kWord != 0) return false;
  const int before = errno;
  const long result = syscall(SYS_rt_sigprocmask, ~0, driver::HandleFrom<void*>(address), nullptr, kWord);
  const bool readable = result == 0 || errno != EFAULT;
  errno = before;
  return readable;
}

/** Returns true if the first word is an address. Deliberately reads memory that may have been freed. */
__attribute__((no_sanitize("address"))) bool LeadsToAddress(std::uint64_t handle) {
  const std::uint64_t word = *driver::HandleFrom<const volatile std::uint64_t*>(handle);
  return word >= kFirstPage && IsReadable(word);
}

bool IsWatched(const Driver& driver, std::uint64_t handle) {
  return driver.kind() == DriverKind::kCuda && handle >= kFirstPage;
}

}  // namespace

void NoteLiveStream(const Driver& driver, driver::CUstream handle) noexcept {
  const std::uint64_t address = driver::HandleValue(handle);
  if (!IsWatched(driver, address) || first_word == FirstWord::kOther) return;
  first_word = IsReadable(address) && LeadsToAddress(address) ? FirstWord::kAddress : FirstWord::kOther;
}

bool MayBeLiveStream(const Driver& driver, driver::CUstream handle) noexcept {
  const std::uint64_t address = driver::HandleValue(handle);
  if (!IsWatched(driver, address)) return true;
  if (!IsReadable(address)) return false;
  return first_word != FirstWord::kAddress || LeadsToAddress(address);
}

}  // namespace stridelab::core
