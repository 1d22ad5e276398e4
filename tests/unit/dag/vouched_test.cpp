// What came with the log of peers: a liar that hands out the log can put false signatures into it,
// because the log's hashes cover digests only. A node that takes it must not hand them on: the next
// one would name it as the culprit.
#include <gtest/gtest.h>

#include <algorithm>

#include "thresher/core/committee.hpp"
#include "thresher/protocols/dag/dag.hpp"

namespace thresher::dag {
namespace {

Signature good() {
  Signature s{};
  s.fill(std::byte{7});
  return s;
}

BlockPtr block(std::uint16_t author, std::uint64_t round, const Digest& parent, bool forged) {
  Header h;
  h.author = NodeId{author};
  h.round = Round{round};
  h.self = {h.author, Round{round - 1}, parent};
  return make_block(std::move(h), {}, forged ? Signature{} : good(), {});
}

/// Node 0 of four, which took the log over from a liar: rounds 1 to 3 of all others, where the
/// blocks of author 2 have false signatures.
class Adopter {
 public:
  explicit Adopter(bool restarts) {
    std::vector<InputOf<Dag>> log;
    for (std::uint64_t round = 1; round <= 3; ++round) {
      for (std::uint16_t author = 1; author <= 3; ++author) {
        const Digest parent = round == 1 ? Digest{} : blocks_.at(blocks_.size() - 3)->digest;
        blocks_.push_back(block(author, round, parent, author == 2));
        Writer value;
        encode_header(*blocks_.back(), value);
        value.u8(kCameWithLog);
        log.push_back(
            Restored{kBlock, block_key(blocks_.back()->edge()), Bytes::from(value.take()), {}});
      }
    }
    Writer mark;
    mark.u64(0).bytes(blocks_.back()->digest.bytes);
    if (!restarts) feed(Start{0});
    for (const auto& input : log) feed(input);
    if (restarts) {
      feed(Start{0});
    } else {
      feed(Restored{kDelivered, Bytes::from(Writer().u64(3).take()), Bytes::from(mark.take()), {}});
    }
  }

  void feed(const InputOf<Dag>& input) {
    Dag::Fx fx;
    step(node_, input, fx);
    for (auto& effect : fx.list()) {
      if (const auto* v = std::get_if<Verify>(&effect)) asked_.push_back(*v);
      if (auto* s = std::get_if<Send<Message>>(&effect)) sent_.push_back(std::move(s->message));
    }
  }
  /// What is handed out in answer to one question.
  std::vector<BlockPtr> answer(Message question) {
    sent_.clear();
    feed(Received<Message>{NodeId{3}, std::move(question)});
    for (const Message& m : sent_) {
      if (const auto* give = std::get_if<Give>(&m)) return give->blocks;
    }
    return {};
  }
  /// Answers all questions about signatures; how many there were.
  std::size_t verdicts() {
    const auto asked = std::exchange(asked_, {});
    for (const Verify& v : asked) {
      EXPECT_EQ(v.sender, NodeId{0}) << "who asks for a block did not bring it";
      feed(Verified{v.ticket, v.signature == good()});
    }
    return asked.size();
  }
  Want want_all() const {
    Want out;
    for (const BlockPtr& b : blocks_) out.blocks.push_back(b->edge());
    return out;
  }

  Dag node_{[] {
    Config c;
    c.self = NodeId{0};
    return c;
  }()};
  std::vector<BlockPtr> blocks_;
  std::vector<Verify> asked_;
  std::vector<Message> sent_;
};

bool forged(const BlockPtr& block) {
  return block->signature != good();
}

class Vouched : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Dag, Vouched, testing::Bool(), [](const auto& suite) {
  return std::string(suite.param ? "AfterARestart" : "AtOnce");
});

TEST_P(Vouched, BlocksAreShownAfterALookAtTheirSignatures) {
  Adopter node(GetParam());
  for (const BlockPtr& b : node.blocks_) ASSERT_TRUE(node.node_.accepts(b->edge()));
  EXPECT_EQ(node.verdicts(), 0u) << "nobody asked for them yet";
  EXPECT_TRUE(node.answer(node.want_all()).empty());
  EXPECT_TRUE(node.answer(WantRound{Round{1}, NodeSet(4)}).empty());
  EXPECT_EQ(node.verdicts(), 9u) << "one look for each block, however often it is asked for";

  const auto given = node.answer(node.want_all());
  for (const BlockPtr& b : node.blocks_) {
    EXPECT_EQ(std::any_of(given.begin(), given.end(),
                          [&](const BlockPtr& g) { return g->digest == b->digest; }),
              !forged(b));
  }
  const auto rounds = node.answer(WantRound{Round{1}, NodeSet(4)});
  EXPECT_TRUE(std::none_of(rounds.begin(), rounds.end(), forged));
  EXPECT_EQ(rounds.size(), 3u) << "of author 1; author 3 asks, and has its own";
  EXPECT_EQ(node.verdicts(), 0u) << "a false signature is looked at once";
}

}  // namespace
}  // namespace thresher::dag
