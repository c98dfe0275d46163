#include "compute/take.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace stridelab::compute {

void Take(const TakeRequest& request, std::byte* out, const std::byte* in, const std::byte* index) {
  const std::size_t axis = request.before.size();
  std::int64_t rows = 1;
  for (const std::int64_t length : request.before) rows *= length;
  std::int64_t run = 1;
  for (const std::int64_t length : request.after) run *= length;
  if (rows == 0 || run == 0 || request.length == 0) return;
  const auto inner = [&](const Strided& operand) {
    return std::vector<std::int64_t>(operand.strides.begin() + static_cast<std::ptrdiff_t>(axis) + 1,
                                     operand.strides.end());
  };
  const std::vector<std::int64_t> out_inner = inner(request.out);
  const std::vector<std::int64_t> in_inner = inner(request.in);
  std::vector<std::byte> buffer(std::min<std::size_t>(static_cast<std::size_t>(run), 4096) *
                                request.itemsize);
  std::vector<std::int64_t> position(axis, 0);
  std::int64_t out_offset = request.out.offset;
  std::int64_t in_offset = request.in.offset;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t at = 0; at < request.count; ++at) {
      const std::byte* place = index + request.index.offset + at * request.index.strides[0];
      std::int64_t chosen = 0;
      if (request.wide) {
        std::memcpy(&chosen, place, sizeof(chosen));
      } else {
        std::int32_t narrow = 0;
        std::memcpy(&narrow, place, sizeof(narrow));
        chosen = narrow;
      }
      chosen %= request.length;
      if (chosen < 0) chosen += request.length;
      Cursor from(request.after, {in_offset + chosen * request.in.strides[axis], in_inner});
      Cursor to(request.after, {out_offset + at * request.out.strides[axis], out_inner});
      for (std::int64_t done = 0; done < run; done += 4096) {
        const auto count = static_cast<std::size_t>(std::min<std::int64_t>(4096, run - done));
        from.Gather(in, request.itemsize, buffer.data(), count);
        to.Scatter(out, request.itemsize, buffer.data(), count);
      }
    }
    for (std::size_t outer = axis; outer-- > 0;) {
      const std::int64_t turns = ++position[outer] < request.before[outer] ? 1 : 1 - request.before[outer];
      out_offset += turns * request.out.strides[outer];
      in_offset += turns * request.in.strides[outer];
      if (turns == 1) break;
      position[outer] = 0;
    }
  }
}

}  // namespace stridelab::compute
