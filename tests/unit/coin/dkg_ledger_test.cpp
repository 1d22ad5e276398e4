// What a node of key generation does for one that complains, of whatever and however
// often.
#include <gtest/gtest.h>

#include "thresher/protocols/coin/dkg.hpp"

namespace thresher::dkg {
namespace {

// Finds all dealings good and all complaints right, and counts what it reveals.
class Believing final : public crypto::DkgScheme {
 public:
  std::optional<Bytes> deal() const override { return std::nullopt; }
  std::uint32_t dealing_bytes() const override { return 1; }
  bool deals(NodeId) const override { return true; }
  std::uint32_t enough_dealings() const override { return 3; }
  std::uint32_t revealers() const override { return 2; }
  crypto::Dealt check(NodeId, ByteView) const override { return crypto::Dealt::kGood; }
  Bytes complain(NodeId, ByteView) const override { return {}; }
  bool judge(NodeId, ByteView, NodeId, ByteView) const override { return true; }
  Bytes reveal(NodeId, ByteView) const override {
    ++reveals;
    return Bytes::copy_of(as_view("shares"));
  }
  bool check_reveal(NodeId, ByteView, NodeId, ByteView) const override { return true; }
  std::shared_ptr<const crypto::SettledKey> settle(
      std::span<const crypto::ChosenDealing>) const override {
    return nullptr;
  }
  mutable int reveals = 0;
};

// To open the own shares takes a multiplication, and each complaint of a hundred bytes cost one.
TEST(DkgLedger, SharesAreOpenedOnceHoweverOftenSomebodyComplains) {
  constexpr NodeId kLiar{3};
  const Committee committee = *Committee::of(4);
  const auto scheme = std::make_shared<Believing>();
  Ledger ledger(committee, NodeId{0}, scheme, false);
  Ledger::Out out;
  ledger.deliver(kLiar, Bytes::copy_of(as_view("dealing")), out);
  NodeSet all(committee.size());
  for (std::uint16_t i = 0; i < committee.size(); ++i) all.insert(NodeId{i});
  ledger.agree(all, out);
  out.messages.clear();
  for (int k = 0; k < 100; ++k) {
    ledger.receive(kLiar, Complaint{kLiar, {}}, out);
    ledger.receive(NodeId{1}, Complaint{kLiar, {}}, out);
  }
  EXPECT_EQ(out.messages.size(), 200u);  // an answer may be lost
  for (const auto& [to, message] : out.messages)
    EXPECT_EQ(std::get<Reveal>(message).shares, Bytes::copy_of(as_view("shares")));
  EXPECT_EQ(scheme->reveals, 1);
}

}  // namespace
}  // namespace thresher::dkg
