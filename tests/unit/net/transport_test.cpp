#include "thresher/net/transport.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "thresher/net/ports.hpp"

namespace thresher::net {
namespace {

std::vector<TransportOptions> pair_of_nodes() {
  std::vector<TransportOptions> out(2);
  std::vector<PeerAddress> nodes;
  for (const TransportOptions& o : out) {
    nodes.push_back({o.key.public_key(), "127.0.0.1", free_ports(1).at(0)});
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
