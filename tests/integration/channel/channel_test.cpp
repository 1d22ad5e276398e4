// Broadcast channels over real links: every broadcast by name, restarts from disk, bad input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>

#include "thresher/net/completion.hpp"
#include "thresher/net/ports.hpp"
//
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace thresher {
namespace {

using broadcast::Channel;
using broadcast::ChannelOptions;
using broadcast::Delivery;

constexpr auto kPatience = std::chrono::seconds(100);

// A folder of this process: the same tests may run beside it, of another build.
std::string folder_of(const std::string& what, const std::string& protocol = {}) {
  return ::testing::TempDir() + "thresher-" + std::to_string(::getpid()) + "-" + what + protocol;
}

// What was delivered where.
class Log {
 public:
  void add(std::size_t at, const Delivery& d) {
    const std::lock_guard lock(mutex_);
    got_[at][d.instance] = std::string(as_text(d.payload.view()));
    changed_.notify_all();
  }
  bool waits_for(std::size_t at, std::size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return got_[at].size() >= count; });
  }
  std::map<broadcast::Instance, std::string> of(std::size_t at) {
    const std::lock_guard lock(mutex_);
    return got_[at];
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::size_t, std::map<broadcast::Instance, std::string>> got_;
};

class Members {
 public:
  Members(const std::string& protocol, std::uint32_t n) : protocol_(protocol) {
    for (const std::uint16_t port : net::free_ports(n)) {
      keys_.push_back(crypto::SigningKey::generate());
      members_.push_back({keys_.back().public_key(), "127.0.0.1", port});
    }
  }
  ChannelOptions options(std::size_t i) const {
    ChannelOptions o;
    o.key = keys_[i];
    o.members = members_;
    o.protocol = protocol_;
    o.log = [](const std::string&) {};
    return o;
  }
  std::unique_ptr<Channel> join(std::size_t i, const std::string& folder = {}) {
    ChannelOptions o = options(i);
    o.folder = folder;
    auto channel = Channel::join(std::move(o), [this, i](const Delivery& d) { log.add(i, d); });
    EXPECT_TRUE(channel) << channel.error();
    return channel ? std::move(*channel) : nullptr;
  }
  std::size_t size() const { return keys_.size(); }

  Log log;

 private:
  std::string protocol_;
  std::vector<crypto::SigningKey> keys_;
  std::vector<net::PeerAddress> members_;
};

struct Choice {
  const char* protocol;
  std::uint32_t n;
};

class EveryBroadcast : public ::testing::TestWithParam<Choice> {};

INSTANTIATE_TEST_SUITE_P(Channels, EveryBroadcast,
                         ::testing::Values(Choice{"bracha", 4}, Choice{"imbs-raynal", 6},
                                           Choice{"signed-broadcast", 4},
                                           Choice{"certified-broadcast", 4},
                                           Choice{"chained-echo", 4}, Choice{"avid", 4},
                                           Choice{"das-xiang-ren", 4}));

TEST_P(EveryBroadcast, DeliversTheSameEverywhere) {
  Members members(GetParam().protocol, GetParam().n);
  std::vector<std::unique_ptr<Channel>> all;
  for (std::size_t i = 0; i < members.size(); ++i) all.push_back(members.join(i));
  constexpr std::size_t kEach = 20;
  for (std::size_t k = 0; k < kEach; ++k) {
    for (auto& channel : all) {
      const std::string text =
          "payload " + std::to_string(k) + " of " + std::to_string(channel->self().value);
      const auto sent = channel->send(as_view(text));
      ASSERT_TRUE(sent) << sent.error();
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    ASSERT_TRUE(members.log.waits_for(i, kEach * all.size())) << GetParam().protocol << " at " << i;
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_EQ(members.log.of(i), members.log.of(0));
}

// Members that said something before they went are held to it, and what they missed they get.
TEST_P(EveryBroadcast, GoesOnFromDisk) {
  const std::string folder = folder_of("channel-", GetParam().protocol);
  std::filesystem::remove_all(folder);
  Members members(GetParam().protocol, GetParam().n);
  std::vector<std::unique_ptr<Channel>> all;
  const auto home = [&](std::size_t i) { return folder + "/" + std::to_string(i); };
  for (std::size_t i = 0; i < members.size(); ++i) {
    std::filesystem::create_directories(home(i));
    all.push_back(members.join(i, home(i)));
  }
  ASSERT_TRUE(all[0]->send(as_view("first")));
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_TRUE(members.log.waits_for(i, 1));
  all[0].reset();
  ASSERT_TRUE(all[1]->send(as_view("second")));
  for (std::size_t i = 1; i < all.size(); ++i) ASSERT_TRUE(members.log.waits_for(i, 2));
  all[0] = members.join(0, home(0));
  ASSERT_TRUE(all[0]->send(as_view("third")));
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_TRUE(members.log.waits_for(i, 3)) << i;
  const broadcast::Instance third{NodeId{0}, 1};  // its first number is not used again
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(members.log.of(i)[third], "third");
  all.clear();
  std::filesystem::remove_all(folder);
}

// Changes one byte of what stands in a file; false: it does not.
bool change(const std::string& path, const std::string& what) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  const std::size_t at = all.find(what);
  if (at == std::string::npos) return false;
  file.seekp(static_cast<std::streamoff>(at));
  file.put(static_cast<char>(what[0] ^ 1));
  return static_cast<bool>(file.flush());
}

// A payload that the disk changed is not taken for the one that was sent: a member that did would
// send another one for the same instance, or deliver what nobody sent.
TEST_P(EveryBroadcast, APayloadThatTheDiskChangedIsRefused) {
  const std::string folder = folder_of("changed-", GetParam().protocol);
  std::filesystem::remove_all(folder);
  Members members(GetParam().protocol, GetParam().n);
  std::vector<std::unique_ptr<Channel>> all;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::string home = folder + "/" + std::to_string(i);
    std::filesystem::create_directories(home);
    all.push_back(members.join(i, home));
  }
  ASSERT_TRUE(all[0]->send(as_view("a payload that one bit of is going to change")));
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_TRUE(members.log.waits_for(i, 1));
  all.clear();
  ASSERT_TRUE(change(folder + "/0/wal", "one bit of is going"));
  ChannelOptions o = members.options(0);
  o.folder = folder + "/0";
  const auto again = Channel::join(std::move(o), [](const Delivery&) {});
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().text(), ::testing::AllOf(::testing::HasSubstr(folder + "/0/wal"),
                                                     ::testing::HasSubstr("is damaged at byte ")));
  std::filesystem::remove_all(folder);
}

