// A log with a hole in it: filled by peers before anything is signed, or the node stops with what
// is missing. Never read over.
#include <fstream>
#include <map>
#include <mutex>
#include <optional>

#include "engines/ordering_protocols.hpp"
#include "ledger/log_entry.hpp"
#include "member.hpp"
#include "name_of_suite.hpp"
#include "store/wal_scan.hpp"
#include "thresher/net/disk_store.hpp"
#include "thresher/protocols/dag/dag.hpp"
#include "thresher/protocols/order/pbft.hpp"
#include "thresher/protocols/order/raft.hpp"

namespace thresher::net {
namespace {

/// Collects what a node says.
struct Said {
  NodeOptions options() {
    NodeOptions o;
    o.gc_rounds = 32;
    o.sync_rounds = 16;
    o.log = [this](Level, const std::string& line) {
      const std::lock_guard lock(mutex);
      lines += line + "\n";
    };
    return o;
  }
  bool has(const std::string& part) {
    const std::lock_guard lock(mutex);
    return lines.find(part) != std::string::npos;
  }
  std::mutex mutex;
  std::string lines;
};

/// Erases the entries of the log with these ranks, as a defect of some program would have.
void lose_entries(const std::string& home, std::size_t from, std::size_t to) {
  std::filesystem::remove(home + "/data/snapshot");  // so that the log is read
  const auto store = DiskStore::open(home + "/data");
  ASSERT_TRUE(store) << store.error();
  std::vector<Persist> erasures;
  std::size_t rank = 0;
  ASSERT_TRUE((*store)->scan(kLedgerTable, {}, [&](ByteView key, ByteView) {
    if (rank >= from && rank < to) erasures.push_back({kLedgerTable, Bytes::copy_of(key), {}, {}});
    ++rank;
    return true;
  }));
  ASSERT_GT(rank, to == SIZE_MAX ? from + 40 : to) << "the log is too short for this test";
  ASSERT_TRUE((*store)->write(erasures, true));
}

/// Erases the last `count` commits: those in the log, and what the protocol noted of them.
void forget_commits(const std::string& home, std::size_t count) {
  const auto store = DiskStore::open(home + "/data");
  ASSERT_TRUE(store) << store.error();
  std::vector<std::uint64_t> slots;
  const auto note = [&](ByteView key, ByteView) {
    std::uint64_t slot = 0;
    for (const std::byte b : key) slot = slot << 8 | std::to_integer<std::uint64_t>(b);
    slots.push_back(slot);
    return true;
  };
  ASSERT_TRUE((*store)->scan(kLedgerTable, {}, note));
  ASSERT_GT(slots.size(), count);
  std::vector<Persist> erasures;
  for (std::size_t i = slots.size() - count; i < slots.size(); ++i) {
    erasures.push_back({kLedgerTable, slot_key(Round{slots[i]}), {}, {}});
    erasures.push_back({dag::kDelivered, Bytes::from(Writer().u64(slots[i]).take()), {}, {}});
  }
  ASSERT_TRUE((*store)->write(erasures, true));
}

/// Writes other bytes into the write-ahead log.
bool overwrite(const std::string& home, std::uint64_t at) {
  std::fstream file(home + "/data/wal", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(at));
  file.write("XXXX", 4);
  return file.good();
}

/// Where `text` stands in the file for the last time: before, there may be a leader's block that
/// nobody needs any more.
bool damage_last(const std::string& home, const std::string& text) {
  std::ifstream file(home + "/data/wal", std::ios::binary);
  const std::string content((std::istreambuf_iterator<char>(file)), {});
  const std::size_t at = content.rfind(text);
  return at != std::string::npos && overwrite(home, at);
}

/// Where the log has `text`: elsewhere there may be what a broadcast keeps of it.
bool damage(const Network& net, std::size_t node, const std::string& text) {
  std::optional<std::uint64_t> at;
  {
    const auto store = DiskStore::open(net.home(node) + "/data");
    EXPECT_TRUE(store) << store.error();
    (void)(*store)->scan(kLedgerTable, {}, [&](ByteView key, ByteView value) {
      const auto entry = decode_entry(key, value, log_form_of(net.genesis()));
      EXPECT_TRUE(entry);
      for (const LoggedBlock& b : entry->blocks) {
        const auto body = (*store)->read_body(b.place);
        const std::size_t found = body ? as_text(body->view()).find(text) : std::string::npos;
        if (found != std::string::npos) at = b.place.offset + found;
      }
      return true;
    });
  }
  return at && overwrite(net.home(node), *at);
}

/// Transactions in the log of a node that does not run; the error is a failure.
std::uint64_t length_at_rest(const std::string& home) {
  std::uint64_t count = 0;
  NodeOptions options;
  options.home = home;
  const auto read = read_log(options, 0, [&](const Transaction&) { ++count; });
  EXPECT_TRUE(read) << read.error();
  return count;
}

/// Node 3 goes on behind `sent` transactions as the others do, and what was lost stands again where
/// it lay, so that the whole file can be read. Stops it.
void expect_whole_again(Network& net, std::uint64_t sent) {
  EXPECT_EQ(net.submit(3, "mine").position, sent);
  net.expect_same_state(sent + 1);
  net.stop(3);
  EXPECT_EQ(length_at_rest(net.home(3)), sent + 1);
}

std::uint64_t fill(Network& net, std::size_t node, std::uint64_t slots) {
  std::uint64_t sent = 0;
  while (net.submit(node, "text " + std::to_string(sent++)).slot < slots) {
  }
  return sent;
}

/// Four nodes order `sent` transactions in so many slots; the last one has them all and stops.
void fill_and_stop_last(Network& net, std::vector<Said>& said, std::uint64_t slots,
                        std::uint64_t& sent) {
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i, said[i].options()), "");
  sent = fill(net, 0, slots);
  ASSERT_TRUE(net.reaches(3, sent));
  net.stop(3);
}

