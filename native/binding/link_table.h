// The links to other processes of one JavaScript environment.
#pragma once

#include <napi.h>

#include <cstdint>
#include <unordered_map>
#include <utility>

#include "binding/channel_table.h"
#include "core/error.h"
#include "ipc/link.h"

namespace stridelab::binding {

struct OpenLink {
  ipc::Link link;
  /** Numbers of duplicates of its two descriptors, in the table that watches them. */
  std::uint32_t socket;
  std::uint32_t errors;
};

/** Links under the numbers of their sockets. JavaScript thread. */
class LinkTable {
 public:
  explicit LinkTable(Napi::Env env) : watched_(env) {}

  ChannelTable& watched() { return watched_; }

  std::uint32_t Add(ipc::Link link) {
    const std::uint32_t socket = watched_.Add(ipc::Duplicate(link.socket()));
    const std::uint32_t errors = watched_.Add(ipc::Duplicate(link.errors()));
    owners_.emplace(errors, socket);
    links_.emplace(socket, OpenLink{std::move(link), socket, errors});
    return socket;
  }

  OpenLink& Find(std::uint32_t number) {
    const auto entry = links_.find(number);
    if (entry == links_.end()) throw core::Error(core::ErrorKind::kFreed, "the connection is closed");
    return entry->second;
  }

  /** Returns the link that a watched number belongs to. */
  std::uint32_t OwnerOf(std::uint32_t number) const {
    const auto entry = owners_.find(number);
    return entry == owners_.end() ? number : entry->second;
  }

  void Close(std::uint32_t number) {
    const auto entry = links_.find(number);
    if (entry == links_.end()) return;
    watched_.Close(entry->second.socket);
    watched_.Close(entry->second.errors);
    owners_.erase(entry->second.errors);
    links_.erase(entry);
  }

 private:
  ChannelTable watched_;
  std::unordered_map<std::uint32_t, OpenLink> links_;
  std::unordered_map<std::uint32_t, std::uint32_t> owners_;
};

}  // namespace stridelab::binding
