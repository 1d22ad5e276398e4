#include "links/conduct.hpp"

#include <algorithm>
#include <numeric>

namespace thresher::net {
namespace {

constexpr std::array<const char*, kDeeds> kWords{"malformed frames", "refused messages",
                                                 "bad signatures", "false answers about the log"};

std::string name_of(std::size_t who, const std::string& address) {
  return "node " + std::to_string(who) + (address.empty() ? "" : " at " + address);
}

}  // namespace

std::uint64_t Conduct::sum(Deed deed) const {
  return std::accumulate(peers_.begin(), peers_.end(), std::uint64_t{0},
                         [deed](std::uint64_t s, const Peer& p) {
                           return s + p.count[static_cast<std::size_t>(deed)];
                         });
}

Suspicion Conduct::suspicion(NodeId who, std::uint64_t now) const {
  const Peer& p = peers_[who.value];
  if (p.convicted) return Suspicion::kProved;
  return p.suspect_until > now ? Suspicion::kSuspected : Suspicion::kNone;
}

// Whether what was not told yet is a reason for a warning.
bool Conduct::serious(const Peer& p, bool excuses_refused) {
  for (std::size_t d = 0; d < kDeeds; ++d) {
    const std::uint64_t news = p.count[d] - p.told[d];
    const bool refused = d == static_cast<std::size_t>(Deed::kRefused);
    if (refused ? news >= kTolerated && !excuses_refused : news > 0) return true;
  }
  return false;
}

// Each period begins with all its lines; what was left out in the one before is told in one.
void Conduct::begin_links(Peer& p, std::uint64_t now, std::size_t who) {
  if (p.links_since != 0 && now - p.links_since < kQuiet) return;
  if (p.untold_links > 0) {
    say_(Level::kInfo, name_of(who, p.address) + ": its link changed " +
                           std::to_string(p.untold_links) + " times more");
  }
  p.links_since = now;
  p.lines = 0;
  p.untold_links = 0;
  p.refusals.clear();
}

void Conduct::link(const LinkChange& change, std::uint64_t now) {
  Peer& p = peers_[change.peer];
  if (!change.address.empty()) p.address = change.address;
  begin_links(p, now, change.peer);
  if (change.refused) {
    // It may dial four times a second; the same words once.
    const bool known =
        std::find(p.refusals.begin(), p.refusals.end(), change.why) != p.refusals.end();
    if (known || p.refusals.size() >= kLinkLines) return;
    p.refusals.push_back(change.why);
    p.suspect_until = now + 2 * kQuiet;
    return say_(Level::kWarning,
                "node " + std::to_string(change.peer) + ": " + change.why +
                    (change.address.empty() ? "" : " (it is at " + change.address + ")"));
  }
  if (p.lines >= kLinkLines) {
    ++p.untold_links;
    return;
  }
  ++p.lines;
  say_(Level::kInfo, change.up ? "the link to " + name_of(change.peer, change.address) + " is up"
                               : "the link to " + name_of(change.peer, change.address) +
                                     " is down: " + change.why);
}

void Conduct::tick(std::uint64_t now, bool lags) {
  if (lags) lagged_until_ = now + kQuiet;
  for (std::size_t who = 0; who < peers_.size(); ++who) {
    Peer& p = peers_[who];
    if (p.count == p.told) {
      if (p.untold_links > 0) begin_links(p, now, who);
      continue;
    }
    if (p.since == 0) {
      p.since = now;
      p.lagged = false;
    }
    p.lagged |= now < lagged_until_;
    // A warning does not wait for the end of the quiet after a line that was none.
    const bool warns = serious(p, p.lagged);
    const bool may = now >= p.quiet_until || (!p.warned && warns);
    const bool settles = warns && !serious(p, true);
    if (may && now - p.since >= (settles ? kSettles : kGather)) tell(who, now);
  }
}

void Conduct::close(std::uint64_t now) {
  for (std::size_t who = 0; who < peers_.size(); ++who) {
    if (peers_[who].count != peers_[who].told) tell(who, now);
  }
}

void Conduct::tell(std::size_t who, std::uint64_t now) {
  Peer& p = peers_[who];
  std::string what;
  for (std::size_t d = 0; d < kDeeds; ++d) {
    const std::uint64_t news = p.count[d] - p.told[d];
    if (news > 0) what += (what.empty() ? "" : ", ") + std::to_string(news) + " " + kWords[d];
  }
  p.warned = serious(p, p.lagged);
  const std::uint64_t seconds = (now - p.since) / 1'000'000 + 1;
  std::string line =
      name_of(who, p.address) + " sent in " + std::to_string(seconds) + " s: " + what;
  if (!p.remark.empty()) line += " (" + p.remark + ")";
  if (p.warned) {
    line += "; it is faulty, of another version, or attacked: ask its operator";
    p.suspect_until = now + 2 * kQuiet;
  }
  say_(p.warned ? Level::kWarning : Level::kInfo, line);
  p.told = p.count;
  p.remark.clear();
  p.since = 0;
  p.quiet_until = now + kQuiet;
}

}  // namespace thresher::net