class Holes : public testing::TestWithParam<std::string> {};

TEST_P(Holes, InsideTheLogAreFilledByPeers) {
  std::vector<Said> said(4);
  Network net(4, GetParam());
  std::uint64_t sent = 0;
  ASSERT_NO_FATAL_FAILURE(fill_and_stop_last(net, said, 60, sent));
  ASSERT_NO_FATAL_FAILURE(lose_entries(net.home(3), 3, 5));
  ASSERT_EQ(net.start(3, said[3].options()), "");
  EXPECT_TRUE(said[3].has("are fetched from peers before this node signs anything"));
  EXPECT_TRUE(net.reaches(3, sent));
  expect_whole_again(net, sent);
  std::filesystem::remove(net.home(3) + "/data/snapshot");
  ASSERT_EQ(net.start(3, said[3].options()), "");
  net.expect_same_state(sent + 1);
}

// Its peers are there and answer what a start asks, but do not give their logs: the node must not
// say a word of its protocol, however long that takes, nor tell of what lies behind the hole.
TEST_P(Holes, NothingIsSignedBeforeTheyAreFilled) {
  Said said;
  Network net(4, GetParam());
  {
    std::vector<Said> others(4);
    for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i, others[i].options()), "");
    ASSERT_TRUE(net.reaches(3, fill(net, 0, 60)));
    for (std::size_t i = 0; i < 4; ++i) net.stop(i);
  }
  ASSERT_NO_FATAL_FAILURE(lose_entries(net.home(3), 3, 5));
  ASSERT_EQ(net.start(3, said.options()), "");
  std::vector<std::unique_ptr<Member>> peers;
  for (std::size_t i = 0; i < 3; ++i) {
    peers.push_back(std::make_unique<Member>(net, 3, i));
    peers.back()->know({});
  }
  // Each giver has its patience: when the first is asked again all have been asked.
  EXPECT_TRUE(Network::eventually([&] {
    return std::all_of(peers.begin(), peers.end(),
                       [](const auto& p) { return p->heard(kWantLog) > 0; });
  }));
  peers[0]->say({kWantLogHash, wire::encode(wire::WantLogHash{Round{1}}), {}});
  peers[0]->say({kWantLogHash, wire::encode(wire::WantLogHash{Round{55}}), {}});
  EXPECT_TRUE(Network::eventually([&] { return peers[0]->heard(kLogHash) == 2; }));
  EXPECT_FALSE(peers[0]->hash_of(Round{55}));
  for (const auto& p : peers) EXPECT_EQ(p->spoken_to(), 0);
  EXPECT_FALSE(net.ended(3));
}

INSTANTIATE_TEST_SUITE_P(Store, Holes,
                         testing::Values("thresher", "anchored-bullshark", "pbft", "raft"),
                         name_of_suite);

