#include "ledger/log_service.hpp"

#include <algorithm>

namespace thresher::net {

void LogService::want(NodeId from, const wire::WantLog& question) {
  Peer& p = peers_[from.value];
  p.question = question;
  p.parts = std::clamp(question.parts, 1u, kMostParts);
}

std::optional<std::uint64_t> LogService::step() {
  const std::uint64_t now = hooks_.now_us();
  if (now >= next_us_) {
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      const std::size_t peer = (turn_ + i) % peers_.size();
      if (peers_[peer].parts == 0 || peers_[peer].next_us > now) continue;
      turn_ = peer + 1;
      serve(peer, now);
      break;
    }
  }
  std::optional<std::uint64_t> soonest;
  for (const Peer& p : peers_) {
    if (p.parts == 0) continue;
    const std::uint64_t at = std::max(p.next_us, next_us_);
    if (!soonest || at < *soonest) soonest = at;
  }
  return soonest;
}

void LogService::serve(std::size_t peer, std::uint64_t now) {
  Peer& p = peers_[peer];
  const LogAnswer answer = hooks_.read(p.question);
  const std::uint64_t took = hooks_.now_us() - now;
  const std::size_t size = answer.frame.payload.size();
  next_us_ = now + took * kShare;
  p.next_us = now + size / kRate;
  p.bytes += size;
  p.question = answer.rest;
  const bool sent = hooks_.send(NodeId{static_cast<std::uint16_t>(peer)}, answer.frame);
  p.parts = sent && answer.more ? p.parts - 1 : 0;
}

}  // namespace thresher::net
