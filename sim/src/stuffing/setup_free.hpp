// Filling the memory of nodes of the setup-free coin: by its two broadcasts, its pieces of secrets,
// its sets and its reports.
#pragma once

#include "avid.hpp"
#include "bracha.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/protocols/coin/setup_free_wire.hpp"

namespace thresher::sim {

struct SetupFreeStuffing {
  using Message = SetupFree::Message;
  using Secrets = SetupFree::Secrets::Message;
  using Weights = SetupFree::Weights::Message;
  using Out = std::vector<Message>;

  NodeId id;
  const setup_free::Config& config;
  std::uint64_t around;  ///< an instance that correct nodes have open

  void make(Kind<Secrets>, Prng& rng, Out& out) const {
    if (rng.below(2) == 0) return commitments(Avid::Message{}, rng, out);
    for (std::uint64_t k = 0; k < kMany; ++k) {
      const NodeId dealer{static_cast<std::uint16_t>(rng.below(config.committee.size()))};
      const Bytes piece = filler(config.scheme->point_bytes(), rng);
      out.push_back(
          Secrets(avss::Word(avss::Row{any(rng), filler(config.scheme->row_bytes(), rng)})));
      out.push_back(Secrets(avss::Word(avss::Point{any(rng), dealer, piece})));
      out.push_back(Secrets(avss::Word(avss::Share{any(rng), dealer, piece})));
      out.push_back(Secrets(avss::Word(avss::Ask{any(rng), some(rng), some(rng)})));
    }
  }
  void make(Kind<gather::Members>, Prng& rng, Out& out) const {
    for (std::uint64_t k = 0; k < kMany; ++k) {
      const auto stage = rng.below(2) == 0 ? gather::Stage::kFirst : gather::Stage::kSecond;
      out.push_back(gather::Members{any(rng), stage, some(rng), rng.below(2) == 0});
    }
  }
  void make(Kind<Weights>, Prng& rng, Out& out) const {
    if (rng.below(2) == 0) return values(Bracha::Message{}, rng, out);
    for (std::uint64_t k = 0; k < kMany; ++k)
      out.push_back(Weights(approximate::Report{step(rng), some(rng), rng.below(2) == 0}));
  }
  /// What a question of one of the broadcasts gets.
  void answer(const Message& heard, Prng& rng, Out& out) const {
    if (const auto* secrets = std::get_if<Secrets>(&heard)) {
      if (const auto* m = std::get_if<Avid::Message>(secrets)) commitments(*m, rng, out);
    } else if (const auto* weights = std::get_if<Weights>(&heard)) {
      if (const auto* m = std::get_if<Bracha::Message>(weights)) values(*m, rng, out);
    }
  }

 private:
  static constexpr std::uint64_t kMany = 8;

  void commitments(const Avid::Message& heard, Prng& rng, Out& out) const {
    const AvidStuffing rules{id, config.committee, around, config.window,
                             config.scheme->commitment_bytes()};
    for (Avid::Message& m : stuff_with(rules, heard, rng.next()))
      out.push_back(Secrets(std::move(m)));
  }
  void values(const Bracha::Message& heard, Prng& rng, Out& out) const {
    const BrachaStuffing rules{id, config.committee.size(), around * config.rounds,
                               config.window * config.rounds,
                               sizeof(std::int64_t) * config.committee.size()};
    for (Bracha::Message& m : stuff_with(rules, heard, rng.next()))
      out.push_back(Weights(std::move(m)));
  }
  NodeSet some(Prng& rng) const {
    NodeSet out(config.committee.size());
    for (const NodeId i : node_ids(config.committee.size())) {
      if (rng.below(4) != 0) out.insert(i);
    }
    return out;
  }
  std::uint64_t any(Prng& rng) const {
    const std::uint64_t instance = around + rng.below(3 * config.window);
    return instance - std::min(instance, config.window);
  }
  std::uint64_t step(Prng& rng) const {
    return any(rng) * config.rounds + rng.below(config.rounds);
  }
};

}  // namespace thresher::sim
