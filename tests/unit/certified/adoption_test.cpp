// A node that was away takes the log from its host and goes on with certified vertices: it must
// order what follows exactly as a node that saw every vertex.
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <tuple>

#include "bench.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/protocols/dag/dag.hpp"

namespace thresher::certified {
namespace {

constexpr std::uint32_t kNodes = 7;
constexpr std::uint64_t kRounds = 60;
constexpr std::uint32_t kPull = 2;  // the timer of questions

/// A history of certified vertices of the nodes 1 to 6, some of them absent now and then. With
/// asynchronous rules most of them are on one side of a wave, whichever it is.
class History {
 public:
  History(const Rules& rules, std::uint64_t seed) {
    Prng random(seed, 1);
    std::vector<std::uint64_t> latest(kNodes);
    std::set<std::uint16_t> before;
    bool fallback_wave = false;
    for (std::uint64_t r = 1; r <= kRounds; ++r) {
      if (opens_wave(Round{r})) fallback_wave = random.below(2) == 0;
      std::set<std::uint16_t> now{1, 2, 3, 4, 5, 6};
      if (random.below(4) == 0) now.erase(static_cast<std::uint16_t>(1 + random.below(6)));
      for (const std::uint16_t a : now) {
        Header h;
        h.author = NodeId{a};
        h.round = Round{r};
        h.self = Round{latest[a]};
        for (const std::uint16_t p : before) {
          if (p != a || latest[a] + 1 == r) h.parents.insert(NodeId{p});
        }
        const bool turns = random.below(30) == 0;
        h.fallback = rules.asynchronous && opens_wave(Round{r}) && r > kFirstOfWaves &&
                     fallback_wave != turns;
        h.payload_root.bytes[0] = static_cast<std::byte>(a);
        h.payload_root.bytes[1] = static_cast<std::byte>(r);
        h.payload_bytes = 1;
        proposals_.push_back(Desk::sealed(std::move(h)));
      }
      for (const std::uint16_t a : now) latest[a] = r;
      before = std::move(now);
    }
  }
  /// Hands over the vertices from `first` on, as answers to questions would bring them.
  void tell(Desk& t, std::uint64_t first) const {
    for (const ProposalPtr& p : proposals_) {
      if (p->header.round.value < first) continue;
      const NodeId author = p->header.author;
      const Payload payload{Bytes::copy_of(as_view("x")), p->header.payload_root};
      const VertexPtr v = make_vertex(*p, payload, t.quorum(p));
      t.say(author.value, Certify{v->round(), v->digest, v->certificate});
      t.expire(kPull);
      t.say(author.value, Give{{v}, {}});
    }
  }

