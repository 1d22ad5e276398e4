// Filling the memory of nodes of a binary agreement that goes in rounds.
#pragma once

#include "stuffing.hpp"
#include "thresher/protocols/agreement/rounds.hpp"

namespace thresher::sim {

/// `AnyMessage` is the agreement's: with shares of a coin or without.
template <class AnyMessage>
struct AgreementStuffing {
  using Message = AnyMessage;
  using Out = std::vector<Message>;

  std::uint64_t around;  ///< an instance that correct nodes have open
  std::uint64_t window;

  /// Everything that can be said in a round, of instances and rounds from what is over to what is
  /// too far ahead.
  void make(Kind<agreement::Said>, Prng& rng, Out& out) const {
    for (std::uint64_t k = 0; k < kMany; ++k) {
      const std::uint64_t instance = any(rng);
      const std::uint32_t round = any_round(rng);
      const auto counters = static_cast<BitSet>(rng.next());
      out.push_back(agreement::Said{instance, round, counters, rng.below(2) == 0});
    }
  }
  void make(Kind<agreement::Done>, Prng& rng, Out& out) const {
    for (std::uint64_t k = 0; k < kMany; ++k) {
      const std::uint64_t instance = any(rng);
      const bool value = rng.below(2) == 0;
      out.push_back(agreement::Done{instance, value, rng.below(2) == 0});
    }
  }
  void make(Kind<agreement::Want>, Prng& rng, Out& out) const {
    for (std::uint64_t k = 0; k < kMany; ++k) out.push_back(agreement::Want{any(rng)});
  }
  /// For the coins of all those rounds.
  void make(Kind<coin::Share>, Prng& rng, Out& out) const {
    for (std::uint64_t k = 0; k < kMany; ++k) {
      const std::uint64_t instance = any(rng) << agreement::kRoundBits;
      const std::uint32_t round = any_round(rng);
      out.push_back(coin::Share{instance + round, {}, rng.below(2) == 0});
    }
  }
  void make(Kind<coin::NoShare>, Prng&, Out&) const {}
  /// A decision, to a node that lacks one: any.
  void answer(const Message& heard, Prng& rng, Out& out) const {
    const auto* said = std::get_if<agreement::Said>(&heard);
    const auto* want = std::get_if<agreement::Want>(&heard);
    if (want == nullptr && (said == nullptr || !said->asks)) return;
    const std::uint64_t first = want != nullptr ? want->instance : said->instance;
    for (std::uint64_t k = 0; k < kMany; ++k)
      out.push_back(agreement::Done{first + k, rng.below(2) == 0, true});
  }

 private:
  static constexpr std::uint64_t kMany = 8;

  std::uint64_t any(Prng& rng) const {
    const std::uint64_t instance = around + rng.below(3 * window);
    return instance - std::min(instance, window);
  }
  static std::uint32_t any_round(Prng& rng) {
    return static_cast<std::uint32_t>(rng.below(2 * (agreement::kKept + agreement::kAhead)));
  }
};

}  // namespace thresher::sim
