// Rows 6, 11, 14 and 17 of the reliability checklist, where the wire, the keys or the disk matter.
#include <fstream>
#include <map>

#include "network.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/crypto/verifier.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/net/payload_root.hpp"
#include "thresher/protocols/dag/dag.hpp"

namespace thresher::net {
namespace {

using dag::BlockPtr;
using dag::Dag;

dag::Payload payload_of(std::uint64_t number) {
  Writer w;
  w.u64(number);
  const Bytes bytes = Bytes::from(w.take());
  return {bytes, payload_root(bytes.view())};
}

/// Four nodes whose every frame is kept. Signatures count as good.
class Recording {
 public:
  explicit Recording(const dag::Rules& rules) {
    for (std::uint16_t i = 0; i < 4; ++i) {
      dag::Config c;
      c.self = NodeId{i};
      c.rules = rules;
      nodes_.emplace_back(std::move(c));
    }
    for (std::uint16_t i = 0; i < 4; ++i) feed(i, Start{0});
    for (std::uint64_t k = 0; k < 12; ++k) {
      feed(static_cast<std::uint16_t>(k % 4), Requested<dag::Submit>{{payload_of(k)}});
      for (auto letters = std::move(letters_); !letters.empty(); letters = std::move(letters_)) {
        letters_.clear();
        for (const auto& [from, to, frame] : letters) receive(to, from, frame);
      }
    }
  }
  /// What a node makes of a frame; the frame is decoded first, as the transport does.
  void receive(std::uint16_t to, std::uint16_t from, const Frame& frame) {
    const auto message = decode(frame, {}, 4);
    if (message) feed(to, Received<dag::Message>{NodeId{from}, *message});
  }
  void feed(std::uint16_t to, const InputOf<Dag>& input) {
    std::vector<InputOf<Dag>> todo{input};
    for (int steps = 0; !todo.empty() && steps < 100'000; ++steps) {
      const InputOf<Dag> next = std::move(todo.back());
      todo.pop_back();
      Dag::Fx fx;
      step(nodes_[to], next, fx);
      for (auto& effect : fx.list()) {
        if (const auto* v = std::get_if<Verify>(&effect)) todo.push_back(Verified{v->ticket, true});
        if (const auto* e = std::get_if<Endorse>(&effect)) todo.push_back(Endorsed{e->ticket, {}});
        const auto* t = std::get_if<ArmTimer>(&effect);
        if (t != nullptr && t->after.value == 0) todo.push_back(Expired{t->id});
        if (const auto* s = std::get_if<Send<dag::Message>>(&effect)) post(to, s->to, s->message);
        if (const auto* b = std::get_if<Broadcast<dag::Message>>(&effect)) {
          for (std::uint16_t i = 0; i < 4; ++i) post(to, NodeId{i}, b->message);
        }
      }
    }
  }
  const Dag& node(std::size_t i) const { return nodes_[i]; }
  const std::vector<Frame>& frames() const { return frames_; }

