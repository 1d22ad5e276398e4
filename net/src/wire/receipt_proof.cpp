#include "thresher/net/receipt_proof.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "thresher/crypto/batcher.hpp"
#include "thresher/crypto/verifier.hpp"
#include "thresher/net/payload_root.hpp"
#include "thresher/net/two_delays.hpp"
#include "thresher/protocols/dag/two_delay.hpp"
#include "wire/receipt_proof_codec.hpp"
#include "wire/transactions.hpp"

namespace thresher::net {
namespace {

constexpr std::uint32_t kVersion = 3;
/// Blocks from the leader to the one with the transaction.
constexpr std::uint32_t kMaxPath = 1u << 12;

using Blocks = std::vector<dag::BlockPtr>;

void encode_blocks(const Blocks& blocks, Writer& out) {
  out.u32(static_cast<std::uint32_t>(blocks.size()));
  for (const dag::BlockPtr& b : blocks) encode_header(*b, out);
}

std::optional<Blocks> decode_blocks(Reader& in, const Genesis& genesis, std::uint32_t most) {
  const auto n = static_cast<std::uint32_t>(genesis.nodes.size());
  const std::uint32_t count = in.u32();
  if (!in.ok() || count == 0 || count > most) return std::nullopt;
  Blocks out;
  for (std::uint32_t i = 0; i < count; ++i) {
    auto block = dag::decode_slim(in, genesis.context(), n);
    if (!block || !in.ok() || (*block)->author().value >= n) return std::nullopt;
    out.push_back(std::move(*block));
  }
  return out;
}

bool refers_to(const dag::Header& h, const dag::Block& parent) {
  const dag::Edge edge{parent.author(), parent.round(), parent.digest};
  if (h.self == edge) return true;
  if (h.vote == parent.digest && h.round.value == parent.round().value + 1) return true;
  if (h.claim == parent.digest && h.round.value == parent.round().value + 2) return true;
  return std::find(h.refs.begin(), h.refs.end(), edge) != h.refs.end();
}

bool signatures_hold(const Genesis& genesis, const Blocks& witnesses, const Blocks& path) {
  std::vector<crypto::SignatureJob> jobs;
  for (const Blocks* blocks : {&witnesses, &path}) {
    for (const dag::BlockPtr& b : *blocks) {
      jobs.push_back({genesis.nodes[b->author().value].key, b->digest.bytes, b->signature});
    }
  }
  std::vector<crypto::SignatureStatus> verdicts(jobs.size(), crypto::SignatureStatus::kUnavailable);
  crypto::make_verifier(crypto::best_verifier())->verify(jobs, verdicts);
  return std::all_of(verdicts.begin(), verdicts.end(), [](crypto::SignatureStatus v) {
    return v == crypto::SignatureStatus::kValid;
  });
}

/// Whether all of them, by as many authors, name the leader in `field`, `up` rounds above it.
bool all_name(const Blocks& blocks, const dag::Block& leader,
              std::optional<Digest> dag::Header::*field, std::uint64_t up) {
  std::set<NodeId> authors;
  return std::all_of(blocks.begin(), blocks.end(), [&](const dag::BlockPtr& b) {
    return b->header.*field == leader.digest && b->round().value == leader.round().value + up &&
           authors.insert(b->author()).second;
  });
}

/// A quorum of claims; or, in a ledger with the two-delay path, as many votes as it asks for.
bool commits(const Genesis& genesis, const Blocks& witnesses, const dag::Block& leader) {
  const auto committee =
      Committee::make(static_cast<std::uint32_t>(genesis.nodes.size()), genesis.f);
  if (!committee) return false;
  if (all_name(witnesses, leader, &dag::Header::claim, 2))
    return witnesses.size() >= committee->at_least(kQuorum);
  const auto p = fast_of(genesis.parameters, genesis.protocol);
  const auto rules = p ? with_two_delays(dag::Rules::thresher(), *committee, *p) : std::nullopt;
  return rules && all_name(witnesses, leader, &dag::Header::vote, 1) &&
         witnesses.size() >= committee->at_least(rules->fast);
}

}  // namespace

Bytes encode_receipt_proof(const dag::CommitProof& proof, ByteView payload) {
  Writer w;
  w.u32(kVersion);
  encode_blocks(proof.witnesses, w);
  encode_blocks(proof.path, w);
  w.u32(static_cast<std::uint32_t>(payload.size())).bytes(payload);
  return Bytes::from(w.take());
}

Result<ProvenPlace, Error> verify_receipt(const Genesis& genesis, ByteView proof,
                                          ByteView transaction) {
  if (proof.empty()) {
    return Error{ErrorCode::kMissing,
                 "the receipt has no proof: ask for one when submitting, on a network whose "
                 "protocol is 'thresher'"};
  }
  Reader in(proof);
  if (in.u32() != kVersion) {
    return Error{ErrorCode::kUnsupported,
                 "the proof has another version",
                 {},
                 "use the release that made it"};
  }
  const auto witnesses =
      decode_blocks(in, genesis, static_cast<std::uint32_t>(genesis.nodes.size()));
  const auto path = witnesses ? decode_blocks(in, genesis, kMaxPath) : std::nullopt;
  const ByteView payload = path ? in.bytes(in.u32()) : ByteView{};
  if (!path || !in.done())
    return Error{ErrorCode::kMalformed, "the proof is malformed", {}, "ask the node again"};
  const auto rejected = [](const char* why) { return Error{ErrorCode::kRejected, why}; };
  const dag::Block& leader = *path->front();
  const dag::Block& block = *path->back();
  if (!commits(genesis, *witnesses, leader)) {
    return rejected("no quorum of this committee claims the leader block");
  }
  for (std::size_t i = 1; i < path->size(); ++i) {
    if (!refers_to((*path)[i - 1]->header, *(*path)[i])) {
      return rejected("the blocks do not lead from the leader to the transaction");
    }
  }
  if (!signatures_hold(genesis, *witnesses, *path)) {
    return rejected("a signature of the proof is not that of the committee's key");
  }
  if (payload_root(payload) != block.header.payload_root) {
    return rejected("the payload is not that of the block");
  }
  std::optional<ProvenPlace> found;
  each_transaction(payload, [&](const RunHead& run, std::uint64_t sequence, ByteView data) {
    if (found || !std::equal(data.begin(), data.end(), transaction.begin(), transaction.end())) {
      return;
    }
    found = ProvenPlace{leader.round(), leader.digest, block.digest, run.client, sequence};
  });
  if (!found) return rejected("the transaction is not in the block that the proof is about");
  return *found;
}

}  // namespace thresher::net
