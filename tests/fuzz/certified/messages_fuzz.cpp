// A member says any bytes to a node of the certified family: what is read is written back as it
// was, and whatever the node makes of it, it accuses nobody else and keeps little.
#include <cstdio>
#include <cstdlib>

#include "../../unit/certified/bench.hpp"
#include "samples.hpp"

namespace {

using namespace thresher;
using namespace thresher::certified;

constexpr std::uint32_t kN = 4;
constexpr std::uint16_t kLiar = 1;
const Shape kShape{*Committee::of(kN), 64};

void check(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::abort();
}

// The sizes of the two parts, then the parts.
std::string frame(const Message& m) {
  const WireParts wire = encode(m, kN);
  Writer out;
  out.u16(static_cast<std::uint16_t>(wire.control.size()));
  out.u16(static_cast<std::uint16_t>(wire.payload.size()));
  out.bytes(wire.control.view()).bytes(wire.payload.view());
  return {reinterpret_cast<const char*>(out.view().data()), out.view().size()};
}

ProposalPtr header(std::uint64_t round, bool loaded) {
  const Bytes bytes = Bytes::copy_of(as_view("a batch"));
  Header h;
  h.author = NodeId{kLiar};
  h.round = Round{round};
  if (round > 1) {
    h.self = Round{round - 1};
    for (const std::uint16_t p : std::initializer_list<std::uint16_t>{1, 2, 3})
      h.parents.insert(NodeId{p});
  }
  if (loaded) {
    h.payload_root = hash(bytes.view());
    h.payload_bytes = static_cast<std::uint32_t>(bytes.size());
  }
  return Desk::sealed(std::move(h));
}

bool holds(const WireParts& a, const WireParts& b) {
  return a.control == b.control && a.payload == b.payload;
}

}  // namespace

std::vector<std::string> fuzz_samples() {
  const Bytes bytes = Bytes::copy_of(as_view("a batch"));
  const Payload payload{bytes, hash(bytes.view())};
  const ProposalPtr first = header(1, true);
  const Certificate c = Desk::signed_by(first->digest, {1, 2, 3});
  NodeSet have(kN);
  have.insert(NodeId{2});
  const VertexPtr vertex = make_vertex(*first, payload, c);
  const std::string propose = frame(Batch{payload}) + frame(Propose{first});
  return {propose + frame(Certify{Round{1}, first->digest, c}),
          propose + frame(Propose{header(1, false)}),
          frame(Propose{header(2, false)}) + frame(Propose{header(3, false)}),
          frame(Propose{header(1'000'000, false)}),
          frame(Vote{Round{1}, first->digest, mock_sign(kLiar, first->digest)}),
          frame(Want{{{NodeId{1}, Round{1}}, {NodeId{2}, Round{6}}}, {payload.root}}),
          frame(WantRound{Round{1}, {have}}),
          frame(WantRound{Round{1}, std::vector<NodeSet>(kMostHave, have)}),
          frame(Give{{vertex, vertex}, {payload}}),
          frame(coin::Share{12, {}, true})};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Desk node(kN, Rules::bullshark_async());
  Reader in(ByteView(reinterpret_cast<const std::byte*>(data), size));
  std::uint64_t read = 0;
  while (in.remaining() > 0) {
    const std::uint16_t control = in.u16();
    const std::uint16_t payload = in.u16();
    const Bytes first = Bytes::copy_of(in.bytes(control));
    const Bytes second = Bytes::copy_of(in.bytes(payload));
    if (!in.ok()) break;
    const WireParts wire{first, second};
    const auto message = decode(wire, {}, kShape, Limits{}, &hash);
    if (!message) continue;
    const WireParts again = encode(*message, kN);
    const auto back = decode(again, {}, kShape, Limits{}, &hash);
    check(back && holds(encode(*back, kN), again), "what was read is written and read again");
    node.say(kLiar, *message);
    ++read;
  }
  for (const std::uint32_t timer : {1u, 2u, 3u}) node.expire(timer);
  for (const std::uint16_t who : node.accused) check(who == kLiar, "an honest node is accused");
  const Footprint kept = node.node().footprint();
  const Limits limits;
  check(kept.proposals <= limits.proposals_per_peer, "headers have a quota");
  check(kept.batches <= limits.batches_per_peer, "batches have a quota");
  check(kept.missing <= limits.missing_per_peer + read * (kN + kShape.stragglers + 1), "missing");
  check(kept.vertices <= read * limits.give_vertices + 1, "vertices");
  check(kept.checks == 0, "every verdict was taken");
  check(node.node().stats().vertices_accepted <= 2, "only what three signed is accepted");
  return 0;
}
