// Messages of the certified family as bytes.
#include <gtest/gtest.h>

#include "bench.hpp"
#include "thresher/protocols/payload_limit.hpp"

namespace thresher::certified {
namespace {

constexpr std::uint32_t kN = 10;
const Shape kShape{*Committee::of(kN), 64};

Payload payload(std::string_view text) {
  const Bytes bytes = Bytes::copy_of(as_view(text));
  return {bytes, hash(bytes.view())};
}

Header some_header(std::string_view text = {}) {
  Header h;
  h.author = NodeId{3};
  h.round = Round{9};
  h.self = Round{8};
  for (std::uint16_t p : std::initializer_list<std::uint16_t>{1, 3, 4, 9})
    h.parents.insert(NodeId{p});
  h.stragglers = {{NodeId{2}, Round{4}}, {NodeId{7}, Round{2}}};
  if (!text.empty()) {
    h.payload_root = payload(text).root;
    h.payload_bytes = static_cast<std::uint32_t>(text.size());
  }
  return h;
}

VertexPtr some_vertex(std::string_view text) {
  const ProposalPtr p = Desk::sealed(some_header(text));
  const Certificate c = Desk::signed_by(p->digest, {0, 1, 3, 5, 6, 8, 9});
  return make_vertex(*p, text.empty() ? Payload{} : payload(text), c);
}

std::vector<Message> one_of_each() {
  Header sampled = some_header();
  for (std::uint16_t i = 0; i < 8; ++i) sampled.sampled_from.insert(NodeId{i});
  Header wide = some_header();
  for (std::uint16_t i = 0; i < kN; ++i) wide.parents.insert(NodeId{i});
  NodeSet have(kN);
  have.insert(NodeId{9});
  const VertexPtr v = some_vertex("payload one");
  return {Batch{payload("transactions")},
          Propose{Desk::sealed(some_header())},
          Propose{Desk::sealed(sampled)},
          Propose{Desk::sealed(wide)},
          Vote{Round{7}, v->digest, mock_sign(2, v->digest)},
          Certify{Round{9}, v->digest, v->certificate},
          Want{{{NodeId{1}, Round{5}}, {NodeId{2}, Round{6}}}, {v->digest}},
          WantRound{Round{8}, {have}},
          WantRound{Round{8}, std::vector<NodeSet>(kMostHave, have)},
          WantRound{Round{8}, {}},
          coin::Share{12, {}, true},
          Give{{v, some_vertex(""), some_vertex("two")}, {payload("three")}}};
}

Result<Message> read(const WireParts& wire) {
  return decode(wire, {}, kShape, Limits{}, &hash);
}

TEST(Wire, EveryMessageComesBack) {
  for (const Message& m : one_of_each()) {
    const WireParts wire = encode(m, kN);
    const auto back = read(wire);
    ASSERT_TRUE(back) << "kind " << m.index();
    const WireParts again = encode(*back, kN);
    EXPECT_EQ(again.control, wire.control) << "kind " << m.index();
    EXPECT_EQ(again.payload, wire.payload);
  }
}

TEST(Wire, TheDigestIsComputedFromTheContent) {
  const VertexPtr v = some_vertex("x");
  const auto back = read(encode(Give{{v}, {}}, kN));
  ASSERT_TRUE(back);
  EXPECT_EQ(std::get<Give>(*back).vertices[0]->digest, v->digest);
  EXPECT_EQ(std::get<Give>(*back).vertices[0]->payload.root, v->payload.root);
}

// A slice keeps all of what it is cut from: a batch of five bytes kept the megabyte beside it.
TEST(Wire, ASmallBatchDoesNotKeepALargeOne) {
  const std::string large(1u << 20, 'x');
  const WireParts wire = encode(Give{{}, {payload("small"), payload(large)}}, kN);
  const auto back = read(wire);
  ASSERT_TRUE(back);
  const auto& batches = std::get<Give>(*back).batches;
  const auto* first = wire.payload.view().data();
  EXPECT_EQ(batches[0].bytes, payload("small").bytes);
  EXPECT_NE(batches[0].bytes.view().data(), first);
  EXPECT_EQ(batches[1].bytes.view().data(), first + batches[0].bytes.size());
}

// A batch alone fits a frame that no answer with a vertex around it does.
TEST(Wire, APayloadThatCannotBePassedOnIsNotRead) {
  const std::string most(kMostPayloadBytes, 'x');
  EXPECT_TRUE(read(encode(Batch{payload(most)}, kN)));
  EXPECT_TRUE(read(encode(Give{{some_vertex(most)}, {}}, kN)));
  EXPECT_TRUE(read(encode(Give{{}, {payload(most)}}, kN)));
  EXPECT_FALSE(read(encode(Batch{payload(most + 'x')}, kN)));
  EXPECT_FALSE(read(encode(Give{{some_vertex(most + 'x')}, {}}, kN)));
  EXPECT_FALSE(read(encode(Give{{}, {payload(most + 'x')}}, kN)));
}

// Certificate and header of the largest committees beside the largest payload.
TEST(Wire, TheLargestAnswerFitsAFrame) {
  constexpr std::size_t kFrame = 8u << 20;
  for (const std::uint32_t n : {4u, 100u, 1000u}) {
    Header h = some_header();
    const std::string most(kMostPayloadBytes, 'x');
    h.payload_root = payload(most).root;
    h.payload_bytes = kMostPayloadBytes;
    h.stragglers.assign(64, h.stragglers.front());
    Certificate all;
    for (std::uint16_t i = 0; i < n; ++i) {
      h.parents.insert(NodeId{i});
      h.sampled_from.insert(NodeId{i});
      all.signers.insert(NodeId{i});
      all.signatures.emplace_back();
    }
    const VertexPtr v = make_vertex(*make_proposal(h, {}, {}), payload(most), all);
    const WireParts one = encode(Give{{v}, {}}, n);
    EXPECT_LE(one.control.size() + one.payload.size() + 64, kFrame) << n;
  }
}

TEST(Wire, NoCutAndNoExtraByteIsRead) {
  for (const Message& m : one_of_each()) {
    const WireParts wire = encode(m, kN);
    for (std::size_t size = 0; size < wire.control.size(); ++size) {
      WireParts cut = wire;
      cut.control = wire.control.slice(0, size);
      EXPECT_FALSE(read(cut)) << "kind " << m.index() << " cut at " << size;
    }
    WireParts longer = wire;
    std::vector<std::byte> more(wire.control.view().begin(), wire.control.view().end());
    more.push_back(std::byte{0});
    longer.control = Bytes::from(std::move(more));
    EXPECT_FALSE(read(longer)) << "kind " << m.index();
  }
}

TEST(Wire, AChangedFieldChangesTheDigest) {
  const Header base = some_header("x");
  std::vector<Header> others(10, base);
  others[9].fallback = true;
  others[0].author = NodeId{4};
  others[1].round = Round{10};
  others[2].payload_root.bytes[31] = std::byte{1};
  others[3].payload_bytes = 2;
  others[4].self = Round{7};
  others[5].parents.insert(NodeId{0});
  others[6].stragglers.pop_back();
  others[7].stragglers[0].round = Round{5};
  others[8].sampled_from.insert(NodeId{1});
  for (const Header& h : others) EXPECT_NE(digest_of(h, {}), digest_of(base, {}));
  EXPECT_NE(digest_of(base, ChainContext{{}, 1}), digest_of(base, {}));
}

TEST(Wire, SetsOfAnotherWidthAreRefused) {
  NodeSet set(kN);
  set.insert(NodeId{9});
  Writer out;
  encode_set(set, kN, out);
  for (std::uint32_t n = 1; n <= 40; ++n) {
    Reader in(out.view());
    const bool same_width = (n + 7) / 8 == 2 && n == kN;
    const auto back = decode_set(in, n);
    if (same_width) {
      EXPECT_TRUE(back.has_value());
    } else if ((n + 7) / 8 != 2 || n <= 9) {
      EXPECT_FALSE(back.has_value()) << n;
    }
  }
  Writer beyond;
  beyond.u16(2).u8(0).u8(1 << 2);  // bit 10 of 10
  Reader in(beyond.view());
  EXPECT_FALSE(decode_set(in, kN).has_value());
}

TEST(Wire, ListsNameEachMemberOnce) {
  const WireParts wire =
      encode(Propose{Desk::sealed(Header{NodeId{1}, Round{1}, {}, 0, {}, {}, {}, false, {}})}, kN);
  EXPECT_TRUE(read(wire));
  Header h = some_header();
  h.parents = {};
  h.parents.insert(NodeId{0});
  h.self = Round{1};
  h.stragglers.clear();
  const WireParts one = encode(Propose{Desk::sealed(h)}, 4096);  // a list: a bitmap would be longer
  std::vector<std::byte> bytes(one.control.view().begin(), one.control.view().end());
  const std::size_t count_at = bytes.size() - sizeof(Signature) - 4;
  bytes[count_at] = std::byte{2};
  bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(count_at) + 2, 2, std::byte{0});
  WireParts twice = one;
  twice.control = Bytes::from(std::move(bytes));
  EXPECT_FALSE(decode(twice, {}, {*Committee::of(4096), 64}, Limits{}, &hash));
  EXPECT_TRUE(decode(one, {}, {*Committee::of(4096), 64}, Limits{}, &hash));
}

TEST(Wire, SizesAreTheEncodedOnes) {
  const VertexPtr v = some_vertex("x");
  Writer proposal;
  encode_proposal(*Desk::sealed(some_header()), kN, proposal);
  EXPECT_EQ(proposal.view().size(), header_bytes(some_header(), kN));
  Writer certificate;
  encode_certificate(v->certificate, kN, certificate);
  EXPECT_EQ(certificate.view().size(), certificate_bytes(v->certificate, kN));
}

TEST(Shapes, EachFlawHasItsName) {
  const Committee c = *Committee::of(kN);
  const Rules sparse = Rules::anchored_in_order(2);
  const auto flaw = [&](auto change) {
    Header h = some_header();
    change(h);
    return flaw_of(h, sparse, c, 50);
  };
  EXPECT_EQ(flaw([](Header&) {}), Flaw::kNone);
  EXPECT_EQ(flaw([](Header& h) { h.author = NodeId{10}; }), Flaw::kAuthor);
  EXPECT_EQ(flaw([](Header& h) { h.round = Round{0}; }), Flaw::kRound);
  EXPECT_EQ(flaw([](Header& h) { h.self = Round{9}; }), Flaw::kRound);
  EXPECT_EQ(flaw([](Header& h) { h.self = Round{7}; }), Flaw::kSelf);
  EXPECT_EQ(flaw([](Header& h) { h.parents.insert(NodeId{5}); }), Flaw::kParents);
  EXPECT_EQ(flaw([](Header& h) {
              h.parents = {};
              h.parents.insert(NodeId{3});
              h.parents.insert(NodeId{12});
            }),
            Flaw::kParents);
  EXPECT_EQ(flaw([](Header& h) { h.sampled_from.insert(NodeId{1}); }), Flaw::kSample);
  EXPECT_EQ(flaw([](Header& h) { h.fallback = true; }), Flaw::kFallback);
  EXPECT_EQ(flaw([](Header& h) { h.payload_bytes = 1; }), Flaw::kPayload);
  const auto payload_of = [](std::uint32_t bytes) {
    return [bytes](Header& h) {
      h.payload_root = hash({});
      h.payload_bytes = bytes;
    };
  };
  EXPECT_EQ(flaw(payload_of(kMostPayloadBytes)), Flaw::kNone);
  EXPECT_EQ(flaw(payload_of(kMostPayloadBytes + 1)), Flaw::kPayload);
  EXPECT_EQ(flaw([](Header& h) { h.stragglers[0].round = Round{8}; }), Flaw::kStragglers);
  EXPECT_EQ(flaw([](Header& h) {
              h.stragglers = {{NodeId{1}, Round{UINT64_MAX}}};
            }),
            Flaw::kStragglers)
      << "one above it is round 0";
  EXPECT_EQ(flaw([](Header& h) { h.stragglers = {{NodeId{1}, Round{0}}}; }), Flaw::kStragglers);
  EXPECT_EQ(flaw([](Header& h) { h.stragglers[0].author = NodeId{3}; }), Flaw::kStragglers);
  EXPECT_EQ(flaw([](Header& h) { std::swap(h.stragglers[0], h.stragglers[1]); }),
            Flaw::kStragglers);
  EXPECT_EQ(flaw([](Header& h) {
              h.round = Round{60};
              h.self = Round{59};
            }),
            Flaw::kStragglers);
  Header first;
  first.author = NodeId{1};
  first.round = Round{1};
  EXPECT_EQ(flaw_of(first, sparse, c, 50), Flaw::kNone);
  first.parents.insert(NodeId{1});
  EXPECT_EQ(flaw_of(first, sparse, c, 50), Flaw::kParents);
}

}  // namespace
}  // namespace thresher::certified
