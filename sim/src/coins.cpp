#include "coins.hpp"

#include "registry.hpp"
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
  for (std::uint16_t i = 0; i < committee.size(); ++i) {
    identities.push_back(crypto::SigningKey::from_seed(drawn("thresher/simulated-identity/1", i)));
    keys.push_back(identities.back().public_key());
  }
  setup.keys = *crypto::dkg_keys_of(keys);
  std::vector<crypto::DealtKey> nodes;
  for (std::uint16_t i = 0; i < committee.size(); ++i)
    nodes.emplace_back(setup, NodeId{i}, crypto::dkg_secret_of(identities[i]),
                       crypto::Secret(drawn("thresher/simulated-dealing/1", i)));
  std::vector<crypto::ChosenDealing> chosen;
  for (std::uint16_t i = 0; i < nodes[0].enough_dealings(); ++i)
    chosen.push_back({NodeId{i}, *nodes[i].deal(), {}});
  std::vector<std::shared_ptr<const crypto::SettledKey>> settled;
  for (const auto& node : nodes) settled.push_back(node.settle(chosen));
  crypto::CoinDeal out{settled[0]->keys(), {}};
  for (std::uint16_t i = 0; i < committee.size(); ++i) {
    std::vector<crypto::Contribution> points;
    for (std::uint16_t j = 0; j < nodes[0].revealers(); ++j)
      points.push_back({NodeId{j}, settled[j]->point_for(NodeId{i})});
    out.secrets.push_back(*settled[i]->finish(points)->share);
  }
  return out;
}

}  // namespace

Coins::Coins(const Experiment& e, const Committee& committee, Threshold shares) {
  const std::uint32_t n = committee.size();
  const std::uint32_t threshold = committee.at_least(shares);
  encryptions_.resize(n);
  if (choice(e, "coin", kIdeal) == kIdeal) {
    for (std::uint16_t i = 0; i < n; ++i) {
      schemes_.push_back(std::make_shared<coin::IdealCoin>(threshold, NodeId{i}, e.seed));
      if (encrypts(e))
        encryptions_[i] = std::make_shared<coin::IdealEncryption>(threshold, NodeId{i}, e.seed);
    }
    return;
  }
  const crypto::CoinDeal deal = choice(e, "coin", kIdeal) == kGenerated
                                    ? generated(committee, threshold, e.seed)
                                    : dealt(n, threshold, e.seed);
  for (std::uint16_t i = 0; i < n; ++i) {
    schemes_.push_back(std::make_shared<crypto::ThresholdCoin>(ChainContext{}, deal.keys, NodeId{i},
                                                               deal.secrets[i]));
    if (encrypts(e)) {
      encryptions_[i] = std::make_shared<crypto::ThresholdEncryption>(ChainContext{}, deal.keys,
                                                                      NodeId{i}, deal.secrets[i]);
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
