#include "certified.hpp"

namespace thresher::sim {
namespace {

const certified::Limits kLimits;
constexpr std::uint64_t kMany = 16;

}  // namespace

// Up to the last that is listened to.
Round CertifiedStuffing::any_round(Prng& rng) const {
  return Round{next + rng.below(kLimits.window)};
}

// As many parents as the rules of its place allow. Nobody but the author signs it well.
certified::ProposalPtr CertifiedStuffing::useless(NodeId author, Round round, Prng& rng) const {
  certified::Header h;
  h.author = author;
  h.round = round;
  h.payload_root = nobodys(rng);
  h.payload_bytes = 1;
  const bool dense = certified::may_be_dense(h.ref(), rules, committee);
  const std::uint32_t most = dense ? committee.size() : rules.sample + 2;
  for (std::uint32_t i = 0; i < committee.size() && round.value > 1; ++i) {
    const NodeId parent{static_cast<std::uint16_t>(i)};
    if (parent != author && h.parents.size() < most) h.parents.insert(parent);
    if (rules.parents == certified::Parents::kVerifiable) h.sampled_from.insert(parent);
  }
  const Signature signature = signer.sign(id, certified::digest_of(h, {}));
  return certified::make_proposal(std::move(h), signature, {});
}

certified::Certificate CertifiedStuffing::false_certificate(NodeId author) const {
  certified::Certificate c{NodeSet(committee.size()), {}};
  c.signers.insert(author);
  for (std::uint32_t i = 0; c.signers.size() < committee.at_least(rules.certify); ++i)
    c.signers.insert(NodeId{static_cast<std::uint16_t>(i)});
  c.signatures.resize(rules.one_signature ? 1 : c.signers.size());
  return c;
}

void CertifiedStuffing::make(Kind<certified::Batch>, Prng& rng, Out& out) const {
  const bool large = rng.below(4) == 0;
  for (std::uint64_t k = large ? 1 : kMany; k > 0; --k) {
    const Bytes bytes = filler(large ? kLimits.give_bytes : 1 + rng.below(64), rng);
    out.push_back(certified::Batch{{bytes, hash(bytes.view())}});
  }
}

void CertifiedStuffing::make(Kind<certified::Propose>, Prng& rng, Out& out) const {
  for (std::uint64_t k = 0; k < kMany; ++k)
    out.push_back(certified::Propose{useless(id, any_round(rng), rng)});
}

void CertifiedStuffing::make(Kind<certified::Vote>, Prng& rng, Out& out) const {
  for (std::uint64_t k = 0; k < kMany; ++k) {
    const Round round = any_round(rng);
    out.push_back(certified::Vote{round, nobodys(rng), {}});
  }
}

void CertifiedStuffing::make(Kind<certified::Certify>, Prng& rng, Out& out) const {
  for (std::uint64_t k = 0; k < kMany; ++k) {
    const Round round = any_round(rng);
    out.push_back(certified::Certify{round, nobodys(rng), false_certificate(id)});
  }
}

void CertifiedStuffing::make(Kind<certified::Want>, Prng& rng, Out& out) const {
  certified::Want want;
  for (std::uint32_t k = 0; k < kLimits.give_vertices; ++k) {
    const NodeId author{static_cast<std::uint16_t>(rng.below(committee.size()))};
    want.vertices.push_back({author, Round{1 + rng.below(next)}});
    want.batches.push_back(nobodys(rng));
  }
  out.push_back(std::move(want));
}

void CertifiedStuffing::make(Kind<certified::WantRound>, Prng&, Out& out) const {
  for (std::uint64_t k = 0; k < kMany; ++k)
    out.push_back(certified::WantRound{
        Round{1 + next - std::min(next, k)},
        std::vector<NodeSet>(k % certified::kMostHave + 1, NodeSet(committee.size()))});
}

void CertifiedStuffing::make(Kind<certified::Give>, Prng& rng, Out& out) const {
  certified::Give give;
  for (std::uint32_t k = 0; k < kLimits.give_vertices; ++k) {
    const NodeId author{static_cast<std::uint16_t>(rng.below(committee.size()))};
    const Bytes byte = filler(1, rng);
    certified::Proposal proposal = *useless(author, any_round(rng), rng);
    proposal.header.payload_root = hash(byte.view());
    proposal.digest = certified::digest_of(proposal.header, {});
    give.vertices.push_back(certified::make_vertex(proposal, {byte, proposal.header.payload_root},
                                                   false_certificate(author)));
  }
  out.push_back(std::move(give));
}

void CertifiedStuffing::answer(const Message& heard, Prng& rng, Out& out) const {
  const auto* proposed = std::get_if<certified::Propose>(&heard);
  if (proposed != nullptr) {
    const certified::Proposal& p = *proposed->proposal;
    out.push_back(certified::Vote{p.header.round, p.digest, {}});
  }
  if (std::holds_alternative<certified::Want>(heard) ||
      std::holds_alternative<certified::WantRound>(heard))
    make(Kind<certified::Give>{}, rng, out);
}

}  // namespace thresher::sim
