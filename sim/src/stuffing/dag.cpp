#include "dag.hpp"

#include "thresher/protocols/dag/block.hpp"

namespace thresher::sim {
namespace {

const dag::Limits kLimits;
constexpr std::uint64_t kMany = 16;
constexpr std::uint64_t kLongest = 120;      // blocks of a chain
constexpr std::size_t kMostTwins = 1 << 16;  // remembered
constexpr std::size_t kForest = 1 << 13;     // twins, from which on no tree is planted any more
constexpr std::uint64_t kLowest = 8;         // levels of a tree
constexpr std::uint64_t kHighest = 12;

}  // namespace

// Up to the last that is listened to. A leader's block would have to name what exists. There is no
// round before the first, so whoever leads that takes the second.
Round DagStuffing::any_round(Prng& rng) const {
  const Round round{next + rng.below(kLimits.window)};
  if (!leads(round)) return round;
  return Round{round.value > 1 ? round.value - 1 : round.value + 1};
}

dag::BlockPtr DagStuffing::sign(dag::Header h, dag::Payload payload) const {
  const Signature signature = signer.sign(id, dag::digest_of(h, {}));
  return dag::make_block(std::move(h), std::move(payload), signature, {});
}

dag::BlockPtr DagStuffing::useless(Round round, const Digest& leader, std::size_t bytes,
                                   Prng& rng) const {
  dag::Header h;
  h.author = id;
  h.round = round;
  h.self = {id, Round{round.value - 1}, nobodys(rng)};
  h.vote = leader;
  dag::Payload payload;
  if (bytes > 0) {
    payload.bytes = filler(bytes, rng);
    payload.root = h.payload_root = hash(payload.bytes.view());
    h.payload_bytes = static_cast<std::uint32_t>(bytes);
  }
  return sign(std::move(h), std::move(payload));
}

dag::BlockPtr DagStuffing::chain(Prng& rng) const {
  if (twins.size() > kMostTwins) twins.clear();
  const std::uint64_t end = any_round(rng).value;
  const std::uint64_t length = std::min(1 + rng.below(kLongest), end);
  dag::Edge below{id, Round{0}, {}};
  dag::BlockPtr block;
  for (std::uint64_t round = end - length + 1; round <= end; ++round) {
    if (leads(Round{round})) continue;
    dag::Header h;
    h.author = id;
    h.round = Round{round};
    h.self = below;
    block = twin(std::move(h), rng);
    below = block->edge();
  }
  return block;
}

// A block that is like no other, because of its payload.
dag::BlockPtr DagStuffing::twin(dag::Header h, Prng& rng) const {
  const Bytes bytes = filler(sizeof(std::uint64_t), rng);
  h.payload_root = hash(bytes.view());
  h.payload_bytes = static_cast<std::uint32_t>(bytes.size());
  const Digest root = h.payload_root;
  dag::BlockPtr block = sign(std::move(h), {bytes, root});
  twins.emplace(block->digest, block);
  return block;
}

// The one below it is its own, the other it votes for.
dag::BlockPtr DagStuffing::tree(Round root, std::uint64_t levels, Prng& rng) const {
  dag::Header h;
  h.author = id;
  h.round = root;
  h.self = {id, Round{0}, {}};
  if (levels > 1 && root.value > 1) {
    const Round below{root.value - 1};
    h.self = tree(below, levels - 1, rng)->edge();
    h.vote = tree(below, levels - 1, rng)->digest;
    if (dag::leader_of(below, committee) != id) h.vote_author = id;
  }
  return twin(std::move(h), rng);
}

void DagStuffing::make(Kind<dag::Push>, Prng& rng, Out& out) const {
  const std::uint64_t what = rng.below(4);
  if (what == 0 && twins.size() < kForest) {
    const Round root = any_round(rng);
    out.push_back(dag::Push{tree(root, kLowest + rng.below(kHighest - kLowest + 1), rng)});
    return;
  }
  if (what < 2) {
    for (std::uint64_t k = 0; k < kMany; ++k) out.push_back(dag::Push{chain(rng)});
    return;
  }
  const std::size_t bytes = rng.below(4) == 0 ? kLimits.give_bytes : 0;
  for (std::uint64_t k = bytes > 0 ? 1 : kMany; k > 0; --k) {
    const Round round = any_round(rng);
    const Digest leader = nobodys(rng);
    out.push_back(dag::Push{useless(round, leader, bytes, rng)});
  }
}

void DagStuffing::make(Kind<dag::Want>, Prng& rng, Out& out) const {
  dag::Want want;
  for (std::uint32_t k = 0; k < kLimits.give_blocks; ++k) {
    const NodeId author{static_cast<std::uint16_t>(rng.below(committee.size()))};
    const Round round = any_round(rng);
    want.blocks.push_back({author, round, nobodys(rng)});
  }
  out.push_back(std::move(want));
}

void DagStuffing::make(Kind<dag::WantRound>, Prng&, Out& out) const {
  for (std::uint64_t k = 0; k < kMany; ++k)
    out.push_back(dag::WantRound{Round{1 + next - std::min(next, k)}, NodeSet(committee.size())});
}

void DagStuffing::make(Kind<dag::WantEvidence>, Prng& rng, Out& out) const {
  for (std::uint64_t k = 0; k < kMany; ++k) {
    const Round slot = any_round(rng);
    out.push_back(dag::WantEvidence{slot, nobodys(rng)});
  }
}

void DagStuffing::make(Kind<dag::Give>, Prng& rng, Out& out) const {
  dag::Give give;
  for (std::uint32_t k = 0; k < kLimits.give_blocks; ++k) {
    const Round round = any_round(rng);
    const Digest leader = nobodys(rng);
    give.blocks.push_back(useless(round, leader, 0, rng));
  }
  out.push_back(std::move(give));
}

void DagStuffing::prove(Round slot, const Digest& leader, Prng& rng, Out& out) const {
  dag::Evidence evidence{slot, leader, {}};
  for (std::uint32_t k = 0; k < kLimits.give_blocks; ++k)
    evidence.headers.push_back(useless(Round{slot.value + 1}, leader, 0, rng));
  out.push_back(std::move(evidence));
}

void DagStuffing::make(Kind<dag::Evidence>, Prng& rng, Out& out) const {
  const Round slot = any_round(rng);
  const Digest leader = nobodys(rng);
  prove(slot, leader, rng, out);
}

void DagStuffing::make(Kind<dag::Equivocation>, Prng& rng, Out& out) const {
  const Digest leader = nobodys(rng);
  for (std::uint64_t k = 0; k < kMany; ++k) {
    const Round round = any_round(rng);
    const dag::BlockPtr one = useless(round, leader, 0, rng);
    const dag::BlockPtr other = useless(round, leader, 0, rng);
    out.push_back(dag::Equivocation{one, other});
  }
  const DagStuffing framed{NodeId{static_cast<std::uint16_t>(rng.below(committee.size()))},
                           committee,
                           rule,
                           signer,
                           next,
                           twins};
  const Round round = framed.any_round(rng);
  dag::Header one = framed.useless(round, leader, 0, rng)->header;
  dag::Header other = framed.useless(round, leader, 0, rng)->header;
  const dag::BlockPtr first = sign(std::move(one), {});
  const dag::BlockPtr second = sign(std::move(other), {});
  out.push_back(dag::Equivocation{first, second});
}

void DagStuffing::answer(const Message& heard, Prng& rng, Out& out) const {
  const auto* asked = std::get_if<dag::WantEvidence>(&heard);
  if (asked != nullptr) prove(asked->slot, asked->leader, rng, out);
  if (const auto* want = std::get_if<dag::Want>(&heard)) {
    dag::Give give;
    const auto add = [&](const Digest& name) {
      const auto at = twins.find(name);
      if (at != twins.end() && give.blocks.size() < kLimits.give_blocks)
        give.blocks.push_back(at->second);
    };
    for (const dag::Edge& edge : want->blocks) add(edge.digest);
    for (std::size_t at = 0; at < give.blocks.size(); ++at) {
      const dag::Header h = give.blocks[at]->header;
      add(h.self.digest);
      if (h.vote) add(*h.vote);
    }
    if (!give.blocks.empty()) out.push_back(std::move(give));
  }
  if (std::holds_alternative<dag::Want>(heard) || std::holds_alternative<dag::WantRound>(heard))
    make(Kind<dag::Give>{}, rng, out);
}

}  // namespace thresher::sim
