#include "coins.hpp"

#include "registry.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/crypto/dkg.hpp"
#include "thresher/crypto/threshold_encryption.hpp"
#include "thresher/protocols/coin/ideal_coin.hpp"
#include "thresher/protocols/coin/ideal_encryption.hpp"

namespace thresher::sim {
namespace {

constexpr const char* kIdeal = "ideal";
constexpr const char* kThreshold = "threshold";
constexpr const char* kGenerated = "dkg";
constexpr const char* kOff = "off";
constexpr const char* kOn = "on";

// A deal fails when it draws a zero, which nobody has seen; the next one does not.
crypto::CoinDeal dealt(std::uint32_t n, std::uint32_t threshold, std::uint64_t seed) {
  for (std::uint64_t attempt = 0;; ++attempt) {
    Writer w;
    w.bytes(as_view("thresher/simulated-coin/1")).u64(seed).u64(attempt);
    auto deal = crypto::deal_coin(n, threshold, hash(w.view()).bytes);
    if (deal) return *std::move(deal);
  }
}

// As the nodes would make it among themselves: the dealings of the first n-f of them.
crypto::CoinDeal generated(const Committee& committee, std::uint32_t threshold,
                           std::uint64_t seed) {
  const auto drawn = [&](std::string_view what, std::uint16_t node) {
    Writer w;
    w.bytes(as_view(what)).u64(seed).u16(node);
    return hash(w.view()).bytes;
  };
  crypto::DkgSetup setup{.chain = {{}, seed}, .committee = committee, .threshold = threshold};
  std::vector<crypto::SigningKey> identities;
  std::vector<PublicKey> keys;
  for (const NodeId i : node_ids(committee.size())) {
    identities.push_back(
        crypto::SigningKey::from_seed(drawn("thresher/simulated-identity/1", i.value)));
    keys.push_back(identities.back().public_key());
  }
  setup.keys = *crypto::dkg_keys_of(keys);
  std::vector<crypto::DealtKey> nodes;
  for (const NodeId i : node_ids(committee.size()))
    nodes.emplace_back(setup, i, crypto::dkg_secret_of(identities[i.value]),
                       crypto::Secret(drawn("thresher/simulated-dealing/1", i.value)));
  std::vector<crypto::ChosenDealing> chosen;
  for (const NodeId i : node_ids(nodes[0].enough_dealings()))
    chosen.push_back({i, *nodes[i.value].deal(), {}});
  std::vector<std::shared_ptr<const crypto::SettledKey>> settled;
  settled.reserve(nodes.size());
  for (const auto& node : nodes) settled.push_back(node.settle(chosen));
  crypto::CoinDeal out{settled[0]->keys(), {}};
  for (const NodeId i : node_ids(committee.size())) {
    std::vector<crypto::Contribution> points;
    for (const NodeId j : node_ids(nodes[0].revealers()))
      points.push_back({j, settled[j.value]->point_for(i)});
    out.secrets.push_back(*settled[i.value]->finish(points)->share);
  }
  return out;
}

}  // namespace

Coins::Coins(const Experiment& e, const Committee& committee, Threshold shares) {
  const std::uint32_t n = committee.size();
  const std::uint32_t threshold = committee.at_least(shares);
  encryptions_.resize(n);
  if (choice(e, "coin", kIdeal) == kIdeal) {
    for (const NodeId i : node_ids(n)) {
      schemes_.push_back(std::make_shared<coin::IdealCoin>(threshold, i, e.seed));
      if (encrypts(e))
        encryptions_[i.value] = std::make_shared<coin::IdealEncryption>(threshold, i, e.seed);
    }
    return;
  }
  const crypto::CoinDeal deal = choice(e, "coin", kIdeal) == kGenerated
                                    ? generated(committee, threshold, e.seed)
                                    : dealt(n, threshold, e.seed);
  for (const NodeId i : node_ids(n)) {
    schemes_.push_back(std::make_shared<crypto::ThresholdCoin>(ChainContext{}, deal.keys, i,
                                                               deal.secrets[i.value]));
    if (encrypts(e)) {
      encryptions_[i.value] = std::make_shared<crypto::ThresholdEncryption>(
          ChainContext{}, deal.keys, i, deal.secrets[i.value]);
    }
  }
}

ParameterInfo coin_parameter() {
  return {"coin",
          std::string(kIdeal),
          0,
          0,
          "ideal: values from the seed, shares cost nothing; threshold: the real one, dealt; "
          "dkg: on a key as the nodes generate it",
          {kIdeal, kThreshold, kGenerated}};
}

ParameterInfo encryption_parameter() {
  return {"encrypt",
          std::string(kOff),
          0,
          0,
          "on: batches are encrypted until they are ordered, with the coin's key, or ideally where "
          "the coin is ideal",
          {kOff, kOn}};
}

bool encrypts(const Experiment& e) {
  return choice(e, "encrypt", kOff) == kOn;
}

}  // namespace thresher::sim
