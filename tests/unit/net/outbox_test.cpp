// Messages to neighbours come to each of them, whatever its link does.
#include "channels/outbox.hpp"

#include <gtest/gtest.h>

#include <map>

namespace thresher::net {
namespace {

Frame frame_of(char text) {
  return {16, Bytes::from({static_cast<std::byte>(text)}), {}};
}

/// Links with room for so many frames each; what arrived, as text.
struct Links {
  std::map<std::uint16_t, std::size_t> room;
  std::map<std::uint16_t, std::string> arrived;
  Outbox outbox{3, [this](NodeId to, const Frame& frame) {
                  if (room[to.value] == 0) return false;
                  --room[to.value];
                  arrived[to.value] += static_cast<char>(frame.control.view()[0]);
                  return true;
                }};
};

TEST(Outbox, SendsAgainFromTheBeginningWhenALinkComesUp) {
  Links links;
  links.room = {{1, 9}, {2, 0}};
  for (const char text : {'a', 'b'}) {
    links.outbox.send(NodeId{1}, frame_of(text));
    links.outbox.send(NodeId{2}, frame_of(text));
  }
  links.outbox.send(NodeId{1}, frame_of('c'));
  EXPECT_EQ(links.arrived[1], "abc");
  EXPECT_EQ(links.arrived[2], "");
  links.room[2] = 9;
  links.outbox.link(NodeId{2}, true);
  EXPECT_EQ(links.arrived[2], "ab");
  // Nobody knows what of it was lost with the link.
  links.outbox.link(NodeId{1}, false);
  links.outbox.link(NodeId{1}, true);
  EXPECT_EQ(links.arrived[1], "abcabc");
}

TEST(Outbox, GoesOnWhereALinkHadNoRoom) {
  Links links;
  links.room = {{1, 2}};
  for (const char text : {'a', 'b', 'c'}) links.outbox.send(NodeId{1}, frame_of(text));
  EXPECT_EQ(links.arrived[1], "ab");
  links.room[1] = 5;
  links.outbox.flush();
  links.outbox.send(NodeId{1}, frame_of('d'));
  EXPECT_EQ(links.arrived[1], "abcd");
}

}  // namespace
}  // namespace thresher::net
