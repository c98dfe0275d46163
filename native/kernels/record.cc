#include "kernels/record.h"

#include <algorithm>

#include "kernels/batch.h"

namespace stridelab::kernels {

template <typename Visit>
void Recorder::EachWarp(std::size_t low, std::size_t high, const std::uint8_t* mask, std::uint64_t first,
                        Visit visit) const {
  for (std::size_t block = low / threads_; block * threads_ < high; ++block) {
    if (first + block >= words_.size()) return;
    for (std::size_t thread = 0; thread < threads_; thread += kWarp) {
      const std::size_t start = block * threads_ + thread;
      std::uint32_t lanes = 0;
      for (std::size_t lane = 0; lane < std::min(kWarp, threads_ - thread); ++lane) {
        const std::size_t at = start + lane;
        const bool in = at >= low && at < high && (mask == nullptr || mask[at] != 0);
        lanes |= std::uint32_t{in} << lane;
      }
      if (lanes != 0) visit(first + block, thread / kWarp, start, lanes);
    }
  }
}

void Recorder::Add(std::uint64_t block, const std::vector<std::int64_t>& entry) {
  while (size_ + entry.size() > most_words_ && words_.size() > 1) {
    size_ -= words_.back().size();
    words_.pop_back();
  }
  if (block >= words_.size()) return;
  complete_ = complete_ && size_ + entry.size() <= most_words_;
  if (!complete_) return;
  std::vector<std::int64_t>& words = words_[block];
  words.insert(words.end(), entry.begin(), entry.end());
  size_ += entry.size();
}

void Recorder::Access(const LaneAccess& access, std::uint64_t first, std::size_t apart) {
  const Array& array = program_.arrays()[access.array];
  if (array.space != Space::kGlobal && array.space != Space::kShared) return;
  const std::int64_t own = array.space == Space::kShared ? static_cast<std::int64_t>(apart) : 0;
  EachWarp(access.low, access.high, access.mask, first,
           [&](std::uint64_t block, std::size_t warp, std::size_t start, std::uint32_t lanes) {
             std::vector<std::int64_t> entry{static_cast<std::int64_t>(access.kind),
                                             access.instruction.place,
                                             static_cast<std::int64_t>(block),
                                             static_cast<std::int64_t>(warp),
                                             lanes,
                                             static_cast<std::int64_t>(access.array),
                                             static_cast<std::int64_t>(program_.BytesOf(access.instruction))};
             const std::int64_t shared = static_cast<std::int64_t>(start / threads_) * own;
             for (std::size_t lane = 0; lane < kWarp; ++lane) {
               if ((lanes >> lane & 1) != 0) entry.push_back(access.offsets[start + lane] - shared);
             }
             Add(block, entry);
           });
}

void Recorder::Branch(const Instruction& instruction, const Mask& active, const std::uint8_t* taken,
                      std::uint64_t first) {
  constexpr std::int64_t kBranch = 3;
  EachWarp(active.low, active.high, active.lanes, first,
           [&](std::uint64_t block, std::size_t warp, std::size_t start, std::uint32_t lanes) {
             std::uint32_t into = 0;
             for (std::size_t lane = 0; lane < kWarp; ++lane) {
               if ((lanes >> lane & 1) != 0) into |= std::uint32_t{taken[start + lane]} << lane;
             }
             Add(block, {kBranch, instruction.place, static_cast<std::int64_t>(block),
                         static_cast<std::int64_t>(warp), lanes, into});
           });
}

std::string Recorder::ToJson() const {
  std::string json = std::string("{\"complete\":") + (complete_ ? "true" : "false") +
                     ",\"blocks\":" + std::to_string(words_.size()) + ",\"places\":[";
  const auto separate = [&] {
    if (json.back() != '[') json += ',';
  };
  for (std::size_t number = 0; number < program_.places(); ++number) {
    separate();
    AppendPlace(json, program_.place(static_cast<std::int32_t>(number)));
  }
  json += "],\"words\":[";
  for (const std::vector<std::int64_t>& words : words_) {
    for (const std::int64_t word : words) {
      separate();
      json += std::to_string(word);
    }
  }
  return json + "]}";
}

}  // namespace stridelab::kernels
