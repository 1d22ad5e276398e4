// A member that signs two blocks for one round: every node keeps the proof, and gives it to its
// application at one position of the log.
#include "thresher/net/evidence.hpp"

#include "member.hpp"
#include "thresher/protocols/dag/block.hpp"
#include "tills.hpp"

namespace thresher::net {
namespace {

dag::BlockPtr block_of(const Network& net, std::size_t author, std::uint8_t salt) {
  dag::Header header;
  header.author = NodeId{static_cast<std::uint16_t>(author)};
  header.round = Round{1};
  header.self.author = header.author;
  header.payload_root.bytes[0] = std::byte{salt};
  const ChainContext chain = net.genesis().context();
  const auto bare = dag::make_block(header, {{}, header.payload_root}, {}, chain);
  return dag::make_block(header, {{}, header.payload_root},
                         key_of(net, author).sign(bare->digest.bytes), chain);
}

TEST(EvidenceOfANode, IsKeptOrderedAndGivenToTheApplication) {
  Tills tills(4);
  for (std::size_t i = 0; i < 3; ++i) tills.start(i);
  ASSERT_TRUE(tills.node(0).submit(as_view("add 1")).get().result);
  {
    Member liar(tills.net(), 1, 3);
    liar.say(encode(
        dag::Message{dag::Equivocation{block_of(tills.net(), 3, 1), block_of(tills.net(), 3, 2)}}));
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_TRUE(Network::eventually([&] { return !tills.app(i).convicted().empty(); })) << i;
    }
  }
  const auto first = tills.app(0).convicted();
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].author, 3u);
  EXPECT_EQ(first[0].round, 1u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(tills.app(i).convicted(), first);
    const auto files = evidence_files(evidence_folder(tills.net().home(i) + "/data"));
    ASSERT_EQ(files.size(), 1u);
    const auto found = load_evidence(files[0], tills.net().genesis());
    ASSERT_TRUE(found) << found.error();
    EXPECT_EQ(found->author, NodeId{3});
  }
  // Also who reads the log again.
  tills.stop(2);
  tills.forget(2);
  tills.start(2);
  EXPECT_EQ(tills.app(2).convicted(), first);
  EXPECT_EQ(text_of(*tills.node(2).submit(as_view("add 1")).get().result), "2");
}

}  // namespace
}  // namespace thresher::net
