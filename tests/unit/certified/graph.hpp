// Certified DAGs drawn by a scheduler that wants two nodes to order different anchors: no network,
// just the rules, the store and the committer.
//
//   Schedule s = starve(rules, n, seed);           // a list of fault actions
//   if (forks(s)) s = shrunk(s);                   // the fewest that still fork
//
// A graph is what correct nodes would build on a perfect network, changed by fault actions: a
// vertex that is missing, a vote that is withheld, a parent that an anchor leaves out, a self edge
// that a faulty author drops. Nodes 0 to f-1 are the faulty ones. The scheduler is
// the worst one: it gives each anchor the parents whose history misses its target.
#pragma once

#include <algorithm>
#include <vector>

#include "thresher/core/prng.hpp"
#include "thresher/protocols/certified/committer.hpp"
#include "thresher/protocols/certified/policy.hpp"

namespace thresher {

struct FaultAction {
  enum Kind { kSkip, kNoVote, kDrop, kNoSelf };
  Kind kind;
  std::uint16_t author;
  std::uint64_t round;
  std::uint16_t parent = 0;  ///< of kDrop
  friend bool operator==(const FaultAction&, const FaultAction&) = default;
};

struct Schedule {
  certified::Rules rules;
  Committee committee;
  std::uint64_t seed = 0;
  std::uint64_t rounds = 9;
  std::vector<FaultAction> actions;

  bool does(FaultAction::Kind kind, std::uint16_t author, std::uint64_t round,
            std::uint16_t parent = 0) const {
    const FaultAction a{kind, author, round, parent};
    return std::find(actions.begin(), actions.end(), a) != actions.end();
  }
};

/// Builds the graph of a schedule round by round.
class Graph {
 public:
  explicit Graph(const Committee& committee) : store_(committee) {}

  /// The header of `author` under the schedule; empty when it makes none.
  std::optional<certified::Header> header(const Schedule& s, std::uint16_t author,
                                          std::uint64_t r) const {
    const Committee& committee = s.committee;
    if (s.does(FaultAction::kSkip, author, r)) return std::nullopt;
    certified::Header h;
    h.author = NodeId{author};
    h.round = Round{r};
    if (r == 1) return h;
    const bool faulty = author < committee.faults();
    const bool dense = certified::must_be_dense(h.ref(), s.rules, committee);
    const bool no_self = faulty && s.does(FaultAction::kNoSelf, author, r);
    for (std::uint64_t back = r - 1; back > 0 && !no_self && h.self.value == 0; --back) {
      if (store_.accepted({h.author, Round{back}})) h.self = Round{back};
    }
    h.self = s.rules.policy->self_edge(h.self, dense);
    const NodeSet& held = store_.accepted_authors(Round{r - 1}).members();
    if (dense) {
      held.for_each([&](NodeId p) {
        if (p == h.author || !s.does(FaultAction::kDrop, author, r, p.value)) h.parents.insert(p);
      });
      if (h.parents.contains(h.author)) h.self = Round{r - 1};
    } else {
      if (s.rules.sample > 0) {
        NodeSet others;
        held.for_each([&](NodeId p) {
          if (p != h.author) others.insert(p);
        });
        h.parents = certified::draw(others, s.rules.sample, s.seed ^ mix64(author), r);
      }
      const Round before{r - 1};
      if (certified::has_anchor(before)) {
        const NodeId anchor = certified::anchor_of(before, committee);
        const bool votes = !s.does(FaultAction::kNoVote, author, r);
        if (votes && anchor != h.author && held.contains(anchor)) h.parents.insert(anchor);
        // A sample that happens to hit the anchor is a vote; to withhold it, draw another
        // one.
        if (!votes && h.parents.contains(anchor)) h.parents = {};
      }
      if (h.self == before) h.parents.insert(h.author);
    }
    if (certified::flaw_of(h, s.rules, committee, 50) != certified::Flaw::kNone) {
      return std::nullopt;  // nobody would certify it
    }
    return h;
  }
  void add(const certified::Header& h) {
    auto v = std::make_shared<certified::Vertex>();
    v->header = h;
    const certified::Ref ref = v->ref();
    if (store_.insert(std::move(v))) store_.accept(ref);
  }
  /// False when a round has too few vertices for anybody to go on.
  bool build(const Schedule& s) {
    for (std::uint64_t r = store_.top().value + 1; r <= s.rounds; ++r) {
      if (!grow(s, r)) return false;
    }
    return true;
  }
  bool grow(const Schedule& s, std::uint64_t r) {
    std::vector<certified::Header> headers;
    for (std::uint16_t a = 0; a < s.committee.size(); ++a) {
      if (auto h = header(s, a, r)) headers.push_back(std::move(*h));
    }
    for (const auto& h : headers) add(h);
    return headers.size() >= s.committee.at_least(s.rules.complete);
  }
  const certified::Store& store() const { return store_; }

