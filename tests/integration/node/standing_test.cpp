// Logs are compared with those of peers: a node whose log is another stops before it says more.
#include "member.hpp"
#include "name_of_suite.hpp"

namespace thresher::net {
namespace {

class Compared : public testing::TestWithParam<std::string> {
 protected:
  Compared() : net_(4, GetParam()) {}

  // Some commits by four nodes, then node 0 alone with its log.
  Round commit_and_stop() {
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(net_.start(i), "");
    std::uint64_t last = 0;
    for (std::uint64_t k = 0; k < 8; ++k) last = net_.submit(k % 4, "entry").slot;
    EXPECT_TRUE(net_.reaches(0, 8));
    for (std::size_t i = 0; i < 4; ++i) net_.stop(i);
    EXPECT_EQ(net_.start(0), "");
    return Round{last};
  }
  // What node 0 says of its log, up to a slot.
  std::map<Round, Digest> ask(Member& member, Round last) {
    std::map<Round, Digest> out;
    for (Round slot{1}; slot <= last; ++slot.value) {
      member.say({kWantLogHash, wire::encode(wire::WantLogHash{slot}), {}});
      Network::eventually([&] { return member.hash_of(slot).has_value(); });
      out[slot] = member.hash_of(slot).value_or(Digest{});
    }
    return out;
  }
  // The same up to a slot, and from there on another log, of any length: node 0 may have decided
  // more slots than it ordered transactions in.
  static std::function<wire::LogHash(Round)> fork(std::map<Round, Digest> log, Round from) {
    return [log = std::move(log), from](Round slot) {
      const auto it = log.find(slot);
      const auto& [last, end] = *log.rbegin();
      if (it == log.end()) return wire::LogHash{slot, hash(end.bytes), from <= last};
      return wire::LogHash{slot, slot < from ? it->second : hash(it->second.bytes), true};
    };
  }

  Network net_;
};

TEST_P(Compared, ALogThatDiffersFromTwoPeersStopsItsNodeAtTheSlot) {
  const Round last = commit_and_stop();
  ASSERT_GT(last.value, 3u);
  const Round from{last.value / 2 + 1};
  Member first(net_, 0, 1);
  Member second(net_, 0, 2);
  const auto log = ask(first, last);
  first.hash_log(fork(log, from));
  second.hash_log(fork(log, from));
  const std::string why = net_.ending(0);
  EXPECT_NE(why.find("differs from that of 2 peers"), std::string::npos) << why;
  // A slot that nobody committed has the hash of the one before, so the first that differs is known
  // to the slot.
  const std::string at = "The first slot that differs is " + std::to_string(from.value) + ":";
  EXPECT_NE(why.find(at), std::string::npos) << why;
  EXPECT_NE(why.find(net_.home(0)), std::string::npos) << why;
  EXPECT_EQ(first.spoken_to() + second.spoken_to(), 0);
}

TEST_P(Compared, OneLiarDoesNotStopIt) {
  const Round last = commit_and_stop();
  Member liar(net_, 0, 1);
  Member good(net_, 0, 2);
  const auto log = ask(liar, last);
  liar.hash_log(fork(log, Round{1}));
  good.hash_log(fork(log, Round{last.value + 1}));
  ASSERT_TRUE(Network::eventually([&] { return liar.heard(kWantLogHash) > 0; }));
  liar.know({});
  good.know({});
  EXPECT_TRUE(Network::eventually([&] { return good.spoken_to() > 0; }));
  EXPECT_FALSE(net_.ended(0));
}

INSTANTIATE_TEST_SUITE_P(Standing, Compared,
                         testing::Values("thresher", "anchored-bullshark", "pbft", "raft"),
                         name_of_suite);

}  // namespace
}  // namespace thresher::net
