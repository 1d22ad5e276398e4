#include "shape.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "committer.hpp"
#include "thresher/protocols/dag/policy.hpp"
#include "thresher/protocols/payload_limit.hpp"

namespace thresher::dag {

// N4, U1: it names blocks of the last round by a quorum of authors.
bool dense(const Header& h, const Judge& judge) {
  const std::uint64_t r = h.round.value;
  const Committee& committee = judge.committee;
  std::uint32_t parents = h.self.round.value + 1 == r ? 1 : 0;
  if (h.packed) {
    parents += h.packed->authors.size();
    if (h.packed->members != committee.size() || h.packed->authors.contains(h.author)) return false;
  }
  const auto before = [&](const Edge& a, const Edge& b) {
    return std::tuple(a.round.value + 1 != r, a.author) <
           std::tuple(b.round.value + 1 != r, b.author);
  };
  if (!std::is_sorted(h.refs.begin(), h.refs.end(), before)) return false;
  for (const Edge& e : h.refs) {
    if (!committee.contains(e.author)) return false;
    if (e.round.value == 0 || e.round.value >= r) return false;
    if (e.round.value + judge.gc_depth < r) return false;
    if (e.round.value + 1 == r && h.packed) return false;
    parents += e.round.value + 1 == r ? 1 : 0;
  }
  return parents >= committee.at_least(judge.rules.dense) &&
         judge.rules.policy->each_author_once(h);
}

// N1 to N4 and N7, as far as a block shows them by itself.
bool well_formed(const Block& block, const Judge& judge) {
  const Header& h = block.header;
  const std::uint64_t r = h.round.value;
  const Committee& committee = judge.committee;
  const Rules& rules = judge.rules;
  if (!committee.contains(h.author) || r == 0 || h.self.round.value >= r) return false;
  if (h.payload_bytes > kMostPayloadBytes) return false;
  if ((h.self.round.value == 0) != h.self.digest.is_zero()) return false;
  const bool sparse = rules.edges == Edges::kSparse;
  if (h.vote && (!sparse || r < 2)) return false;
  if (h.claim && (!sparse || r < 3)) return false;
  // No block has the digest of zeros: in questions for evidence it stands for a KILL.
  if (rules.two_delays && ((h.vote && h.vote->is_zero()) || (h.claim && h.claim->is_zero())))
    return false;
  if (h.kill && (!rules.two_delays || r < 3 || h.claim)) return false;  // T3
  // One way to say it: an author is named only when it is not the one whose turn it was.
  const auto named = [&](const std::optional<NodeId>& author, bool present, std::uint64_t back) {
    return !author || (present && rules.reputation() && committee.contains(*author) &&
                       *author != leader_of(Round{r - back}, committee));
  };
  if (!named(h.vote_author, h.vote.has_value(), 1)) return false;
  if (!named(h.claim_author, h.claim.has_value(), 2)) return false;
  const bool bare = h.refs.empty() && !h.packed;
  if (sparse && rules.reputation()) {
    // The slot's owner follows from decisions that this node may not have made yet.
    return bare || (r >= 2 && dense(h, judge));
  }
  if (r >= 2 && (!sparse || leader_of(h.round, committee) == h.author)) return dense(h, judge);
  return bare;
}

ShapePtr make_shape(const Block& block, const Judge& judge,
                    const std::function<std::shared_ptr<const NamesOf>(Round)>& names_of) {
  const std::uint32_t n = judge.committee.size();
  auto shape = std::make_shared<Shape>();
  shape->well_formed = well_formed(block, judge);
  shape->dense = dense(block.header, judge);
  auto& lines = shape->line_of_round;
  shape->in_use = std::min<std::uint64_t>(Shape::kLines, block.round().value);
  for (std::size_t i = 0; i < shape->in_use; ++i) {
    const Round round{block.round().value - i - 1};
    lines[i] = {round, Row(n), names_of(round)};
  }
  // The line on which an edge is a bit, if it is.
  const auto line_of = [&](const Edge& e) -> Line* {
    const std::uint64_t down = block.round().value - e.round.value;
    if (down == 0 || down > shape->in_use || e.author.value >= n) return nullptr;
    Line& line = lines[down - 1];
    const NamesOf::Named* named = line.names ? &line.names->of[e.author.value] : nullptr;
    return named != nullptr && named->taken && named->digest == e.digest ? &line : nullptr;
  };
  // If it refers to an author's twins, both stay in the list, so that the first is the first.
  std::set<std::pair<Round, NodeId>> unnamed;
  each_edge(block, judge.committee, [&](const Edge& e) {
    if (line_of(e) == nullptr) unnamed.emplace(e.round, e.author);
    return true;
  });
  each_edge(block, judge.committee, [&](const Edge& e) {
    Line* line = line_of(e);
    if (line != nullptr && (unnamed.empty() || !unnamed.contains({e.round, e.author}))) {
      line->authors.insert(e.author);
    } else {
      shape->others.push_back(e);
    }
    return true;
  });
  while (shape->in_use > 1 && lines[shape->in_use - 1].authors.empty()) lines[--shape->in_use] = {};
  return shape;
}

std::shared_ptr<NamesOf> Names::find(Round round) const {
  const auto it = rounds_.find(round);
  return it == rounds_.end() ? nullptr : it->second.lock();
}

std::shared_ptr<NamesOf> Names::at(Round round) {
  if (auto known = find(round)) return known;
  if (rounds_.size() >= swept_at_) {
    std::erase_if(rounds_, [](const auto& entry) { return entry.second.expired(); });
    swept_at_ = 2 * rounds_.size() + kLeastSwept;
  }
  auto fresh = std::make_shared<NamesOf>();
  fresh->of.resize(members_);
  rounds_[round] = fresh;
  return fresh;
}

std::shared_ptr<Names> make_names(const Committee& committee) {
  return std::make_shared<Names>(committee.size());
}

}  // namespace thresher::dag
