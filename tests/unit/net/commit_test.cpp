// Blocks of a log: what their ids say, and what a reader refuses.
#include "ledger/commit.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "engines/dag_block.hpp"
#include "ledger/log_entry.hpp"
#include "store/memory_store.hpp"
#include "store/open_store.hpp"
#include "store/wal_frame.hpp"
#include "store/wal_scan.hpp"
#include "thresher/crypto/crc32c.hpp"
#include "thresher/net/payload_root.hpp"

namespace thresher::net {
namespace {

Bytes bytes(std::string_view text) {
  return Bytes::copy_of(as_view(text));
}
Bytes encoded(const OrderedBlock& block) {
  Writer w;
  encode_block(block, w);
  EXPECT_EQ(w.view().size(), encoded_size(block));
  return Bytes::from(w.take());
}
OrderedBlockPtr decoded(const Bytes& from, const LogForm& log) {
  Reader in(from.view());
  OrderedBlockPtr block = decode_block(in, log);
  return in.done() ? block : nullptr;
}

const LogForm kPlain{{}, 4, &plain_id_of};
const LogForm kDag{{}, 4, &dag_id_of};

OrderedBlock changed(const OrderedBlock& block, void (*how)(OrderedBlock&)) {
  OrderedBlock out = block;
  how(out);
  return out;
}

constexpr void (*kChanges[])(OrderedBlock&) = {
    [](OrderedBlock& b) { b.author = NodeId{2}; },
    [](OrderedBlock& b) { b.round = Round{9}; },
    [](OrderedBlock& b) { b.payload_root.bytes[0] ^= std::byte{1}; },
    [](OrderedBlock& b) { ++b.payload_bytes; },
    [](OrderedBlock& b) { b.proof = bytes("another"); },
    [](OrderedBlock& b) { b.proof = {}; },
};

// A node that gives a block of the log to one that was away may change nothing of it.
TEST(Commit, APlainIdIsOfEverythingThatIsToldOfABlock) {
  const OrderedBlockPtr block = unsigned_block(Round{7}, bytes("payload"), bytes("proof"), {});
  std::set<Digest> ids{block->id};
  for (const auto& how : kChanges) {
    const OrderedBlockPtr other = decoded(encoded(changed(*block, how)), kPlain);
    ASSERT_TRUE(other);
    ids.insert(other->id);
  }
  EXPECT_EQ(ids.size(), 1 + std::size(kChanges));
  ChainContext elsewhere;
  elsewhere.chain.bytes[0] = std::byte{1};
  EXPECT_NE(plain_id(*block, elsewhere), block->id);
}

TEST(Commit, ABlockComesBackWithoutItsPayload) {
  const OrderedBlockPtr block = unsigned_block(Round{7}, bytes("payload"), bytes("proof"), {});
  const OrderedBlockPtr again = decoded(encoded(*block), kPlain);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->id, block->id);
  EXPECT_EQ(again->round, Round{7});
  EXPECT_EQ(again->payload_bytes, 7u);
  EXPECT_EQ(again->payload_root, payload_root(as_view("payload")));
  EXPECT_TRUE(again->payload.empty());
  const Bytes whole = encoded(*block);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(decoded(whole.slice(0, size), kPlain)) << size;
}

OrderedBlockPtr block_of_the_dag() {
  dag::Header header;
  header.author = NodeId{1};
  header.round = Round{3};
  header.self = {NodeId{1}, Round{2}, {}};
  header.payload_root = payload_root(as_view("payload"));
  header.payload_bytes = 7;
  const Digest root = header.payload_root;
  return ordered(*dag::make_block(std::move(header), {bytes("payload"), root}, {}, {}));
}

// The digest that the author signed, so that a log says of a DAG what its receipts prove.
TEST(Commit, TheIdOfADagsBlockIsItsDigestAndTheProofItsHeader) {
  const OrderedBlockPtr block = block_of_the_dag();
  Reader in(block->proof.view());
  const auto header = dag::decode_slim(in, {}, 4);
  ASSERT_TRUE(header && in.done());
  EXPECT_EQ((*header)->digest, block->id);
  const OrderedBlockPtr again = decoded(encoded(*block), kDag);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->id, block->id);
}

TEST(Commit, ADagsBlockWhoseFieldsAreNotThoseOfItsHeaderIsRefused) {
  const OrderedBlockPtr block = block_of_the_dag();
  for (const auto& how : kChanges) EXPECT_FALSE(decoded(encoded(changed(*block, how)), kDag));
}

// An entry that an older build wrote is not read as one of this one.
TEST(Commit, AStoreOfTheHostWithALogOfAnOlderBuildIsRefused) {
  NodeOptions options;
  options.home = "here";
  std::uint32_t table = kLedgerTable;
  options.make_store = [&](const NodeOptions&) -> StoreOpened {
    auto store = std::make_unique<MemoryStore>();
    const Persist entry{table, slot_key(Round{1}), bytes("one")};
    EXPECT_TRUE(store->write({&entry, 1}, true));
    return std::unique_ptr<NodeStore>(std::move(store));
  };
  EXPECT_TRUE(open_store(options));
  for (const std::uint32_t older : kOlderLedgerTables) {
    table = older;
    const auto refused = open_store(options);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().text().find("has a log of an older build"), std::string::npos);
  }
}

// The home of a build whose entries had another form.
TEST(Commit, AWriteAheadLogOfTheFormatBeforeIsRefusedByItsNumber) {
  std::vector<std::byte> head = encode_head(7);
  std::vector<std::byte> content(head.begin() + kFrameHeader, head.end());
  content[0] = std::byte{6};
  head = encode_header(0, {0, content.size(), 0, 0, 0, crypto::crc32c(content)});
  head.insert(head.end(), content.begin(), content.end());
  const auto path = std::filesystem::temp_directory_path() /
                    ("thresher-wal-format-" + std::to_string(::getpid()));
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(head.data()), static_cast<std::streamsize>(head.size()));
  const auto opened = WalScan(WalScan::For::kReading).open(path.string());
  std::filesystem::remove(path);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(opened.error().what.find("has format 6, this program reads format 7"),
            std::string::npos)
      << opened.error();
}

}  // namespace
}  // namespace thresher::net