 private:
  struct Letter {
    std::uint16_t from;
    std::uint16_t to;
    Frame frame;
  };
  void post(std::uint16_t from, NodeId to, const dag::Message& m) {
    if (to.value == from) return;
    letters_.push_back({from, to.value, encode(m)});
    if (frames_.size() < 2000) frames_.push_back(letters_.back().frame);
  }
  std::vector<Dag> nodes_;
  std::vector<Letter> letters_;
  std::vector<Frame> frames_;
};

/// Whether a kind is a message of the DAG: those of other protocols have their own decoders.
bool of_dag(std::uint8_t kind) {
  return of_protocol(kind) && kind != kProtocol;
}

/// Frames of every kind, also those that an undisturbed run does not need.
std::vector<Frame> all_frames(const Recording& run) {
  std::vector<Frame> out = run.frames();
  std::vector<BlockPtr> blocks;
  for (const Frame& f : out) {
    const auto m = decode(f, {}, 4);
    if (const auto* push = m ? std::get_if<dag::Push>(&*m) : nullptr) blocks.push_back(push->block);
  }
  dag::Want want;
  dag::Give give;
  for (std::size_t k = 0; k < 6; ++k) {
    want.blocks.push_back({blocks[k]->author(), blocks[k]->round(), blocks[k]->digest});
    give.blocks.push_back(blocks[k]);
  }
  NodeSet have(4);
  have.insert(NodeId{2});
  out.push_back(encode(dag::Message{want}));
  out.push_back(encode(dag::Message{give}));
  out.push_back(encode(dag::Message{dag::WantRound{Round{2}, have}}));
  out.push_back(encode(dag::Message{dag::WantEvidence{Round{1}, blocks[0]->digest}}));
  blocks.resize(4);
  out.push_back(encode(dag::Message{dag::Evidence{Round{1}, blocks[0]->digest, blocks}}));
  out.push_back(encode(dag::Message{dag::Equivocation{blocks[0], blocks[1]}}));
  out.push_back(encode(dag::Message{dag::Push{blocks[3], {blocks[0], blocks[1]}}}));
  out.push_back(encode(dag::Message{coin::Share{1, {}, true}}));
  return out;
}

Frame mutated(const Frame& frame, Prng& random) {
  std::vector<std::byte> control(frame.control.view().begin(), frame.control.view().end());
  std::vector<std::byte> payload(frame.payload.view().begin(), frame.payload.view().end());
  for (std::uint64_t k = 1 + random.below(4); k > 0; --k) {
    auto& part = random.below(8) == 0 && !payload.empty() ? payload : control;
    switch (random.below(4)) {
      case 0:
        part.resize(random.below(part.size() + 1));
        break;
      case 1:
        part.push_back(static_cast<std::byte>(random.below(256)));
        break;
      default:
        if (part.empty()) break;
        // Extremes more often than anything else: counts, rounds and ids live on them.
        part[random.below(part.size())] = static_cast<std::byte>(
            random.below(3) == 0 ? random.below(256) : random.below(2) * 255);
    }
  }
  const auto kind = random.below(16) == 0 ? random.below(256) : frame.kind;
  return {static_cast<std::uint8_t>(kind), Bytes::from(std::move(control)),
          Bytes::from(std::move(payload))};
}

class Rows : public testing::TestWithParam<dag::Rules> {};
INSTANTIATE_TEST_SUITE_P(Family, Rows,
                         testing::Values(dag::Rules::thresher(), dag::Rules::mysticeti(),
                                         dag::Rules::mysticeti_bitmap()),
                         [](const auto& suite) { return std::string(suite.param.name); });

// A kind that is added to the enumeration and not here would be tested by nothing below.
TEST(Checklist, Row6FramesOfEveryKindAreTried) {
  std::map<std::uint8_t, std::uint64_t> tried;
  for (const Frame& f : all_frames(Recording(dag::Rules::thresher()))) ++tried[f.kind];
  for (unsigned kind = 0; kind < 256; ++kind) {
    const auto k = static_cast<std::uint8_t>(kind);
    EXPECT_EQ(tried[k] > 0, of_dag(k)) << "kind " << kind;
  }
}

// Row 6: a node with a history gets damaged frames of every kind, answers that nobody asked for,
// timers and verdicts at odd times. It never ends, keeps its quotas, and goes on.
TEST_P(Rows, Row6NothingFromTheNetworkEndsANode) {
  Recording run(GetParam());
  ASSERT_GT(run.node(0).next_slot().value, 3u);
  const auto frames = all_frames(run);
  Prng random(6, 6);
  std::map<std::uint8_t, std::uint64_t> decoded;
  for (int k = 0; k < 60'000; ++k) {
    const Frame frame = mutated(frames[random.below(frames.size())], random);
    decoded[frame.kind] += decode(frame, {}, 4) ? 1 : 0;
    run.receive(0, static_cast<std::uint16_t>(1 + random.below(3)), frame);
    if (k % 16 == 0) run.feed(0, Expired{{static_cast<std::uint32_t>(random.below(7)), {}}});
    if (k % 64 == 0) run.feed(0, Verified{{random.below(1000), {}}, random.below(2) == 0});
    if (k % 64 == 1) run.feed(0, Endorsed{{random.below(1000), {}}, {}});
    if (k % 256 == 2) {
      run.feed(0, Restored{dag::kDelivered, frame.control, frame.payload, {}});
      run.feed(0, Restored{dag::kBlock, frame.payload, frame.control, frame.payload});
    }
  }
  EXPECT_GT(decoded[kPush], 5000u);
  for (const auto& [kind, count] : decoded) EXPECT_EQ(count > 0, of_dag(kind)) << int{kind};
  const dag::Footprint f = run.node(0).footprint();
  const dag::Limits limits;
  EXPECT_LE(f.pending, 4 * limits.waiting_per_peer);
  EXPECT_LE(f.missing, 4 * (limits.waiting_per_peer + limits.window) * 4);
  EXPECT_LE(f.blocks, 4 * (limits.waiting_per_peer + limits.window));
}

// Row 14: one identity for a message. A pushed block is spelled in one way only; the questions and
// answers, which are Protobuf, have many spellings, but none of them outlives decoding: what they
// mean is spelled in one way, and blocks are known by the digest of their content. The signature,
// of which a signer can make many, is not part of the identity.
TEST_P(Rows, Row14AMessageHasOneIdentity) {
  const Recording run(GetParam());
  const auto frames = all_frames(run);
  Prng random(14, 14);
  std::map<std::uint8_t, std::uint64_t> accepted;
  for (const Frame& f : frames) {
    const auto m = decode(f, {}, 4);
    ASSERT_TRUE(m);
    EXPECT_EQ(encode(*m).control, f.control);
    std::vector<std::byte> longer(f.control.view().begin(), f.control.view().end());
    longer.push_back(std::byte{0});
    EXPECT_FALSE(decode({f.kind, Bytes::from(std::move(longer)), f.payload}, {}, 4));
  }
  for (int k = 0; k < 40'000; ++k) {
    const Frame f = mutated(frames[random.below(frames.size())], random);
    const auto m = decode(f, {}, 4);
    if (!m) continue;
    ++accepted[f.kind];
    const Frame spelled = encode(*m);
    if (f.kind == kPush) {
      EXPECT_EQ(spelled.control, f.control);
    }
    const auto again = decode(spelled, {}, 4);
    ASSERT_TRUE(again) << "kind " << int{f.kind};
    EXPECT_EQ(encode(*again).control, spelled.control) << "kind " << int{f.kind};
  }
  EXPECT_GT(accepted[kPush], 100u);
}

TEST(Checklist, Row14AnotherSignatureIsTheSameBlock) {
  Recording run(dag::Rules::thresher());
  const std::uint64_t equivocations = run.node(0).stats().equivocations;
  const std::size_t held = run.node(0).footprint().blocks;
  for (const Frame& f : run.frames()) {
    const auto m = decode(f, {}, 4);
    const auto* push = m ? std::get_if<dag::Push>(&*m) : nullptr;
    if (push == nullptr || push->block->author() == NodeId{0}) continue;
    auto other = std::make_shared<dag::Block>(*push->block);
    other->signature[63] ^= std::byte{1};
    run.feed(0, Received<dag::Message>{other->author(), dag::Push{other}});
  }
  EXPECT_EQ(run.node(0).footprint().blocks, held);
  EXPECT_EQ(run.node(0).stats().equivocations, equivocations);
}

// S + L is the same number to a careless verifier: RFC 8032 and ZIP-215 refuse it.
TEST(Checklist, Row14ASignatureWithALargerScalarIsRefused) {
  constexpr std::array<unsigned, 32> kOrder = {0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58,
                                               0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
                                               0,    0,    0,    0,    0,    0,    0,    0,
                                               0,    0,    0,    0,    0,    0,    0,    0x10};
  const auto key = crypto::SigningKey::generate();
  const Digest digest = payload_of(1).root;
  const Signature good = key.sign(digest.bytes);
  Signature larger = good;
  unsigned carry = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    carry += std::to_integer<unsigned>(good[32 + i]) + kOrder[i];
    larger[32 + i] = static_cast<std::byte>(carry & 0xff);
    carry >>= 8;
  }
  const auto verifier = crypto::make_verifier("portable");
  const std::vector<crypto::SignatureJob> jobs{{key.public_key(), digest.bytes, good},
                                               {key.public_key(), digest.bytes, larger}};
  std::vector<crypto::SignatureStatus> verdicts(2);
  verifier->verify(jobs, verdicts);
  EXPECT_EQ(verdicts[0], crypto::SignatureStatus::kValid);
  EXPECT_EQ(verdicts[1], crypto::SignatureStatus::kBadSignature);
}

// Row 11: the data are wiped, the key is not. The node does not start, so it signs nothing twice;
// a new key in its place starts.
TEST(Checklist, Row11AWipedNodeDoesNotStart) {
  Network net(4);
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i), "");
  net.submit(3, "signed");
  net.stop(3);
  std::filesystem::rename(net.home(3) + "/data", net.home(3) + "/kept");
  const std::string why = net.start(3);
  EXPECT_NE(why.find("One key must never sign twice"), std::string::npos) << why;
  EXPECT_NE(why.find(net.home(3)), std::string::npos) << why;
  net.submit(0, "the others go on");
  std::filesystem::remove_all(net.home(3) + "/data");
  std::filesystem::rename(net.home(3) + "/kept", net.home(3) + "/data");
  ASSERT_EQ(net.start(3), "");
  EXPECT_TRUE(net.reaches(3, 2));
  EXPECT_EQ(net.submit(3, "back").position, 2u);
}

