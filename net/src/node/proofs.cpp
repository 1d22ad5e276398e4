// What a node reads of its log for others: proofs for clients, hashes and certificates for peers.
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
}  // namespace

bool Node::Impl::ask_small(NodeId from, const Frame& f) {
  if (!small_questions.ask(from, f)) return false;
  answering_small.at_once();
  return true;
}

// False: it is malformed.
bool Node::Impl::answer_small(NodeId from, const Frame& question) {
  if (question.kind != kWantLogHash) return checkpoints.frame(from, question);
  const auto want = wire::decode<wire::WantLogHash>(question.control.view());
  const auto answer = reader.hash_after(question, ledger.slot());
  if (!want || !answer) return false;
  note_log_question(from, want->slot);
  (void)transport.send(from.value, *answer);
  return true;
}

void Node::Impl::ask_proof(ConnectionId from, const Frame& f) {
  Reader in(f.control.view());
  const std::uint64_t position = in.u64();
  if (!in.done()) {
    ++malformed;
    return;
  }
  if (transport.version_of(from) < kProofVersion) {
    return tell_proof({from, position},
                      Error{ErrorCode::kUnsupported,
                            "proofs have another form since wire version " +
                                std::to_string(kProofVersion) + ": use a client of this release"});
  }
  if (proofs.ask(from, position)) return proving.at_once();
  tell_proof({from, position}, Error{ErrorCode::kBusy, "too many questions wait: ask again later"});
  transport.rest(from, kTooMany);
}

void Node::Impl::tell_proof(const ProofQueue::Question& of, const Result<LogProof, Error>& proof) {
  Writer w;
  w.u64(of.position).u8(proof ? 1 : 0);
  if (proof) {
    w.bytes(encode(*proof).view());
  } else {
    w.bytes(as_view(proof.error().text()));
  }
  (void)transport.send(of.from, {kProof, Bytes::from(w.take()), {}});
}

}  // namespace thresher::net
