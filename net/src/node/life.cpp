// A node's checkpoints: the tree over what it applied, what it signs of it, and its end when the
// application differs from that of the others.
#include <algorithm>

#include "node/impl.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/net/codec.hpp"

namespace thresher::net {
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
    if (writer) halt(words.app_threw(calls.problem()));
    return;
  }
  checkpoints.reached(c, tree.open_results());
  checkpoints_differ();
  if (schedule.pace().due_of_fastest(entry.before, entry.slot)) take_snapshot(c, entry.before);
}

bool Node::Impl::life_frame(NodeId from, const Frame& f) {
  const std::uint64_t now = Loop::now_us();
  if (f.kind == kWantTree) {
    const auto want = decode_want_tree(f.control.view());
    if (!want) return false;
    trees.want(from, *want);
    serving_trees.at_once();
    return true;
  }
  if (f.kind == kTreePart) {
    const auto part = decode_tree_part(f.control.view());
    if (part && divergence) divergence->answer(from, *part, now);
    checkpoints_differ();
    return part.has_value();
  }
  if (f.kind == kWantCheckpoint) return ask_small(from, f);
  const bool good = checkpoints.frame(from, f);
  checkpoints_differ();
  return good;
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
  const bool pruned = reader.begin().slot != Round{0};
  if (difference->here.root == difference->there.root)
    return halt(words.differs_in_state(*difference, pruned));
  if (!divergence) {
    say(Level::kError, "the application's results differ from those of " +
                           std::to_string(difference->peers.size()) +
                           " peers: looks for the first transaction that does");
    const auto own = [this, slot = difference->here.slot] { return own_tree.at(slot); };
    divergence.emplace(
        *difference,
        DivergenceSearch::Hooks{
            [this](NodeId to, const Frame& f) { (void)transport.send(to.value, f); },
            [own](std::uint64_t begin, std::uint64_t end) -> std::optional<Digest> {
              TreeReader* of = own();
              if (of == nullptr) return std::nullopt;
              const auto part = of->part(begin, end);
              return part ? std::optional(*part) : std::nullopt;
            },
            [own](std::uint64_t at) -> std::optional<std::vector<LeafContent>> {
              TreeReader* of = own();
              if (of == nullptr) return std::nullopt;
              const auto leaf = of->leaf(at);
              return leaf ? std::optional(*leaf) : std::nullopt;
            },
            [this](NodeId who) { false_answer(who, "a part of its tree that is not in it"); }});
    divergence->begin(Loop::now_us());
  }
  if (divergence->over()) halt(words.differs_in_result(*difference, *divergence, pruned));
}

}  // namespace thresher::net