// Killed between the note that the key is used and the first durable record: nothing had left the
// node, and it starts. (It was refused for ever: `cluster --kill` early in a run showed it.)
TEST(Checklist, Row11ACrashBeforeTheFirstRecordLosesNothing) {
  Network net(4);
  ASSERT_EQ(net.start(3), "");
  net.stop(3);
  const auto key = *crypto::load_key(net.home(3) + "/node.key");
  std::ofstream(net.home(3) + "/node.key.used", std::ios::binary)
      .write(reinterpret_cast<const char*>(key.public_key().data()),
             static_cast<std::streamsize>(key.public_key().size()));
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i), "");
  EXPECT_EQ(net.submit(3, "first").position, 0u);
}

TEST(Checklist, Row11TheDataOfAnotherKeyAreRefused) {
  Network net(4);
  for (const std::size_t i : {2u, 3u}) {
    ASSERT_EQ(net.start(i), "");
    net.stop(i);
  }
  std::filesystem::remove_all(net.home(3) + "/data");
  std::filesystem::rename(net.home(2) + "/data", net.home(3) + "/data");
  const std::string why = net.start(3);
  EXPECT_NE(why.find("belong to another key"), std::string::npos) << why;
  EXPECT_NE(why.find(net.home(3)), std::string::npos) << why;
}