/// Protocols that do not keep what they delivered.
class DagHoles : public Holes {};

// The protocol knows of far more than the log has: what lies between is gone from its memory.
TEST_P(DagHoles, BehindTheLogAreFilledByPeers) {
  std::vector<Said> said(4);
  Network net(4, GetParam());
  std::uint64_t sent = 0;
  ASSERT_NO_FATAL_FAILURE(fill_and_stop_last(net, said, 120, sent));
  ASSERT_NO_FATAL_FAILURE(lose_entries(net.home(3), 5, SIZE_MAX));
  ASSERT_EQ(net.start(3, said[3].options()), "");
  EXPECT_TRUE(net.reaches(3, sent));
  EXPECT_TRUE(said[3].has("lacks commits"));
  EXPECT_EQ(net.submit(3, "mine").position, sent);
  net.expect_same_state(sent + 1);
}

/// With protocols that leave payloads on the disk, and those that read them back at a start, which
/// they must not do before peers have given them.
class DamagedPayloads : public Holes {};

// The disk gives back something else than what was written there. The peers' copy stands in its
// place afterwards: the log is whole again for its readers, also from its start.
TEST_P(DamagedPayloads, AreFetchedAndWrittenInTheirPlaces) {
  std::vector<Said> said(4);
  Network net(4, GetParam());
  std::uint64_t sent = 0;
  ASSERT_NO_FATAL_FAILURE(fill_and_stop_last(net, said, 60, sent));
  std::filesystem::remove(net.home(3) + "/data/snapshot");
  ASSERT_TRUE(damage(net, 3, "text 7"));
  ASSERT_TRUE(damage(net, 3, "text 12"));
  ASSERT_EQ(net.start(3, said[3].options()), "");
  EXPECT_TRUE(said[3].has("a payload of slot"));
  EXPECT_TRUE(net.reaches(3, sent));
  expect_whole_again(net, sent);
  std::filesystem::remove(net.home(3) + "/data/snapshot");
  std::filesystem::remove_all(net.home(3) + "/data/index");
  ASSERT_EQ(net.start(3, said[3].options()), "");
  net.expect_same_state(sent + 1);
}

// The same for the last thing in the file, of which the end is held in memory and written again.
TEST_P(DamagedPayloads, TheLastOneToo) {
  std::vector<Said> said(4);
  Network net(4, GetParam());
  std::uint64_t sent = 0;
  ASSERT_NO_FATAL_FAILURE(fill_and_stop_last(net, said, 20, sent));
  std::filesystem::remove(net.home(3) + "/data/snapshot");
  ASSERT_TRUE(damage(net, 3, "text " + std::to_string(sent - 1)));
  ASSERT_EQ(net.start(3, said[3].options()), "");
  expect_whole_again(net, sent);
}

// As after a crash before its commits were durable, and one of the blocks that they order is
// damaged: it was never in the log, so nothing is missing before the protocol orders it again.
TEST(HolesAlone, ABlockThatIsOrderedNowIsFetchedToo) {
  std::vector<Said> said(4);
  Network net(4);
  std::uint64_t sent = 0;
  ASSERT_NO_FATAL_FAILURE(fill_and_stop_last(net, said, 30, sent));
  std::filesystem::remove(net.home(3) + "/data/snapshot");
  ASSERT_NO_FATAL_FAILURE(forget_commits(net.home(3), 10));
  ASSERT_TRUE(damage_last(net.home(3), "text " + std::to_string(sent - 1)));
  ASSERT_EQ(net.start(3, said[3].options()), "");
  EXPECT_TRUE(net.reaches(3, sent));
  EXPECT_TRUE(said[3].has("which is ordered now, cannot be read back"));
  expect_whole_again(net, sent);
}

/// Whether `text` stands in the write-ahead log.
bool holds(const std::string& home, const std::string& text) {
  std::ifstream file(home + "/data/wal", std::ios::binary);
  const std::string content((std::istreambuf_iterator<char>(file)), {});
  return content.find(text) != std::string::npos;
}

