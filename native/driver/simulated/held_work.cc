#include "driver/simulated/held_work.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace stridelab::driver::simulated {

bool HeldWork::Mark::Reached() const { return queue == nullptr || queue->ran >= position; }

std::vector<HeldWork::Mark> HeldWork::ImplicitOrder(const Queue& queue) const {
  std::vector<Mark> marks;
  if (queue.order == Order::kNonBlocking) return marks;
  const Order awaited = queue.order == Order::kLegacy ? Order::kBlocking : Order::kLegacy;
  for (const std::shared_ptr<Queue>& other : busy_) {
    if (other->device == queue.device && other->order == awaited) marks.push_back(Tail(other));
  }
  return marks;
}

HeldWork::Mark HeldWork::Hold(const std::shared_ptr<Queue>& queue, std::function<void()> work, Mark mark,
                              std::size_t kept) {
  std::vector<Mark> after = ImplicitOrder(*queue);
  if (!mark.Reached()) after.push_back(std::move(mark));
  if (queue->items.empty()) busy_.push_back(queue);
  queue->items.push_back(Item{std::move(work), std::move(after), kept});
  queue->kept += kept;
  queue->latest = ++items_;
  Mark held{queue, ++queue->submitted};
  if (queue->items.size() > kLongest || queue->kept > kMostKept) {
    Run(Mark{queue, held.position - queue->items.size() / 2});
  }
  return held;
}

void HeldWork::Run(const Mark& mark) {
  // An explicit stack, not recursion: streams that wait for one another in turn make long chains.
  std::vector<Mark> wanted{mark};
  while (!wanted.empty()) {
    if (wanted.back().Reached()) {
      wanted.pop_back();
      continue;
    }
    const std::shared_ptr<Queue> queue = wanted.back().queue;
    std::vector<Mark>& after = queue->items.front().after;
    std::erase_if(after, [](const Mark& one) { return one.Reached(); });
    if (!after.empty()) {
      wanted.push_back(after.back());
      continue;
    }
    const Item item = std::move(queue->items.front());
    queue->items.pop_front();
    queue->kept -= item.kept;
    if (queue->items.empty()) std::erase(busy_, queue);
    ++queue->ran;
    if (item.work) item.work();
  }
  FinishIfIdle();
}

template <typename Covered>
void HeldWork::RunWhere(Covered covered) {
  std::vector<std::shared_ptr<Queue>> queues;
  std::ranges::copy_if(busy_, std::back_inserter(queues), covered);
  std::ranges::sort(queues, std::greater<>(), [](const auto& queue) { return queue->latest; });
  for (const std::shared_ptr<Queue>& queue : queues) Run(Tail(queue));
}

void HeldWork::Run(const std::shared_ptr<Queue>& queue) {
  RunWhere([&](const auto& other) {
    return other == queue || (queue->order == Order::kLegacy && other->device == queue->device &&
                              other->order == Order::kBlocking);
  });
}

void HeldWork::RunDevice(int device) {
  RunWhere([&](const auto& queue) { return queue->device == device; });
}

void HeldWork::RunAll() {
  RunWhere([](const auto&) { return true; });
}

void HeldWork::WhenIdle(std::function<void()> action, std::size_t bytes) {
  when_idle_.push_back(std::move(action));
  idle_bytes_ += bytes;
}

void HeldWork::FinishIfIdle() {
  if (!busy_.empty() && idle_bytes_ > kMostKept) return RunAll();
  if (!busy_.empty()) return;
  idle_bytes_ = 0;
  for (const std::function<void()>& action : std::exchange(when_idle_, {})) action();
}

}  // namespace stridelab::driver::simulated
