// What a node reads of its log for others: proofs for clients, parts of the tree for peers. Piece
// by piece, within a share of the node's thread.
#include <algorithm>
#include <optional>
#include <utility>

#include "node/impl.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/net/wire.hpp"

namespace thresher::net {
namespace {

/// A client with too many questions waiting is read less. Unit: microseconds.
constexpr std::uint64_t kTooMany = 10'000;
/// Clients of older wire versions cannot read a proof.
constexpr std::uint32_t kProofVersion = 6;
/// Bytes of a small question.
constexpr std::size_t kMostSmall = 64;
}  // namespace

// Each is a few bytes, and a search in the index: a peer that asks without end gets its turn.
bool Node::Impl::ask_small(NodeId from, const Frame& f) {
  if (f.control.size() > kMostSmall) return false;
  small_questions.ask(from, {f.kind, Bytes::copy_of(f.control.view()), {}});
  answering_small.at_once();
  return true;
}

std::optional<std::uint64_t> Node::Impl::answer_small() {
  for (std::uint64_t now = Loop::now_us(); const auto q = small_questions.take(now);) {
    small_questions.answered();
    bool good = true;
    if (q->want.kind == kWantLogHash) {
      const auto want = wire::decode<wire::WantLogHash>(q->want.control.view());
      const auto answer = reader.hash_after(q->want, ledger.slot());
      good = want && answer;
      if (good) note_log_question(q->from, want->slot);
      if (good) (void)transport.send(q->from.value, *answer);
    } else {
      good = checkpoints.frame(q->from, q->want);
    }
    if (!good) conduct.note(q->from, Deed::kMalformed);
    small_questions.spent(now, Loop::now_us());
    now = Loop::now_us();
  }
  return small_questions.next_us();
}

void Node::Impl::ask_proof(ConnectionId from, const Frame& f) {
  Reader in(f.control.view());
  const std::uint64_t position = in.u64();
  if (!in.done()) {
    ++malformed;
    return;
  }
  if (transport.version_of(from) < kProofVersion) {
    return tell_proof({from, position}, "proofs have another form since wire version " +
                                            std::to_string(kProofVersion) +
                                            ": use a client of this release");
  }
  if (proofs.ask(from, position)) return proving.at_once();
  tell_proof({from, position}, std::string("too many questions wait: ask again later"));
  transport.rest(from, kTooMany);
}

void Node::Impl::tell_proof(const ProofQueue::Question& of,
                            const Result<LogProof, std::string>& proof) {
  Writer w;
  w.u64(of.position).u8(proof ? 1 : 0);
  w.bytes(proof ? encode(*proof).view() : as_view(proof.error()));
  (void)transport.send(of.from, {kProof, Bytes::from(w.take()), {}});
}

}  // namespace thresher::net
