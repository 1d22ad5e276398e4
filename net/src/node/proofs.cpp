// What a node reads of its log for others: proofs for clients, parts of the tree for peers. Piece
// by piece, within a share of the node's thread.
#include <algorithm>
#include <functional>
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
/// After so long a piece ends with the block that it is at. Unit: microseconds.
constexpr std::uint64_t kPiece = ThreadShare::kBurst;

Enough after_a_piece(std::uint64_t began_us) {
  return [until = began_us + kPiece] { return Loop::now_us() >= until; };
}

// Serves what is left when its share of the thread allows; `waits`: a timer runs for that. Pre: it
// and what is served live as long as the loop's timers.
void go_on(Loop& loop, std::optional<std::uint64_t> due_us, bool& waits,
           std::function<void()> serve) {
  if (!due_us || std::exchange(waits, true)) return;
  const std::uint64_t now = Loop::now_us();
  loop.call_after(*due_us > now ? *due_us - now : 0, [&waits, serve = std::move(serve)] {
    waits = false;
    serve();
  });
}

}  // namespace

// One is kept: a search asks for many parts of one tree.
TreeReader* Node::Impl::tree_at(std::optional<TreeReader>& kept, Round slot) {
  if (kept && kept->at().slot == slot) return &*kept;
  auto own = load_own_checkpoint(*store, slot, committee().size());
  if (!own) return nullptr;
  kept.emplace(*store, reader, std::move(*own));
  return &*kept;
}

// A part of the log is read for it, so all peers together get a share of the time for that.
void Node::Impl::serve_trees() {
  for (std::uint64_t now = Loop::now_us(); const auto q = tree_questions.take(now);) {
    TreeReader* of = tree_at(peers_tree, q->want.slot);
    const bool known = of != nullptr && q->want.end <= of->leaves();
    if (!known || of->read_for(q->want.begin, q->want.end, after_a_piece(now))) {
      (void)transport.send(q->from.value, {kTreePart, encode(answer_of(q->want, of)), {}});
      tree_questions.answered();
    }
    tree_questions.spent(now, Loop::now_us());
    now = Loop::now_us();
  }
  go_on(loop, tree_questions.next_us(), serving_trees, [this] { serve_trees(); });
}

// Each is a few bytes, and a search in the index: a peer that asks without end gets its turn.
bool Node::Impl::ask_small(NodeId from, const Frame& f) {
  if (f.control.size() > kMostSmall) return false;
  small_questions.ask(from, {f.kind, Bytes::copy_of(f.control.view()), {}});
  answer_small();
  return true;
}

void Node::Impl::answer_small() {
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
  go_on(loop, small_questions.next_us(), answering_small, [this] { answer_small(); });
}

// Why there is no proof of a position; empty: there is one against the newest certificate.
std::string Node::Impl::unproved(std::uint64_t position) const {
  const auto& certificate = checkpoints.newest_certificate();
  if (checkpoint_every == 0)
    return "this ledger has no checkpoints: `checkpoint` is 0 in its genesis file";
  if (!certificate || position >= certificate->checkpoint.length) {
    return "position " + std::to_string(position) + " has no certificate yet: the log has " +
           std::to_string(ledger.length()) + " transactions, of which " +
           std::to_string(certificate ? certificate->checkpoint.length : 0) +
           " are certified; one follows every " + std::to_string(checkpoint_every) + " slots";
  }
  if (position < reader.begin().length) return pruned_words(position, reader.begin().length);
  return {};
}

// The proof of a position against the certificate that was the newest when this began, or why there
// is none. Empty: there is more to read.
std::optional<Result<LogProof, std::string>> Node::Impl::prove(std::uint64_t position,
                                                               const Enough& enough) {
  using Proof = Result<LogProof, std::string>;
  if (!proves_against) {
    if (std::string why = unproved(position); !why.empty()) return Proof(std::move(why));
    proves_against = checkpoints.newest_certificate();
  }
  const Round slot = proves_against->checkpoint.slot;
  TreeReader* of = tree_at(proof_tree, slot);
  if (of == nullptr) {
    proves_against.reset();
    return Proof("this node has not written down its own checkpoint of slot " +
                 std::to_string(slot.value) +
                 " yet, which is certified: ask again in a moment, or another node");
  }
  if (!of->read_for_proof(position / kLeafPositions, enough)) return std::nullopt;
  const Certificate certificate = *std::exchange(proves_against, std::nullopt);
  return proof_of(*of, position, certificate, certificate_quorum(genesis));
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
  if (proofs.ask(from, position)) return serve_proofs();
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

// The asker has gone: what was begun for it is not finished.
void Node::Impl::leave_proofs(ConnectionId link) {
  if (proofs.leave(link)) proves_against.reset();
}

// Clients that ask without end, however many, get no more of the node's time than a share.
void Node::Impl::serve_proofs() {
  for (std::uint64_t now = Loop::now_us(); const auto q = proofs.take(now);) {
    if (const auto proof = prove(q->position, after_a_piece(now))) {
      tell_proof(*q, *proof);
      proofs.answered();
    }
    proofs.spent(now, Loop::now_us());
    now = Loop::now_us();
  }
  go_on(loop, proofs.next_us(), proving, [this] { serve_proofs(); });
}

// A tree that was begun before the front of the log went would look for what is gone.
void Node::Impl::forget_trees() {
  own_tree.reset();
  peers_tree.reset();
  proof_tree.reset();
  proves_against.reset();
}

}  // namespace thresher::net
