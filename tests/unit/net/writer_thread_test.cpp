// Where a log entry finds its blocks, when records of the same names are written with it.
#include "store/writer_thread.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "store/memory_store.hpp"
#include "thresher/core/transcript.hpp"

namespace thresher::net {
namespace {

constexpr std::uint32_t kBodies = 3;  // the only table of this protocol

Bytes key_of(const OrderedBlock& block) {
  return Bytes::from(Writer().u64(block.round.value).take());
}

class WriterTest : public testing::Test {
 protected:
  /// A block of a slot, with `payload`.
  static LogEntry entry_of(std::uint64_t slot, std::string_view payload) {
    LogEntry entry;
    entry.slot = Round{slot};
    entry.before = Round{slot - 1};
    entry.first = slot - 1;
    entry.count = 1;
    entry.blocks.push_back(
        {unsigned_block(Round{slot}, Bytes::copy_of(as_view(payload)), {}, {}), {}, {}});
    return entry;
  }
  static Persist body_of(const LogEntry& entry, std::string_view payload) {
    const Bytes key = key_of(*entry.blocks[0].block);
    return {kBodies, key, key, Bytes::copy_of(as_view(payload)), false};
  }
  /// The place is not empty: a record that says that nothing is there any more.
  static Persist cut_of(const LogEntry& entry) { return body_of(entry, ""); }

  /// Waits until all that was queued is durable, or the writer gave up.
  void settle() {
    writer_.persist({}, 1);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return durable_ || !failed_.empty(); });
    durable_ = false;
  }
  /// What the log says the block of a slot is.
  std::string logged(std::uint64_t slot) const {
    std::string found = "no entry";
    (void)store_.scan(kLedgerTable, slot_key(Round{slot}).view(),
                      [&](ByteView key, ByteView value) {
                        if (as_text(key) != as_text(slot_key(Round{slot}).view())) return false;
                        const auto entry = decode_entry(key, value, {{}, 4, &plain_id_of});
                        const auto body = store_.read_body(entry->blocks.at(0).place);
                        found = body ? std::string(as_text(body->view())) : "unreadable";
                        return false;
                      });
    return found;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool durable_ = false;
  std::string failed_;
  MemoryStore store_;
  WriterThread writer_{store_,
                       [](const OrderedBlock& b) {
                         return RecordName{kBodies, key_of(b)};
                       },
                       [this](std::uint64_t, std::uint64_t) {
                         const std::lock_guard lock(mutex_);
                         durable_ = true;
                         changed_.notify_all();
                       },
                       [this](const Error& why, WriterThread::Failure) {
                         const std::lock_guard lock(mutex_);
                         failed_ = why.text();
                         changed_.notify_all();
                       },
                       LogEnd{}};
};

// A Raft node that caught up cuts its log in the step that adopts a commit. The entry took the
// place of that mark, which has no body, and the node never started again: "the log is damaged".
TEST_F(WriterTest, AnEntryNamesWhatStandsAheadOfItAndNotWhatCutsItBehind) {
  LogEntry first = entry_of(1, "earlier write");
  LogEntry second = entry_of(2, "same write");
  const Persist first_cut = cut_of(first);
  const Persist second_cut = cut_of(second);
  const Persist second_body = body_of(second, "same write");
  writer_.persist({body_of(first, "earlier write")}, 0);
  settle();
  writer_.ledger(std::move(first), {first_cut, second_body});
  writer_.ledger(std::move(second), {second_cut});
  settle();
  EXPECT_EQ(failed_, "");
  EXPECT_EQ(logged(1), "earlier write");
  EXPECT_EQ(logged(2), "same write");
}

TEST_F(WriterTest, ALogThatNamesWhatIsNotThereIsNeverWritten) {
  LogEntry entry = entry_of(1, "ten bytes.");
  writer_.persist({cut_of(entry)}, 0);
  writer_.ledger(std::move(entry), {});
  settle();
  EXPECT_EQ(failed_, "it names a block of round 1 with 10 bytes, of which the store has 0");
  EXPECT_EQ(logged(1), "no entry");
}

// Nobody wakes the thread for them, but while it rests; before that it looks by itself.
TEST_F(WriterTest, RecordsForWhichNobodyWaitsAreWrittenAllTheSame) {
  const auto pause = [](int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); };
  settle();
  for (std::uint64_t slot = 1; slot <= 6; ++slot) {
    pause(static_cast<int>(slot % 3) * 30);  // it has just written, or rests
    const LogEntry entry = entry_of(slot, "later");
    writer_.persist({body_of(entry, "later")}, 0);
    writer_.persist({body_of(entry, "and more")}, 0);
    while (writer_.backlog() > 0) pause(1);
  }
  EXPECT_EQ(failed_, "");
  settle();
}

}  // namespace
}  // namespace thresher::net
