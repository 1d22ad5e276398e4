#include "composing.hpp"

#include <algorithm>
#include <utility>

#include "walk.hpp"

namespace thresher::certified {
namespace {

/// A sparse vertex names another that is older than this and not in its history. Younger ones come
/// in through the next anchor, which is dense.
constexpr std::uint64_t kStragglerAge = 6;

}  // namespace

Digest unique_value_of(const Store& store, const NodeSet& authors, Round r) {
  return unique_value(authors, [&](NodeId id) {
    const Cell* cell = store.find({id, r});
    return cell == nullptr ? nullptr : &cell->vertex->digest;
  });
}

Composing::Composing(const Config& config, Store& store, const Own& own, const Ordered& ordered,
                     const Bringing& bringing, Tickets& tickets)
    : backlog_(config.limits.pending_submits, config.limits.batches_per_peer),
      config_(config),
      store_(store),
      own_(own),
      ordered_(ordered),
      bringing_(bringing),
      tickets_(tickets) {}

std::optional<Payload> Composing::find(const Digest& root) const {
  if (draft_ && draft_->payload.root == root && !draft_->payload.bytes.empty())
    return draft_->payload;
  return backlog_.find(root);
}

// R1
void Composing::announce(Fx& fx) {
  while (const Payload* next = backlog_.next_ahead()) {
    if (!next->bytes.empty()) fx.broadcast(Batch{*next});
  }
}

// R12: only its author need know who leads; others take it as it is.
bool Composing::composes_dense(const Ref& vertex) const {
  if (must_be_dense(vertex, config_->rules, config_->committee)) return true;
  return may_be_dense(vertex, config_->rules, config_->committee) &&
         ordered_->leader(vertex.round) == vertex.author;
}

// R1
Header Composing::compose(Round r) const {
  Header h;
  h.author = config_->self;
  h.round = r;
  h.self = own_->round();
  if (r.value >= 2) {
    choose_parents(h);
    add_stragglers(h);
  }
  return h;
}

void Composing::sign(Header h, Fx& fx) {
  Draft& out = draft_.emplace(Draft{});
  out.bringing = bringing_->brought_with(h, composes_dense(h.ref()), mark_history(h));
  announce(fx);
  out.payload = backlog_.take();
  announce(fx);
  if (!out.payload.bytes.empty()) {
    h.payload_root = out.payload.root;
    h.payload_bytes = static_cast<std::uint32_t>(out.payload.bytes.size());
  }
  out.header = std::move(h);
  out.ticket = tickets_->next();
  fx.push(Endorse{{out.ticket, {}}, digest_of(out.header, config_->chain)});
}

std::optional<Composing::Draft> Composing::take_signed(std::uint64_t ticket) {
  if (!draft_ || ticket != draft_->ticket) return std::nullopt;
  return std::exchange(draft_, std::nullopt);
}

// R1, R5: all of the round before, or a sample with the anchor; R11 leaves late authors out.
void Composing::choose_parents(Header& h) const {
  const Round before{h.round.value - 1};
  const NodeSet& held = store_->accepted_authors(before).members();
  const Rules& rules = config_->rules;
  const bool dense = composes_dense(h.ref());
  h.self = rules.policy->self_edge(h.self, dense);
  if (dense && !rules.fewest_parents) {
    h.parents = held;
    if (held.contains(h.author)) h.self = before;
    return;
  }
  const bool has_own = h.self == before || (dense && held.contains(h.author));
  std::optional<NodeId> anchor;
  if (has_anchor(before)) anchor = ordered_->leader(before);
  if (rules.parents == Parents::kVerifiable) {
    h.sampled_from = held;
    h.parents = sample_parents(h.ref(), held, unique_value_of(*store_, held, before), rules.sample);
  } else {
    h.parents = sampled(h, held, anchor, has_own, dense);
  }
  if (has_own) h.parents.insert(h.author);
  if (anchor && *anchor != h.author && held.contains(*anchor)) h.parents.insert(*anchor);
  // A sample may hit the own vertex: then it is the self edge.
  if (h.parents.contains(h.author)) h.self = before;
}

// A private sample, besides the own vertex and the anchor.
NodeSet Composing::sampled(const Header& h, const NodeSet& held, std::optional<NodeId> anchor,
                           bool has_own, bool dense) const {
  NodeSet others(config_->committee.size());
  held.for_each([&](NodeId id) {
    if (id != h.author && id != anchor && (dense || !bringing_->is_late(id))) others.insert(id);
  });
  std::uint32_t sample = config_->rules.sample;
  if (dense) {
    sample = config_->committee.at_least(config_->rules.dense) - (has_own ? 1 : 0);
    if (anchor && *anchor != h.author && held.contains(*anchor)) --sample;
  }
  return draw(others, sample, seed_, h.round.value);
}

// R1. The latest vertex of each author that the own history lacks.
void Composing::add_stragglers(Header& h) const {
  const bool dense = composes_dense(h.ref());
  const std::uint64_t age = dense ? 2 : kStragglerAge;
  if (h.round.value <= age || (dense && config_->rules.fewest_parents)) return;
  const std::uint64_t depth = config_->gc_depth;
  const std::uint64_t oldest = h.round.value > depth ? h.round.value - depth : 1;
  for (std::uint32_t i = 0; i < config_->committee.size(); ++i) {
    const NodeId author{static_cast<std::uint16_t>(i)};
    if (author == config_->self || h.parents.contains(author)) continue;
    if (!dense && bringing_->is_late(author)) continue;
    if (h.stragglers.size() >= config_->rules.stragglers) break;
    std::uint64_t r = std::min(h.round.value - age, store_->highest_accepted(author).value);
    while (r >= oldest && !store_->accepted({author, Round{r}})) --r;
    if (r < oldest) continue;
    if (!store_->find({author, Round{r}})->in_own_history) {
      h.stragglers.push_back({author, Round{r}});
    }
  }
}

// Returns what enters the own history with the header, the newest first.
std::vector<VertexPtr> Composing::mark_history(const Header& h) {
  std::vector<VertexPtr> entered;
  const Round from{store_->floor().value + 1};
  if (h.round < from) return entered;
  std::vector<NodeSet> todo(h.round.value - from.value + 1);
  add_refs(h, from, todo);
  for (std::size_t i = todo.size(); i-- > 0;) {
    walk(*store_, Round{from.value + i}, todo[i], [&](NodeId, Cell& cell) {
      if (std::exchange(cell.in_own_history, true)) return;
      entered.push_back(cell.vertex);
      add_refs(cell.vertex->header, from, todo);
    });
  }
  return entered;
}

}  // namespace thresher::certified
