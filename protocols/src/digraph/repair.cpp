#include "thresher/protocols/digraph/repair.hpp"

#include <algorithm>

namespace thresher::digraph {
namespace {

class Search {
 public:
  Search(Digraph graph, std::uint32_t faults, Condition condition, std::uint64_t checks)
      : graph_(std::move(graph)), faults_(faults), condition_(condition), checks_left_(checks) {}

  bool gave_up() const { return checks_left_ == 0; }

  /// Whether `left` more edges can do; they are in `edges` then.
  bool mends(std::uint32_t left, Edges& edges) {
    if (gave_up()) return false;
    --checks_left_;
    const auto breach = condition_ == Condition::kSynchronous
                            ? synchronous_breach(graph_, faults_)
                            : asynchronous_breach(graph_, faults_);
    if (!breach) return true;
    if (left == 0) return false;
    for (const auto& [from, to] : candidates(*breach)) {
      graph_.add(from, to);
      edges.emplace_back(from, to);
      if (mends(left - 1, edges)) return true;
      edges.pop_back();
      graph_.remove(from, to);
    }
    return false;
  }

 private:
  // Only an edge into a source, from outside it, changes what the source is.
  Edges candidates(const Witness& w) const {
    Edges out;
    const auto into = [&](Mask source, Mask faulty) {
      for_each(graph_.all() & ~faulty & ~source, [&](std::uint32_t from) {
        for_each(source, [&](std::uint32_t to) {
          out.emplace_back(NodeId{static_cast<std::uint16_t>(from)},
                           NodeId{static_cast<std::uint16_t>(to)});
        });
      });
    };
    into(w.source_a, w.a);
    if (w.source_b != 0) into(w.source_b, w.breach == Breach::kFewCommon ? w.b : w.a);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  Digraph graph_;
  std::uint32_t faults_;
  Condition condition_;
  std::uint64_t checks_left_;
};

}  // namespace

Result<std::optional<Edges>> repair(Digraph graph, std::uint32_t faults, Condition condition,
                                    const RepairLimits& limits) {
  Search search(std::move(graph), faults, condition, limits.most_checks);
  for (std::uint32_t k = 0; k <= limits.most_edges; ++k) {
    Edges edges;
    if (search.mends(k, edges)) return std::optional(std::move(edges));
    if (search.gave_up()) return Errc::kQuotaExceeded;
  }
  return std::optional<Edges>();
}

}  // namespace thresher::digraph
