#include "service/replies.hpp"

#include <utility>

#include "thresher/net/codec.hpp"
#include "thresher/net/wire.hpp"
#include "wire/result_entries.hpp"

namespace thresher::net {

void Replies::leave(ConnectionId link) {
  acks_.erase(link);
  untold_.erase(link);
}

void Replies::placed(ConnectionId link, const Placed& at) {
  const auto told = untold_.find(link);
  if (told != untold_.end()) return told->second.push_back(at);
  acks_[link].u64(at.sequence).u64(at.position);
}

void Replies::tell(Round slot) {
  if (acks_.empty()) return;
  const Bytes control = wire::encode(wire::Ack{slot});
  for (auto& [link, acks] : std::exchange(acks_, {})) {
    const Frame frame = older_.speaks(link) ? Frame{kAck, {}, older_.acks_of(link, acks.view())}
                                            : Frame{kAck, control, Bytes::from(acks.take())};
    if (!hooks_.send(link, frame)) hooks_.drop(link);
  }
}

std::optional<std::uint64_t> Replies::tell_results(Round slot) {
  std::vector<ConnectionId> links;  // a full one may close, and leave the map
  for (const auto& [link, waiting] : untold_) {
    if (!waiting.empty()) links.push_back(link);
  }
  if (links.empty()) return std::nullopt;
  const Bytes control = wire::encode(wire::Results{slot});
  bool more = false;
  for (const ConnectionId link : links)
    more |= untold_.contains(link) && tell_results(link, control);
  return more ? std::optional(hooks_.now_us() + kRetry) : std::nullopt;
}

// True when something is left.
bool Replies::tell_results(ConnectionId link, const Bytes& control) {
  std::deque<Placed>& waiting = untold_[link];
  while (!waiting.empty() && hooks_.queued(link) <= kResultsFrame) {
    Writer out;
    while (!waiting.empty() && out.view().size() < kResultsFrame) {
      const Placed at = waiting.front();
      if (at.position >= results_.end()) break;  // the node stops, and has not applied it
      append_result(at.sequence, at.position, results_.of(at.position), out);
      waiting.pop_front();
    }
    if (out.view().empty()) return false;
    if (!hooks_.send(link, {kResults, control, Bytes::from(out.take())})) {
      hooks_.drop(link);
      return false;
    }
  }
  if (waiting.size() <= kMostUntold) return !waiting.empty();
  hooks_.drop(link);
  return false;
}

}  // namespace thresher::net