// A committee with records, of which the last member leaves, misses `count` payloads and is back.
class Away {
 public:
  /// `payload_bytes`: the largest payload; each origin has room for two of them on the way.
  Away(const std::string& protocol, std::size_t count, std::size_t payload_bytes = 1 << 20)
      : members_(protocol, 4),
        folder_(folder_of("away-", protocol)),
        payload_bytes_(payload_bytes) {
    std::filesystem::remove_all(folder_);
    for (std::size_t i = 0; i < members_.size(); ++i) all_.push_back(join(i));
    all_[kLast].reset();
    for (std::size_t k = 0; k < count; ++k) send(k);
    for (std::size_t i = 0; i < kLast; ++i) EXPECT_TRUE(members_.log.waits_for(i, count)) << i;
    all_[kLast] = join(kLast);
  }
  ~Away() {
    all_.clear();
    std::filesystem::remove_all(folder_);
  }
  /// Member 0 broadcasts, as soon as there is room.
  void send(std::size_t k) {
    const std::string text = "payload " + std::to_string(k);
    while (!all_[0]->send(as_view(text))) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  bool last_gets(std::size_t count) { return members_.log.waits_for(kLast, count); }
  std::map<broadcast::Instance, std::string> of(std::size_t i) { return members_.log.of(i); }
  broadcast::ChannelStatus last() const { return all_[kLast]->status(); }
  std::string told() {
    const std::lock_guard lock(mutex_);
    return told_;
  }

 private:
  static constexpr std::size_t kLast = 3;

  std::unique_ptr<Channel> join(std::size_t i) {
    ChannelOptions o = members_.options(i);
    o.folder = folder_ + "/" + std::to_string(i);
    std::filesystem::create_directories(o.folder);
    o.window = 4;
    o.payload_bytes = payload_bytes_;
    o.origin_bytes = 2 * payload_bytes_;
    o.log = [this](const std::string& line) {
      const std::lock_guard lock(mutex_);
      told_ += line + "\n";
    };
    auto channel =
        Channel::join(std::move(o), [this, i](const Delivery& d) { members_.log.add(i, d); });
    EXPECT_TRUE(channel) << channel.error();
    return channel ? std::move(*channel) : nullptr;
  }

  Members members_;
  std::string folder_;
  std::size_t payload_bytes_;
  std::mutex mutex_;
  std::string told_;
  std::vector<std::unique_ptr<Channel>> all_;
};

void expect_everything_for_the_last(const char* protocol, std::size_t missed) {
  Away away(protocol, missed);
  ASSERT_TRUE(away.last_gets(missed));
  EXPECT_EQ(away.of(3), away.of(0));
  EXPECT_EQ(away.last().skipped, 0u);
}

// Its peers forgot nearly all of it, and read it back from their disks.
TEST(Channel, WhoWasAwayGetsEverythingOfChainedEcho) {
  expect_everything_for_the_last("chained-echo", 200);
}

// The others have no archive, and room for all of it.
TEST(Channel, WhoWasAwayForALittleGetsEverythingOfBracha) {
  expect_everything_for_the_last("bracha", 60);
}

// They have room for about 20 of them: it goes on where they are, and its program is told.
TEST(Channel, WhoMissesPayloadsIsTold) {
  Away away("bracha", 60, 200);
  std::size_t sent = 60;
  for (; away.last().skipped == 0 && sent < 500; ++sent) {
    away.send(sent);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_GT(away.last().skipped, 0u);
  EXPECT_NE(away.told().find("payloads were missed"), std::string::npos) << away.told();
}

TEST(Channel, DeliveriesCanBeAwaited) {
  Members members("chained-echo", 1);
  auto channel = Channel::join(members.options(0), nullptr);
  ASSERT_TRUE(channel) << channel.error();
  auto before = (*channel)->next();
  ASSERT_TRUE((*channel)->send(as_view("one")));
  ASSERT_TRUE((*channel)->send(as_view("")));
  ASSERT_EQ(before.wait_for(kPatience), std::future_status::ready);
  EXPECT_EQ(as_text(before.get().payload.view()), "one");
  auto after = (*channel)->next();
  ASSERT_EQ(after.wait_for(kPatience), std::future_status::ready);
  EXPECT_TRUE(after.get().payload.empty());
}

TEST(Channel, ACoroutineTakesDeliveries) {
  Members members("bracha", 1);
  auto channel = Channel::join(members.options(0), nullptr);
  ASSERT_TRUE(channel) << channel.error();
  boost::asio::io_context context;
  std::vector<std::string> got;
  const auto listen = [&]() -> boost::asio::awaitable<void> {
    while (got.size() < 3) {
      const Delivery d = co_await (*channel)->next(boost::asio::use_awaitable);
      got.emplace_back(as_text(d.payload.view()));
      EXPECT_TRUE((*channel)->send(as_view("after " + got.back())));
    }
    (void)co_await (*channel)->next(boost::asio::use_awaitable);
    boost::asio::post(context, [&] { channel->reset(); });  // runs when this one waits
    try {
      (void)co_await (*channel)->next(boost::asio::use_awaitable);
    } catch (const broadcast::ChannelEnded& e) {
      got.emplace_back(e.what());
    }
  };
  ASSERT_TRUE((*channel)->send(as_view("one")));
  boost::asio::co_spawn(context, listen(), boost::asio::detached);
  context.run();
  EXPECT_EQ(got, (std::vector<std::string>{"one", "after one", "after after one",
                                           "the channel has ended"}));
}

TEST(Channel, AFutureOfAChannelThatEndsThrows) {
  Members members("bracha", 4);
  auto channel = Channel::join(members.options(0), nullptr);
  ASSERT_TRUE(channel) << channel.error();
  auto never = (*channel)->next();
  channel->reset();
  EXPECT_THROW((void)never.get(), broadcast::ChannelEnded);
}

// Its memory is bounded whatever the others send; as soon as it takes its deliveries it goes on,
// and gets all of them.
TEST(Channel, WhoDoesNotTakeItsDeliveriesLagsAndFillsNothing) {
  constexpr std::size_t kCount = 40;
  constexpr std::size_t kSize = 1000;
  Members members("chained-echo", 4);
  const std::string folder = folder_of("takes-nothing");
  std::filesystem::remove_all(folder);
  std::atomic<bool> told = false;
  const auto options = [&](std::size_t i) {
    ChannelOptions o = members.options(i);
    o.folder = folder + "/" + std::to_string(i);
    std::filesystem::create_directories(o.folder);
    o.window = 4;
    o.payload_bytes = 4 * kSize;
    o.origin_bytes = 8 * kSize;
    if (i == 3)
      o.log = [&](const std::string& line) {
        if (line.find("wait for next()") != std::string::npos) told = true;
      };
    return o;
  };
  std::vector<std::unique_ptr<Channel>> all;
  for (std::size_t i = 0; i < 3; ++i) {
    auto joined =
        Channel::join(options(i), [&members, i](const Delivery& d) { members.log.add(i, d); });
    ASSERT_TRUE(joined) << joined.error();
    all.push_back(std::move(*joined));
  }
  auto idle = Channel::join(options(3), nullptr);
  ASSERT_TRUE(idle) << idle.error();
  for (std::size_t k = 0; k < kCount; ++k) {
    const std::string text = std::to_string(k) + std::string(kSize, ' ');
    while (!all[0]->send(as_view(text))) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_TRUE(members.log.waits_for(i, kCount)) << i;
  // Payloads on their way when it was full may have come as well: a window of each member.
  EXPECT_LE((*idle)->status().ready, 8 + 4 * 2 * 4);
  for (std::size_t k = 0; k < kCount; ++k) {
    auto next = (*idle)->next();
    ASSERT_EQ(next.wait_for(kPatience), std::future_status::ready) << k;
    EXPECT_EQ(next.get().instance, (broadcast::Instance{NodeId{0}, k}));
  }
  EXPECT_TRUE(told);
  EXPECT_EQ((*idle)->status().skipped, 0u);
  all.clear();
  idle->reset();
  std::filesystem::remove_all(folder);
}

TEST(Channel, BadInputIsAnErrorInWords) {
  Members members("bracha", 4);
  const auto error = [&](auto change) {
    ChannelOptions o = members.options(0);
    change(o);
    const auto channel = Channel::join(std::move(o), nullptr);
    return channel ? "" : channel.error().text();
  };
  using O = ChannelOptions;
  EXPECT_NE(error([](O& o) { o.protocol = "brachha"; }).find("did you mean `bracha`?"),
            std::string::npos);
  EXPECT_NE(error([](O& o) { o.protocol = "shouting"; }).find("chained-echo"), std::string::npos);
  EXPECT_NE(error([](O& o) { o.f = 2; }).find("at least 7 members"), std::string::npos);
  EXPECT_NE(error([](O& o) {
              o.protocol = "imbs-raynal";
              o.f = 1;
            }).find("at least 6"),
            std::string::npos);
  const std::string coded = error([](O& o) {
    o.protocol = "avid";
    o.members.resize(256);
  });
  EXPECT_NE(coded.find("at most 255 members, not 256"), std::string::npos) << coded;
  EXPECT_NE(coded.find("bracha, imbs-raynal, signed-broadcast, certified-broadcast, chained-echo"),
            std::string::npos)
      << coded;
  EXPECT_NE(error([](O& o) { o.key = crypto::SigningKey::generate(); }).find("no member"),
            std::string::npos);
  EXPECT_NE(error([](O& o) {
              o.members[3].key = o.members[1].key;
            }).find("members 1 and 3 have the same key"),
            std::string::npos);
  EXPECT_NE(error([](O& o) {
              o.members[2].port = o.members[1].port;
            }).find("members 1 and 2 have the same address, 127.0.0.1:"),
            std::string::npos);
  EXPECT_NE(error([](O& o) { o.members.clear(); }).find("0 members"), std::string::npos);
  EXPECT_NE(error([](O& o) { o.payload_bytes = std::size_t{65} << 20; }).find("67108864"),
            std::string::npos);
  EXPECT_NE(error([](O& o) { o.origin_bytes = 1; }).find("two payloads"), std::string::npos);
  EXPECT_NE(error([](O& o) { o.window = 0; }).find("1 to 4096"), std::string::npos);
  EXPECT_NE(error([](O& o) { o.delta_us = 0; }).find("delta_us"), std::string::npos);
  EXPECT_NE(error([](O& o) { o.folder = "/dev/null/x"; }), "");
}

TEST(Channel, APortInUseIsAnErrorThatNamesIt) {
  Members members("bracha", 4);
  const auto first = members.join(0);
  const auto second = Channel::join(members.options(0), nullptr);
  ASSERT_FALSE(second);
  const std::string port = std::to_string(members.options(0).members[0].port);
  EXPECT_EQ(second.error().code, ErrorCode::kBusy);
  EXPECT_NE(second.error().text().find("127.0.0.1:" + port), std::string::npos) << second.error();
  EXPECT_NE(second.error().text().find("in use"), std::string::npos) << second.error();
}

TEST(Channel, AMemberOfAnotherChannelIsToldWhatToCompare) {
  Members members("bracha", 4);
  std::mutex mutex;
  std::condition_variable said;
  std::vector<std::string> lines;
  ChannelOptions o = members.options(0);
  o.name = "prices";
  o.log = [&](const std::string& line) {
    const std::lock_guard lock(mutex);
    lines.push_back(line);
    said.notify_all();
  };
  const auto first = Channel::join(std::move(o), nullptr);
  ASSERT_TRUE(first);
  const auto second = members.join(1);
  std::unique_lock lock(mutex);
  const auto told = [&] {
    return std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
      return line.find("the peer's channel is another one: its name, protocol, f") !=
             std::string::npos;
    });
  };
  EXPECT_TRUE(said.wait_for(lock, kPatience, told)) << ::testing::PrintToString(lines);
  for (const std::string& line : lines) EXPECT_EQ(line.find("genesis"), std::string::npos) << line;
}

TEST(Channel, RefusesWhatItCannotTake) {
  Members members("bracha", 4);
  ChannelOptions o = members.options(0);
  o.window = 2;
  o.payload_bytes = 100;
  auto alone = Channel::join(std::move(o), nullptr);
  ASSERT_TRUE(alone) << alone.error();
  const auto large = (*alone)->send(as_view(std::string(101, 'x')));
  ASSERT_FALSE(large);
  EXPECT_NE(large.error().text().find("100"), std::string::npos);
  for (int k = 0; k < 4; ++k) EXPECT_TRUE((*alone)->send(as_view("x")));
  const auto full = (*alone)->send(as_view("x"));
  ASSERT_FALSE(full);
  EXPECT_NE(full.error().text().find("on the way"), std::string::npos);
}

}  // namespace
}  // namespace thresher
