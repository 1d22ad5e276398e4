#include "avid.hpp"

#include "thresher/protocols/broadcast/coded.hpp"

namespace thresher::sim {
namespace {

constexpr std::uint64_t kMany = 32;
constexpr std::uint64_t kFarAhead = 1 << 20;

}  // namespace

std::uint64_t number_of(const Avid::Message& message) {
  return std::visit(
      [](const auto& m) {
        if constexpr (requires { m.instance; }) {
          return m.instance.number;
        } else {
          return m.number;
        }
      },
      message);
}

// Of anybody, from what is forgotten to what is too far ahead.
avid::Instance AvidStuffing::any(Prng& rng) const {
  const std::uint64_t number = around + rng.below(3 * window);
  return {NodeId{static_cast<std::uint16_t>(rng.below(committee.size()))},
          number - std::min(number, window)};
}

// All fragments are the same, and so long that the payload would be as large as it may be.
avid::Piece AvidStuffing::piece(NodeId of, Prng& rng) const {
  const coded::Fragments fragments(committee);
  const std::vector<Bytes> cut(fragments.total(), filler(fragments.size(bytes), rng));
  return Avid::pieces_of(cut)[of.value];
}

void AvidStuffing::make(Kind<avid::Disperse>, Prng& rng, Out& out) const {
  avid::Instance own = any(rng);
  own.origin = id;
  const NodeId to{static_cast<std::uint16_t>(rng.below(committee.size()))};
  out.push_back(avid::Disperse{own, piece(to, rng)});
}

void AvidStuffing::make(Kind<avid::Echo>, Prng& rng, Out& out) const {
  const avid::Instance of = any(rng);
  out.push_back(avid::Echo{of, piece(id, rng)});
}

void AvidStuffing::make(Kind<avid::Ready>, Prng& rng, Out& out) const {
  for (std::uint64_t k = 0; k < kMany; ++k) {
    const avid::Instance of = any(rng);
    const Digest root = nobodys(rng);
    out.push_back(avid::Ready{of, root, rng.below(2) == 0});
  }
}

void AvidStuffing::make(Kind<coded::Ask>, Prng& rng, Out& out) const {
  for (std::uint64_t k = 0; k < kMany; ++k) out.push_back(coded::Ask{any(rng), true, true, true});
}

void AvidStuffing::make(Kind<coded::Floor>, Prng& rng, Out& out) const {
  const avid::Instance of = any(rng);
  const std::uint64_t ahead = rng.below(kFarAhead);
  out.push_back(coded::Floor{of.origin, of.number + ahead, rng.below(2) == 0});
}

void AvidStuffing::answer(const Message& heard, Prng& rng, Out& out) const {
  const auto* ask = std::get_if<coded::Ask>(&heard);
  if (ask == nullptr) return;
  out.push_back(avid::Echo{ask->instance, piece(id, rng)});
  out.push_back(avid::Ready{ask->instance, nobodys(rng), true});
}

}  // namespace thresher::sim
