// The purpose of each check of key generation: a liar tries everything, and with any one check left
// out at the correct nodes it gets what it wants. With all of them it gets nothing.
//
// Four nodes. 2 deals nothing, so the dealing of the liar, 0, has to count; it is bad for 1. The
// liar reveals false shares and gives false points, sooner than others do, and complains of 3
// without a reason. A node takes the shares and points of the lowest numbers, so liar and victim
// have these.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "../../timed.hpp"
#include "generation.hpp"

namespace thresher {
namespace {

using generation::kNodes;
using generation::Node;

constexpr std::uint16_t kSlandered = 3;
constexpr std::uint16_t kIdle = 2;
constexpr std::uint16_t kVictim = 1;
constexpr std::uint16_t kLiar = 0;

enum class Mutant : std::uint8_t {
  kNone,
  kOwnSharesNotChecked,
  kComplaintsBelieved,
  kComplaintsIgnored,
  kRevealsNotChecked,
  kPointsNotChecked,
};
constexpr const char* kNames[] = {"None",
                                  "OwnSharesNotChecked",
                                  "ComplaintsBelieved",
                                  "ComplaintsIgnored",
                                  "RevealsNotChecked",
                                  "PointsNotChecked"};

Bytes spoilt(const Bytes& bytes, std::size_t at) {
  std::vector<std::byte> out(bytes.view().begin(), bytes.view().end());
  out[at] ^= std::byte{1};
  return Bytes::from(std::move(out));
}

class SpoiltKey final : public crypto::SettledKey {
 public:
  SpoiltKey(std::shared_ptr<const SettledKey> good, bool lies, bool checks)
      : good_(std::move(good)), lies_(lies), checks_(checks) {}
  const crypto::CoinKeys& keys() const override { return good_->keys(); }
  const crypto::RistrettoPoint& group() const override { return good_->group(); }
  Bytes point_for(NodeId to) const override {
    const Bytes point = good_->point_for(to);
    return lies_ && to.value != kLiar ? spoilt(point, 0) : point;
  }
  bool check_point(NodeId from, ByteView point) const override {
    return !checks_ || good_->check_point(from, point);
  }
  std::optional<crypto::GeneratedKey> finish(
      std::span<const crypto::Contribution> points) const override {
    return good_->finish(points);
  }

 private:
  std::shared_ptr<const SettledKey> good_;
  bool lies_;
  bool checks_;
};

/// The scheme of a node: the liar's, or one with a check left out.
class SpoiltScheme final : public crypto::DkgScheme {
 public:
  SpoiltScheme(NodeId self, Mutant mutant)
      : good_(generation::scheme_of(self)), self_(self), mutant_(mutant) {}

  std::optional<Bytes> deal() const override {
    if (self_.value == kIdle) return std::nullopt;
    const auto dealing = good_->deal();
    if (self_.value != kLiar) return dealing;
    // The last bytes are two shares of each node.
    return spoilt(*dealing, dealing->size() - std::size_t{32} * 2 * (kNodes - kVictim));
  }
  std::uint32_t dealing_bytes() const override { return good_->dealing_bytes(); }
  bool deals(NodeId node) const override { return good_->deals(node); }
  std::uint32_t enough_dealings() const override { return good_->enough_dealings(); }
  std::uint32_t revealers() const override { return good_->revealers(); }
  crypto::Dealt check(NodeId dealer, ByteView dealing) const override {
    const crypto::Dealt verdict = good_->check(dealer, dealing);
    const bool trusts = broken(Mutant::kOwnSharesNotChecked) && verdict == crypto::Dealt::kBadForMe;
    return trusts ? crypto::Dealt::kGood : verdict;
  }
  Bytes complain(NodeId dealer, ByteView dealing) const override {
    return good_->complain(dealer, dealing);
  }
  bool judge(NodeId dealer, ByteView dealing, NodeId accuser, ByteView complaint) const override {
    if (broken(Mutant::kComplaintsIgnored)) return false;
    return broken(Mutant::kComplaintsBelieved) || good_->judge(dealer, dealing, accuser, complaint);
  }
  Bytes reveal(NodeId dealer, ByteView dealing) const override {
    const Bytes shares = good_->reveal(dealer, dealing);
    return self_.value == kLiar ? spoilt(shares, 0) : shares;
  }
  bool check_reveal(NodeId dealer, ByteView dealing, NodeId from, ByteView shares) const override {
    return broken(Mutant::kRevealsNotChecked) || good_->check_reveal(dealer, dealing, from, shares);
  }
  std::shared_ptr<const crypto::SettledKey> settle(
      std::span<const crypto::ChosenDealing> chosen) const override {
    auto key = good_->settle(chosen);
    if (!key) return nullptr;
    return std::make_shared<SpoiltKey>(std::move(key), self_.value == kLiar,
                                       !broken(Mutant::kPointsNotChecked));
  }

