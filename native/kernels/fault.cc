#include "kernels/fault.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

namespace stridelab::kernels {
namespace {

void AppendTriple(std::string& json, const char* name, std::uint64_t linear,
                  const std::array<std::uint32_t, 3>& extents) {
  const std::uint64_t row = std::max<std::uint64_t>(extents[0], 1);
  const std::uint64_t plane = row * std::max<std::uint64_t>(extents[1], 1);
  json += std::string(",\"") + name + "\":[" + std::to_string(linear % row) + "," +
          std::to_string(linear % plane / row) + "," + std::to_string(linear / plane) + "]";
}

void AppendActor(std::string& json, const Actor& actor, const Program& program, const Config& config) {
  const Place& place = program.place(actor.place);
  json += "\"place\":";
  AppendPlace(json, place);
  json += ",\"fileName\":";
  AppendQuoted(json, program.file(place.file));
  AppendTriple(json, "block", actor.block, config.grid);
  AppendTriple(json, "thread", actor.thread, config.block);
}

}  // namespace

void AppendPlace(std::string& json, const Place& place) {
  json += "{\"line\":" + std::to_string(place.line) + ",\"column\":" + std::to_string(place.column) +
          ",\"length\":" + std::to_string(place.length) + ",\"file\":" + std::to_string(place.file) + "}";
}

void AppendQuoted(std::string& json, const std::string& text) {
  json += '"';
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') {
      json += '\\';
      json += letter;
    } else if (static_cast<unsigned char>(letter) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", static_cast<unsigned>(letter));
      json += escape;
    } else {
      json += letter;
    }
  }
  json += '"';
}

std::string ToJson(const Fault& fault, const Program& program, const Config& config) {
  std::string json = std::string("{\"kind\":\"") + fault.kind + "\",\"kernel\":";
  AppendQuoted(json, program.name());
  json += ",\"count\":" + std::to_string(fault.count) + ",";
  AppendActor(json, fault.actor, program, config);
  if (fault.array >= 0) {
    json += ",\"array\":";
    AppendQuoted(json, program.arrays()[static_cast<std::size_t>(fault.array)].name);
    json += ",\"index\":[";
    for (const std::int64_t one : fault.index) json += (json.back() == '[' ? "" : ",") + std::to_string(one);
    json += ']';
  }
  if (fault.axis >= 0) {
    json += ",\"axis\":" + std::to_string(fault.axis) + ",\"length\":" + std::to_string(fault.length);
  }
  if (fault.bytes > 0) json.append(",\"bytes\":").append(std::to_string(fault.bytes));
  if (fault.other) {
    json += ",\"other\":{";
    AppendActor(json, *fault.other, program, config);
    json += '}';
  }
  if (!fault.message.empty()) {
    json += ",\"message\":";
    AppendQuoted(json, fault.message);
  }
  return json + "}";
}

void Report::Add(Fault fault) {
  const std::lock_guard lock(mutex_);
  const auto same = std::ranges::find_if(faults_, [&](const Fault& known) {
    return known.actor.place == fault.actor.place && std::strcmp(known.kind, fault.kind) == 0;
  });
  if (same != faults_.end()) {
    same->count += fault.count;
  } else if (faults_.size() < most_) {
    faults_.push_back(std::move(fault));
  }
  if (most_ == 1) Stop();
}

bool Report::interrupted() const {
  return std::ranges::any_of(
      faults_, [](const Fault& fault) { return std::strcmp(fault.kind, kInterruptedKind) == 0; });
}

void Report::Print(const std::string& lines) {
  const std::lock_guard lock(mutex_);
  if (output_.size() < kMostOutput) output_ += lines;
}

void Mailbox::Update() {
  const std::int32_t bits = (fault_ ? 1 : 0) | (output_.empty() ? 0 : 2);
  if (word_ != nullptr) std::atomic_ref(*word_).store(bits);
}

void Mailbox::Attach(std::int32_t* word) {
  const std::lock_guard lock(mutex_);
  word_ = word;
  Update();
}

void Mailbox::Deliver(const Report& report, const Program& program, const Config& config) {
  const std::lock_guard lock(mutex_);
  if (output_.size() < kMostOutput) output_ += report.output();
  if (!report.faults().empty() && !fault_) {
    fault_ = ToJson(report.faults()[0], program, config);
    interrupt_waits_ = report.interrupted();
  }
  interrupted_ |= report.interrupted();
  Update();
}

std::optional<std::string> Mailbox::TakeFault() {
  const std::lock_guard lock(mutex_);
  auto taken = std::exchange(fault_, std::nullopt);
  interrupted_ = interrupt_waits_ = false;
  Update();
  return taken;
}

bool Mailbox::TakeInterrupt() {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(interrupted_, false)) return false;
  if (std::exchange(interrupt_waits_, false)) fault_.reset();
  Update();
  return true;
}

std::string Mailbox::TakeOutput() {
  const std::lock_guard lock(mutex_);
  auto taken = std::exchange(output_, {});
  Update();
  return taken;
}

}  // namespace stridelab::kernels
