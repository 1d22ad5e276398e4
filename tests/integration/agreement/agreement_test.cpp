// Agreement channels over real links, on a coin that the members made themselves: answers to bits,
// to bytes, to lists and to numbers, members that are killed and come back, who lags, bad input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <set>

#include "thresher/crypto/coin_file.hpp"
#include "thresher/net/agreement_channel.hpp"
#include "thresher/net/key_generation.hpp"
#include "thresher/net/ports.hpp"

namespace thresher {
namespace {

using agreement::Agreed;
using agreement::Channel;
using agreement::ChannelOptions;
using ::testing::HasSubstr;

constexpr std::chrono::seconds kPatience(100);

template <class T>
T answer(Result<std::future<T>, Error> asked) {
  if (!asked) throw std::runtime_error(asked.error().text());
  if (asked->wait_for(kPatience) != std::future_status::ready)
    throw std::runtime_error("no answer");
  return asked->get();
}

class AgreementChannels : public ::testing::Test {
 protected:
  AgreementChannels()
      : folder_(std::filesystem::temp_directory_path() /
                ("thresher-agree-" + std::to_string(::getpid()) + "-" +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::create_directories(folder_);
    genesis_.chain = "agreement-test";
    genesis_.protocol = "mahi-mahi";
    genesis_.f = 1;
    for (const std::uint16_t port : net::free_ports(4)) {
      keys_.push_back(crypto::SigningKey::generate());
      genesis_.nodes.push_back({keys_.back().public_key(), "127.0.0.1", port});
    }
    generate_coin();
  }
  ~AgreementChannels() override {
    members_.clear();
    std::filesystem::remove_all(folder_);
  }

  // As `thresher dkg` does it at every node.
  void generate_coin() {
    std::vector<std::unique_ptr<net::KeyGeneration>> runs;
    for (std::size_t i = 0; i < 4; ++i) {
      auto run = net::KeyGeneration::begin({.genesis = genesis_,
                                            .key = keys_[i],
                                            .folder = path("dkg" + std::to_string(i)),
                                            .log = [](const std::string&) {}});
      ASSERT_TRUE(run) << run.error();
      runs.push_back(std::move(*run));
    }
    for (std::size_t i = 0; i < 4; ++i) {
      const auto made = runs[i]->wait(kPatience);
      ASSERT_TRUE(made) << made.error();
      genesis_.coin = made->keys;
      ASSERT_TRUE(crypto::save_coin_share(*made->share, coin_of(i)));
    }
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string coin_of(std::size_t i) const { return path("coin" + std::to_string(i)); }
  ChannelOptions options(std::size_t i) const {
    return {.genesis = genesis_,
            .key = keys_[i],
            .coin = coin_of(i),
            .folder = path("member" + std::to_string(i)),
            .log = [](const std::string&) {}};
  }
  void join(std::size_t i) { join(i, options(i)); }
  void join(std::size_t i, ChannelOptions o) {
    members_.resize(4);
    auto channel = Channel::join(std::move(o));
    if (!channel) throw std::runtime_error(channel.error().text());
    members_[i] = std::move(*channel);
  }
  void join_all() {
    for (std::size_t i = 0; i < 4; ++i) join(i);
  }
  // What the members decide, each with a bit of its own; none: they have different answers.
  std::optional<bool> decide(std::uint64_t question, const std::vector<std::size_t>& who,
                             const std::vector<bool>& bits) {
    std::vector<Result<std::future<bool>, Error>> asked;
    for (std::size_t k = 0; k < who.size(); ++k)
      asked.push_back(members_[who[k]]->agree(question, bool{bits[k]}));
    std::set<bool> answers;
    for (auto& one : asked) answers.insert(answer(std::move(one)));
    return answers.size() == 1 ? std::optional(*answers.begin()) : std::nullopt;
  }
  // The same of bytes.
  std::optional<std::string> choose(std::uint64_t question, const std::vector<std::size_t>& who) {
    std::vector<Result<std::future<Agreed>, Error>> asked;
    for (const std::size_t i : who)
      asked.push_back(members_[i]->agree(question, as_view(std::string_view(own(question, i)))));
    std::set<std::string> answers;
    for (auto& one : asked) {
      const Agreed a = answer(std::move(one));
      answers.insert(std::string(as_text(a.value.view())));
      EXPECT_EQ(*answers.begin(), own(question, a.origin.value));
    }
    return answers.size() == 1 ? std::optional(*answers.begin()) : std::nullopt;
  }
  // The list that the members get, each with an entry of its own; none: they have different ones.
  std::optional<std::map<std::uint16_t, std::string>> collect(std::uint64_t question,
                                                              const std::vector<std::size_t>& who) {
    std::vector<Result<std::future<std::vector<Agreed>>, Error>> asked;
    for (const std::size_t i : who)
      asked.push_back(members_[i]->collect(question, as_view(std::string_view(own(question, i)))));
    std::set<std::map<std::uint16_t, std::string>> answers;
    for (auto& one : asked) answers.insert(listed(answer(std::move(one))));
    return answers.size() == 1 ? std::optional(*answers.begin()) : std::nullopt;
  }
  static std::map<std::uint16_t, std::string> listed(const std::vector<Agreed>& entries) {
    std::map<std::uint16_t, std::string> out;
    for (const Agreed& e : entries) out[e.origin.value] = std::string(as_text(e.value.view()));
    return out;
  }
  // How far the members' numbers are apart, when all lie within what they gave.
  std::optional<std::int64_t> spread(std::uint64_t question, const std::vector<std::size_t>& who,
                                     const std::vector<std::int64_t>& numbers) {
    std::vector<Result<std::future<std::int64_t>, Error>> asked;
    for (std::size_t k = 0; k < who.size(); ++k)
      asked.push_back(members_[who[k]]->approach(question, numbers[k]));
    std::set<std::int64_t> answers;
    for (auto& one : asked) answers.insert(answer(std::move(one)));
    const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
    if (*answers.begin() < *low || *answers.rbegin() > *high) return std::nullopt;
    return *answers.rbegin() - *answers.begin();
  }
  static std::string own(std::uint64_t question, std::size_t i) {
    return std::to_string(question) + " of " + std::to_string(i);
  }

  std::filesystem::path folder_;
  net::Genesis genesis_;
  std::vector<crypto::SigningKey> keys_;
  std::vector<std::unique_ptr<Channel>> members_;
};

TEST_F(AgreementChannels, GiveAllMembersOneAnswer) {
  join_all();
  const std::vector<std::size_t> all{0, 1, 2, 3};
  EXPECT_EQ(decide(0, all, {true, true, true, true}), true);
  EXPECT_EQ(decide(1, all, {false, false, false, false}), false);
  EXPECT_TRUE(decide(2, all, {true, false, true, false}));
  for (std::uint64_t question = 0; question < 6; ++question) EXPECT_TRUE(choose(question, all));
  const auto status = members_[0]->status();
  EXPECT_EQ(status.bits, 3u);
  EXPECT_EQ(status.values, 6u);
  EXPECT_GT(status.bytes_sent, 0u);
}

// n-f entries at least, each its member's own.
TEST_F(AgreementChannels, CollectOneList) {
  join_all();
  for (std::uint64_t question = 0; question < 6; ++question) {
    const auto list = collect(question, {0, 1, 2, 3});
    ASSERT_TRUE(list) << "they have different lists of " << question;
    EXPECT_GE(list->size(), 3u);
    for (const auto& [member, entry] : *list) EXPECT_EQ(entry, own(question, member));
  }
  EXPECT_EQ(members_[0]->status().subsets, 6u);
}

TEST_F(AgreementChannels, CollectNoEntryThatIsNotValid) {
  for (std::size_t i = 0; i < 4; ++i) {
    ChannelOptions o = options(i);
    o.valid = [](std::uint64_t, NodeId origin, ByteView) { return origin.value != 2; };
    join(i, std::move(o));
  }
  for (std::uint64_t question = 0; question < 4; ++question) {
    const auto list = collect(question, {0, 1, 2, 3});
    ASSERT_TRUE(list);
    EXPECT_EQ(list->size(), 3u);
    EXPECT_FALSE(list->contains(2));
  }
}

// Ten halvings of 4000, and 1 for rounding; three of four have one number, so all end there.
TEST_F(AgreementChannels, BringNumbersNearEachOther) {
  join_all();
  const std::vector<std::size_t> all{0, 1, 2, 3};
  for (std::uint64_t question = 0; question < 3; ++question) {
    const auto apart = spread(question, all, {-2000, 2000, 1000, -7});
    ASSERT_TRUE(apart) << "a number lies outside of those that were given";
    EXPECT_LE(*apart, 4000 / 1024 + 1);
  }
  EXPECT_LE(spread(3, all, {5, 5, 5, 5}), 0);
  EXPECT_EQ(members_[3]->status().numbers, 4u);
}

// Three of four go on; the one that was killed comes back with its folder and has all answers.
TEST_F(AgreementChannels, GiveListsAndNumbersToAMemberThatWasKilled) {
  join_all();
  const auto first = collect(0, {0, 1, 2, 3});
  ASSERT_TRUE(first);
  ASSERT_TRUE(spread(0, {0, 1, 2, 3}, {0, 100, 200, 300}));
  members_[3].reset();
  std::map<std::uint64_t, std::map<std::uint16_t, std::string>> lists;
  for (std::uint64_t question = 1; question < 5; ++question) {
    lists[question] = collect(question, {0, 1, 2}).value();
    EXPECT_LE(spread(question, {0, 1, 2}, {0, 100, 200}), 1);
  }
  join(3);
  EXPECT_EQ(listed(answer(members_[3]->collect(0, as_view("something else")))), *first);
  for (std::uint64_t question = 1; question < 5; ++question) {
    EXPECT_EQ(listed(answer(members_[3]->collect(question, as_view("late")))), lists[question]);
    const std::int64_t number = answer(members_[3]->approach(question, 9'999));
    EXPECT_GE(number, 0);
    EXPECT_LE(number, 200);
  }
}

// All are killed while lists and numbers are open, and have nothing but their folders.
TEST_F(AgreementChannels, CollectAndApproachAfterAnOutageOfAll) {
  join_all();
  for (std::size_t i = 0; i < 4; ++i) {
    ASSERT_TRUE(members_[i]->collect(0, as_view(std::string_view(own(0, i)))));
    ASSERT_TRUE(members_[i]->approach(0, static_cast<std::int64_t>(100 * i)));
  }
  for (auto& member : members_) member.reset();
  join_all();
  const auto list = collect(0, {0, 1, 2, 3});
  ASSERT_TRUE(list);
  for (const auto& [member, entry] : *list) EXPECT_EQ(entry, own(0, member));
  EXPECT_LE(spread(0, {0, 1, 2, 3}, {0, 100, 200, 300}), 1);
}

// Whichever agreement they choose. ben-or bears no liar among four.
TEST_F(AgreementChannels, DecideBitsByAnyAgreement) {
  for (const std::string name : {"graded-bca", "cobalt", "mmr14", "ben-or"}) {
    const std::uint32_t f = genesis_.f;
    if (name == "ben-or") genesis_.f = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      ChannelOptions o = options(i);
      o.bits = name;
      o.folder = path(name + std::to_string(i));
      join(i, std::move(o));
    }
    const std::vector<std::size_t> all{0, 1, 2, 3};
    EXPECT_EQ(decide(0, all, {true, true, true, true}), true) << name;
    EXPECT_EQ(decide(1, all, {false, false, false, false}), false) << name;
    for (std::uint64_t question = 2; question < 8; ++question)
      EXPECT_TRUE(decide(question, all, {true, question % 2 == 0, false, true})) << name;
    EXPECT_TRUE(choose(0, all)) << name;
    members_.clear();
    genesis_.f = f;
  }
}

// Three of four go on; the one that was killed comes back with its folder and has all answers.
TEST_F(AgreementChannels, GoOnWithoutAMemberThatIsKilledAndGiveItTheAnswers) {
  join_all();
  EXPECT_TRUE(decide(0, {0, 1, 2, 3}, {true, false, true, false}));
  const auto first = choose(0, {0, 1, 2, 3});
  members_[3].reset();
  const std::vector<std::size_t> left{0, 1, 2};
  std::map<std::uint64_t, bool> bits;
  std::map<std::uint64_t, std::string> values;
  for (std::uint64_t question = 1; question < 5; ++question) {
    bits[question] = decide(question, left, {true, false, question % 2 == 0}).value();
    values[question] = choose(question, left).value();
  }
  join(3);
  const auto before = answer(members_[3]->agree(0, as_view("something else")));
  EXPECT_EQ(std::string(as_text(before.value.view())), first) << "from its disk";
  for (std::uint64_t question = 1; question < 5; ++question) {
    EXPECT_EQ(answer(members_[3]->agree(question, true)), bits[question]);
    const Agreed a = answer(members_[3]->agree(question, as_view("late")));
    EXPECT_EQ(std::string(as_text(a.value.view())), values[question]);
  }
}

// All are killed while questions are open, and have nothing but their folders.
TEST_F(AgreementChannels, AnswerAfterAnOutageOfAll) {
  join_all();
  for (std::size_t i = 0; i < 4; ++i) {
    ASSERT_TRUE(members_[i]->agree(0, i % 2 == 0));
    ASSERT_TRUE(members_[i]->agree(0, as_view(std::string_view(own(0, i)))));
  }
  for (auto& member : members_) member.reset();
  join_all();
  EXPECT_TRUE(decide(0, {0, 1, 2, 3}, {true, false, true, false}));
  EXPECT_TRUE(choose(0, {0, 1, 2, 3}));
}

// One member's values are never valid; the others' are.
TEST_F(AgreementChannels, ChooseNothingThatIsNotValid) {
  for (std::size_t i = 0; i < 4; ++i) {
    ChannelOptions o = options(i);
    o.valid = [](std::uint64_t, NodeId origin, ByteView) { return origin.value != 2; };
    join(i, std::move(o));
  }
  for (std::uint64_t question = 0; question < 8; ++question)
    EXPECT_NE(choose(question, {0, 1, 2, 3}).value(), own(question, 2));
}

// Far more questions than are kept.
TEST_F(AgreementChannels, AnswerMoreQuestionsThanAreKept) {
  for (std::size_t i = 0; i < 4; ++i) {
    ChannelOptions o = options(i);
    o.window = 4;
    o.folder.clear();
    join(i, std::move(o));
  }
  for (std::uint64_t question = 0; question < 12; ++question) {
    EXPECT_TRUE(decide(question, {0, 1, 2, 3}, {true, false, true, true})) << question;
    EXPECT_TRUE(choose(question, {0, 1, 2, 3})) << question;
    EXPECT_TRUE(collect(question, {0, 1, 2, 3})) << question;
    EXPECT_TRUE(spread(question, {0, 1, 2, 3}, {4, 3, 2, 1})) << question;
  }
  EXPECT_THAT(members_[0]->collect(3, {}).error().text(), HasSubstr("collect: question 3 is over"));
  EXPECT_THAT(members_[0]->approach(14, 1).error().text(),
              HasSubstr("approach: question 14 is too far"));
  EXPECT_THAT(members_[0]->agree(3, true).error().text(), HasSubstr("question 3 is over"));
  EXPECT_THAT(members_[0]->agree(14, true).error().text(),
              HasSubstr("too far ahead: 12 has no answer"));
  EXPECT_THAT(members_[0]->agree(11, true).error().text(), HasSubstr("asked before"));
  auto waits = members_[0]->agree(12, true);
  ASSERT_TRUE(waits);
  const auto never = members_[0]->skip_below(std::uint64_t{1} << 48);
  ASSERT_FALSE(never);
  EXPECT_THAT(never.error().text(), HasSubstr("skip_below: question 281474976710656 can never"));
  EXPECT_THAT(members_[0]->collect(std::uint64_t{1} << 40, {}).error().text(),
              HasSubstr("numbers lie below 2^40"));
  ASSERT_TRUE(members_[0]->skip_below(40));
  EXPECT_THROW((void)waits->get(), std::future_error);
  EXPECT_THAT(members_[0]->agree(39, true).error().text(), HasSubstr("question 39 is over"));
  EXPECT_TRUE(members_[0]->agree(40, true));
}

TEST_F(AgreementChannels, RefuseBadInputInWords) {
  const auto error = [&](auto change) {
    ChannelOptions o = options(0);
    change(o);
    const auto channel = Channel::join(std::move(o));
    return channel ? std::string("joined") : channel.error().text();
  };
  EXPECT_THAT(error([](auto& o) { o.genesis.coin.reset(); }), HasSubstr("thresher dkg"));
  EXPECT_THAT(error([](auto& o) { o.genesis.f = 2; }), HasSubstr("do not tolerate f = 2"));
  EXPECT_THAT(error([](auto& o) { o.key = crypto::SigningKey::generate(); }),
              HasSubstr("no node's of the genesis file"));
  EXPECT_THAT(error([&](auto& o) { o.coin = coin_of(1); }), HasSubstr("is not that of node 0"));
  EXPECT_THAT(error([&](auto& o) { o.coin = path("nowhere"); }), HasSubstr("nowhere"));
  EXPECT_THAT(error([](auto& o) { o.window = 65; }), HasSubstr("window is 65; it must be 4 to 64"));
  EXPECT_THAT(error([](auto& o) { o.value_bytes = 0; }), HasSubstr("value_bytes is 0"));
  EXPECT_THAT(error([](auto& o) { o.delta_us = 0; }), HasSubstr("delta_us is 0"));
  EXPECT_THAT(error([](auto& o) { o.halvings = 63; }), HasSubstr("halvings is 63"));
  EXPECT_THAT(error([](auto& o) { o.halvings = 0; }), HasSubstr("it must be 1 to 62"));
  EXPECT_THAT(error([](auto& o) { o.bits = "dice"; }), HasSubstr("known: bca-agreement, "));
  EXPECT_THAT(error([](auto& o) { o.bits = "ben-or"; }), HasSubstr("that takes 6"));
  EXPECT_THAT(error([](auto& o) { o.folder = "/proc/nothing"; }), HasSubstr("/proc/nothing"));
  join(0);
  const std::string large(65'537, 'x');
  EXPECT_THAT(members_[0]->agree(0, as_view(std::string_view(large))).error().text(),
              HasSubstr("a value of 65537 bytes is over value_bytes"));
  EXPECT_THAT(members_[0]->collect(0, as_view(std::string_view(large))).error().text(),
              HasSubstr("collect: a value of 65537 bytes is over value_bytes"));
  EXPECT_THAT(members_[0]->approach(0, std::int64_t{1} << 62).error().text(),
              HasSubstr("4611686018427387904 is not within 2^62 of zero"));
}

}  // namespace
}  // namespace thresher
