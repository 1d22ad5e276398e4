#include "visitors.hpp"

#include <algorithm>

namespace thresher::net {
namespace {
/// The part of the places for clients that asked for nothing yet: one in so many.
constexpr std::size_t kForNewcomers = 8;
}  // namespace

void Visitors::arrive(ConnectionId link, const ClientId& client, std::uint64_t now) {
  visitors_[link] = {client, now, false};
  links_[client].push_back(link);
}

void Visitors::leave(ConnectionId link) {
  const auto it = visitors_.find(link);
  if (it == visitors_.end()) return;
  const auto links = links_.find(it->second.client);
  std::erase(links->second, link);
  if (links->second.empty()) links_.erase(links);
  visitors_.erase(it);
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

const std::vector<ConnectionId>& Visitors::links_of(const ClientId& client) const {
  static const std::vector<ConnectionId> none;
  const auto it = links_.find(client);
  return it == links_.end() ? none : it->second;
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
