#include "avid.hpp"

#include "thresher/protocols/broadcast/coded.hpp"

namespace thresher::sim {
namespace {

constexpr std::uint64_t kMany = 32;

}  // namespace

// All fragments are the same, and so long that the payload would be as large as it may be.
avid::Piece AvidStuffing::piece(NodeId of, Prng& rng) const {
  const coded::Fragments fragments(committee);
  const std::vector<Bytes> cut(fragments.total(), filler(fragments.size(bytes), rng));
  return Avid::pieces_of(cut)[of.value];
}

void AvidStuffing::make(Kind<avid::Disperse>, Prng& rng, Out& out) const {
  avid::Instance own = draw().any(rng);
  own.origin = id;
  const NodeId to{static_cast<std::uint16_t>(rng.below(committee.size()))};
  out.push_back(avid::Disperse{own, piece(to, rng)});
}

void AvidStuffing::make(Kind<avid::Echo>, Prng& rng, Out& out) const {
  const avid::Instance of = draw().any(rng);
  out.push_back(avid::Echo{of, piece(id, rng)});
}

void AvidStuffing::make(Kind<avid::Ready>, Prng& rng, Out& out) const {
  for (std::uint64_t k = 0; k < kMany; ++k) {
    const avid::Instance of = draw().any(rng);
    const Digest root = nobodys(rng);
    out.push_back(avid::Ready{of, root, rng.below(2) == 0});
  }
}

void AvidStuffing::make(Kind<coded::Ask>, Prng& rng, Out& out) const {
  for (std::uint64_t k = 0; k < kMany; ++k)
    out.push_back(coded::Ask{draw().any(rng), true, true, true});
}

void AvidStuffing::make(Kind<coded::Floor>, Prng& rng, Out& out) const {
  out.push_back(draw().floor(rng));
}

void AvidStuffing::answer(const Message& heard, Prng& rng, Out& out) const {
  const auto* ask = std::get_if<coded::Ask>(&heard);
  if (ask == nullptr) return;
  out.push_back(avid::Echo{ask->instance, piece(id, rng)});
  out.push_back(avid::Ready{ask->instance, nobodys(rng), true});
}

}  // namespace thresher::sim