// Before the node has signed anything there is nothing to lose.
TEST(Checklist, Row11ANodeThatSignedNothingMayStartAfresh) {
  Network net(4);
  ASSERT_EQ(net.start(3), "");
  net.stop(3);
  std::filesystem::remove_all(net.home(3) + "/data");
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i), "");
  EXPECT_EQ(net.submit(3, "first").position, 0u);
}

// Row 17: one node stops reading while the others commit more than its sockets hold. They go on,
// and when it reads again it gets level.
TEST(Checklist, Row17APeerThatDoesNotReadHoldsUpNobody) {
  Network net(4);
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i), "");
  net.submit(0, "all are up");
  ASSERT_TRUE(net.reaches(3, 1));
  net.app(3).hold(true);
  const std::string big(200'000, 'x');
  constexpr int kBatches = 10;
  for (int k = 0; k < kBatches; ++k) {
    std::vector<std::future<Receipt>> batch;
    for (std::size_t i = 0; i < 9; ++i) batch.push_back(net.submit_later(i % 3, as_view(big)));
    for (auto& future : batch) {
      ASSERT_EQ(future.wait_for(std::chrono::seconds(20)), std::future_status::ready);
      (void)future.get();
    }
  }
  EXPECT_LE(net.app(3).count(), 2u);  // it stood still all the while
  net.app(3).hold(false);
  EXPECT_TRUE(net.reaches(3, 1 + 9 * kBatches));
  EXPECT_TRUE(net.reaches(0, 1 + 9 * kBatches));
  EXPECT_EQ(net.app(3).state(), net.app(0).state());
}

}  // namespace
}  // namespace thresher::net
