// Control parts of frames: what comes back, what is refused, what is skipped.
#include "thresher/net/wire.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "thresher/core/prng.hpp"
#include "thresher/net/codec.hpp"

namespace thresher::net::wire {
namespace {

constexpr std::uint32_t kNodes = 7;

Digest digest_of(int fill) {
  Digest d;
  d.bytes.fill(std::byte(fill));
  return d;
}
Bytes bytes(const std::string& text) {
  return Bytes::copy_of(as_view(text));
}
std::string joined(const Bytes& b) {
  return std::string(as_text(b.view()));
}
Incarnation start_of(std::uint64_t count) {
  Incarnation out;
  out.count = count;
  out.nonce.fill(std::byte{9});
  out.signature.fill(std::byte{8});
  return out;
}
std::string digest_text(int fill) {
  return std::string(32, static_cast<char>(fill));
}

// A message of each kind, and what decoding and encoding again makes of bytes.
struct Kind {
  std::string name;
  Bytes sample;
  std::function<std::optional<Bytes>(ByteView)> again;
};

template <class M>
Kind kind(const std::string& name, const M& sample) {
  return {name, encode(sample), [](ByteView in) -> std::optional<Bytes> {
            const auto m = decode<M>(in);
            if (!m) return std::nullopt;
            return encode(*m);
          }};
}

std::vector<Kind> kinds() {
  NodeSet have(kNodes);
  have.insert(NodeId{0});
  have.insert(NodeId{6});
  const CarriedBlock block{5, bytes("a header")};
  std::vector<Kind> out{
      kind("Hello", Hello{kWireVersion, digest_of(1), {}}),
      kind("HelloOfANode", Hello{kWireVersion, digest_of(1), start_of(~0ull)}),
      kind("Known", Known{start_of(3), 0, 7, bytes("a header"), Round{9}}),
      kind("Started", Started{start_of(~0ull)}),
      kind("OtherProcess", OtherProcess{start_of(0), "127.0.0.1:1", true}),
      kind("Want", dag::Want{{{NodeId{0}, Round{0}, digest_of(2)},
                              {NodeId{65535}, Round{~0ull}, digest_of(3)}},
                             {Round{0}, Round{~0ull - 1}}}),
      kind("WantEvidence", dag::WantEvidence{Round{9}, digest_of(4)}),
      kind("Give", Give{{block, {0, bytes("another")}}}),
      kind("Evidence", Evidence{Round{9}, digest_of(4), {bytes("a header"), bytes("another")}}),
      kind("Equivocation", Equivocation{bytes("a header"), bytes("another")}),
      kind("WantLog", WantLog{Round{0}, 3, 8}),
      kind("LogPart", LogPart{Round{0}, {{Round{4}, digest_of(5), 2, 0, 5, bytes("a block")}}}),
      kind("WantLogHash", WantLogHash{Round{0}}),
      kind("LogHash", LogHash{Round{8}, digest_of(6), true}),
      kind("StatusReply", NodeStatus{1, 2, 3, 4, 5, ~0ull, digest_of(7), digest_of(8)}),
      kind("Welcome", Welcome{Round{0}, client_id_of(PublicKey{}), 7, 8}),
      kind("Ack", Ack{Round{0}}),
      kind("Refused", Refused{Refusal::kTooEarly, 7, Round{0}}),
      kind("Observes", Refused{Refusal::kObserves, 7, Round{3}}),
      kind("Rejected", Refused{Refusal::kRejected, 7, Round{0}, "no such account"}),
      kind("Results", Results{Round{0}}),
      kind("Query", Query{0, 12}),
      kind("QueryReply", QueryReply{0, 12, true}),
      kind("Subscribe", Subscribe{~0ull}),
      kind("Log", Log{0, 12})};
  out.push_back({"WantRound", encode(dag::WantRound{Round{3}, have}),
                 [](ByteView in) -> std::optional<Bytes> {
                   const auto m = decode_want_round(in, kNodes);
                   if (!m) return std::nullopt;
                   return encode(*m);
                 }});
  return out;
}

TEST(Wire, EveryMessageComesBack) {
  for (const Kind& k : kinds()) {
    const auto again = k.again(k.sample.view());
    ASSERT_TRUE(again) << k.name;
    EXPECT_EQ(*again, k.sample) << k.name;
  }
  const auto status =
      decode<NodeStatus>(encode(NodeStatus{1, 2, 3, 4, 5, 6, digest_of(7), digest_of(8)}).view());
  ASSERT_TRUE(status);
  EXPECT_EQ(status->length, 1u);
  for (const bool results : {false, true}) {
    const auto submit =
        decode<Submit>(encode(Submit{std::pair(Round{0}, Round{9}), results}).view());
    ASSERT_TRUE(submit);
    EXPECT_EQ(submit->results, results);
    EXPECT_EQ(submit->valid, std::pair(Round{0}, Round{9}));
  }
  EXPECT_EQ(status->payload_bytes, 6u);
  EXPECT_EQ(status->state, digest_of(8));
  const auto part = decode<LogPart>(
      encode(LogPart{Round{9}, {{Round{4}, digest_of(5), 3, 1, 6, bytes("b")}}}).view());
  ASSERT_TRUE(part && part->blocks.size() == 1);
  EXPECT_EQ(part->head, Round{9});
  EXPECT_EQ(part->blocks[0].commit, digest_of(5));
  EXPECT_EQ(part->blocks[0].total, 3u);
  EXPECT_EQ(part->blocks[0].index, 1u);
  EXPECT_EQ(part->blocks[0].payload_bytes, 6u);
  EXPECT_EQ(joined(part->blocks[0].block), "b");
}

TEST(Wire, AnEmptyMessageIsRefusedWhereAFieldIsNeeded) {
  for (const Kind& k : kinds()) {
    const bool list = k.name == "Want" || k.name == "Give";
    EXPECT_EQ(k.again({}).has_value(), list) << k.name;
  }
  EXPECT_TRUE(decode<Empty>({}));
}

// A cut either is refused or leaves out whole fields at the end.
TEST(Wire, WhatIsCutIsRefusedOrShorter) {
  for (const Kind& k : kinds()) {
    std::size_t refused = 0;
    for (std::size_t size = 0; size < k.sample.size(); ++size) {
      const auto again = k.again(k.sample.slice(0, size).view());
      refused += again ? 0 : 1;
      if (again) {
        EXPECT_LT(again->size(), k.sample.size()) << k.name << " cut to " << size;
      }
    }
    EXPECT_GT(refused, 0u) << k.name;
  }
}

TEST(Wire, FieldsFromTheFutureAreSkipped) {
  const std::string unknown(
      "\xf8\x07\x2a"
      "\xfa\x07\x03"
      "new"
      "\xfd\x07"
      "four",
      15);
  for (const Kind& k : kinds()) {
    const auto again = k.again(bytes(joined(k.sample) + unknown).view());
    ASSERT_TRUE(again) << k.name;
    EXPECT_EQ(*again, k.sample) << k.name;
  }
  EXPECT_TRUE(decode<Empty>(as_view(unknown)));
}

TEST(Wire, GroupsFieldZeroAndLyingLengthsAreRefused) {
  for (const std::string& bad : {std::string("\xfb\x07\xfc\x07"), std::string("\xfc\x07"),
                                 std::string(1, '\0'), std::string("\xfa\x07\xff\xff\xff\xff\x0f"),
                                 std::string("\xfa\x07\x05"
                                             "abc"),
                                 std::string(11, '\xff'), std::string("\xff\x07")}) {
    for (const Kind& k : kinds()) {
      EXPECT_FALSE(k.again(bytes(joined(k.sample) + bad).view())) << k.name;
    }
    EXPECT_FALSE(decode<Empty>(as_view(bad)));
  }
}

// A field with another wire type counts as unknown, so that what it should carry is missing.
TEST(Wire, WrongTypesAndSizesAreRefused) {
  const auto refused = [](const auto& m) { EXPECT_FALSE(m); };
  refused(decode<Hello>(as_view("\x0a\x01\x02\x12\x20" + digest_text(1))));
  refused(decode<Hello>(as_view("\x08\x02\x12\x1f" + std::string(31, 'x'))));
  refused(decode<Hello>(as_view("\x08\x02\x12\x21" + std::string(33, 'x'))));
  refused(decode<Subscribe>(as_view("\x0a\x01\x04")));
  refused(decode<WantLog>(as_view(std::string("\x0d\x01\0\0\0", 5))));
  refused(decode<WantLogHash>(as_view("\x0a\x01\x04")));
  refused(decode<Ack>(as_view("\x0a\x01\x04")));
  refused(decode<Submit>(as_view("\x08\x01")));                           // one slot of two
  refused(decode<Refused>(as_view(std::string("\x08\x00\x18\x01", 4))));  // no reason
  refused(decode<Refused>(as_view("\x08\x09\x18\x01")));                  // one that is none
  refused(decode<Welcome>(as_view("\x08\x01\x12\x02xy")));
  refused(decode<Log>(as_view("\x08\x01\x12\x01\x02")));
  refused(decode<LogHash>(as_view("\x08\x01\x10\x20")));
  refused(decode<dag::WantEvidence>(as_view("\x08\x01\x10\x20")));
  refused(decode<NodeStatus>(as_view("\x3a\x20" + digest_text(1) + "\x40\x01")));
  refused(decode<dag::Want>(as_view("\x0a\x02\x08\x01")));  // no digest
  refused(
      decode<dag::Want>(as_view("\x0a\x26\x08\x80\x80\x04\x1a\x20" + digest_text(1))));  // author
  refused(decode<LogPart>(as_view("\x08\x01\x12\x02\x08\x01")));            // no leader
  refused(decode_want_round(as_view("\x12\x01\x01"), kNodes));              // no round
  refused(decode_want_round(as_view("\x08\x01\x12\x01\x07"), kNodes));      // no such node
  refused(decode_want_round(as_view("\x08\x01\x12\x02\x03\x03"), kNodes));  // twice
  refused(decode_want_round(as_view("\x08\x01\x12\x02\x03\x02"), kNodes));  // descending
}

std::string repeated(const std::string& field, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += field;
  return out;
}

TEST(Wire, HugeCountsAreRefusedBeforeTheyCostMemory) {
  const std::string empty_block("\x0a\x00", 2);
  EXPECT_TRUE(decode<Give>(as_view(repeated(empty_block, kMaxItems))));
  EXPECT_FALSE(decode<Give>(as_view(repeated(empty_block, kMaxItems + 1))));
  EXPECT_FALSE(decode<Give>(as_view(repeated(empty_block, 4'000'000))));
  EXPECT_FALSE(decode<dag::Want>(as_view(repeated(empty_block, 4'000'000))));
  EXPECT_FALSE(
      decode<LogPart>(as_view("\x08\x01" + repeated(std::string("\x12\x00", 2), 4'000'000))));
  EXPECT_FALSE(decode_want_round(as_view("\x08\x01" + repeated("\x10\x01", 100)), kNodes));
  EXPECT_FALSE(
      decode_want_round(as_view("\x08\x01\x12\x80\x80\x80\x01" + std::string(1 << 21, 1)), kNodes));
  dag::Want most;
  most.blocks.assign(kMaxItems, {NodeId{1}, Round{~0ull}, digest_of(1)});
  EXPECT_TRUE(decode<dag::Want>(encode(most).view()));
  most.blocks.push_back(most.blocks[0]);
  EXPECT_FALSE(decode<dag::Want>(encode(most).view()));
}

// A status is as large as the peers it tells of, and no larger.
TEST(Wire, AStatusTellsOfEveryPeer) {
  NodeStatus status{1, 2, 3, 4, 5, 6, digest_of(7), digest_of(8)};
  status.waits_for = "reads its log";
  for (std::uint16_t i = 0; i < 200; ++i) {
    PeerStatus p;
    p.id = NodeId{i};
    p.up = i % 2 == 0;
    p.address = "10.0.0." + std::to_string(i) + ":26656";
    p.problem = i == 7 ? std::string(4000, 'x') : "connection lost";
    p.round = i * 1000u;
    p.suspicion = i % 3;
    status.peers.push_back(p);
  }
  const Bytes encoded = encode(status);
  const auto back = decode<NodeStatus>(encoded.view());
  ASSERT_TRUE(back);
  EXPECT_EQ(back->waits_for, status.waits_for);
  ASSERT_EQ(back->peers.size(), 200u);
  EXPECT_EQ(back->peers[199].address, "10.0.0.199:26656");
  EXPECT_EQ(back->peers[199].round, 199'000u);
  EXPECT_EQ(back->peers[7].problem.size(), 256u);
  EXPECT_EQ(back->peers[5].suspicion, 2u);
  EXPECT_EQ(encode(*back), encoded);
  const std::string padding = "\xfa\x07\x80\x08" + std::string(200 * 512, 'x');
  EXPECT_FALSE(decode<NodeStatus>(as_view(joined(encoded) + padding)));
}

// The words of an application or a disk may not be UTF-8, as when a character is cut in two: they
// are handed on as they are, and Protobuf does not check them.
TEST(Wire, TextMayBeAnyBytes) {
  ::testing::internal::CaptureStderr();
  const std::string long_text = std::string(kReasonBytes - 1, 'x') + "\xc3\xa9";
  const auto refused =
      decode<Refused>(encode(Refused{Refusal::kRejected, 0, Round{1}, long_text}).view());
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->text, long_text.substr(0, kReasonBytes));
  NodeStatus status{1, 2, 3, 4, 5, 6, digest_of(7), digest_of(8)};
  status.waits_for = "\xff";
  PeerStatus peer;
  peer.address = "\xfe:1";
  peer.problem = std::string(255, 'x') + "\xc3\xa9";
  status.peers.push_back(peer);
  const auto back = decode<NodeStatus>(encode(status).view());
  ASSERT_TRUE(back);
  EXPECT_EQ(back->waits_for, status.waits_for);
  EXPECT_EQ(back->peers[0].address, peer.address);
  EXPECT_EQ(back->peers[0].problem, peer.problem.substr(0, 256));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(Wire, SmallMessagesStaySmall) {
  const std::string padding = "\xfa\x07\x80\x08" + std::string(1024, 'x');
  for (const Kind& k : kinds()) {
    const bool large = k.name == "Want" || k.name == "Give" || k.name == "LogPart" ||
                       k.name == "WantRound" || k.name == "Evidence" || k.name == "Known" ||
                       k.name == "Equivocation";
    if (large) {
      continue;
    }
    EXPECT_FALSE(k.again(bytes(joined(k.sample) + padding).view())) << k.name;
    const std::string many = repeated("\xf8\x07\x01", 65);
    EXPECT_FALSE(k.again(bytes(joined(k.sample) + many).view())) << k.name;
  }
  EXPECT_FALSE(decode<Empty>(as_view(padding)));
}

// Whatever decodes has one meaning: encoding it gives bytes that decode to the same.
TEST(Wire, RandomAndMutatedBytesAreRefusedOrMeanOneThing) {
  Prng random(2, 7);
  for (const Kind& k : kinds()) {
    for (int i = 0; i < 20'000; ++i) {
      std::string text = joined(k.sample);
      if (i % 2 == 0) {
        text.resize(random.below(80));
        for (char& c : text) c = static_cast<char>(random.below(256));
      } else {
        text[random.below(text.size())] = static_cast<char>(random.below(256));
      }
      const auto once = k.again(as_view(text));
      if (!once) continue;
      const auto twice = k.again(once->view());
      ASSERT_TRUE(twice) << k.name;
      EXPECT_EQ(*twice, *once) << k.name;
    }
  }
}

TEST(Wire, TheFirstVersionsHelloIsUnderstoodAsSuch) {
  const std::string first = std::string("\x01\0\0\0", 4) + digest_text(9);
  const auto hello = decode<Hello>(as_view(first));
  ASSERT_TRUE(hello);
  EXPECT_EQ(hello->version, 1u);
  EXPECT_EQ(hello->chain, digest_of(9));
}

// The bytes that docs/client-protocol.md shows.
TEST(Wire, TheDocumentedBytesHold) {
  const std::string chain = digest_text('c');
  EXPECT_EQ(joined(encode(Hello{4, digest_of('c')})), "\x08\x04\x12\x20" + chain);
  EXPECT_EQ(joined(encode(Subscribe{4})), "\x08\x04");
  EXPECT_EQ(joined(encode(Subscribe{0})), std::string("\x08\x00", 2));
  ClientId id;
  id.bytes.fill(std::byte{'i'});
  EXPECT_EQ(joined(encode(Welcome{Round{300}, id, 16'384, 262'144})),
            "\x08\xac\x02\x12\x10" + std::string(16, 'i') + "\x18\x80\x80\x01\x20\x80\x80\x10");
  EXPECT_EQ(joined(encode(Submit{std::pair(Round{300}, Round{16'684})})),
            "\x08\xac\x02\x10\xac\x82\x01");
  EXPECT_EQ(joined(encode(Ack{Round{302}})), "\x08\xae\x02");
  EXPECT_EQ(joined(encode(Refused{Refusal::kTooLarge, 262'144, Round{302}})),
            "\x08\x02\x10\x80\x80\x10\x18\xae\x02");
  EXPECT_EQ(joined(encode(Log{4, 2})), "\x08\x04\x10\x02");
  EXPECT_EQ(joined(encode(Results{Round{302}})), "\x08\xae\x02");
  EXPECT_EQ(joined(encode(Query{1, 8})), "\x08\x01\x10\x08");
  EXPECT_EQ(joined(encode(QueryReply{1, 9, false})), "\x08\x01\x10\x09");
  EXPECT_EQ(joined(encode(NodeStatus{300, 20, 19, 0, 0, 5, digest_of('l'), digest_of('s')})),
            "\x08\xac\x02\x10\x14\x18\x13\x30\x05\x3a\x20" + digest_text('l') + "\x42\x20" +
                digest_text('s'));
}

}  // namespace
}  // namespace thresher::net::wire
