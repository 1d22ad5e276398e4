#include "signed.hpp"

#include <memory>

#include "thresher/core/node_ids.hpp"

namespace thresher::sim {
namespace {

constexpr std::uint64_t kMany = 32;

}  // namespace

void SignedStuffing::make(Kind<signed_broadcast::Propose>, Prng& rng, Out& out) const {
  broadcast::Instance own = draw().any(rng);
  own.origin = id;
  out.push_back(signed_broadcast::Propose{own, filler(bytes, rng)});
}

void SignedStuffing::make(Kind<signed_broadcast::Vote>, Prng& rng, Out& out) const {
  for (std::uint64_t k = 0; k < kMany; ++k) {
    const broadcast::Instance of = draw().any(rng);
    out.push_back(signed_broadcast::Vote{of, nobodys(rng), {}});
  }
}

void SignedStuffing::make(Kind<signed_broadcast::Certificate>, Prng& rng, Out& out) const {
  SignatureList none{NodeSet(committee.size()), {}};
  for (const NodeId k : node_ids(committee.at_least(kQuorum))) {
    none.signers.insert(k);
    none.signatures.emplace_back();
  }
  const auto list = std::make_shared<const SignatureList>(std::move(none));
  for (std::uint64_t k = 0; k < kMany; ++k) {
    const broadcast::Instance of = draw().any(rng);
    out.push_back(signed_broadcast::Certificate{of, nobodys(rng), list});
  }
}

void SignedStuffing::make(Kind<signed_broadcast::Want>, Prng& rng, Out& out) const {
  for (std::uint64_t k = 0; k < kMany; ++k) {
    const broadcast::Instance of = draw().any(rng);
    out.push_back(signed_broadcast::Want{of, rng.below(2) == 0, rng.below(2) == 0});
  }
}

void SignedStuffing::make(Kind<signed_broadcast::Give>, Prng& rng, Out& out) const {
  out.push_back(signed_broadcast::Give{draw().any(rng), filler(bytes, rng)});
}

void SignedStuffing::make(Kind<signed_broadcast::Have>, Prng& rng, Out& out) const {
  signed_broadcast::Have have{.origins = {}, .asks = rng.below(2) == 0};
  for (const NodeId o : node_ids(committee.size())) {
    const std::uint64_t below = draw().any(rng).number;
    broadcast::Progress p{.origin = o, .floor = 0, .below = below, .above = {}};
    for (std::uint64_t k = 1; k <= kMany; ++k) p.above.push_back(below + k);
    have.origins.push_back(std::move(p));
  }
  out.push_back(std::move(have));
}

void SignedStuffing::answer(const Message& heard, Prng& rng, Out& out) const {
  const auto* want = std::get_if<signed_broadcast::Want>(&heard);
  if (want != nullptr) out.push_back(signed_broadcast::Give{want->instance, filler(bytes, rng)});
}

}  // namespace thresher::sim
