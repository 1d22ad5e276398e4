// What is written for a restart is read as it was.
#include "records.hpp"

#include <gtest/gtest.h>

#include "bookkeeping.hpp"

namespace thresher::dag {
namespace {

BlockPtr minted(std::uint16_t author, std::uint64_t round, std::size_t bytes = 0) {
  Header h;
  h.author = NodeId{author};
  h.round = Round{round};
  const Payload load = bytes == 0 ? Payload{} : payload(bytes, 7);
  h.payload_root = load.root;
  h.payload_bytes = static_cast<std::uint32_t>(bytes);
  return make_block(std::move(h), load, {}, {});
}

/// The one record that was written, as the host hands it back.
Restored only(Dag::Fx& fx) {
  EXPECT_EQ(fx.list().size(), 1u);
  const auto& p = std::get<Persist>(fx.list().front());
  return {p.table, p.key, p.value, p.body};
}

TEST(Records, OfABlockAreReadWithItsPayload) {
  const Records records({});
  const BlockPtr block = minted(2, 5, 100);
  Dag::Fx fx;
  records.put(kBlock, *block, fx);
  const auto read = records.read_block(only(fx));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->block->edge(), block->edge());
  EXPECT_EQ(read->block->payload.bytes, block->payload.bytes);
  EXPECT_FALSE(read->vouched);
  // A block that came with the log says so behind its header.
  Writer value;
  encode_header(*block, value);
  value.u8(kCameWithLog);
  const auto came = records.read_block({kBlock, {}, Bytes::from(value.take()), {}});
  ASSERT_TRUE(came);
  EXPECT_TRUE(came->vouched);
}

TEST(Records, OfEvidenceAreReadUpToWhatIsMalformed) {
  const Records records({});
  const Digest leader = edge(0, 4, 9).digest;
  const std::vector<BlockPtr> headers = {minted(1, 5), minted(2, 5)};
  Dag::Fx fx;
  records.put_evidence(Round{4}, leader, headers, fx);
  Restored record = only(fx);
  const auto read = records.read_evidence(record);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->slot, Round{4});
  EXPECT_EQ(read->leader, leader);
  ASSERT_EQ(read->headers.size(), 2u);
  EXPECT_EQ(read->headers[1]->digest, headers[1]->digest);
  const auto bytes = record.value.view();
  record.value = Bytes::copy_of(bytes.first(bytes.size() - 1));
  EXPECT_EQ(records.read_evidence(record)->headers.size(), 1u);
  record.key = {};
  EXPECT_FALSE(records.read_evidence(record));
}

TEST(Records, OfAnEquivocationAreOfAMember) {
  const Records records({});
  Dag::Fx fx;
  records.put_equivocation(node(1), Records::encode({minted(1, 5), minted(1, 5, 3)}), fx);
  const auto read = records.read_equivocation(only(fx));
  ASSERT_TRUE(read);
  EXPECT_NE(read->first->digest, read->second->digest);
  const Bytes stranger = Records::encode({minted(9, 5), minted(9, 5, 3)});
  EXPECT_FALSE(records.read_equivocation({kEquivocation, {}, stranger, {}}));
  EXPECT_FALSE(records.read_equivocation({kEquivocation, {}, {}, {}}));
}

TEST(Records, AreNotWrittenWhereNoneAreKept) {
  Config config;
  config.records = false;
  const Records records(config);
  Dag::Fx fx;
  const std::vector<BlockPtr> headers = {minted(1, 5)};
  records.put(kOwn, *headers.front(), fx);
  records.erase(kOwn, *headers.front(), fx);
  records.put_evidence(Round{4}, {}, headers, fx);
  records.erase_evidence(Round{4}, {}, fx);
  records.erase_delivered(Round{4}, fx);
  records.put_equivocation(node(1), {}, fx);
  EXPECT_TRUE(fx.list().empty());
}

}  // namespace
}  // namespace thresher::dag
