// A node that takes a snapshot from peers: one that lies or stops is named, and what is here stays.
#include "life/state_sync.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <deque>
#include <filesystem>
#include <fstream>

#include "life/snapshot_pace.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/net/codec.hpp"

namespace thresher::net {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kTick = 20'000;

/// What a peer does with the questions of the node that joins.
enum class Way : std::uint8_t {
  kGood,
  kSilent,  ///< answers nothing
  kFalseCertificate,
  kOtherManifest,  ///< has a snapshot of its own making of the same checkpoint
  kMixed,          ///< the manifest of the others, beside the certificate of a later snapshot
  kFalseManifest,  ///< names the right one and gives another
  kFalseParts,
  kShortParts,
  kStalls,   ///< offers, and gives no part
  kForgets,  ///< offers, and has no part any more
  kNewer,    ///< has the snapshot of slot offered_ in place of the others'
};

class Joining : public testing::Test {
 protected:
  Joining()
      : data_(fs::temp_directory_path() / ("thresher-state-sync-" + std::to_string(::getpid()))),
        own_((data_ / "own").string()),
        theirs_((data_ / "theirs").string()) {
    fs::remove_all(data_);
    fs::create_directories(data_ / "own");
    fs::create_directories(data_ / "theirs");
    genesis_.chain = "joining";
    genesis_.f = 1;
    for (int i = 0; i < 4; ++i) {
      keys_.push_back(crypto::SigningKey::generate());
      genesis_.nodes.push_back({keys_.back().public_key(), "127.0.0.1", 1});
    }
    state_ = std::string((3u << 20) + 500'000, 'x');
    for (std::size_t i = 0; i < state_.size(); i += 89) state_[i] = static_cast<char>(i / 89);
    take(theirs_, 40, state_);
  }
  ~Joining() override { fs::remove_all(data_); }

  static Checkpoint at(std::uint64_t slot) {
    return {Round{slot}, slot * 10, hash({}), hash({}), hash({})};
  }
  static void take(const SnapshotFolder& folder, std::uint64_t slot, const std::string& state) {
    const auto file = folder.begin(Round{slot});
    ASSERT_TRUE(file && file->append(as_view(state)));
    ASSERT_TRUE(file->append_ledger(as_view(std::string(1'500'000, 'l'))));
    ASSERT_TRUE(file->finish(at(slot), {}));
  }
  Certificate certificate(std::uint64_t slot, bool right = true) const {
    Certificate out{at(slot), {NodeSet(4), {}}};
    for (std::uint16_t i = 1; i < 4; ++i) {
      out.signatures.signers.insert(NodeId{i});
      out.signatures.signatures.push_back(
          signed_checkpoint(keys_[i], NodeId{i}, genesis_.context(), at(right ? slot : slot + 1))
              .signature);
    }
    return out;
  }
  std::unique_ptr<StateSync> start() {
    auto out = std::make_unique<StateSync>(
        genesis_, NodeId{0}, own_,
        StateSync::Hooks{
            [this](NodeId to, const Frame& f) { sent_.emplace_back(to, f); },
            [this](NodeId who, const std::string& how) { blamed_.emplace(who.value, how); },
            [this](Level level, const std::string& line) {
              if (level >= Level::kWarning) warnings_.push_back(line);
            }});
    out->begin(Round{0}, now_);
    return out;
  }
  // What peer `to` answers.
  std::optional<Frame> answer(NodeId to, const Frame& f) {
    const Way way = ways_[to.value];
    if (way == Way::kSilent) return std::nullopt;
    const std::uint64_t slot = way == Way::kNewer ? offered_.at(to.value) : 40;
    const auto stored = theirs_.stored(Round{slot});
    if (f.kind == kWantSnapshots) {
      if (const auto want = decode_want_snapshots(f.control.view()); want && want->takes)
        told_[to.value] = want->takes;
      else if (want)
        kept_[to.value] = want->grids;
      SnapshotOffer offer{
          certificate(way == Way::kMixed ? 80 : slot, way != Way::kFalseCertificate),
          digest_of(stored->manifest, genesis_.context())};
      if (way == Way::kOtherManifest) offer.manifest = hash(as_view("another"));
      return Frame{kSnapshots, encode(OwnSnapshots{{offer}, grids_[to.value]}), {}};
    }
    const SnapshotPart part = *decode_want_part(f.control.view());
    asked_.push_back({to.value, part});
    if (way == Way::kStalls) return std::nullopt;
    if (way == Way::kForgets || part.slot != Round{slot})
      return Frame{kPart, encode(GivenPart{part, false}), {}};
    Bytes bytes = stored->encoded;
    if (part.file == SnapshotFileName::kManifest) {
      if (way == Way::kFalseManifest) {
        Manifest other = stored->manifest;
        other.bytes -= 1;
        bytes = encode(other);
      }
    } else {
      const bool ledger = part.file == SnapshotFileName::kLedger;
      bytes = chunk_of(ledger ? stored->ledger : stored->state, part.index);
      std::vector<std::byte> changed(bytes.view().begin(), bytes.view().end());
      if (way == Way::kFalseParts) changed[changed.size() / 2] ^= std::byte{1};
      if (way == Way::kShortParts) changed.pop_back();
      bytes = Bytes::from(std::move(changed));
    }
    return Frame{kPart, encode(GivenPart{part, true}), bytes};
  }
  // Until all is here, or for so many answers, or so long.
  bool run(StateSync& sync, int answers = 1'000'000, std::uint64_t us = 60'000'000) {
    for (const std::uint64_t end = now_ + us; now_ < end && sync.snapshot() == nullptr;) {
      sync.tick(now_ += kTick);
      std::deque<std::pair<NodeId, Frame>> questions;
      std::swap(questions, sent_);
      for (const auto& [to, f] : questions) {
        const auto said = answer(to, f);
        if (!said) continue;
        EXPECT_TRUE(sync.frame(to, *said, now_));
        if (said->kind == kPart && --answers == 0) return false;
      }
    }
    return sync.snapshot() != nullptr;
  }
  void expect_whole(StateSync& sync) {
    ASSERT_NE(sync.snapshot(), nullptr) << sync.words();
    EXPECT_EQ(sync.certificate().checkpoint, at(40));
    ASSERT_TRUE(sync.snapshot()->finish());
    const auto loaded = own_.load(Round{40});
    ASSERT_TRUE(loaded);
    EXPECT_EQ(as_text(loaded->state.view()), state_);
    EXPECT_TRUE(loaded->ledger);
  }

  fs::path data_;
  SnapshotFolder own_;
  SnapshotFolder theirs_;
  Genesis genesis_;
  std::vector<crypto::SigningKey> keys_;
  std::string state_;
  std::vector<Way> ways_{Way::kGood, Way::kGood, Way::kGood, Way::kGood};
  std::uint64_t now_ = 1;
  std::deque<std::pair<NodeId, Frame>> sent_;
  std::vector<std::pair<std::uint16_t, SnapshotPart>> asked_;
  std::map<std::uint16_t, std::optional<Round>> told_;       // which snapshot it says that it takes
  std::map<std::uint16_t, std::vector<std::uint8_t>> kept_;  // and of which grids some are to stay
  std::map<std::uint16_t, std::uint64_t> offered_;           // by those that have a newer one
  std::map<std::uint16_t, std::uint8_t> grids_;              // on which a peer takes snapshots
  std::map<std::uint16_t, std::string> blamed_;
  std::vector<std::string> warnings_;
};

TEST_F(Joining, TheSnapshotComesFromAllPeersAndNothingTwice) {
  const auto sync = start();
  ASSERT_TRUE(run(*sync)) << sync->words();
  std::set<std::uint16_t> givers;
  std::set<SnapshotPart> parts;
  for (const auto& [peer, part] : asked_) {
    givers.insert(peer);
    EXPECT_TRUE(parts.insert(part).second) << "asked for again";
  }
  EXPECT_EQ(givers.size(), 3u);
  EXPECT_EQ(parts.size(), 1 + 2 + 4u);
  expect_whole(*sync);
  EXPECT_TRUE(blamed_.empty());
  EXPECT_TRUE(warnings_.empty());
}

// Also who gives no part of it: the log behind it comes from all.
TEST_F(Joining, AllPeersAreToldWhichSnapshotItTakes) {
  const auto sync = start();
  ASSERT_TRUE(run(*sync)) << sync->words();
  for (std::uint16_t peer = 1; peer < 4; ++peer) EXPECT_EQ(told_[peer], Round{40}) << peer;
  // And again while the log is fetched: a peer may have started anew.
  told_.clear();
  now_ += StateSync::kAskAgain;
  sync->tick(now_);
  for (const auto& [to, f] : sent_) (void)answer(to, f);
  EXPECT_EQ(told_.size(), 3u);
}

TEST_F(Joining, TheQuestionForSnapshotsHasOneSpelling) {
  EXPECT_TRUE(encode(WantSnapshots{}).empty());
  EXPECT_EQ(decode_want_snapshots({})->takes, std::nullopt);
  const Bytes said = encode(WantSnapshots{Round{40}, {}});
  EXPECT_EQ(decode_want_snapshots(said.view())->takes, Round{40});
  for (std::size_t size = 1; size < said.size(); ++size)
    EXPECT_FALSE(decode_want_snapshots(said.view().first(size))) << size;
  const std::vector<std::uint8_t> grids{0, SnapshotPace::kCoarsest};
  EXPECT_EQ(decode_want_snapshots(encode(WantSnapshots{{}, grids}).view())->grids, grids);
  const auto refused = [](std::vector<std::uint8_t> some) {
    return !decode_want_snapshots(encode(WantSnapshots{{}, std::move(some)}).view());
  };
  EXPECT_TRUE(refused({1, 1}) && refused({2, 1}) && refused({0, 1, 2}));
  EXPECT_TRUE(refused({SnapshotPace::kCoarsest + 1}));
}

TEST_F(Joining, WhatANodeHasIsSaidInOneSpelling) {
  const SnapshotOffer offer{certificate(40), hash({})};
  const Bytes said = encode(OwnSnapshots{{offer}, 3});
  const auto read = decode_own_snapshots(said.view(), 4);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->offers, std::vector{offer});
  EXPECT_EQ(read->grid, 3);
  for (std::size_t size = 0; size < said.size(); ++size)
    EXPECT_FALSE(decode_own_snapshots(said.view().first(size), 4)) << size;
  const Bytes coarser = encode(OwnSnapshots{{offer}, SnapshotPace::kCoarsest + 1});
  EXPECT_FALSE(decode_own_snapshots(coarser.view(), 4));
}

// On the grids of the slower ones some are to stay, until one is taken.
TEST_F(Joining, WhatSlowerPeersTakeIsKeptByTheOthers) {
  ways_ = {Way::kGood, Way::kOtherManifest, Way::kGood, Way::kSilent};
  grids_ = {{1, 5}, {2, 0}};
  const auto sync = start();
  EXPECT_FALSE(run(*sync, 1'000'000, 3'000'000));
  EXPECT_EQ(kept_[2], std::vector<std::uint8_t>{5});
  ways_[1] = Way::kGood;
  ASSERT_TRUE(run(*sync)) << sync->words();
  expect_whole(*sync);
}

// Whatever f of the answers are lies: on one of the two grids f+1 correct nodes have all in common,
// and it is none that no correct node is on.
TEST(GridsToKeep, AreThoseOfFPlusOneCorrectNodesWhateverTheOthersSay) {
  for (const std::uint32_t f : {1u, 2u, 3u, 5u}) {
    const Committee committee = *Committee::of(3 * f + 1);
    Prng prng(f);
    for (int turn = 0; turn < 2000; ++turn) {
      std::vector<std::uint8_t> correct(2 * f);  // the newcomer is the last one
      std::vector<std::uint8_t> said;
      for (std::uint8_t& grid : correct)
        grid = static_cast<std::uint8_t>(prng.below(SnapshotPace::kCoarsest + 1));
      said = correct;
      for (std::uint32_t k = 0; k < f; ++k)
        said.push_back(static_cast<std::uint8_t>(prng.below(SnapshotPace::kCoarsest + 1)));
      std::ranges::sort(correct);
      const auto grids = grids_to_keep(said, committee);
      ASSERT_LE(grids.size(), kMostGrids);
      EXPECT_TRUE(std::ranges::is_sorted(grids, std::less_equal{}));
      EXPECT_TRUE(std::ranges::any_of(
          grids, [&](std::uint8_t grid) { return correct[f] <= grid && grid <= correct.back(); }))
          << f << ", turn " << turn;
    }
  }
  EXPECT_TRUE(grids_to_keep({}, *Committee::of(4)).empty());
  EXPECT_EQ(grids_to_keep({7}, *Committee::of(4)), std::vector<std::uint8_t>{7});
  EXPECT_EQ(grids_to_keep({3}, *Committee::of(1)), std::vector<std::uint8_t>{3});
}

// One of four lies, each in another way; the others are enough.
TEST_F(Joining, ALiarHasANameAndIsNotNeeded) {
  for (const Way way :
       {Way::kFalseCertificate, Way::kFalseManifest, Way::kFalseParts, Way::kShortParts}) {
    for (std::uint16_t liar = 1; liar < 4; ++liar) {
      SCOPED_TRACE(testing::Message() << "way " << static_cast<int>(way) << ", node " << liar);
      fs::remove_all(own_.path());
      blamed_.clear();
      ways_ = {Way::kGood, Way::kGood, Way::kGood, Way::kGood};
      ways_[liar] = way;
      const auto sync = start();
      ASSERT_TRUE(run(*sync)) << sync->words();
      // The manifest is asked of one peer, who need not be the liar.
      if (way != Way::kFalseManifest) {
        EXPECT_TRUE(blamed_.contains(liar));
      }
      EXPECT_EQ(blamed_.size(), blamed_.count(liar));
      expect_whole(*sync);
    }
  }
}

// The disks of all peers have changed one snapshot. They were never asked again, for any other one.
TEST_F(Joining, ASnapshotThatIsFalseEverywhereIsLeftForALaterOne) {
  take(theirs_, 80, state_);
  for (const Way way : {Way::kFalseParts, Way::kShortParts}) {
    for (const bool again : {false, true}) {
      SCOPED_TRACE(testing::Message() << "way " << static_cast<int>(way) << ", " << again);
      fs::remove_all(own_.path());
      ways_ = {Way::kGood, Way::kGood, Way::kGood, Way::kGood};
      auto sync = start();
      ASSERT_FALSE(run(*sync, 3));
      ways_ = {Way::kGood, way, way, way};
      if (again) sync = start();
      EXPECT_FALSE(run(*sync, 1'000'000, 10'000'000));
      EXPECT_NE(sync->words().find("gave part"), std::string::npos) << sync->words();
      if (again) sync = start();
      ways_ = {Way::kGood, Way::kNewer, Way::kNewer, Way::kNewer};
      offered_ = {{1, 80}, {2, 80}, {3, 80}};
      ASSERT_TRUE(run(*sync)) << sync->words();
      EXPECT_EQ(sync->certificate().checkpoint.slot, Round{80});
    }
  }
}

// The ledger rests, so there is no later one, and one peer's disk is sound.
TEST_F(Joining, OneSoundPeerOfThoseThatNameASnapshotIsEnough) {
  ways_ = {Way::kGood, Way::kFalseParts, Way::kShortParts, Way::kGood};
  const auto sync = start();
  ASSERT_TRUE(run(*sync)) << sync->words();
  expect_whole(*sync);
}

// A manifest that one peer alone names is nobody's.
TEST_F(Joining, WhatFewerThanFPlusOneNameIsNotTaken) {
  ways_ = {Way::kGood, Way::kOtherManifest, Way::kGood, Way::kSilent};
  const auto sync = start();
  EXPECT_FALSE(run(*sync, 1'000'000, 10'000'000));
  EXPECT_TRUE(asked_.empty());
  EXPECT_NE(sync->words().find("freeze() of the application does not give the same"),
            std::string::npos)
      << sync->words();
  ways_[3] = Way::kGood;
  ASSERT_TRUE(run(*sync)) << sync->words();
  for (const auto& [peer, part] : asked_) EXPECT_NE(peer, 1);
  expect_whole(*sync);
}

// Both halves of its offer are true, and it is nobody's: the newcomer took it for the others' and
// blamed them for it.
TEST_F(Joining, ACertificateBesideTheManifestOfAnotherSnapshotIsNotTaken) {
  for (std::uint16_t liar = 1; liar < 4; ++liar) {
    SCOPED_TRACE(liar);
    fs::remove_all(own_.path());
    asked_.clear();
    ways_ = {Way::kGood, Way::kGood, Way::kGood, Way::kGood};
    ways_[liar] = Way::kMixed;
    const auto sync = start();
    ASSERT_TRUE(run(*sync)) << sync->words();
    for (const auto& [peer, part] : asked_) EXPECT_NE(peer, liar);
    expect_whole(*sync);
    EXPECT_TRUE(blamed_.empty());
    EXPECT_TRUE(warnings_.empty());
  }
}

TEST_F(Joining, WhoStopsGivingIsNamedAndOthersGive) {
  for (std::uint16_t stalled = 1; stalled < 4; ++stalled) {
    SCOPED_TRACE(stalled);
    fs::remove_all(own_.path());
    warnings_.clear();
    ways_ = {Way::kGood, Way::kGood, Way::kGood, Way::kGood};
    ways_[stalled] = Way::kStalls;
    const auto sync = start();
    ASSERT_TRUE(run(*sync)) << sync->words();
    ASSERT_EQ(warnings_.size(), 1u);
    EXPECT_NE(warnings_.front().find("node " + std::to_string(stalled) + " stopped giving"),
              std::string::npos)
        << warnings_.front();
    EXPECT_TRUE(blamed_.empty()) << "silence is no lie";
    expect_whole(*sync);
  }
}

// At every part in turn the one that gives stops, and comes back.
TEST_F(Joining, AStallAtEachPartIsOutlived) {
  const auto sync = start();
  for (int part = 0; part < 20 && sync->snapshot() == nullptr; ++part) {
    (void)run(*sync, 1);
    const auto stalled = static_cast<std::size_t>(1 + part % 3);
    ways_[stalled] = Way::kStalls;
    (void)run(*sync, 1, StateSync::kPatience + 2 * kTick);
    ways_[stalled] = Way::kGood;
  }
  ASSERT_TRUE(run(*sync)) << sync->words();
  expect_whole(*sync);
}

TEST_F(Joining, WhenAllHaveForgottenItAnotherIsChosen) {
  ways_ = {Way::kGood, Way::kForgets, Way::kForgets, Way::kForgets};
  const auto sync = start();
  EXPECT_FALSE(run(*sync, 1'000'000, 3'000'000));
  EXPECT_FALSE(warnings_.empty());
  ways_ = {Way::kGood, Way::kGood, Way::kGood, Way::kGood};
  ASSERT_TRUE(run(*sync)) << sync->words();
  expect_whole(*sync);
}

// f liars that name a snapshot and then say nothing, beside a correct peer that has it no more:
// they "had" it for ever, and nothing newer was taken.
TEST_F(Joining, WhatOnlySilentPeersStillHaveIsGivenUp) {
  ways_ = {Way::kGood, Way::kStalls, Way::kGood, Way::kSilent};
  const auto sync = start();
  EXPECT_FALSE(run(*sync, 1, 2'000'000)) << "the manifest alone";
  EXPECT_EQ(told_[1], Round{40});
  take(theirs_, 128, state_);
  offered_ = {{1, 128}, {3, 128}};
  ways_ = {Way::kGood, Way::kNewer, Way::kSilent, Way::kNewer};
  (void)run(*sync, 1'000'000, 30'000'000);
  ASSERT_NE(sync->snapshot(), nullptr) << sync->words();
  EXPECT_EQ(sync->certificate().checkpoint.slot, Round{128});
  EXPECT_TRUE(blamed_.empty());
}

// Nor does it help a liar to name it again and again and give nothing.
TEST_F(Joining, WhatFewerThanFPlusOneStillNameIsGivenUp) {
  ways_ = {Way::kGood, Way::kStalls, Way::kGood, Way::kSilent};
  const auto sync = start();
  EXPECT_FALSE(run(*sync, 1, 2'000'000));
  take(theirs_, 128, state_);
  offered_ = {{2, 128}, {3, 128}};
  ways_ = {Way::kGood, Way::kStalls, Way::kNewer, Way::kNewer};
  (void)run(*sync, 1'000'000, 30'000'000);
  ASSERT_NE(sync->snapshot(), nullptr) << sync->words();
  EXPECT_EQ(sync->certificate().checkpoint.slot, Round{128});
}

// Everybody is silent for a while: what is here is neither read again nor asked for again.
TEST_F(Joining, AnOutageOfAllOfThemLosesNothing) {
  const auto sync = start();
  (void)run(*sync, 3);
  const std::size_t here = sync->parts_here();
  ASSERT_GT(here, 0u);
  asked_.clear();
  ways_ = {Way::kGood, Way::kSilent, Way::kSilent, Way::kSilent};
  EXPECT_FALSE(run(*sync, 1, 20'000'000));
  EXPECT_EQ(sync->parts_here(), here);
  ways_ = {Way::kGood, Way::kGood, Way::kGood, Way::kGood};
  ASSERT_TRUE(run(*sync)) << sync->words();
  for (const auto& [peer, part] : asked_) EXPECT_NE(part.file, SnapshotFileName::kManifest);
  expect_whole(*sync);
}

// A kill is a StateSync that is gone: after each part that came there is one.
TEST_F(Joining, AfterAKillAtAnyPartNothingIsAskedForAgain) {
  std::set<SnapshotPart> came;
  std::size_t parts = 0;
  for (int starts = 0; starts < 50; ++starts) {
    const auto sync = start();
    asked_.clear();
    const bool whole = run(*sync, 2);
    for (const auto& [peer, part] : asked_) {
      if (part.file != SnapshotFileName::kManifest) {
        EXPECT_FALSE(came.contains(part)) << part.index;
      }
    }
    ASSERT_GE(sync->parts_here(), parts) << "what was here is gone";
    parts = sync->parts_here();
    for (std::size_t file = 1; file < 3; ++file) {
      for (std::uint64_t i = 0; i < 4; ++i) {
        const SnapshotPart part{Round{40}, static_cast<SnapshotFileName>(file), i};
        const auto in = IncomingSnapshot::unfinished(own_);
        const bool exists = i < (file == 1 ? 2u : 4u);
        if (!in || !exists) continue;
        if (!IncomingSnapshot::open(own_, *in)->missing().contains(part)) came.insert(part);
      }
    }
    if (!whole) continue;
    expect_whole(*sync);
    return;
  }
  FAIL() << "never whole";
}

// Honest peers with a state that is too large for one manifest were called liars, one by one.
TEST_F(Joining, AStateThatIsTooLargeIsNobodysLie) {
  Manifest large;
  large.checkpoint = at(40);
  large.bytes = 2 * kMostGivenState;
  large.chunks.resize(large.bytes / Manifest::kChunk);
  large.ledger_bytes = 1;
  large.ledger_chunks.resize(1);
  ASSERT_GT(encode(large).size(), kMostManifest);
  const auto sync = start();
  for (int seconds = 0; seconds < 5; ++seconds) {
    std::deque<std::pair<NodeId, Frame>> questions;
    std::swap(questions, sent_);
    for (const auto& [to, f] : questions) {
      const SnapshotOffer offer{certificate(40), digest_of(large, genesis_.context())};
      const auto part = decode_want_part(f.control.view());
      const Frame said =
          f.kind == kWantSnapshots
              ? Frame{kSnapshots, encode(OwnSnapshots{{offer}}), {}}
              : Frame{kPart, encode(GivenPart{part.value_or(SnapshotPart{}), true}), encode(large)};
      EXPECT_TRUE(sync->frame(to, said, now_));
    }
    sync->tick(now_ += 1'000'000);
  }
  EXPECT_TRUE(blamed_.empty()) << blamed_.begin()->second;
  ASSERT_FALSE(warnings_.empty());
  EXPECT_NE(warnings_[0].find("bytes, and at most"), std::string::npos) << warnings_[0];
  EXPECT_FALSE(fs::exists(own_.path()));
}

// The node's thread waits for that, and its peers for the thread.
TEST_F(Joining, WhatHasNotComeIsNotReadHoweverMuchItIs) {
  Manifest large;
  large.checkpoint = at(40);
  large.bytes = std::uint64_t{64} << 30;
  large.chunks.resize(large.bytes / Manifest::kChunk);
  large.ledger_bytes = 1;
  large.ledger_chunks.resize(1);
  const auto began = std::chrono::steady_clock::now();
  const auto in = IncomingSnapshot::open(own_, large);
  ASSERT_TRUE(in);
  EXPECT_EQ(in->missing().size(), in->parts());
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
}

TEST(GivenState, TheLargestOneFitsAManifestWithItsLedger) {
  Manifest m;
  m.bytes = kMostGivenState;
  m.chunks.resize(m.bytes / Manifest::kChunk);
  m.ledger_bytes = 1000 * Manifest::kChunk;
  m.ledger_chunks.resize(1000);
  EXPECT_LE(encode(m).size(), kMostManifest);
  EXPECT_EQ(why_not_given(kMostGivenState), "");
  EXPECT_NE(why_not_given(kMostGivenState + 1).find("130048 MiB"), std::string::npos);
}

// The disk changed a part that was here: it comes again.
TEST_F(Joining, APartThatTheDiskChangedIsAskedForAgain) {
  {
    const auto sync = start();
    (void)run(*sync, 5);
    ASSERT_GT(sync->parts_here(), 2u);
  }
  std::fstream file(own_.path_of(Round{40}) + ".incoming/ledger",
                    std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(10);
  file.put('!');
  file.close();
  const auto sync = start();
  ASSERT_TRUE(run(*sync)) << sync->words();
  expect_whole(*sync);
}

// The certificates of an offer take the signatures of four quorums, and a liar may send any number.
TEST_F(Joining, OneAnswerToAQuestionForSnapshotsIsLookedAt) {
  const auto sync = start();
  const Frame question{kWantSnapshots, {}, {}};
  const auto good = answer(NodeId{1}, question);
  ways_[1] = Way::kFalseCertificate;
  const auto forged = answer(NodeId{1}, question);
  EXPECT_TRUE(sync->frame(NodeId{1}, *good, now_));
  EXPECT_TRUE(sync->frame(NodeId{1}, *forged, now_));
  EXPECT_TRUE(blamed_.empty()) << "nobody asked for it";
  sync->tick(now_ += StateSync::kAskAgain);
  EXPECT_TRUE(sync->frame(NodeId{1}, *forged, now_));
  EXPECT_TRUE(blamed_.contains(1));
}

TEST_F(Joining, WhatNobodyAskedForAndWhatIsNoAnswerIsNotKept) {
  const auto sync = start();
  const SnapshotPart part{Round{40}, SnapshotFileName::kState, 0};
  EXPECT_TRUE(sync->frame(
      NodeId{1}, {kPart, encode(GivenPart{part, true}), Bytes::copy_of(as_view("x"))}, now_));
  EXPECT_FALSE(sync->frame(NodeId{1}, {kPart, Bytes::copy_of(as_view("x")), {}}, now_));
  EXPECT_FALSE(sync->frame(NodeId{1}, {kSnapshots, Bytes::copy_of(as_view("x")), {}}, now_));
  const SnapshotOffer offer{certificate(40), hash({})};
  const std::vector<SnapshotOffer> many(kMostOffers + 1, offer);
  EXPECT_FALSE(sync->frame(NodeId{1}, {kSnapshots, encode(OwnSnapshots{many}), {}}, now_));
  EXPECT_FALSE(sync->frame(NodeId{0}, {kSnapshots, encode(OwnSnapshots{{offer}}), {}}, now_));
  EXPECT_EQ(sync->parts_here(), 0u);
  ASSERT_TRUE(run(*sync)) << sync->words();
}

// A snapshot of the own log begun meanwhile took what peers had given for left over.
TEST_F(Joining, WhatIsBeingTakenIsNotRemovedAsLeftOver) {
  {
    const auto sync = start();
    (void)run(*sync, 3);
    ASSERT_GT(sync->parts_here(), 0u);
    own_.remove_unfinished(Round{100});
    take(own_, 64, state_);
    ASSERT_TRUE(run(*sync)) << sync->words();
    expect_whole(*sync);
  }
  EXPECT_EQ(own_.slots(), (std::vector<Round>{Round{64}, Round{40}}));
}

// By the protocol the own log came to that very slot while peers gave the snapshot.
TEST_F(Joining, ASnapshotOfPeersReplacesAnOwnOneOfItsSlot) {
  const auto sync = start();
  ASSERT_TRUE(run(*sync)) << sync->words();
  take(own_, 40, "of the own log");
  expect_whole(*sync);
}

}  // namespace
}  // namespace thresher::net
