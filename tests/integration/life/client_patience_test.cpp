// How long a client waits, and for whom.
#include <array>
#include <atomic>
#include <deque>

#include "fake_member.hpp"
#include "thresher/net/client.hpp"
#include "tills.hpp"

namespace thresher::net {
namespace {

using std::chrono::milliseconds;

std::unique_ptr<Client> client_of(const Network& net, ClientOptions options = {}) {
  auto client = Client::open(net.home(0) + "/../genesis.json", std::move(options));
  EXPECT_TRUE(client) << client.error();
  return std::move(*client);
}

/// Answers each question but the first one alike, and is silent where it is told so.
FakeMember::Other answers_of(std::uint16_t member, bool silent) {
  return [member, silent, asked = 0](const Frame& f) mutable -> std::optional<Frame> {
    const auto in = wire::decode<wire::Query>(f.control.view());
    if (f.kind != kQuery || !in || silent) return std::nullopt;
    const std::string text = asked++ == 0 ? "state " + std::to_string(member) : "level";
    return Frame{kQueryReply, wire::encode(wire::QueryReply{in->id, 1, false}),
                 Bytes::copy_of(as_view(text))};
  };
}

// Before: nobody was asked again, and the question failed when its patience ended.
TEST(ClientPatience, AMemberThatIsSilentDoesNotKeepTheOthersFromBeingAskedAgain) {
  const Network net(4);
  std::deque<FakeMember> members;
  for (std::uint16_t i = 0; i < 4; ++i) {
    members.emplace_back(
        net, NodeId{i}, Round{20}, [](const FakeMember::Submitted&) { return std::nullopt; },
        FakeMember::Proof{}, answers_of(i, i == 0));
  }
  const auto client = client_of(net);
  const Answer answer =
      client->query(as_view("q"), {.patience_us = 5'000'000, .words = Words::kQuorum}).get();
  EXPECT_FALSE(answer.failed);
  EXPECT_EQ(as_text(answer.bytes.view()), "level");
}

// Nothing is sent to a member that does not say in which slot it is, so nothing is late there.
void see_mute_member_left(Words words) {
  Tills tills(4);
  for (std::size_t i = 1; i < 4; ++i) tills.start(i);
  const FakeMember mute(tills.net(), NodeId{0}, std::nullopt,
                        [](const FakeMember::Submitted&) { return std::nullopt; });
  const auto client = tills.client();
  const CommitStatus out =
      client->submit(as_view("add 1"), {.patience_us = 20'000'000, .words = words}).get();
  EXPECT_EQ(result_of(out), "1") << out.why;
  const Answer answer =
      tills.client()->query(as_view("sum"), {.patience_us = 20'000'000, .words = words}).get();
  EXPECT_FALSE(answer.failed) << as_text(answer.bytes.view());
}
TEST(ClientPatience, AMemberThatNeverSaysItsSlotGivesWay) {
  see_mute_member_left(Words::kQuorum);
}
TEST(ClientPatience, AMemberThatNeverSaysItsSlotGivesWayForOneWord) {
  see_mute_member_left(Words::kOne);
}

// It has said in which slot it is. Those after it have their own time to answer.
void see_silent_member_left(Words words) {
  Tills tills(4);
  for (std::size_t i = 1; i < 4; ++i) tills.start(i);
  const FakeMember silent(tills.net(), NodeId{0}, Round{0},
                          [](const FakeMember::Submitted&) { return std::nullopt; });
  const auto client = tills.client();
  for (const char* sum : {"1", "2"}) {
    const CommitStatus out =
        client->submit(as_view("add 1"), {.patience_us = 20'000'000, .words = words}).get();
    EXPECT_EQ(result_of(out), sum) << out.why;
  }
}
TEST(ClientPatience, AMemberThatTakesAndSaysNothingGivesWayToTheNext) {
  see_silent_member_left(Words::kQuorum);
}
TEST(ClientPatience, AMemberThatTakesAndSaysNothingGivesWayToTheNextForOneWord) {
  see_silent_member_left(Words::kOne);
}

// The slots that one member names are of its own making; for a proof those of f+1 count.
TEST(ClientPatience, SlotsThatNoOtherMemberComesToDoNotKeepAProofAway) {
  Tills tills(4, "thresher", {{"checkpoint", "4"}});
  for (std::size_t i = 1; i < 4; ++i) tills.start(i);
  const FakeMember far(tills.net(), NodeId{0}, Round{1ull << 60},
                       [](const FakeMember::Submitted&) { return std::nullopt; });
  const auto client = tills.client();
  auto first =
      client->submit(as_view("add 1"), {.patience_us = 25'000'000, .words = Words::kProof});
  // The checkpoint that proves it needs what follows it.
  const auto other = tills.client({.node = NodeId{1}});
  for (int k = 0; k < 200 && first.wait_for(milliseconds(50)) != std::future_status::ready; ++k)
    (void)other->submit(as_view("add 0")).get();
  EXPECT_TRUE(first.get().committed());
}

// As a member says that is behind, or one that lies.
TEST(ClientPatience, AMemberThatPutsOffAgainAndAgainGivesWay) {
  for (const Refusal why : {Refusal::kTooEarly, Refusal::kTooLate}) {
    Tills tills(4);
    for (std::size_t i = 1; i < 4; ++i) tills.start(i);
    const FakeMember liar(tills.net(), NodeId{0}, Round{0}, [why](const auto& got) {
      return refusal_of(Round{0}, got.sequences, why);
    });
    const CommitStatus out =
        tills.client()->submit(as_view("add 1"), {.patience_us = 15'000'000}).get();
    EXPECT_EQ(result_of(out), "1") << out.why;
  }
}

TEST(ClientPatience, AMemberThatAlwaysSaysTooLateIsNotAskedWithoutAPause) {
  const Network net(4, "thresher", {{"checkpoint", "4"}});
  std::atomic<int> asked{0};
  const FakeMember liar(net, NodeId{0}, Round{100}, [&](const FakeMember::Submitted& got) {
    ++asked;
    return refusal_of(Round{50'000}, got.sequences, Refusal::kTooLate);
  });
  for (const Words words : {Words::kOne, Words::kProof}) {
    asked = 0;
    const auto client = client_of(net, {.node = NodeId{0}});
    const AskOptions ask{.patience_us = 2'000'000, .words = words};
    EXPECT_FALSE(client->submit(as_view("x"), ask).get().committed());
    EXPECT_GE(asked, 2);
    EXPECT_LE(asked, 8) << static_cast<int>(words);  // at once, and each half second
  }
}

// Before: the end of one call's patience was that of all that waited.
TEST(ClientPatience, EachStatusHasItsOwn) {
  const Network net(4);  // of which nobody runs
  const auto client = client_of(net, {.node = NodeId{0}});
  auto brief = client->status(100'000);
  auto patient = client->status(60'000'000);
  EXPECT_THROW((void)brief.get(), std::runtime_error);
  EXPECT_EQ(patient.wait_for(milliseconds(300)), std::future_status::timeout);
}

// Before: the sum with the time of day was a time of the past.
TEST(ClientPatience, MayBeWithoutEnd) {
  const Network net(4);
  const auto client = client_of(net);
  const std::uint64_t forever = ~std::uint64_t{0};
  auto outcome = client->submit(as_view("x"), {.patience_us = forever});
  auto answer = client->query(as_view("q"), {.patience_us = forever});
  auto status = client->status(forever);
  EXPECT_EQ(outcome.wait_for(milliseconds(300)), std::future_status::timeout);
  EXPECT_EQ(answer.wait_for(milliseconds(0)), std::future_status::timeout);
  EXPECT_EQ(status.wait_for(milliseconds(0)), std::future_status::timeout);
}

TEST(ClientPatience, AWaitOfTheLoopIsNotCutShort) {
  Loop loop;
  bool early = false;
  (void)loop.call_after(~std::uint64_t{0}, [&] { early = true; });
  (void)loop.call_after(20'000, [&] { loop.stop(); });
  loop.run();
  EXPECT_FALSE(early);
}

}  // namespace
}  // namespace thresher::net
