// Filling the memory of nodes of a multi-valued agreement: by its broadcasts, its binary
// agreements, what it says that it holds, and shares of elections.
#pragma once

#include "agreement.hpp"
#include "avid.hpp"
#include "signed.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/protocols/agreement/bca_agreement.hpp"
#include "thresher/protocols/agreement/mvba.hpp"
#include "thresher/protocols/broadcast/avid.hpp"

namespace thresher::sim {

/// `B`: what values travel by.
template <class B>
struct MvbaStuffing {
  using Message = typename Mvba<B, BcaAgreement>::Message;
  using Out = std::vector<Message>;

  NodeId id;
  const payload_votes::Config& config;
  std::uint64_t around;  ///< an instance that correct nodes have open

  void make(Kind<typename B::Message>, Prng& rng, Out& out) const {
    add(stuff_with(broadcasts(), first(), rng.next()), out);
  }
  void make(Kind<BcaAgreement::Message>, Prng& rng, Out& out) const {
    add(stuff_with(agreements(), BcaAgreement::Message{agreement::Done{}}, rng.next()), out);
  }
  /// Any origins, of instances from what is over to what is too far ahead.
  void make(Kind<mvba::Holds>, Prng& rng, Out& out) const {
    for (std::uint64_t k = 0; k < kMany; ++k) {
      mvba::Holds m{any(rng), NodeSet(config.committee.size()), rng.below(2) == 0,
                    rng.below(2) == 0};
      for (const NodeId o : node_ids(config.committee.size())) {
        if (rng.below(2) == 0) m.origins.insert(o);
      }
      out.push_back(std::move(m));
    }
  }
  void make(Kind<coin::Share>, Prng& rng, Out& out) const {
    for (std::uint64_t k = 0; k < kMany; ++k)
      out.push_back(coin::Share{mvba::kElection + any(rng), {}, rng.below(2) == 0});
  }
  /// A decision when asked about a round, and whatever a broadcast's question gets.
  void answer(const Message& heard, Prng& rng, Out& out) const {
    if (const auto* b = std::get_if<typename B::Message>(&heard)) {
      std::vector<typename B::Message> said;
      broadcasts().answer(*b, rng, said);
      add(std::move(said), out);
    } else if (const auto* a = std::get_if<BcaAgreement::Message>(&heard)) {
      std::vector<BcaAgreement::Message> said;
      agreements().answer(*a, rng, said);
      add(std::move(said), out);
    }
  }

 private:
  static constexpr std::uint64_t kMany = 16;

  template <class M>
  static void add(std::vector<M> said, Out& out) {
    for (M& m : said) out.emplace_back(std::move(m));
  }
  /// A message that asks nothing.
  static typename B::Message first() { return typename B::Message{}; }
  AgreementStuffing<BcaAgreement::Message> agreements() const {
    return {around * config.committee.size(), config.window * config.committee.size()};
  }
  auto broadcasts() const {
    if constexpr (std::is_same_v<B, Avid>) {
      return AvidStuffing{id, config.committee, around, config.window, config.payload_bytes};
    } else {
      return SignedStuffing{id, config.committee, around, config.window, config.payload_bytes};
    }
  }
  std::uint64_t any(Prng& rng) const {
    const std::uint64_t instance = around + rng.below(3 * config.window);
    return instance - std::min(instance, config.window);
  }
};

}  // namespace thresher::sim
