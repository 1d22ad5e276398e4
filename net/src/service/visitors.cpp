#include "service/visitors.hpp"

#include <algorithm>

namespace thresher::net {
namespace {
/// The part of the places for clients that asked for nothing yet: one in so many.
constexpr std::size_t kForNewcomers = 8;
}  // namespace

void Visitors::arrive(ConnectionId link, const ClientId& client, std::uint64_t now) {
  visitors_[link] = {client, now, false};
}

void Visitors::leave(ConnectionId link) {
  visitors_.erase(link);
}

void Visitors::served(ConnectionId link, std::uint64_t now) {
  const auto it = visitors_.find(link);
  if (it == visitors_.end()) return;
  it->second.last_us = now;
  it->second.asked = true;
}

const ClientId* Visitors::client(ConnectionId link) const {
  const auto it = visitors_.find(link);
  return it == visitors_.end() ? nullptr : &it->second.client;
}

std::optional<ConnectionId> Visitors::least_useful() const {
  const auto silent = static_cast<std::size_t>(std::count_if(
      visitors_.begin(), visitors_.end(), [](const auto& v) { return !v.second.asked; }));
  const bool from_silent = silent > 0 && silent * kForNewcomers >= visitors_.size();
  std::optional<ConnectionId> out;
  std::uint64_t oldest = 0;
  for (const auto& [link, v] : visitors_) {
    if (v.asked == from_silent) continue;
    if (out && v.last_us >= oldest) continue;
    out = link;
    oldest = v.last_us;
  }
  return out ? out : visitors_.empty() ? std::nullopt : std::optional(visitors_.begin()->first);
}

}  // namespace thresher::net
