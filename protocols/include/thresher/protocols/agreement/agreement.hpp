// One shelf of binary agreements: what all of them have in common, whatever they cost.
//
//   template <broadcast::Broadcast B, agreement::BinaryAgreement A>
//   class CommonSubset { ... A votes_; };                     // BcaAgreement, Cobalt, BenOr, ...
//   static_assert(agreement::BinaryAgreement<BcaAgreement>);
//
// Guarantees of whatever models `BinaryAgreement`, with up to f Byzantine nodes at any timing:
//   agreement    no two correct nodes decide differently in one instance;
//   validity     what is decided was proposed by a correct node;
//   integrity    an instance is decided once (a restarted node may say it again);
//   termination  when all correct nodes propose, all decide with probability one.
// Nobody has to propose: a node that hears that others decided decides with them.
// A restarted node contradicts nothing that it said, and lost messages only delay. Instances are
// numbered from 0 without gaps, unless the owner forgets those below; at most Config::window of
// them, counted from the lowest that is not over here, take up memory, whatever peers send.
// Does not say how messages travel. Which agreement is for whom: docs/protocols/agreement.md.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "thresher/core/committee.hpp"
#include "thresher/core/protocol.hpp"
#include "thresher/crypto/coin_scheme.hpp"

namespace thresher::agreement {

/// Takes part in an instance with this value. The first proposal of an instance counts. Refused,
/// which refused() counts, when the instance is beyond Config::window.
struct Propose {
  std::uint64_t instance = 0;
  bool value = false;
};

struct Decision {
  std::uint64_t instance = 0;
  bool value = false;
  std::uint32_t round = 0;  ///< in which this node decided itself; 0: others told it
};

/// What a node holds.
struct Footprint {
  std::size_t instances = 0;  ///< that somebody spoke of and that are not over here
  std::size_t rounds = 0;     ///< of them, those for which statements are counted
};

/// Tables of durable records, beside those of broadcasts. A parent that has others beside an
/// agreement hands on these.
enum Table : std::uint32_t { kRounds = 5, kDecisions = 6, kBase = 7 };
constexpr bool keeps(std::uint32_t table) {
  return table >= kRounds && table <= kBase;
}

/// Config of every agreement has at least these members, by these names.
template <class C>
concept AgreementConfig = std::default_initializable<C> && requires(C c) {
  { c.committee } -> std::same_as<Committee&>;
  { c.self } -> std::same_as<NodeId&>;
  { c.window } -> std::same_as<std::uint64_t&>;  ///< instances that are open at a time
  /// Common coins; f+1 shares make a value, or more. Not looked at by those with local coins.
  { c.coin } -> std::same_as<std::shared_ptr<const crypto::CoinScheme>&>;
};

template <class A>
concept BinaryAgreement = Protocol<A> && AgreementConfig<typename A::Config> &&
    std::same_as<typename A::Output, Decision> && std::same_as<typename A::Request, Propose> &&
    std::constructible_from<A, typename A::Config> &&
    requires(A a, const A& c, const typename A::Config& config, std::uint64_t instance,
             EffectsOf<A>& fx) {
  /// The name in `thresher protocols` and in experiments.
  { A::kName } -> std::convertible_to<std::string_view>;
  /// n > kNodesPerFault * f.
  { A::kNodesPerFault } -> std::convertible_to<std::uint32_t>;
  /// Instances below matter no more to the owner.
  { a.forget_below(instance, fx) } -> std::same_as<void>;
  /// What was decided there; empty when nothing was or it is forgotten.
  { c.decided(instance) } -> std::same_as<std::optional<bool>>;
  /// The round in which this node is there; 0 when it has not proposed or the instance is over.
  { c.round(instance) } -> std::same_as<std::uint32_t>;
  { c.footprint() } -> std::same_as<Footprint>;
  { A::most_held(config) } -> std::same_as<Footprint>;
  /// Messages and requests refused: of instances or rounds out of reach, repeated, malformed.
  { c.refused() } -> std::same_as<std::uint64_t>;
};

}  // namespace thresher::agreement
