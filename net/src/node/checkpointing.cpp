#include "node/checkpointing.hpp"

#include <algorithm>
#include <utility>

#include "thresher/core/hex.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/net/wire.hpp"

namespace thresher::net {

Checkpointing::Checkpointing(NodeBase& node, Hooks hooks)
    : node_(node),
      hooks_(std::move(hooks)),
      checkpoints_(node.genesis, node.self, node.key, *node.store, checkpoint_hooks()),
      own_tree_(*node.store, node.reader, node.committee().size()),
      trees_(*node.store, node.reader, node.committee().size(),
             {[this](NodeId to, const TreePart& part) {
                (void)node_.transport.send(to.value, {kTreePart, encode(part), {}});
              },
              hooks_.result, &Loop::now_us}),
      serving_trees_(node.loop, [this] { return trees_.step(); }),
      small_questions_(
          {[this](NodeId from, const Frame& question) { return answer_small(from, question); },
           [this](NodeId from) { node_.conduct.note(from, Deed::kMalformed); }, &Loop::now_us}),
      answering_small_(node.loop, [this] { return small_questions_.step(); }) {}

void Checkpointing::begin() {
  runs_ = true;
  if (!before_writer_.empty()) node_.writer->persist(std::exchange(before_writer_, {}), 0);
}

void Checkpointing::log_begins() {
  own_tree_.forget();
  trees_.forget();
}

Checkpoints::Hooks Checkpointing::checkpoint_hooks() {
  return {[this](NodeId to, const Frame& f) { (void)node_.transport.send(to.value, f); },
          [this](Persist record, std::function<void()> done) {
            std::vector<Persist> records;
            records.push_back(std::move(record));
            node_.writer->durably(std::move(records), [this, done = std::move(done)] {
              node_.loop.post([this, done] {
                done();
                look_for_difference();
              });
            });
          },
          [this](Persist record) {
            std::vector<Persist> records;
            records.push_back(std::move(record));
            if (node_.writer) return node_.writer->persist(std::move(records), 0);
            before_writer_.push_back(std::move(records.front()));
          },
          [this](NodeId who, Deed deed) { node_.conduct.note(who, deed); },
          [this](const std::string& why) { node_.say(Level::kWarning, why); }};
}

// What was not applied leaves the tree as it is: the node stops, and its next start makes it again.
void Checkpointing::applied(const Transaction& t, const ApplyResult& result,
                            const Digest* payload) {
  static const Digest kNothing = digest_of(ApplyResult{});  // of applications that give no results
  if (node_.checkpoint_every == 0 || tree_.length() != t.position) return;
  tree_.add(t, result == ApplyResult{} ? kNothing : digest_of(result), payload);
}

// Records that the store has already are those of a start that read its log again.
std::vector<Persist> Checkpointing::take_records() {
  std::vector<Persist> records = tree_.take_records();
  tree_.forget_recent(node_.ledger.memory().oldest());
  if (node_.writer) return records;
  for (Persist& r : records) {
    bool there = false;
    (void)node_.store->scan(r.table, r.key.view(), [&](ByteView at, ByteView value) {
      there = std::ranges::equal(at, r.key.view()) && std::ranges::equal(value, r.value.view());
      return false;
    });
    if (!there) before_writer_.push_back(std::move(r));
  }
  return {};
}

void Checkpointing::committed(const LogEntry& entry) {
  if (!has_checkpoint(entry.before, entry.slot, node_.checkpoint_every)) return;
  if (tree_.length() != node_.ledger.length() || node_.app_lags) return;
  Checkpoint c{entry.slot, node_.ledger.length(), node_.ledger.log_hash(), tree_.root(), {}};
  if (!node_.calls.run("state()", [&] { c.state = node_.app.state(); })) {
    if (node_.writer) node_.halt(node_.words.app_threw(node_.calls.problem()));
    return;
  }
  checkpoints_.reached(c, tree_.open_results());
  look_for_difference();
  hooks_.reached(c, entry.before);
}

bool Checkpointing::frame(NodeId from, const Frame& f) {
  const std::uint64_t now = Loop::now_us();
  if (f.kind == kWantTree) {
    const auto want = decode_want_tree(f.control.view());
    if (!want) return false;
    trees_.want(from, *want);
    serving_trees_.at_once();
    return true;
  }
  if (f.kind == kTreePart) {
    const auto part = decode_tree_part(f.control.view());
    if (part && divergence_) divergence_->answer(from, *part, now);
    look_for_difference();
    return part.has_value();
  }
  if (f.kind == kWantCheckpoint) return ask_small(from, f);
  const bool good = checkpoints_.frame(from, f);
  look_for_difference();
  return good;
}

void Checkpointing::watch(std::uint64_t now) {
  checkpoints_.tick(now);
  if (divergence_) divergence_->tick(now);
  look_for_difference();
}

// From the moment that it differs the node acknowledges nothing; it stops when it knows where.
void Checkpointing::look_for_difference() {
  const auto& difference = checkpoints_.difference();
  if (!difference || !runs_) return;
  const bool pruned = node_.reader.begin().slot != Round{0};
  if (difference->here.root == difference->there.root)
    return node_.halt(node_.words.differs_in_state(*difference, pruned));
  if (!divergence_) begin_search(*difference);
  if (divergence_->over())
    node_.halt(node_.words.differs_in_result(*difference, *divergence_, pruned));
}

void Checkpointing::begin_search(const Checkpoints::Difference& difference) {
  node_.say(Level::kError, "the application's results differ from those of " +
                               std::to_string(difference.peers.size()) +
                               " peers: looks for the first transaction that does");
  const auto own = [this, slot = difference.here.slot] { return own_tree_.at(slot); };
  divergence_.emplace(
      difference,
      DivergenceSearch::Hooks{
          [this](NodeId to, const Frame& f) { (void)node_.transport.send(to.value, f); },
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
          hooks_.result,
          [this](NodeId who) { node_.false_answer(who, "a part of its tree that is not in it"); }});
  divergence_->begin(Loop::now_us());
}

bool Checkpointing::ask_small(NodeId from, const Frame& f) {
  if (!small_questions_.ask(from, f)) return false;
  answering_small_.at_once();
  return true;
}

// False: it is malformed.
bool Checkpointing::answer_small(NodeId from, const Frame& question) {
  if (question.kind != kWantLogHash) return checkpoints_.frame(from, question);
  const auto want = wire::decode<wire::WantLogHash>(question.control.view());
  const auto answer = node_.reader.hash_after(question, node_.ledger.slot());
  if (!want || !answer) return false;
  hooks_.asked_log(from, want->slot);
  (void)node_.transport.send(from.value, *answer);
  return true;
}

}  // namespace thresher::net
