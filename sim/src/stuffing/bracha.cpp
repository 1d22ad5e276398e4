#include "bracha.hpp"

namespace thresher::sim {
namespace {

constexpr std::uint64_t kMany = 32;
constexpr std::uint64_t kFarAhead = 1 << 20;

}  // namespace

std::uint64_t number_of(const Bracha::Message& message) {
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
bracha::Instance BrachaStuffing::any(Prng& rng) const {
  const std::uint64_t number = around + rng.below(3 * window);
  return {NodeId{static_cast<std::uint16_t>(rng.below(n))}, number - std::min(number, window)};
}

void BrachaStuffing::make(Kind<bracha::Init>, Prng& rng, Out& out) const {
  bracha::Instance own = any(rng);
  own.origin = id;
  out.push_back(bracha::Init{own, filler(bytes, rng)});
}

void BrachaStuffing::make(Kind<bracha::Statement>, Prng& rng, Out& out) const {
  for (std::uint64_t k = 0; k < kMany; ++k) {
    bracha::Statement s{any(rng), rng.below(2) == 0 ? bracha::kEcho : bracha::kReadied, {}, false};
    s.digest = nobodys(rng);
    s.repeated = rng.below(8) == 0;
    out.push_back(s);
  }
}

void BrachaStuffing::make(Kind<bracha::Want>, Prng& rng, Out& out) const {
  for (std::uint64_t k = 0; k < kMany; ++k)
    out.push_back(bracha::Want{any(rng), rng.below(2) == 0});
}

void BrachaStuffing::make(Kind<bracha::Give>, Prng& rng, Out& out) const {
  out.push_back(bracha::Give{any(rng), filler(bytes, rng)});
}

void BrachaStuffing::make(Kind<bracha::Floor>, Prng& rng, Out& out) const {
  const bracha::Instance of = any(rng);
  out.push_back(bracha::Floor{of.origin, of.number + rng.below(kFarAhead), rng.below(2) == 0});
}

void BrachaStuffing::answer(const Message& heard, Prng& rng, Out& out) const {
  const auto* want = std::get_if<bracha::Want>(&heard);
  if (want != nullptr) out.push_back(bracha::Give{want->instance, filler(bytes, rng)});
}

}  // namespace thresher::sim