// Behind the snapshot nobody reads the log at a start: it is read again while the node runs, and
// what the disk has changed is written again before somebody asks for it. A protocol that reads
// its records back needs it at once.
TEST_P(DamagedPayloads, BehindTheSnapshotAreFoundAndMendedToo) {
  std::vector<Said> said(4);
  Network net(4, GetParam());
  std::uint64_t sent = 0;
  ASSERT_NO_FATAL_FAILURE(fill_and_stop_last(net, said, 60, sent));
  ASSERT_TRUE(damage(net, 3, "text 7"));
  ASSERT_TRUE(damage(net, 3, "text 12"));
  ASSERT_EQ(net.start(3, said[3].options()), "");
  EXPECT_EQ(net.app(3).applied(), 0u) << "the log was read at the start: this tests nothing";
  EXPECT_TRUE(Network::eventually(
      [&] { return holds(net.home(3), "text 7") && holds(net.home(3), "text 12"); }));
  EXPECT_TRUE(said[3].has("is fetched from peers and written again"));
  expect_whole_again(net, sent);
}

// What no peer has: the node and `thresher log` say the same of it. A verb that only reads refers
// to the node, which may be able to mend it, and does not say to move the folder away.
TEST(HolesAlone, DamageThatTheIndexHidesStopsTheNode) {
  std::vector<Said> said(4);
  Network net(4);
  std::uint64_t sent = 0;
  ASSERT_NO_FATAL_FAILURE(fill_and_stop_last(net, said, 30, sent));
  std::vector<std::uint64_t> frames;
  {
    WalScan scan;
    ASSERT_TRUE(scan.open(net.home(3) + "/data/wal"));
    ASSERT_TRUE(
        scan.read({}, [&](const WalFrame& f) { return frames.push_back(f.end.frame), true; }));
  }
  const std::uint64_t at = frames.at(frames.size() / 2);
  std::fstream file(net.home(3) + "/data/wal", std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(static_cast<std::streamoff>(at + 24));
  const int was = file.get();
  file.seekp(static_cast<std::streamoff>(at + 24));
  file.put(static_cast<char>(was ^ 1));
  file.close();
  ASSERT_EQ(net.start(3, said[3].options()), "");
  const std::string what = "is damaged at byte " + std::to_string(at);
  const std::string why = net.ending(3);
  EXPECT_NE(why.find(what), std::string::npos) << why;
  net.stop(3);
  NodeOptions options;
  options.home = net.home(3);
  const auto read = read_log(options, 0, [](const Transaction&) {});
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().text().find(what), std::string::npos) << read.error();
  EXPECT_NE(why.find("must not sign"), std::string::npos) << why;
  EXPECT_NE(read.error().text().find("Start the node"), std::string::npos) << read.error();
  EXPECT_EQ(read.error().text().find("must not sign"), std::string::npos) << read.error();
}

TEST(HolesAlone, AnIndexThatIsGoneIsToldAndMadeAgain) {
  Said said;
  Network net(1);
  ASSERT_EQ(net.start(0, said.options()), "");
  const std::uint64_t sent = fill(net, 0, 20);
  net.stop(0);
  ASSERT_EQ(net.start(0, said.options()), "");
  net.stop(0);
  EXPECT_FALSE(said.has("index"));
  std::filesystem::remove_all(net.home(0) + "/data/index");
  ASSERT_EQ(net.start(0, said.options()), "");
  EXPECT_TRUE(said.has("is gone: it is made again from the write-ahead log"));
  EXPECT_TRUE(net.reaches(0, sent));
}

// Behind the snapshot nobody reads the log at a start. A client that asked for such a part waited
// for ever, and nobody was told.
TEST(HolesAlone, WhoAsksForADamagedPayloadIsNotLeftWaiting) {
  Said said;
  Network net(4);
  {
    std::vector<Said> others(4);
    for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i, others[i].options()), "");
    ASSERT_TRUE(net.reaches(3, fill(net, 0, 30)));
    for (std::size_t i = 0; i < 4; ++i) net.stop(i);
  }
  // A transaction takes up to five slots, so that there are six at least.
  ASSERT_TRUE(damage(net, 3, "text 3"));
  ASSERT_EQ(net.start(3, said.options()), "");
  std::unique_ptr<RawPeer> client;
  ASSERT_TRUE(Network::eventually([&] {
    client = std::make_unique<RawPeer>(net.genesis().nodes[3].port, crypto::SigningKey::generate());
    return client->greet(net.genesis().context().chain);
  }));
  ASSERT_TRUE(client->write(bytes_of({kSubscribe, wire::encode(wire::Subscribe{0}), {}})));
  std::uint64_t got = 0;  // in one frame, or in several where the disk is slow
  while (const auto frame = client->answer()) {
    const auto part = wire::decode<wire::Log>(frame->control.view());
    ASSERT_TRUE(part);
    got += part->count;
  }
  EXPECT_EQ(got, 3u);
  EXPECT_TRUE(said.has("cannot be read back for a client"));
}