 private:
  certified::Store store_;
};

/// What a node that holds these vertices alone orders.
inline std::vector<std::uint64_t> ordered_by(const certified::Store& view,
                                             const certified::Rules& rules) {
  std::vector<std::uint64_t> out;
  for (const auto& a : certified::commit(view, rules, Round{0})) out.push_back(a.ref.round.value);
  return out;
}

/// The smallest view that commits the anchor of round `r`: its voters and all they stand on.
inline certified::Store view_of(const certified::Store& all, Round r) {
  const Round after{r.value + 1};
  const NodeId anchor = certified::anchor_of(r, all.committee());
  std::vector<NodeSet> needed(after.value, NodeSet(all.committee().size()));
  all.accepted_authors(after).members().for_each([&](NodeId voter) {
    if (!all.find({voter, after})->vertex->header.parents.contains(anchor)) return;
    const auto history = all.history({voter, after}, Round{1});
    for (std::size_t i = 0; i < history.size(); ++i) {
      history[i].for_each([&](NodeId id) { needed[i].insert(id); });
    }
  });
  certified::Store view(all.committee());
  for (std::size_t i = 0; i < needed.size(); ++i) {
    needed[i].for_each([&](NodeId id) {
      const certified::Ref ref{id, Round{i + 1}};
      view.insert(all.find(ref)->vertex);
      view.accept(ref);
    });
  }
  return view;
}

/// True when two views of the graph order different anchors.
inline bool forks(const Schedule& s) {
  Graph graph(s.committee);
  if (!graph.build(s)) return false;
  std::vector<std::uint64_t> longest = ordered_by(graph.store(), s.rules);
  for (Round r{2}; r < graph.store().top(); r.value += 2) {
    if (!graph.store().accepted({certified::anchor_of(r, s.committee), r})) continue;
    auto other = ordered_by(view_of(graph.store(), r), s.rules);
    const std::size_t common = std::min(other.size(), longest.size());
    if (!std::equal(other.begin(), other.begin() + static_cast<std::ptrdiff_t>(common),
                    longest.begin())) {
      return true;
    }
    if (other.size() > longest.size()) longest = std::move(other);
  }
  return false;
}

/// T1 over all pairs of a committed anchor and a later one.
struct Reach {
  std::uint64_t judged = 0;
  std::uint64_t missed = 0;
};
inline Reach reach_of(const Schedule& s) {
  Graph graph(s.committee);
  Reach out;
  if (!graph.build(s)) return out;
  const certified::Store& all = graph.store();
  for (Round a{2}; a < all.top(); a.value += 2) {
    if (all.votes({certified::anchor_of(a, s.committee), a}) < s.committee.at_least(s.rules.commit))
      continue;
    const certified::Ref goal{certified::anchor_of(a, s.committee), a};
    for (Round b{a.value + 2}; b <= all.top(); b.value += 2) {
      const certified::Ref later{certified::anchor_of(b, s.committee), b};
      if (!all.accepted(later)) continue;
      ++out.judged;
      out.missed += all.reaches(later, goal) ? 0 : 1;
    }
  }
  return out;
}

/// The anchor-starving scheduler, with chance in all it does.
inline Schedule starve(const certified::Rules& rules, std::uint32_t n, std::uint64_t seed) {
  Prng random(seed, n);
  Schedule s{rules, *Committee::of(n), seed, 9, {}};
  const std::uint64_t target = 2 + 2 * random.below(2);
  const certified::Ref goal{certified::anchor_of(Round{target}, s.committee), Round{target}};
  Graph graph(s.committee);
  for (std::uint64_t r = 1; r <= s.rounds; ++r) {
    // Just enough votes for the target, those of the faulty first.
    if (r == target + 1) {
      std::vector<std::uint16_t> order;
      for (std::uint16_t i = 0; i < n; ++i) order.push_back(i);
      for (std::size_t k = n; k > s.committee.faults() + 1; --k) {
        const std::uint64_t span = k - s.committee.faults();
        std::swap(order[k - 1], order[s.committee.faults() + random.below(span)]);
      }
      for (std::size_t i = s.committee.at_least(rules.commit); i < n; ++i) {
        s.actions.push_back({FaultAction::kNoVote, order[i], r});
      }
    }
    // The faulty forget their vertices of the round of votes, sooner or later.
    for (std::uint16_t b = 0; b < s.committee.faults(); ++b) {
      if (r > target + 1 && random.below(4) != 0) s.actions.push_back({FaultAction::kNoSelf, b, r});
    }
    if (certified::has_anchor(Round{r}) && r > target) {
      const std::uint16_t anchor = certified::anchor_of(Round{r}, s.committee).value;
      const NodeSet held = graph.store().accepted_authors(Round{r - 1}).members();
      std::uint32_t spare = held.size() > s.committee.at_least(rules.dense)
                                ? held.size() - s.committee.at_least(rules.dense)
                                : 0;
      held.for_each([&](NodeId p) {
        if (spare == 0 || !graph.store().reaches({p, Round{r - 1}}, goal)) return;
        if (p.value == anchor) return;
        --spare;
        s.actions.push_back({FaultAction::kDrop, anchor, r, p.value});
      });
      // An anchor that reaches the target all the same would spread it: it is starved altogether.
      const auto h = graph.header(s, anchor, r);
      bool reaches = false;
      if (h) {
        certified::each_ref(*h, [&](const certified::Ref& p) {
          reaches = reaches || graph.store().reaches(p, goal);
          return !reaches;
        });
      }
      if (reaches && random.below(3) != 0) s.actions.push_back({FaultAction::kSkip, anchor, r});
    }
    if (!graph.grow(s, r)) break;
  }
  return s;
}

/// The same schedule without the actions that the fork can do without.
inline Schedule shrunk(Schedule s) {
  for (std::size_t i = s.actions.size(); i-- > 0;) {
    Schedule fewer = s;
    fewer.actions.erase(fewer.actions.begin() + static_cast<std::ptrdiff_t>(i));
    if (forks(fewer)) s = std::move(fewer);
  }
  return s;
}

}  // namespace thresher
