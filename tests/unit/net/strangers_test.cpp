#include "../../../net/src/links/strangers.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "thresher/net/ports.hpp"

namespace thresher::net {
namespace {

using boost::asio::ip::tcp;

tcp::endpoint somewhere() {
  return {boost::asio::ip::address_v4::loopback(), free_ports(1).at(0)};
}

/// A connection within `io`; the end that is kept open, and the one that goes.
std::pair<tcp::socket, tcp::socket> connection(boost::asio::io_context& io) {
  tcp::acceptor acceptor(io, {boost::asio::ip::address_v4::loopback(), 0});
  tcp::socket far(io);
  far.connect(acceptor.local_endpoint());
  return {acceptor.accept(), std::move(far)};
}

// Asio keeps a record of each socket, and gives that of a closed one to the next. What the system
// told of the old socket in the same moment then wakes the new one, which has said nothing yet: it
// was taken for nonsense, and a member that dialled a busy node was closed without a word.
TEST(Strangers, WhoTakesThePlaceOfAClosedConnectionIsWaitedFor) {
  boost::asio::io_context io;
  std::optional<tcp::socket> spoke;
  const auto at = somewhere();
  const auto strangers = std::make_shared<Strangers>(
      io, Strangers::Settings{4, 60'000'000, {}, 1},
      [&spoke](tcp::socket socket, Source) { spoke = std::move(socket); });
  ASSERT_FALSE(strangers->listen(at));
  auto [old, far] = connection(io);
  io.poll();
  // In one look at all sockets: a newcomer, and the end of the old connection, which is closed just
  // before either is seen to.
  boost::asio::io_context other;
  tcp::socket member(other);
  member.connect(at);
  far.set_option(boost::asio::socket_base::linger(true, 0));
  far.close();
  boost::asio::post(io, [&old = old] { old.close(); });
  io.poll();
  const std::array<unsigned char, 6> record{22, 3, 1, 0, 1, 0};
  ASSERT_EQ(boost::asio::write(member, boost::asio::buffer(record)), record.size());
  for (int k = 0; k < 1000 && !spoke; ++k) io.run_one_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(spoke);
  strangers->close();
  io.poll();
}

}  // namespace
}  // namespace thresher::net
