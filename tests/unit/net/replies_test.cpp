// Clients are told once where their transactions are, with the results that they asked for.
#include "service/replies.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "thresher/net/codec.hpp"
#include "thresher/net/wire.hpp"
#include "wire/result_entries.hpp"

namespace thresher::net {
namespace {

constexpr ConnectionId kPlain = kFirstClient;
constexpr ConnectionId kCurious = kFirstClient + 1;

struct Told {
  KeptResults results;
  OlderClients older;
  std::map<ConnectionId, std::vector<Frame>> sent;
  std::map<ConnectionId, std::size_t> queued;
  std::vector<ConnectionId> dropped;
  bool takes = true;
  Replies replies{results,
                  older,
                  {[this](ConnectionId to, const Frame& f) {
                     if (takes) sent[to].push_back(f);
                     if (takes) queued[to] += f.payload.size();
                     return takes;
                   },
                   [this](ConnectionId link) {
                     dropped.push_back(link);
                     replies.leave(link);
                   },
                   [this](ConnectionId link) { return queued[link]; }, [] { return 1'000'000; }}};

  /// (sequence, position) pairs of all acknowledgements to a link.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> acks(ConnectionId link) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> out;
    for (const Frame& f : sent[link]) {
      if (f.kind != kAck) continue;
      for (Reader in(f.payload.view()); in.remaining() > 0;) {
        const std::uint64_t sequence = in.u64();
        out.emplace_back(sequence, in.u64());
      }
    }
    return out;
  }
  std::map<std::uint64_t, std::string> answers(ConnectionId link) {  // by sequence
    std::map<std::uint64_t, std::string> out;
    for (const Frame& f : sent[link]) {
      if (f.kind != kResults) continue;
      EXPECT_TRUE(each_result(f.payload.view(), [&](std::uint64_t sequence, std::uint64_t,
                                                    const std::optional<ApplyResult>& result) {
        const ByteView bytes = result ? result->bytes.view() : ByteView{};
        EXPECT_FALSE(out.contains(sequence));
        out[sequence] =
            result ? std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()) : "?";
      }));
    }
    return out;
  }
  void apply(std::uint64_t position, const std::string& result) {
    results.add(position, {false, Bytes::copy_of(as_view(result))});
  }
};

TEST(Replies, AllAnswersOfALinkGoInOneFrameAndOnce) {
  Told t;
  t.replies.placed(kPlain, {5, 10});
  t.replies.placed(kPlain, {6, 11});
  t.replies.tell(Round{3});
  t.replies.tell(Round{4});
  ASSERT_EQ(t.sent[kPlain].size(), 1u);
  EXPECT_EQ(t.acks(kPlain),
            (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{5, 10}, {6, 11}}));
  EXPECT_FALSE(t.replies.owes_results());
}

TEST(Replies, WhoAsksForResultsGetsThemAndNoAcknowledgement) {
  Told t;
  t.replies.wants_results(kCurious);
  t.replies.wants_results(kCurious);
  t.apply(0, "zero");
  t.apply(1, "one");
  t.replies.placed(kCurious, {7, 1});
  t.replies.placed(kPlain, {8, 0});
  t.replies.tell(Round{3});
  EXPECT_TRUE(t.acks(kCurious).empty());
  EXPECT_FALSE(t.replies.tell_results(Round{3}));
  EXPECT_EQ(t.answers(kCurious), (std::map<std::uint64_t, std::string>{{7, "one"}}));
  EXPECT_EQ(t.acks(kPlain).size(), 1u);
}

// A node that stops has positions that its application never got.
TEST(Replies, NoResultIsToldBeforeTheApplicationGaveIt) {
  Told t;
  t.replies.wants_results(kCurious);
  t.apply(0, "zero");
  t.replies.placed(kCurious, {1, 0});
  t.replies.placed(kCurious, {2, 1});
  (void)t.replies.tell_results(Round{1});
  EXPECT_EQ(t.answers(kCurious).size(), 1u);
  t.apply(1, "one");
  EXPECT_FALSE(t.replies.tell_results(Round{1}));
  EXPECT_EQ(t.answers(kCurious).size(), 2u);
}

TEST(Replies, ALinkGetsTheRestWhenItHasRoom) {
  Told t;
  t.replies.wants_results(kCurious);
  const std::string large(Replies::kResultsFrame, 'x');
  for (std::uint64_t at = 0; at < 5; ++at) {
    t.apply(at, large);
    t.replies.placed(kCurious, {at, at});
  }
  EXPECT_TRUE(t.replies.tell_results(Round{1}));
  EXPECT_LT(t.answers(kCurious).size(), 5u);
  EXPECT_GT(t.answers(kCurious).size(), 0u);
  for (int i = 0; i < 5; ++i) {
    t.queued.clear();
    (void)t.replies.tell_results(Round{1});
  }
  EXPECT_EQ(t.answers(kCurious).size(), 5u);
  EXPECT_TRUE(t.dropped.empty());
}

TEST(Replies, ALinkThatDoesNotReadIsClosed) {
  Told t;
  t.replies.wants_results(kCurious);
  t.apply(0, "zero");
  t.queued[kCurious] = Replies::kResultsFrame + 1;
  for (std::uint64_t k = 0; k <= Replies::kMostUntold; ++k) t.replies.placed(kCurious, {k, 0});
  EXPECT_FALSE(t.replies.tell_results(Round{1}));
  EXPECT_EQ(t.dropped, std::vector<ConnectionId>{kCurious});
  // An acknowledgement that was not taken is lost, and nobody would ask for it again.
  t.takes = false;
  t.replies.placed(kPlain, {1, 0});
  t.replies.tell(Round{1});
  EXPECT_EQ(t.dropped, (std::vector<ConnectionId>{kCurious, kPlain}));
}

TEST(Replies, NothingIsToldToALinkThatLeft) {
  Told t;
  t.replies.wants_results(kCurious);
  t.apply(0, "zero");
  t.replies.placed(kCurious, {1, 0});
  t.replies.placed(kPlain, {1, 0});
  t.replies.leave(kCurious);
  t.replies.leave(kPlain);
  t.replies.tell(Round{1});
  EXPECT_FALSE(t.replies.tell_results(Round{1}));
  EXPECT_TRUE(t.sent.empty());
}

}  // namespace
}  // namespace thresher::net
