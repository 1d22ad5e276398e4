#include "thresher/net/transport.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>

namespace thresher::net {
namespace {

std::uint16_t free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* raw = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(fd, raw, size), 0);
  EXPECT_EQ(::getsockname(fd, raw, &size), 0);
  ::close(fd);
  return ntohs(address.sin_port);
}

std::vector<TransportOptions> pair_of_nodes() {
  std::vector<TransportOptions> out(2);
  std::vector<PeerAddress> nodes;
  for (const TransportOptions& o : out) {
    nodes.push_back({o.key.public_key(), "127.0.0.1", free_port()});
  }
  for (std::uint16_t i = 0; i < 2; ++i) {
    out[i].self = NodeId{i};
    out[i].nodes = nodes;
  }
  return out;
}

// The third frame was read together with the second and is about to be handed out when the
// receiver closes. It must neither be handed out nor end the process.
TEST(Transport, NothingIsHandedOutAfterClose) {
  Loop loop;
  auto options = pair_of_nodes();
  int frames = 0;
  std::unique_ptr<Transport> receiver;
  receiver = std::make_unique<Transport>(
      loop, std::move(options[1]),
      TransportCallbacks{[&](ConnectionId, const Frame&) {
                           if (++frames != 2) return;
                           // After the head of the third is handed out, before its body is.
                           loop.post([&] { loop.post([&] { receiver->close(); }); });
                           loop.call_after(100'000, [&] { loop.stop(); });
                         },
                         [](ConnectionId, bool) {}, [](const std::string&) {}});
  std::unique_ptr<Transport> sender;
  sender = std::make_unique<Transport>(
      loop, std::move(options[0]),
      TransportCallbacks{[](ConnectionId, const Frame&) {},
                         [&](ConnectionId to, bool up) {
                           const Frame frame{1, Bytes::copy_of(as_view("one of three")), {}};
                           for (int i = 0; up && i < 3; ++i) EXPECT_TRUE(sender->send(to, frame));
                         },
                         [](const std::string&) {}});
  ASSERT_EQ(receiver->start(), "");
  ASSERT_EQ(sender->start(), "");
  EXPECT_NO_THROW(loop.run());
  EXPECT_EQ(frames, 2);
}

}  // namespace
}  // namespace thresher::net
