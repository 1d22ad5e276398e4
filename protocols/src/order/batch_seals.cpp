#include "thresher/protocols/order/batch_seals.hpp"

#include <algorithm>
#include <utility>

#include "thresher/core/assert.hpp"
#include "thresher/core/transcript.hpp"

namespace thresher::honey_badger {
namespace {

// Binds a ciphertext to its epoch and origin: it counts as no other batch.
Bytes label_of(std::uint64_t epoch, NodeId origin) {
  Transcript t("thresher/honeybadger-batch/1", {});
  t.u64(epoch).u16(origin.value);
  return Bytes::from(t.take());
}

}  // namespace

BatchSeals::BatchSeals(Config config)
    : config_(std::move(config)), false_shares_(config_.committee.size()) {}

// H10
Bytes BatchSeals::seal(std::uint64_t epoch, const Bytes& batch) const {
  auto out = config_.scheme->encrypt(label_of(epoch, config_.self).view(), batch.view());
  THRESHER_ASSERT(out, "a node that encrypts holds its secret");
  return *std::move(out);
}

bool BatchSeals::valid(std::uint64_t epoch, NodeId origin, ByteView sealed) const {
  return config_.scheme->valid(label_of(epoch, origin).view(), sealed);
}

void BatchSeals::agreed(const subset::Output& output) {
  const auto [at, fresh] = epochs_.try_emplace(output.epoch);
  if (!fresh) return;
  at->second.entries = output.entries;
  const auto early = early_.extract(output.epoch);
  if (early.empty()) return;
  for (const auto& [from, shares] : early.mapped()) take(at->second, from, shares);
}

bool BatchSeals::told(std::uint64_t epoch) const {
  const auto at = epochs_.find(epoch);
  return at != epochs_.end() && (at->second.opened || !at->second.own.empty());
}

// H11: all of the subset, so that one message opens what it can.
Reveal BatchSeals::mine(std::uint64_t number) {
  Epoch& epoch = epochs_.at(number);
  if (epoch.own.empty()) {
    for (const subset::Entry& entry : epoch.entries) {
      const auto share =
          config_.scheme->share(label_of(number, entry.origin).view(), entry.payload.view());
      THRESHER_ASSERT(share, "a subset has valid batches alone, and this node its secret");
      epoch.own.push_back({entry.origin, *share});
    }
  }
  return {.epoch = number, .shares = epoch.own};
}

Reveal BatchSeals::mine_asking(std::uint64_t number) {
  Reveal out = mine(number);
  out.asks = true;
  return out;
}

bool BatchSeals::answers(NodeId from, std::uint64_t epoch) {
  if (!knows(epoch)) return false;
  return answered_.try_emplace(epoch, config_.committee.size()).first->second.insert(from);
}

void BatchSeals::hear(NodeId from, const Reveal& reveal, std::uint64_t current) {
  if (reveal.shares.empty() || reveal.epoch < current || reveal.epoch - current >= kAhead) return;
  const auto at = epochs_.find(reveal.epoch);
  if (at != epochs_.end()) return take(at->second, from, reveal.shares);
  (void)early_[reveal.epoch].try_emplace(from, reveal.shares);
}

// One list of each node: who tells several is not heard twice.
void BatchSeals::take(Epoch& epoch, NodeId from, const Shares& shares) {
  if (epoch.opened || epoch.heard.contains(from) || epoch.good.contains(from)) return;
  if (epoch.liars.contains(from)) return;
  const bool fits =
      std::ranges::equal(shares, epoch.entries, {}, &RevealedShare::origin, &subset::Entry::origin);
  if (!fits) return refuse(epoch, from);
  epoch.heard.emplace(from, shares);
}

void BatchSeals::refuse(Epoch& epoch, NodeId from) {
  epoch.liars.insert(from);
  ++refused_;
  ++false_shares_[from.value];
}

// H12. If one share of a node is false, none of its shares counts.
void BatchSeals::judge(std::uint64_t number, Epoch& epoch) {
  const auto heard = std::exchange(epoch.heard, {});
  std::vector<std::uint8_t> good(heard.size(), 1);
  for (std::size_t k = 0; k < epoch.entries.size(); ++k) {
    std::vector<crypto::DecryptionClaim> claims;
    for (const auto& [from, shares] : heard) claims.push_back({from, shares[k].share});
    std::vector<std::uint8_t> verdicts(claims.size());
    const subset::Entry& entry = epoch.entries[k];
    config_.scheme->verify(label_of(number, entry.origin).view(), entry.payload.view(), claims,
                           verdicts);
    for (std::size_t i = 0; i < verdicts.size(); ++i)
      good[i] = good[i] != 0 && verdicts[i] != 0 ? 1 : 0;
  }
  std::size_t i = 0;
  for (const auto& [from, shares] : heard) {
    if (good[i++] != 0) {
      epoch.good.emplace(from, shares);
    } else {
      refuse(epoch, from);
    }
  }
}

// H12
std::optional<std::vector<subset::Entry>> BatchSeals::open(std::uint64_t number) {
  Epoch& epoch = epochs_.at(number);
  const std::size_t needed = config_.scheme->threshold();
  if (epoch.opened) return std::nullopt;
  (void)mine(number);
  const auto enough = [&](std::size_t others) { return others + 1 >= needed; };
  if (!enough(epoch.good.size() + epoch.heard.size())) return std::nullopt;
  judge(number, epoch);
  if (!enough(epoch.good.size())) return std::nullopt;
  std::vector<subset::Entry> out;
  for (std::size_t k = 0; k < epoch.entries.size(); ++k) {
    const subset::Entry& entry = epoch.entries[k];
    std::vector<crypto::DecryptionClaim> claims{{config_.self, epoch.own[k].share}};
    for (const auto& [from, shares] : epoch.good) claims.push_back({from, shares[k].share});
    auto text = config_.scheme->combine(label_of(number, entry.origin).view(), entry.payload.view(),
                                        claims);
    THRESHER_ASSERT(text, "enough verified shares open a batch");
    out.push_back({entry.origin, *std::move(text)});
  }
  epoch.opened = true;
  epoch.entries.clear();
  epoch.good.clear();
  return out;
}

void BatchSeals::forget_below(std::uint64_t epoch) {
  epochs_.erase(epochs_.begin(), epochs_.lower_bound(epoch));
  early_.erase(early_.begin(), early_.lower_bound(epoch));
  answered_.erase(answered_.begin(), answered_.lower_bound(epoch));
}

std::size_t BatchSeals::held() const {
  std::size_t out = 0;
  const auto add = [&out](const std::map<NodeId, Shares>& lists) {
    for (const auto& [from, shares] : lists) out += shares.size();
  };
  for (const auto& [number, epoch] : epochs_) {
    out += epoch.own.size();
    add(epoch.heard);
    add(epoch.good);
  }
  for (const auto& [number, lists] : early_) add(lists);
  return out;
}

// Epochs that were passed by a jump keep what was heard of them until they are forgotten.
std::size_t BatchSeals::most_held(std::uint32_t nodes, std::uint64_t window) {
  return window * nodes * (nodes + std::size_t{1}) + kAhead * nodes * nodes;
}

}  // namespace thresher::honey_badger
