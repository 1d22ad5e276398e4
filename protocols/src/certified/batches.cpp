#include "batches.hpp"

#include <algorithm>
#include <utility>

#include "pull_timer.hpp"
#include "thresher/core/assert.hpp"

namespace thresher::certified {

Batches::Batches(const Committee& committee, const Limits& limits)
    : most_(limits.batches_per_peer),
      most_bytes_(limits.batch_bytes_per_peer),
      authors_(committee.size()) {}

Batches::Kept Batches::keep(NodeId author, const Payload& payload) {
  std::vector<Payload>& kept = authors_[author.value].kept;
  const auto same = [&](const Payload& p) { return p.root == payload.root; };
  if (std::any_of(kept.begin(), kept.end(), same)) return Kept::kKnown;
  std::size_t bytes = payload.bytes.size();
  if (bytes > most_bytes_) return Kept::kTooLarge;
  for (const Payload& p : kept) bytes += p.bytes.size();
  while (kept.size() >= most_ || bytes > most_bytes_) {
    bytes -= kept.front().bytes.size();
    kept.erase(kept.begin());
  }
  kept.push_back(payload);
  return Kept::kNew;
}

void Batches::carried(NodeId author, const Digest& root) {
  std::erase_if(authors_[author.value].kept, [&](const Payload& p) { return p.root == root; });
}

std::optional<Payload> Batches::of(const Header& h) const {
  if (h.payload_root.is_zero()) return Payload{};
  const auto fits = [&](const Payload& p) {
    return p.root == h.payload_root && p.bytes.size() == h.payload_bytes;
  };
  const Author& author = authors_[h.author.value];
  if (fits(author.voted)) return author.voted;
  const auto it = std::find_if(author.kept.begin(), author.kept.end(), fits);
  return it == author.kept.end() ? std::nullopt : std::optional<Payload>(*it);
}

std::optional<Payload> Batches::find(const Digest& root) const {
  const auto fits = [&](const Payload& p) { return p.root == root && !p.bytes.empty(); };
  for (const Author& author : authors_) {
    if (fits(author.voted)) return author.voted;
    const auto it = std::find_if(author.kept.begin(), author.kept.end(), fits);
    if (it != author.kept.end()) return *it;
  }
  return std::nullopt;
}

void Batches::lacks(NodeId author, bool lacks) {
  Author& one = authors_[author.value];
  if (std::exchange(one.lacks, lacks) == lacks) return;
  one.ticks = 0;
  lacking_ += lacks ? 1 : 0;
  lacking_ -= lacks ? 0 : 1;
}

// R8, for payloads. First the author, then everybody in turn; each has time to answer.
std::optional<NodeId> Batches::whom_to_ask(NodeId author) {
  THRESHER_ASSERT(lacks(author), "a payload is searched for while a header waits for it");
  const std::uint32_t tick = authors_[author.value].ticks++;
  if (tick >= kTicksForProposals) {  // until its author sends the header again
    lacks(author, false);
    return std::nullopt;
  }
  if (tick % kTicksPerAnswer != 0) return std::nullopt;
  const std::uint32_t turn = tick / kTicksPerAnswer;
  const std::uint32_t who = author.value + turn - std::min(turn, 1U);
  return NodeId{static_cast<std::uint16_t>(who % authors_.size())};
}

}  // namespace thresher::certified
