#include "bracha.hpp"

namespace thresher::sim {
namespace {

constexpr std::uint64_t kMany = 32;

}  // namespace

void BrachaStuffing::make(Kind<bracha::Init>, Prng& rng, Out& out) const {
  bracha::Instance own = draw().any(rng);
  own.origin = id;
  out.push_back(bracha::Init{own, filler(bytes, rng)});
}

void BrachaStuffing::make(Kind<bracha::Statement>, Prng& rng, Out& out) const {
  for (std::uint64_t k = 0; k < kMany; ++k) {
    bracha::Statement s{
        draw().any(rng), rng.below(2) == 0 ? bracha::kEcho : bracha::kReadied, {}, false};
    s.digest = nobodys(rng);
    s.repeated = rng.below(8) == 0;
    out.push_back(s);
  }
}

void BrachaStuffing::make(Kind<bracha::Want>, Prng& rng, Out& out) const {
  for (std::uint64_t k = 0; k < kMany; ++k)
    out.push_back(bracha::Want{draw().any(rng), rng.below(2) == 0});
}

void BrachaStuffing::make(Kind<bracha::Give>, Prng& rng, Out& out) const {
  out.push_back(bracha::Give{draw().any(rng), filler(bytes, rng)});
}

void BrachaStuffing::make(Kind<bracha::Floor>, Prng& rng, Out& out) const {
  out.push_back(draw().floor(rng));
}

void BrachaStuffing::answer(const Message& heard, Prng& rng, Out& out) const {
  const auto* want = std::get_if<bracha::Want>(&heard);
  if (want != nullptr) out.push_back(bracha::Give{want->instance, filler(bytes, rng)});
}

}  // namespace thresher::sim
