// Clients that believe a proof alone: with real nodes, and with a member that lies to them.
#include <set>

#include "fake_member.hpp"
#include "thresher/net/log_proof.hpp"
#include "tills.hpp"

namespace thresher::net {
namespace {

const AskOptions kProved{.words = Words::kProof};
const Parameters kEveryFour{{"checkpoint", "4"}};

/// The proof of an outcome, as somebody reads it who has the genesis file.
LogProof proof_in(const Tills& tills, const CommitStatus& out) {
  const auto proof = decode_log_proof(out.receipt.log_proof.view(), 4);
  EXPECT_TRUE(proof) << out.why;
  if (!proof) return {};
  EXPECT_TRUE(check_log_proof(tills.net().genesis(), *proof));
  EXPECT_EQ(proof->position, out.receipt.position);
  return *proof;
}

/// Submits one after the other, as checkpoints of a ledger at rest need, and rests between them:
/// at full speed it takes the processor from the node under test.
class Traffic {
 public:
  explicit Traffic(Node& node)
      : thread_([this, &node] {
          while (!ended_) {
            auto one = node.submit(as_view("add 0"));
            while (!ended_ &&
                   one.wait_for(std::chrono::milliseconds(5)) != std::future_status::ready) {
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
          }
        }) {}
  ~Traffic() {
    ended_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

class AClientWaitsForAProof : public testing::TestWithParam<std::string> {};

// Many at once, through one node: each has a proof of its own transaction and result.
TEST_P(AClientWaitsForAProof, OfEachTransactionAndItsResult) {
  Tills tills(4, GetParam(), kEveryFour);
  tills.start_all();
  const Traffic traffic(tills.node(1));
  const auto client = tills.client({.node = NodeId{2}});
  std::vector<std::future<CommitStatus>> all;
  for (int k = 0; k < 50; ++k) all.push_back(client->submit(as_view("add 1"), kProved));
  all.push_back(client->submit(as_view("take 1000"), kProved));
  std::set<std::string> sums;
  for (auto& one : all) {
    const CommitStatus out = one.get();
    ASSERT_TRUE(out.committed()) << out.why;
    ASSERT_TRUE(out.receipt.result);
    EXPECT_EQ(proof_in(tills, out).content.result, digest_of(*out.receipt.result));
    sums.insert(result_of(out));
  }
  EXPECT_EQ(sums.size(), all.size());
}

INSTANTIATE_TEST_SUITE_P(Life, AClientWaitsForAProof,
                         testing::Values("thresher", "pbft", "hotstuff2"),
                         [](const auto& suite) { return suite.param; });

TEST(ClientProofs, WhatCannotBeProvedIsSaidAtOnce) {
  Tills tills(4);
  tills.start_all();
  const auto client = tills.client();
  const CommitStatus out = client->submit(as_view("add 1"), kProved).get();
  EXPECT_EQ(out.kind, CommitStatus::Kind::kRefused);
  EXPECT_NE(out.why.find("has no checkpoints"), std::string::npos) << out.why;
  const Answer answer = client->query(as_view("sum"), kProved).get();
  EXPECT_TRUE(answer.failed);
  EXPECT_NE(as_text(answer.bytes.view()).find("has no proof"), std::string::npos);
}

TEST(ClientProofs, WithoutACheckpointTheOutcomeIsUnknownAndSaysWhy) {
  Tills tills(4, "thresher", {{"checkpoint", "1000000"}});
  tills.start_all();
  const auto client = tills.client();
  std::string why;  // on a busy machine, that it was not ordered in this time
  bool told = false;
  for (int position = 0; position < 20 && !told; ++position) {
    const CommitStatus out =
        client->submit(as_view("add 1"), {.patience_us = 1'000'000, .words = Words::kProof}).get();
    EXPECT_EQ(out.kind, CommitStatus::Kind::kUnknown);
    why = out.why;
    const std::string at = "(position " + std::to_string(position);
    told = why.find("has not proved it " + at + " has no certificate yet") != why.npos;
  }
  EXPECT_TRUE(told) << why;
}

// The application at the node at hand answers otherwise than the others'. Its own checkpoints
// differ, so it has no proof and stops; the client hears the truth from the next one.
TEST(ClientProofs, ANodeWhoseApplicationDiffersConvincesNobody) {
  Tills tills(4, "thresher", kEveryFour);
  tills.app(0).lies_by(1'000'000);
  tills.start_all();
  const Traffic traffic(tills.node(1));
  const auto client = tills.client();
  for (int k = 1; k < 4; ++k) {
    const CommitStatus out = client->submit(as_view("add 1"), kProved).get();
    EXPECT_EQ(result_of(out), std::to_string(k));
    (void)proof_in(tills, out);
  }
}

/// Member 0 as clients see it who lies to them: what it is told to answer to a submission's
/// sequence and to a question for a proof.
class LyingMember {
 public:
  using Word = std::function<std::pair<std::uint64_t, std::string>(std::uint64_t sequence)>;

  LyingMember(const Network& net, Word word, FakeMember::Proof proof)
      : member_(
            net, NodeId{0}, kSlot,
            [this, word = std::move(word)](const FakeMember::Submitted& got) {
              ++submissions_;
              return results_of(kSlot, got.sequences, word);
            },
            std::move(proof)) {}
  /// That it has answered.
  int submissions() const { return submissions_; }

 private:
  static constexpr Round kSlot{20};
  std::atomic<int> submissions_{0};
  FakeMember member_;
};

/// Three honest nodes, and six transactions of a client with a key, which are proved.
struct Lied {
  Tills tills{4, "thresher", kEveryFour};
  std::optional<Traffic> traffic;
  crypto::SigningKey key = crypto::SigningKey::generate();
  std::vector<CommitStatus> before;

  Lied() {
    for (std::size_t i = 1; i < 4; ++i) tills.start(i);
    traffic.emplace(tills.node(1));
    const auto client = tills.client({.node = NodeId{1}, .key = key});
    for (int k = 0; k < 6; ++k) before.push_back(client->submit(as_view("add 1"), kProved).get());
  }
  /// The transactions again, under the same identities, from member 0 on: the same outcomes, and
  /// the lie has been said.
  void expect_the_truth(const LyingMember& liar, const std::string& lie) {
    std::mutex mutex;
    std::string problems;
    {
      const auto client = tills.client({.key = key, .on_problem = [&](const std::string& line) {
                                          const std::lock_guard lock(mutex);
                                          problems += line + "\n";
                                        }});
      std::vector<std::future<CommitStatus>> again;
      for (std::size_t k = 0; k < before.size(); ++k) {
        again.push_back(client->submit(as_view("add 1"), kProved));
      }
      for (std::size_t k = 0; k < before.size(); ++k) {
        const CommitStatus out = again[k].get();
        const CommitStatus& truth = before[k];
        ASSERT_TRUE(out.committed()) << out.why;
        EXPECT_EQ(out.receipt.position, truth.receipt.position);
        EXPECT_EQ(result_of(out), result_of(truth));
        (void)proof_in(tills, out);
      }
    }
    EXPECT_GT(liar.submissions(), 0);
    EXPECT_NE(problems.find(lie), std::string::npos) << problems;
  }
  std::optional<Bytes> proof_at(std::uint64_t position) const {
    for (const CommitStatus& out : before) {
      if (out.receipt.position == position) return out.receipt.log_proof;
    }
    return std::nullopt;
  }
  std::uint64_t position(std::uint64_t sequence) const {
    return before.at(sequence).receipt.position;
  }
};

TEST(ClientProofs, ATrueProofWithAnotherResultIsNotBelieved) {
  Lied lied;
  const LyingMember liar(
      lied.tills.net(),
      [&](std::uint64_t sequence) { return std::pair(lied.position(sequence), "777"); },
      [&](std::uint64_t) { return lied.before.at(0).receipt.log_proof; });
  lied.expect_the_truth(liar, "it is of another result than the node told");
}

TEST(ClientProofs, AProofOfAnotherPositionOrTransactionIsNotBelieved) {
  Lied lied;
  {
    const LyingMember liar(
        lied.tills.net(),
        [&](std::uint64_t sequence) { return std::pair(lied.position(sequence) + 1, "1"); },
        [&](std::uint64_t) { return lied.before.at(5).receipt.log_proof; });
    lied.expect_the_truth(liar, "it is of position ");
  }
  // Each is said to stand where another one of the same client is proved to stand.
  const LyingMember liar(
      lied.tills.net(),
      [&](std::uint64_t sequence) { return std::pair(lied.position(5 - sequence), "1"); },
      [&](std::uint64_t position) { return lied.proof_at(position); });
  lied.expect_the_truth(liar, "it is of another transaction");
}

TEST(ClientProofs, TwoTransactionsAtOnePositionAreNotBelieved) {
  Lied lied;
  const LyingMember liar(
      lied.tills.net(), [&](std::uint64_t) { return std::pair(lied.position(0), "1"); },
      [](std::uint64_t) { return std::optional<Bytes>(); });
  lied.expect_the_truth(liar, "it puts two transactions at position ");
}

// Each byte of a proof counts: one bit is turned, another one at each question.
TEST(ClientProofs, AProofWithATurnedBitIsNotBelieved) {
  Lied lied;
  const std::size_t size = lied.before.at(0).receipt.log_proof.size();
  for (std::size_t at = 0; at < size; at += 1 + size / 6) {
    const LyingMember liar(
        lied.tills.net(),
        [&](std::uint64_t sequence) {
          return std::pair(lied.position(sequence), result_of(lied.before.at(sequence)));
        },
        [&](std::uint64_t) {
          const ByteView good = lied.before.at(0).receipt.log_proof.view();
          std::vector<std::byte> bad(good.begin(), good.end());
          bad[at] ^= std::byte{4};
          return Bytes::from(std::move(bad));
        });
    lied.expect_the_truth(liar, "its proof of position ");
  }
}

// One that answers and never proves gives way after kUnproven, without a word to the host: a late
// checkpoint is not a fault.
TEST(ClientProofs, ANodeThatWithholdsTheProofGivesWayToTheNext) {
  Lied lied;
  const LyingMember liar(
      lied.tills.net(),
      [&](std::uint64_t sequence) { return std::pair(lied.position(sequence), "1"); },
      [](std::uint64_t) { return std::optional<Bytes>(); });
  lied.expect_the_truth(liar, "");
}

// A client that may speak to nobody else does not believe it, and says what is wrong.
TEST(ClientProofs, OneNodeThatLiesAloneLeavesTheOutcomeUnknown) {
  Lied lied;
  const LyingMember liar(
      lied.tills.net(),
      [&](std::uint64_t sequence) { return std::pair(lied.position(sequence), "777"); },
      [&](std::uint64_t) { return lied.before.at(0).receipt.log_proof; });
  std::stop_source lie_seen;
  const auto client = lied.tills.client(
      {.node = NodeId{0}, .key = lied.key, .on_problem = [&](const std::string& line) {
         if (line.find("does not hold") != std::string::npos) lie_seen.request_stop();
       }});
  const CommitStatus out =
      client->submit(as_view("add 1"), {.words = Words::kProof, .cancel = lie_seen.get_token()})
          .get();
  EXPECT_EQ(out.kind, CommitStatus::Kind::kUnknown);
  EXPECT_NE(out.why.find("it is of another result than the node told"), std::string::npos)
      << out.why;
}

}  // namespace
}  // namespace thresher::net
