// Any number in any frame, from all that may connect: no node ends, and the log goes on.
#include "member.hpp"

namespace thresher::net {
namespace {

constexpr std::uint64_t kFields = 7;  // no message has more numbers

Bytes control_of(std::uint64_t number, std::uint64_t from, std::uint64_t to) {
  std::vector<std::byte> out;
  for (std::uint64_t field = from; field <= to; ++field) {
    out.push_back(static_cast<std::byte>(field << 3));  // a varint follows
    for (std::uint64_t left = number; true; left >>= 7) {
      out.push_back(static_cast<std::byte>((left & 127) | (left > 127 ? 128 : 0)));
      if (left <= 127) break;
    }
  }
  return Bytes::from(std::move(out));
}

/// Around the end of a log of so many transactions and slots, and where numbers of 32 and 64 bits
/// end.
std::vector<std::uint64_t> numbers_near(std::uint64_t length) {
  std::vector<std::uint64_t> out{0, 1, 1'000, 1'000'000'000};
  for (std::uint64_t k = 0; k < 6; ++k)
    out.push_back(length + k - std::min<std::uint64_t>(2, length));
  for (const unsigned bits : {31u, 32u, 62u, 63u}) {
    out.push_back((std::uint64_t{1} << bits) - 1);
    out.push_back(std::uint64_t{1} << bits);
  }
  out.push_back(~std::uint64_t{0} - 1);
  out.push_back(~std::uint64_t{0});
  return out;
}

/// Frames of every kind with a number in each field, and in all. A node may end the connection.
void say_everywhere(RawPeer& peer, std::uint64_t number) {
  for (unsigned kind = 1; kind < 64; ++kind) {
    const auto k = static_cast<std::uint8_t>(kind);
    for (std::uint64_t field = 1; field <= kFields; ++field) {
      if (!peer.write(bytes_of({k, control_of(number, field, field), {}}))) return;
    }
    if (!peer.write(bytes_of({k, control_of(number, 1, kFields), {}}))) return;
  }
}

class AnyNumber : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Of, AnyNumber,
                         testing::Values("thresher", "anchored-bullshark", "pbft", "raft"),
                         [](const auto& suite) {
                           return suite.param == "anchored-bullshark" ? "anchored" : suite.param;
                         });

// A client that subscribed two transactions beyond the end of the log ended its node with the next
// commit. So each question has the node to itself for a while.
TEST_P(AnyNumber, OfAClientEndsNoNode) {
  Network net(1, GetParam());
  ASSERT_EQ(net.start(0), "");
  std::uint64_t length = 0;
  for (; length < 10; ++length) net.submit(0, "before");
  std::vector<std::unique_ptr<RawPeer>> peers;
  for (const std::uint64_t number : numbers_near(length)) {
    for (const std::uint8_t kind : {kSubscribe, kQuery, kProve, kSubmit, kStatus}) {
      peers.push_back(
          std::make_unique<RawPeer>(net.genesis().nodes[0].port, crypto::SigningKey::generate()));
      ASSERT_TRUE(peers.back()->greet(net.genesis().context().chain));
      ASSERT_TRUE(peers.back()->write(bytes_of({kind, control_of(number, 1, 2), {}})));
    }
    peers.push_back(
        std::make_unique<RawPeer>(net.genesis().nodes[0].port, crypto::SigningKey::generate()));
    ASSERT_TRUE(peers.back()->greet(net.genesis().context().chain));
    say_everywhere(*peers.back(), number);
    net.submit(0, "after " + std::to_string(number));
    ++length;
  }
  EXPECT_TRUE(net.reaches(0, length));
}

TEST_P(AnyNumber, OfAMemberEndsNoNode) {
  Network net(4, GetParam());
  for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(net.start(i), "");
  std::uint64_t length = 0;
  for (; length < 10; ++length) net.submit(0, "before");
  const auto key = key_of(net, 3);
  const Digest chain = net.genesis().context().chain;
  std::vector<std::unique_ptr<RawPeer>> links;
  std::uint64_t starts = 0;
  for (const std::uint64_t number : numbers_near(length)) {
    links.push_back(std::make_unique<RawPeer>(net.genesis().nodes[0].port, key));
    const auto start = signed_incarnation(key, chain, {++starts, random_nonce(), {}});
    if (links.back()->greet(chain, start)) say_everywhere(*links.back(), number);
    net.submit(0, "after " + std::to_string(number));
    ++length;
  }
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(net.reaches(i, length)) << i;
}

}  // namespace
}  // namespace thresher::net