 private:
  bool broken(Mutant mutant) const { return mutant_ == mutant && self_.value != kLiar; }

  std::shared_ptr<const crypto::DkgScheme> good_;
  NodeId self_;
  Mutant mutant_;
};

struct Seen {
  std::uint32_t done = 0;  ///< correct nodes whose shares fit the one key
  bool exposed = false;    ///< a correct node told shares of a correct dealer
  bool helped = false;     ///< somebody told shares of the liar's dealing
};

Seen play(Mutant mutant) {
  Seen out;
  std::map<std::uint16_t, crypto::GeneratedKey> keys;
  Timed<Node> net(kNodes, [&](NodeId id) {
    return generation::node_with(id, std::make_shared<SpoiltScheme>(id, mutant));
  });
  net.link = [&](std::uint16_t from, std::uint16_t, const Node::Message& m) -> std::int64_t {
    const auto* own = std::get_if<0>(&m);
    if (own == nullptr) return 300;
    if (const auto* reveal = std::get_if<dkg::Reveal>(own)) {
      out.exposed = out.exposed || (from != kLiar && reveal->dealer.value != kLiar);
      out.helped = out.helped || reveal->dealer.value == kLiar;
    }
    const bool late =
        std::holds_alternative<dkg::Reveal>(*own) || std::holds_alternative<dkg::Point>(*own);
    return late && from != kLiar ? 2000 : 300;
  };
  net.delivered = [&](std::uint16_t i, const crypto::GeneratedKey& key) { keys.emplace(i, key); };
  const dkg::Complaint slander{NodeId{kSlandered},
                               Bytes::from(std::vector<std::byte>(dkg::kProofBytes))};
  net.every(5 * kDelta, [&] {
    for (std::uint16_t i = 1; i < kNodes; ++i) net.say(kLiar, i, dkg::Message(slander));
  });
  net.run_until(150 * kDelta);
  for (const auto& [node, key] : keys) {
    const bool fits = crypto::ristretto_base(*key.share) == key.keys.nodes[node] &&
                      key.group == keys.begin()->second.group;
    out.done += node != kLiar && fits ? 1 : 0;
  }
  return out;
}

class EveryCheck : public ::testing::TestWithParam<Mutant> {};

INSTANTIATE_TEST_SUITE_P(KeyGeneration, EveryCheck,
                         ::testing::Values(Mutant::kNone, Mutant::kOwnSharesNotChecked,
                                           Mutant::kComplaintsBelieved, Mutant::kComplaintsIgnored,
                                           Mutant::kRevealsNotChecked, Mutant::kPointsNotChecked),
                         [](const auto& suite) {
                           return kNames[static_cast<std::size_t>(suite.param)];
                         });

TEST_P(EveryCheck, IsNeeded) {
  const Seen seen = play(GetParam());
  const bool kept = seen.done == kNodes - 1 && !seen.exposed;
  EXPECT_EQ(kept, GetParam() == Mutant::kNone)
      << seen.done << " done, " << (seen.exposed ? "exposed" : "hidden");
  EXPECT_TRUE(seen.helped || GetParam() != Mutant::kNone) << "nobody was dealt a bad share";
}

}  // namespace
}  // namespace thresher