// A block that the protocol had not delivered is in no log: the node says so, and does not start.
TEST(HolesAlone, ABodyThatNoLogHasStopsTheNode) {
  constexpr std::uint64_t kFarAhead = 10'000;
  const Bytes seal_of_another = Bytes::from(Writer().bytes(Digest{}.bytes).u64(1).take());
  const Bytes body = Bytes::copy_of(as_view("what was here"));
  const std::map<std::string, Persist> damaged{
      {"pbft", {pbft::kDecisions, pbft::decision_key(kFarAhead), seal_of_another, body}},
      {"raft", {raft::kEntries, raft::entry_key(kFarAhead), seal_of_another, body}}};
  for (const auto& [protocol, record] : damaged) {
    std::vector<Said> said(4);
    Network net(4, protocol);
    std::uint64_t sent = 0;
    ASSERT_NO_FATAL_FAILURE(fill_and_stop_last(net, said, 20, sent));
    {
      const auto store = DiskStore::open(net.home(3) + "/data");
      ASSERT_TRUE(store) << store.error();
      ASSERT_TRUE((*store)->write(std::vector<Persist>{record}, true));
    }
    ASSERT_EQ(net.start(3, said[3].options()), "");
    const std::string why = net.ending(3);
    EXPECT_NE(why.find("which is not in the log"), std::string::npos) << protocol << ": " << why;
  }
}

std::string plain(std::string name) {
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Store, DagHoles, testing::Values("thresher", "anchored-bullshark"),
                         [](const auto& suite) { return plain(suite.param); });
INSTANTIATE_TEST_SUITE_P(Store, DamagedPayloads,
                         testing::Values("thresher", "anchored-bullshark", "pbft", "raft",
                                         "simplex", "hotstuff2", "honeybadger"),
                         [](const auto& suite) { return plain(suite.param); });

TEST(HolesAlone, InsideTheLogWithoutPeersTheNodeStopsWithTheRange) {
  Said said;
  Network net(1);
  ASSERT_EQ(net.start(0, said.options()), "");
  (void)fill(net, 0, 60);
  net.stop(0);
  ASSERT_NO_FATAL_FAILURE(lose_entries(net.home(0), 3, 5));
  const std::string why = net.start(0, said.options());
  EXPECT_NE(why.find("but the log ends with slot"), std::string::npos) << why;
}

TEST(HolesAlone, WithoutPeersTheNodeStopsWithTheRange) {
  Said said;
  Network net(1);
  ASSERT_EQ(net.start(0, said.options()), "");
  (void)fill(net, 0, 120);
  net.stop(0);
  ASSERT_NO_FATAL_FAILURE(lose_entries(net.home(0), 5, SIZE_MAX));
  ASSERT_EQ(net.start(0, said.options()), "");
  const std::string why = net.ending(0);
  EXPECT_NE(why.find("there is no peer to fetch them from"), std::string::npos) << why;
  EXPECT_NE(why.find("but the log ends with slot"), std::string::npos) << why;
}

// A snapshot that goes beyond the log would hide the hole from readers of the log.
TEST(HolesAlone, ASnapshotOfMoreThanTheLogIsLeftAside) {
  std::vector<Said> said(4);
  Network net(4);
  std::uint64_t sent = 0;
  ASSERT_NO_FATAL_FAILURE(fill_and_stop_last(net, said, 120, sent));
  const std::string snapshot = net.home(3) + "/data/snapshot";
  std::filesystem::copy_file(snapshot, net.home(3) + "/kept");
  ASSERT_NO_FATAL_FAILURE(lose_entries(net.home(3), 5, SIZE_MAX));
  std::filesystem::copy_file(net.home(3) + "/kept", snapshot);
  ASSERT_EQ(net.start(3, said[3].options()), "");
  EXPECT_TRUE(said[3].has("which the log does not have"));
  EXPECT_TRUE(net.reaches(3, sent));
  net.expect_same_state(sent);
}

}  // namespace
}  // namespace thresher::net
