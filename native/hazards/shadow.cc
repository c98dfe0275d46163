#include "hazards/shadow.h"

#include <algorithm>

namespace stridelab::hazards {
namespace {

/** Adds a pair to the reports, one for each earlier access however many ranges it covers. */
void NotePair(std::vector<Report>& pairs, std::uint64_t start, std::uint64_t end, const Stamp& first,
              const Stamp& second) {
  for (Report& pair : pairs) {
    if (pair.first != first.access) continue;
    pair.bytes = end - pair.start;
    return;
  }
  pairs.push_back(Report{start, end - start, first.access, second.access});
}

}  // namespace

void Shadow::Split(std::uint64_t address) {
  const auto after = cells_.upper_bound(address);
  if (after == cells_.begin()) return;
  const auto cell = std::prev(after);
  if (cell->first == address || cell->second.end <= address) return;
  Cell rest = cell->second;
  cell->second.end = address;
  cells_.emplace_hint(after, address, std::move(rest));
}

std::vector<Report> Shadow::Add(std::uint64_t start, std::uint64_t bytes, const Stamp& stamp,
                                const Clock& clock) {
  std::vector<Report> pairs;
  if (bytes == 0) return pairs;
  const std::uint64_t end = start + bytes;
  Split(start);
  Split(end);
  const bool write = stamp.access->write;
  std::uint64_t next = start;
  auto entry = cells_.lower_bound(start);
  for (; entry != cells_.end() && entry->first < end; ++entry) {
    Cell& cell = entry->second;
    if (cell.write && !cell.write->IsBefore(clock))
      NotePair(pairs, entry->first, cell.end, *cell.write, stamp);
    if (write) {
      for (const Stamp& read : cell.reads) {
        if (!read.IsBefore(clock)) NotePair(pairs, entry->first, cell.end, read, stamp);
      }
      continue;
    }
    if (next < entry->first) cells_.emplace_hint(entry, next, Cell{entry->first, std::nullopt, {stamp}});
    next = cell.end;
    std::erase_if(cell.reads, [&](const Stamp& read) { return read.IsBefore(clock); });
    cell.reads.push_back(stamp);
  }
  if (write) {
    cells_.erase(cells_.lower_bound(start), entry);
    cells_.emplace_hint(entry, start, Cell{end, stamp, {}});
  } else if (next < end) {
    cells_.emplace_hint(entry, next, Cell{end, std::nullopt, {stamp}});
  }
  return pairs;
}

void Shadow::Forget(std::uint64_t start, std::uint64_t bytes) {
  Split(start);
  Split(start + bytes);
  cells_.erase(cells_.lower_bound(start), cells_.lower_bound(start + bytes));
}

bool Shadow::Knows(std::uint64_t start, std::uint64_t bytes) const {
  const auto after = cells_.lower_bound(start + bytes);
  return after != cells_.begin() && std::prev(after)->second.end > start;
}

void Shadow::Prune(const Clock& clock) {
  if (cells_.size() < prune_at_) return;
  std::erase_if(cells_, [&](const auto& entry) {
    const Cell& cell = entry.second;
    return (!cell.write || cell.write->IsBefore(clock)) &&
           std::all_of(cell.reads.begin(), cell.reads.end(),
                       [&](const Stamp& read) { return read.IsBefore(clock); });
  });
  prune_at_ = std::max(kFirstPrune, 2 * cells_.size());
}

}  // namespace stridelab::hazards
