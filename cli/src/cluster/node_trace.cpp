#include "node_trace.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace thresher::cli {
namespace {

using net::TraceMark;
using net::TraceRecord;

/// Blocks that may be accepted out of turn between one and what followed from it.
constexpr std::size_t kLookBack = 256;

void once(std::uint64_t& time, std::uint64_t at) {
  if (time == 0) time = at;
}

}  // namespace

void NodeTrace::add(const std::vector<TraceRecord>& records) {
  if (!samples_.empty()) before_ = samples_.back().duties;
  for (const TraceRecord& r : records) {
    note_block(r);
    note_transactions(r);
    note_spent(r);
  }
  const auto by_client = [](const Taken& x, const Taken& y) {
    return std::tie(x.client, x.first, x.at) < std::tie(y.client, y.first, y.at);
  };
  std::sort(taken_.begin(), taken_.end(), by_client);
  std::stable_sort(accepted_.begin(), accepted_.end(),
                   [](const Accepted& x, const Accepted& y) { return x.at < y.at; });
  std::sort(woken_.begin(), woken_.end());
  const auto by_position = [](const Answered& x, const Answered& y) { return x.first < y.first; };
  std::stable_sort(answered_.begin(), answered_.end(), by_position);
}

void NodeTrace::note_block(const TraceRecord& r) {
  switch (r.mark) {
    case TraceMark::kComposed:
      own_[r.id].round = r.a;
      return once(own_[r.id].composed, r.at_us);
    case TraceMark::kSigned:
      once(own_[r.id].signed_at, r.at_us);
      accepted_.push_back({r.at_us, r.id, own_[r.id].round, true});
      return;
    case TraceMark::kSynced:
      once(own_[r.id].write_began, r.a);
      return once(own_[r.id].synced, r.at_us);
    case TraceMark::kWoken:
      woken_.push_back(r.at_us);
      return once(own_[r.id].woken, r.at_us);
    case TraceMark::kSent:
      return once(own_[r.id].sent, r.at_us);
    case TraceMark::kReceived:
      peers_[r.id].author = r.node;
      return once(peers_[r.id].received, r.at_us);
    case TraceMark::kVerified:
      return once(peers_[r.id].verified, r.at_us);
    case TraceMark::kAccepted:
      peers_[r.id].round = r.a;
      if (peers_[r.id].accepted != 0) return;
      peers_[r.id].accepted = r.at_us;
      accepted_.push_back({r.at_us, r.id, r.a, false});
      return;
    case TraceMark::kTaken:
    case TraceMark::kPacked:
    case TraceMark::kAsked:
    case TraceMark::kOrdered:
    case TraceMark::kAnswered:
    case TraceMark::kSpent:
      return;
  }
}

void NodeTrace::note_transactions(const TraceRecord& r) {
  switch (r.mark) {
    case TraceMark::kTaken:
      taken_.push_back({r.id, r.a, r.b, r.at_us});
      return;
    case TraceMark::kPacked:
      packed_.push_back(r.at_us);
      return;
    case TraceMark::kOrdered:
      ordered_.emplace(r.id, Ordered{r.id, r.node, r.at_us, 0});
      return;
    case TraceMark::kAnswered:
      answered_.push_back({r.a, r.b, r.id, r.at_us});
      return;
    case TraceMark::kComposed:
    case TraceMark::kSigned:
    case TraceMark::kSynced:
    case TraceMark::kWoken:
    case TraceMark::kSent:
    case TraceMark::kReceived:
    case TraceMark::kAsked:
    case TraceMark::kVerified:
    case TraceMark::kAccepted:
    case TraceMark::kSpent:
      return;
  }
}

void NodeTrace::note_spent(const TraceRecord& r) {
  if (r.mark != TraceMark::kSpent) return;
  if (samples_.empty() || samples_.back().at != r.at_us) samples_.push_back({r.at_us, before_});
  Duties& duties = samples_.back().duties;
  if (duties.size() <= r.node) duties.resize(r.node + std::size_t{1});
  const Spent base = r.node < before_.size() ? before_[r.node] : Spent{};
  duties[r.node] = {base.ns + r.a, base.turns + r.b};
}

const NodeTrace::OwnBlock* NodeTrace::own(std::uint64_t id) const {
  const auto it = own_.find(id);
  return it != own_.end() && it->second.whole() ? &it->second : nullptr;
}

const NodeTrace::PeerBlock* NodeTrace::of_peer(std::uint64_t id) const {
  const auto it = peers_.find(id);
  return it != peers_.end() && it->second.whole() ? &it->second : nullptr;
}

std::optional<std::uint64_t> NodeTrace::taken(std::uint64_t client, std::uint64_t sequence) const {
  const auto behind = std::upper_bound(
      taken_.begin(), taken_.end(), std::tie(client, sequence),
      [](const auto& key, const Taken& t) { return key < std::tie(t.client, t.first); });
  if (behind == taken_.begin()) return std::nullopt;
  const Taken& t = *std::prev(behind);
  if (t.client != client || sequence > t.last) return std::nullopt;
  return t.at;
}

std::optional<std::uint64_t> NodeTrace::packed_after(std::uint64_t at) const {
  const auto it = std::lower_bound(packed_.begin(), packed_.end(), at);
  return it == packed_.end() ? std::nullopt : std::optional(*it);
}

std::optional<NodeTrace::Ordered> NodeTrace::ordered(std::uint64_t position) const {
  const auto behind =
      std::upper_bound(answered_.begin(), answered_.end(), position,
                       [](std::uint64_t p, const Answered& a) { return p < a.first; });
  if (behind == answered_.begin()) return std::nullopt;
  const Answered& a = *std::prev(behind);
  const auto it = ordered_.find(a.id);
  if (position >= a.first + a.count || it == ordered_.end()) return std::nullopt;
  Ordered out = it->second;
  out.answered = a.at;
  return out;
}

std::optional<NodeTrace::Accepted> NodeTrace::accepted_before(std::uint64_t at,
                                                              std::uint64_t least) const {
  auto it = std::upper_bound(accepted_.begin(), accepted_.end(), at,
                             [](std::uint64_t t, const Accepted& a) { return t < a.at; });
  for (std::size_t k = 0; it != accepted_.begin() && k < kLookBack; ++k) {
    --it;
    if (it->round >= least) return *it;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> NodeTrace::woken_between(std::uint64_t after,
                                                      std::uint64_t until) const {
  const auto behind = std::upper_bound(woken_.begin(), woken_.end(), until);
  if (behind == woken_.begin() || *std::prev(behind) <= after) return std::nullopt;
  return *std::prev(behind);
}

NodeTrace::Duties NodeTrace::spent(std::uint64_t begin, std::uint64_t end) const {
  if (samples_.empty()) return {};
  const auto later = [](std::uint64_t t, const Sample& s) { return t < s.at; };
  const auto sooner = [](const Sample& s, std::uint64_t t) { return s.at < t; };
  const auto from = std::upper_bound(samples_.begin(), samples_.end(), begin, later);
  auto to = std::lower_bound(samples_.begin(), samples_.end(), end, sooner);
  if (to == samples_.end()) --to;
  Duties out = to->duties;
  if (from == samples_.begin()) return out;
  const Duties& before = std::prev(from)->duties;
  for (std::size_t d = 0; d < out.size() && d < before.size(); ++d) {
    out[d].ns -= std::min(out[d].ns, before[d].ns);
    out[d].turns -= std::min(out[d].turns, before[d].turns);
  }
  return out;
}

}  // namespace thresher::cli
