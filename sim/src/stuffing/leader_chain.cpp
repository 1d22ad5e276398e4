#include "leader_chain.hpp"

#include <algorithm>
#include <memory>

namespace thresher::sim {

using leader_chain::kNear;

namespace {

constexpr std::uint64_t kFarAhead = 1 << 20;
constexpr std::uint64_t kMany = 16;
constexpr std::uint64_t kSlots = 24;  // some more than peers may speak of

Signature nobodys_signature(Prng& rng) {
  Signature out{};
  out[0] = static_cast<std::byte>(rng.next());
  return out;
}

}  // namespace

LeaderChainStuffing::LeaderChainStuffing(NodeId id, const LeaderChain::Config& config,
                                         const Message& heard)
    : id_(id), config_(config) {
  std::visit(
      [this](const auto& m) {
        if constexpr (requires { m.view; }) view_ = m.view;
        if constexpr (requires { m.block.view; }) view_ = m.block.view;
        if constexpr (requires { m.slot; }) slot_ = m.slot;
        if constexpr (requires { m.delivered; }) slot_ = m.delivered;
        if constexpr (requires { m.block.first; }) slot_ = m.block.first;
      },
      heard);
}

std::uint64_t LeaderChainStuffing::any_view(Prng& rng) const {
  const std::uint64_t view = view_ + 1 + rng.below(2 * kNear);
  return view - std::min(view - 1, kNear / 2);
}

leader_chain::Block LeaderChainStuffing::large_block(std::uint64_t view, Prng& rng) const {
  leader_chain::Block block{view, {}, slot_, {}};
  block.parent = {view - std::min(view, 1 + rng.below(2)), nobodys(rng)};
  for (int k = 0; k < 4; ++k) block.values.push_back(filler(config_.value_bytes, rng));
  return block;
}

void LeaderChainStuffing::make(Kind<leader_chain::Propose>, Prng& rng, Out& out) const {
  const std::uint64_t n = config_.committee.size();
  const std::uint64_t first = view_ + (id_.value + n - view_ % n) % n;
  for (std::uint64_t view = first; view <= view_ + kNear; view += n) {
    leader_chain::Propose m{large_block(view, rng), {}, {}};
    if (m.block.parent.view > 0) {
      Out lists;
      make(Kind<leader_chain::Certificate>{}, rng, lists);
      m.parent = std::get<leader_chain::Certificate>(lists.front());
      m.parent->kind = leader_chain::Kind::kNotarize;
      m.parent->view = m.block.parent.view;
      m.parent->digest = m.block.parent.digest;
    }
    out.push_back(std::move(m));
  }
}

void LeaderChainStuffing::make(Kind<leader_chain::Vote>, Prng& rng, Out& out) const {
  for (std::uint64_t k = 0; k < 2 * kMany; ++k) {
    const auto kind = static_cast<leader_chain::Kind>(rng.below(leader_chain::kKinds));
    leader_chain::Vote vote{kind, any_view(rng), {}, nobodys_signature(rng)};
    if (kind != leader_chain::Kind::kSkip) vote.digest = nobodys(rng);
    out.push_back(vote);
  }
}

void LeaderChainStuffing::make(Kind<leader_chain::Certificate>, Prng& rng, Out& out) const {
  SignatureList list{NodeSet(config_.committee.size()), {}};
  for (std::uint32_t i = 0; i < config_.committee.size(); ++i) {
    list.signers.insert(NodeId{static_cast<std::uint16_t>(i)});
    list.signatures.push_back(nobodys_signature(rng));
  }
  const auto shared = std::make_shared<const SignatureList>(std::move(list));
  for (std::uint64_t k = 0; k < kMany; ++k) {
    leader_chain::Certificate c{leader_chain::Kind::kSkip, any_view(rng), {}, shared};
    if (rng.below(2) == 0) {
      c.kind = leader_chain::Kind::kNotarize;
      c.digest = nobodys(rng);
    }
    out.push_back(std::move(c));
  }
}

void LeaderChainStuffing::make(Kind<leader_chain::Forward>, Prng& rng, Out& out) const {
  const std::size_t bytes = rng.below(2) == 0 ? config_.value_bytes : sizeof(std::uint64_t);
  for (std::uint64_t k = 0; k < kMany; ++k)
    out.push_back(leader_chain::Forward{filler(bytes, rng), rng.below(8) == 0});
}

void LeaderChainStuffing::make(Kind<leader_chain::Want>, Prng& rng, Out& out) const {
  out.push_back(leader_chain::Want{rng.below(view_ + 1), rng.below(slot_ + 1)});
}

void LeaderChainStuffing::make(Kind<leader_chain::Status>, Prng& rng, Out& out) const {
  out.push_back(leader_chain::Status{view_ + rng.below(kFarAhead), slot_ + rng.below(kFarAhead)});
}

void LeaderChainStuffing::make(Kind<leader_chain::WantBlock>, Prng& rng, Out& out) const {
  for (std::uint64_t k = 0; k < kMany; ++k)
    out.push_back(leader_chain::WantBlock{{any_view(rng), nobodys(rng)}});
}

void LeaderChainStuffing::make(Kind<leader_chain::Give>, Prng& rng, Out& out) const {
  out.push_back(leader_chain::Give{large_block(any_view(rng), rng)});
}

void LeaderChainStuffing::make(Kind<leader_chain::Decided>, Prng& rng, Out& out) const {
  for (std::uint64_t k = 0; k < kSlots; ++k)
    out.push_back(leader_chain::Decided{slot_ + k, filler(config_.value_bytes, rng)});
}

void LeaderChainStuffing::make(Kind<leader_chain::Offer>, Prng& rng, Out& out) const {
  for (std::uint64_t k = 0; k < kMany; ++k)
    out.push_back(leader_chain::Offer{nobodys(rng), rng.below(8) == 0});
}

void LeaderChainStuffing::make(Kind<leader_chain::Ask>, Prng& rng, Out& out) const {
  for (std::uint64_t k = 0; k < kMany; ++k) out.push_back(leader_chain::Ask{nobodys(rng), false});
}

void LeaderChainStuffing::make(Kind<leader_chain::Ordered>, Prng& rng, Out& out) const {
  for (std::uint64_t k = 0; k < kSlots; ++k)
    out.push_back(leader_chain::Ordered{slot_ + k, nobodys(rng)});
}

void LeaderChainStuffing::make(Kind<leader_chain::Fetch>, Prng& rng, Out& out) const {
  for (std::uint64_t k = 0; k < kSlots; ++k)
    out.push_back(leader_chain::Fetch{slot_ + k, nobodys(rng)});
}

void LeaderChainStuffing::answer(const Message& heard, Prng& rng, Out& out) const {
  if (std::holds_alternative<leader_chain::Want>(heard)) {
    make(Kind<leader_chain::Ordered>{}, rng, out);
    make(Kind<leader_chain::Certificate>{}, rng, out);
  }
  if (std::holds_alternative<leader_chain::Fetch>(heard))
    make(Kind<leader_chain::Decided>{}, rng, out);
  if (std::holds_alternative<leader_chain::Ask>(heard))
    make(Kind<leader_chain::Forward>{}, rng, out);
  if (std::holds_alternative<leader_chain::WantBlock>(heard))
    make(Kind<leader_chain::Give>{}, rng, out);
}

}  // namespace thresher::sim
