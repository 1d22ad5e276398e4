// One PBFT node alone: what it makes of a view change.
#include "thresher/protocols/order/pbft.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "thresher/core/transcript.hpp"

namespace thresher {
namespace {

// Node 2 leads view 2 of four. Node 3 claims that `text` was prepared in slot 0 of view 1, and the
// first `witnesses` of nodes 0 and 1 say that it was proposed to them.
class ViewChangeTo2 {
 public:
  explicit ViewChangeTo2(std::uint16_t witnesses) {
    for (const std::uint16_t origin : kOthers) {
      Writer w;
      const bool saw = origin == 3 || origin < witnesses;
      w.u64(0).u32(saw ? 1 : 0);
      if (saw) {
        const ByteView text = as_view(kText);
        w.u64(0).u64(origin == 3 ? 1 : 0);
        w.u32(origin == 3 ? static_cast<std::uint32_t>(text.size()) : 0);
        if (origin == 3) w.bytes(text);
        w.u8(1).bytes(hash(text).bytes).u64(1);
      }
      broadcast(origin, Bytes::from(w.take()));
    }
  }

  /// The view change of node 2 itself arrives too.
  void deliver_own() {
    const Bytes payload = own_;
    broadcast(2, payload);
  }

  static constexpr std::string_view kText = "claimed";
  static constexpr std::uint16_t kOthers[] = {0, 1, 3};
  bool started = false;         ///< the new-view went out
  std::optional<Digest> voted;  ///< in slot 0 of view 2

 private:
  void broadcast(std::uint16_t origin, const Bytes& payload) {
    const bracha::Instance i{NodeId{origin}, 0};
    if (origin != 2) receive(origin, bracha::Init{i, payload});
    for (const auto c : {bracha::kEcho, bracha::kReadied}) {
      for (const std::uint16_t from : kOthers)
        receive(from, bracha::Statement{i, c, hash(payload.view())});
    }
  }
  void receive(std::uint16_t from, Bracha::Message m) {
    Pbft::Fx fx;
    step(node_, InputOf<Pbft>{Received<Pbft::Message>{NodeId{from}, std::move(m)}}, fx);
    for (auto& effect : fx.list()) {
      const auto* b = std::get_if<Broadcast<Pbft::Message>>(&effect);
      if (b == nullptr) continue;
      started |= std::holds_alternative<pbft::NewView>(b->message);
      if (const auto* v = std::get_if<pbft::Vote>(&b->message)) voted = v->digest;
      const auto* inner = std::get_if<Bracha::Message>(&b->message);
      const auto* init = inner == nullptr ? nullptr : std::get_if<bracha::Init>(inner);
      if (init != nullptr) own_ = init->payload;
    }
  }

  Pbft node_{Pbft::Config{.committee = *Committee::of(4), .self = NodeId{2}}};
  Bytes own_;
};

TEST(PbftViewChange, ProposesAPreparedValueAgain) {
  ViewChangeTo2 run(1);
  EXPECT_TRUE(run.started);
  ASSERT_TRUE(run.voted.has_value());
  EXPECT_EQ(*run.voted, hash(as_view(ViewChangeTo2::kText)));
}

TEST(PbftViewChange, AClaimThatNobodyElseBearsOutIsNotBelieved) {
  ViewChangeTo2 run(0);
  EXPECT_FALSE(run.started);  // a quorum without the claim is missing yet
  run.deliver_own();
  EXPECT_TRUE(run.started);
  EXPECT_FALSE(run.voted.has_value());
}

}  // namespace
}  // namespace thresher
