// Parts of the log as a node serves them to peers: each fits a frame, whatever its blocks are.
#include <gtest/gtest.h>

#include <vector>

#include "logged_tree.hpp"
#include "thresher/net/payload_root.hpp"
#include "thresher/net/wire.hpp"
#include "thresher/protocols/payload_limit.hpp"

namespace thresher::net {
namespace {

const std::size_t kFrame = TransportOptions{}.max_frame_bytes - 5;

class ServedLog : public testing::Test {
 protected:
  /// One commit with so many blocks of that payload and that proof.
  void commit(std::uint64_t slot, std::size_t blocks, std::size_t payload, std::size_t proof) {
    const Bytes bytes = Bytes::from(std::vector<std::byte>(payload));
    const Digest root = payload > 0 ? payload_root(bytes.view()) : Digest{};
    const auto block =
        unsigned_block(Round{slot}, bytes, root, Bytes::from(std::vector<std::byte>(proof)), {});
    LogEntry entry;
    entry.slot = Round{slot};
    entry.id = block->id;
    entry.before = Round{slot - 1};
    BodyPlace place;
    if (payload > 0) {
      write({kBodies, slot_key(entry.slot), slot_key(entry.slot), bytes, true});
      place = store_.locate(kBodies, slot_key(entry.slot).view()).value_or(BodyPlace{});
    }
    entry.blocks.assign(blocks, {block, place, {}});
    write({kLedgerTable, slot_key(entry.slot), encode_entry(entry), {}, true});
  }
  /// Blocks of all parts, each of which has to fit.
  std::size_t served(Round head) {
    const LogReader reader(store_, kForm);
    wire::WantLog want{Round{0}, 0, 1};
    std::size_t blocks = 0;
    for (bool more = true; more;) {
      const LogAnswer answer = reader.part(want, head);
      EXPECT_LE(answer.frame.control.size() + answer.frame.payload.size(), kFrame);
      const auto part = wire::decode<wire::LogPart>(answer.frame.control.view());
      if (!part || part->blocks.empty()) break;
      blocks += part->blocks.size();
      want = answer.rest;
      more = answer.more;
    }
    return blocks;
  }

 private:
  void write(const Persist& record) { ASSERT_TRUE(store_.write({&record, 1}, Sync::kYes)); }
  MemoryStore store_;
};

// Only payloads counted. A dense block of one of 100 members has a header of 4 KiB, and 2,048 of
// them were 9 MiB.
TEST_F(ServedLog, BlocksWithWideHeadersAreCutIntoParts) {
  commit(1, 3000, 0, 9000);
  EXPECT_EQ(served(Round{1}), 3000u);
}

TEST_F(ServedLog, TheLargestPayloadsFit) {
  commit(1, 3, kMostPayloadBytes, 50'000);
  commit(2, 5000, 0, 60);
  EXPECT_EQ(served(Round{2}), 5003u);
}

}  // namespace
}  // namespace thresher::net