 private:
  std::vector<ProposalPtr> proposals_;
};

using Names = std::vector<std::pair<std::uint64_t, std::vector<Ref>>>;

Names names_after(const Desk& t, std::uint64_t slot) {
  Names out;
  for (const Committed& c : t.delivered) {
    if (c.slot.value <= slot) continue;
    out.emplace_back(c.slot.value, std::vector<Ref>{});
    for (const VertexPtr& v : c.blocks) out.back().second.push_back(v->ref());
  }
  return out;
}

// What the host does with a commit that its peers vouch for. Not `noted`: the crash came before.
void log_commit(Desk& t, const Committed& c, bool noted) {
  for (const VertexPtr& v : c.blocks) {
    Vertex logged;
    logged.header.author = v->author();
    logged.header.round = v->round();
    logged.header.payload_root = v->header.payload_root;
    logged.header.payload_bytes = v->header.payload_bytes;
    Writer value;
    encode_vertex(logged, kNodes, value);
    value.u64(c.slot.value);
    const Bytes key = dag::block_key({v->author(), v->round(), v->digest});
    const Persist record{kVertex, key, Bytes::from(value.take()), v->payload.bytes};
    (void)t.disk.write(std::span(&record, 1), Sync::kYes);
    if (noted) t.feed(Restored{kVertex, key, record.value, record.body});
  }
  if (!noted) return;
  Writer mark;
  mark.u64(c.before.value).bytes(c.leader.bytes);
  const Bytes slot = Bytes::from(Writer().u64(c.slot.value).take());
  t.feed(Restored{kDelivered, slot, Bytes::from(mark.take()), {}});
}

// The node took a commit from the log and accepted certified vertices that rest on it, of which all
// is on disk. That the commit was delivered is not, nor what came after it.
void lose_notes(Desk& t, const std::vector<Committed>& commits, std::size_t from) {
  for (std::size_t i = from; i < commits.size(); ++i) {
    const Persist gone{kDelivered, Bytes::from(Writer().u64(commits[i].slot.value).take()), {}, {}};
    (void)t.disk.write(std::span(&gone, 1), Sync::kYes);
  }
  t.delivered.clear();
}

enum class Stop { kNone, kRestart, kCrashInside, kNoteLost };

std::string name_of(const Rules& rules, Stop stop) {
  constexpr std::array kStops{"GoesOn", "Restarts", "CrashesInside", "LosesTheNote"};
  std::string name(rules.name);
  std::erase(name, '-');
  return name + kStops[static_cast<std::size_t>(stop)];
}

class FetchedLog : public testing::TestWithParam<std::tuple<Rules, Stop>> {};

INSTANTIATE_TEST_SUITE_P(
    Family, FetchedLog,
    testing::Combine(
        testing::Values(Rules::bullshark(), Rules::anchored_bullshark(), Rules::bullshark_async()),
        testing::Values(Stop::kNone, Stop::kRestart, Stop::kCrashInside, Stop::kNoteLost)),
    [](const auto& suite) { return name_of(std::get<0>(suite.param), std::get<1>(suite.param)); });

TEST_P(FetchedLog, IsContinuedAsByWhoSawEverything) {
  const auto& [rules, stop] = GetParam();
  std::size_t continued = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const History history(rules, seed);
    Desk witness(kNodes, rules);
    history.tell(witness, 1);
    const auto& commits = witness.delivered;
    ASSERT_GE(commits.size(), 4u);
    for (std::size_t end = 1; end + 1 < commits.size(); ++end) {
      Desk t(kNodes, rules);
      for (std::size_t i = 0; i < end; ++i) log_commit(t, commits[i], true);
      const std::uint64_t slot = commits[end - 1].slot.value;
      ASSERT_EQ(t.node().last_ordered(), Round{slot});
      if (stop == Stop::kCrashInside) log_commit(t, commits[end], false);
      if (stop == Stop::kNoteLost) {
        history.tell(t, commits[end].slot.value);
        log_commit(t, commits[end], true);
        ASSERT_GE(t.node().last_ordered(), commits[end].slot);
        lose_notes(t, commits, end);
      }
      if (stop != Stop::kNone) t.restart();
      ASSERT_EQ(t.node().last_ordered(), Round{slot});
      // It chooses whom to ask first for what it lacks, and an answer that it did not ask for
      // counts as none.
      for (int k = 0; k < 3; ++k) history.tell(t, slot > 20 ? slot - 20 : 1);
      EXPECT_EQ(names_after(t, slot), names_after(witness, slot))
          << rules.name << " seed " << seed << " after slot " << slot;
      EXPECT_TRUE(t.accused.empty());
      ++continued;
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GE(continued, 12u);
}

// The record in which the node noted a commit; null bytes when it has none.
Bytes noted_by(Desk& t, Round slot) {
  Bytes out;
  (void)t.disk.replay([&](const Restored& r) {
    if (r.table == kDelivered && Reader(r.key.view()).u64() == slot.value) out = r.value;
  });
  return out;
}

// The next leaders follow from every commit: after a gap they cannot be known.
TEST(Adoption, RefusesALogWithAGap) {
  const Rules rules = Rules::anchored_bullshark();
  const History history(rules, 1);
  Desk witness(kNodes, rules);
  history.tell(witness, 1);
  Desk t(kNodes, rules);
  log_commit(t, witness.delivered[0], true);
  log_commit(t, witness.delivered[2], true);
  EXPECT_EQ(t.node().last_ordered(), witness.delivered[0].slot);
  log_commit(t, witness.delivered[1], true);
  log_commit(t, witness.delivered[2], true);
  EXPECT_EQ(t.node().last_ordered(), witness.delivered[2].slot);
}

// A node that starts from a snapshot has names of the latest commits, and what its peers noted with
// the last of them.
TEST(Adoption, StartsBehindASnapshotAsByWhoSawEverything) {
  const Rules rules = Rules::anchored_bullshark();
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const History history(rules, seed);
    Desk witness(kNodes, rules);
    history.tell(witness, 1);
    const auto& commits = witness.delivered;
    std::size_t started = 0;
    for (std::size_t end = 1; end + 1 < commits.size(); ++end) {
      const Round slot = commits[end - 1].slot;
      const Bytes note = noted_by(witness, slot);
      if (note.empty()) continue;  // below its floor
      Desk t(kNodes, rules);
      for (std::size_t i = 0; i < end; ++i) log_commit(t, commits[i], false);
      const Persist record{kDelivered, Bytes::from(Writer().u64(slot.value).take()), note, {}};
      (void)t.disk.write(std::span(&record, 1), Sync::kYes);
      t.restart();
      ASSERT_EQ(t.node().last_ordered(), slot);
      for (int k = 0; k < 3; ++k) history.tell(t, slot.value > 20 ? slot.value - 20 : 1);
      EXPECT_EQ(names_after(t, slot.value), names_after(witness, slot.value))
          << "seed " << seed << " after slot " << slot.value;
      ++started;
      if (testing::Test::HasFailure()) return;
    }
    EXPECT_GE(started, 8u);
  }
}

// After a crash that lost the notes of the latest commits: they are made again from what is on the
// disk, with the leaders that follow from the last noted commit.
TEST(Adoption, RestartedAtAnyNoteItOrdersTheSame) {
  const Rules rules = Rules::anchored_bullshark();
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const History history(rules, seed);
    Desk witness(kNodes, rules);
    history.tell(witness, 1);
    const auto& commits = witness.delivered;
    std::size_t restarted = 0;
    for (std::size_t from = 1; from < commits.size(); ++from) {
      const Round slot = commits[from - 1].slot;
      if (noted_by(witness, slot).empty()) continue;  // below its floor
      Desk t(kNodes, rules);
      t.disk = witness.disk;
      lose_notes(t, commits, from);
      t.restart();
      EXPECT_EQ(names_after(t, slot.value), names_after(witness, slot.value))
          << "seed " << seed << " after slot " << slot.value;
      ++restarted;
      if (testing::Test::HasFailure()) return;
    }
    EXPECT_GE(restarted, 8u);
  }
}

}  // namespace
}  // namespace thresher::certified
