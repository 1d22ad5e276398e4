// A node's checkpoints: the tree over what it applied, what it signs of it, proofs for clients, and
// its end when the application differs from that of the others.
#include <algorithm>

#include "../node_impl.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/net/codec.hpp"

namespace thresher::net {
namespace {

/// Who has too many questions waiting is read less. Unit: microseconds.
constexpr std::uint64_t kTooMany = 10'000;
/// Clients of older wire versions cannot read a proof.
constexpr std::uint32_t kProofVersion = 6;

std::string short_hex(const Digest& digest) {
  return to_hex(ByteView(digest.bytes).first(8));
}

std::string positions(std::uint64_t first, std::uint64_t end) {
  return "positions " + std::to_string(first) + " to " + std::to_string(end - 1);
}

}  // namespace

Checkpoints::Hooks Node::Impl::checkpoint_hooks() {
  return {[this](NodeId to, const Frame& f) { (void)transport.send(to.value, f); },
          [this](Persist record, std::function<void()> done) {
            std::vector<Persist> records;
            records.push_back(std::move(record));
            writer->durably(std::move(records), [this, done = std::move(done)] {
              loop.post([this, done] {
                done();
                checkpoints_differ();
              });
            });
          },
          [this](Persist record) {
            std::vector<Persist> records;
            records.push_back(std::move(record));
            if (writer) return writer->persist(std::move(records), 0);
            before_writer.push_back(std::move(records.front()));
          },
          [this](NodeId who, Deed deed) { conduct.note(who, deed); },
          [this](const std::string& why) { say(Level::kWarning, why); }};
}

// What was not applied leaves the tree as it is: the node stops, and its next start makes it again.
void Node::Impl::add_to_tree(const Transaction& t, const ApplyResult& result,
                             const Digest* payload) {
  static const Digest kNothing = digest_of(ApplyResult{});  // of applications that give no results
  if (checkpoint_every == 0 || tree.length() != t.position) return;
  tree.add(t, result == ApplyResult{} ? kNothing : digest_of(result), payload);
}

// Records that the store has already are those of a start that read its log again.
std::vector<Persist> Node::Impl::tree_records() {
  std::vector<Persist> records = tree.take_records();
  tree.forget_recent(ledger.memory().oldest());
  if (writer) return records;
  for (Persist& r : records) {
    bool there = false;
    (void)store->scan(r.table, r.key.view(), [&](ByteView at, ByteView value) {
      there = std::ranges::equal(at, r.key.view()) && std::ranges::equal(value, r.value.view());
      return false;
    });
    if (!there) before_writer.push_back(std::move(r));
  }
  return {};
}

void Node::Impl::checkpoint_after(const LogEntry& entry) {
  if (!has_checkpoint(entry.before, entry.slot, checkpoint_every)) return;
  if (tree.length() != ledger.length() || app_lags) return;
  Checkpoint c{entry.slot, ledger.length(), ledger.log_hash(), tree.root(), {}};
  if (!calls.run("state()", [&] { c.state = app.state(); })) {
    if (writer) halt(app_threw());
    return;
  }
  checkpoints.reached(c, tree.open_results());
  checkpoints_differ();
  if (pace.due_of_fastest(entry.before, entry.slot))
    take_snapshot(c, pace.due(entry.before, entry.slot));
}

bool Node::Impl::life_frame(NodeId from, const Frame& f) {
  const std::uint64_t now = Loop::now_us();
  if (f.kind == kWantTree) {
    const auto want = decode_want_tree(f.control.view());
    if (!want) return false;
    tree_turns[from].want = *want;
    answer_tree(from);
    return true;
  }
  if (f.kind == kTreePart) {
    const auto part = decode_tree_part(f.control.view());
    if (part && divergence) divergence->answer(from, *part, now);
    checkpoints_differ();
    return part.has_value();
  }
  const bool good = checkpoints.frame(from, f);
  checkpoints_differ();
  return good;
}

// A part of the log is read for it, so all peers together get a share of the time for that.
void Node::Impl::answer_tree(NodeId from) {
  TreeTurn& turn = tree_turns[from];
  if (!turn.want || turn.armed) return;
  const std::uint64_t began = Loop::now_us();
  if (!tree_share.free(began)) {
    turn.armed = true;
    loop.call_after(tree_share.free_us() - began, [this, from] {
      tree_turns[from].armed = false;
      answer_tree(from);
    });
    return;
  }
  const WantTree want = *std::exchange(turn.want, std::nullopt);
  (void)transport.send(from.value, {kTreePart, encode(answer_of(want, tree_at(want.slot))), {}});
  tree_share.spent(began, Loop::now_us());
}

// One is kept: a search asks for many parts of one tree.
TreeReader* Node::Impl::tree_at(Round slot) {
  if (past_tree && past_tree->at().slot == slot) return &*past_tree;
  auto own = load_own_checkpoint(*store, slot, committee().size());
  if (!own) return nullptr;
  past_tree.emplace(*store, reader, std::move(*own));
  return &*past_tree;
}

void Node::Impl::watch_checkpoints(std::uint64_t now) {
  checkpoints.tick(now);
  write_spare(now);
  if (now >= next_prune_us) prune_when_due();
  if (divergence) divergence->tick(now);
  checkpoints_differ();
}

// From the moment that it differs the node acknowledges nothing; it stops when it knows where.
void Node::Impl::checkpoints_differ() {
  const auto& difference = checkpoints.difference();
  if (!difference || !transport_runs) return;
  if (difference->here.root == difference->there.root) return halt(differs_in_state(*difference));
  if (!divergence) {
    say(Level::kError, "the application's results differ from those of " +
                           std::to_string(difference->peers.size()) +
                           " peers: looks for the first transaction that does");
    const auto own = [this, slot = difference->here.slot] { return tree_at(slot); };
    divergence.emplace(
        *difference,
        DivergenceSearch::Hooks{
            [this](NodeId to, const Frame& f) { (void)transport.send(to.value, f); },
            [own](std::uint64_t begin, std::uint64_t end) {
              TreeReader* of = own();
              const auto part = of ? of->part(begin, end) : Result<Digest, std::string>("no tree");
              return part ? std::optional(*part) : std::nullopt;
            },
            [own](std::uint64_t at) {
              TreeReader* of = own();
              const auto leaf =
                  of ? of->leaf(at) : Result<std::vector<LeafContent>, std::string>("no tree");
              return leaf ? std::optional(*leaf) : std::nullopt;
            },
            [this](NodeId who) { false_answer(who, "a part of its tree that is not in it"); }});
    divergence->begin(Loop::now_us());
  }
  if (divergence->over()) halt(differs_in_result(*difference));
}

std::string Node::Impl::how_to_apply_again() const {
  return "remove 'snapshot' in '" + options.data +
         "', and start the node again, which applies its " +
         (reader.begin().slot == Round{0}
              ? "log anew"
              : "log anew from a certified snapshot on (leave 'snapshots' where it is: the log "
                "before it was pruned)");
}

Error Node::Impl::differs_in_result(const Checkpoints::Difference& d) const {
  const auto told = [&](const std::string& which) {
    return Error{ErrorCode::kRejected,
                 "the application of '" + options.home + "' gave another result than those of " +
                     std::to_string(d.peers.size()) + " peers, which signed theirs. " + which +
                     ". The log is the same: the application is not deterministic or was changed, "
                     "or the memory is bad. Nothing more was acknowledged",
                 options.home, "mend it, " + how_to_apply_again()};
  };
  if (const auto& f = divergence->found()) {
    return told("The first transaction that differs is at position " + std::to_string(f->position) +
                " (client " + to_hex(f->here.client.bytes) + ", sequence " +
                std::to_string(f->here.sequence) + "): result " + to_hex(f->here.result.bytes) +
                " here, " + to_hex(f->there.result.bytes) + " there");
  }
  return told("The first one that differs is among " +
              positions(divergence->first(), divergence->end()) +
              "; no peer answered with the rest");
}

Error Node::Impl::differs_in_state(const Checkpoints::Difference& d) const {
  const std::string same = d.same
                               ? "At position " + std::to_string(d.same->length) + " (slot " +
                                     std::to_string(d.same->slot.value) + ") they were the same. "
                               : std::string();
  return {ErrorCode::kRejected,
          "the application of '" + options.home + "' has another state than those of " +
              std::to_string(d.peers.size()) + " peers after position " +
              std::to_string(d.here.length) + " (slot " + std::to_string(d.here.slot.value) +
              "): state " + short_hex(d.here.state) + " here, " + short_hex(d.there.state) +
              " there, with the same results up to there. " + same +
              "The application is not deterministic or was changed, or the memory is bad. Nothing "
              "more was acknowledged",
          options.home, "mend it, " + how_to_apply_again()};
}

// The proof of a position against the newest certificate, or why there is none.
Result<LogProof, std::string> Node::Impl::prove(std::uint64_t position) {
  const auto& certificate = checkpoints.newest_certificate();
  if (checkpoint_every == 0) {
    return std::string("this ledger has no checkpoints: `checkpoint` is 0 in its genesis file");
  }
  if (!certificate || position >= certificate->checkpoint.length) {
    return "position " + std::to_string(position) + " has no certificate yet: the log has " +
           std::to_string(ledger.length()) + " transactions, of which " +
           std::to_string(certificate ? certificate->checkpoint.length : 0) +
           " are certified; one follows every " + std::to_string(checkpoint_every) + " slots";
  }
  if (position < reader.begin().length) return pruned_words(position, reader.begin().length);
  TreeReader* of = tree_at(certificate->checkpoint.slot);
  if (of == nullptr) {
    return "this node has not written down its own checkpoint of slot " +
           std::to_string(certificate->checkpoint.slot.value) +
           " yet, which is certified: ask again in a moment, or another node";
  }
  return proof_of(*of, position, *certificate, certificate_quorum(genesis));
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

// Clients that ask without end, however many, get no more of the node's time than a share.
void Node::Impl::serve_proofs() {
  for (std::uint64_t now = Loop::now_us(); const auto q = proofs.take(now);) {
    tell_proof(*q, prove(q->position));
    proofs.spent(now, Loop::now_us());
    now = Loop::now_us();
  }
  const auto due = proofs.next_us();
  if (!due || std::exchange(proving, true)) return;
  const std::uint64_t now = Loop::now_us();
  loop.call_after(*due > now ? *due - now : 0, [this] {
    proving = false;
    serve_proofs();
  });
}

}  // namespace thresher::net
