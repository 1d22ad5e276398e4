#include "thresher/protocols/digraph/repair.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace thresher::digraph {
namespace {

class Search {
 public:
  Search(Digraph graph, std::uint32_t faults, Condition condition, const RepairLimits& limits)
      : graph_(std::move(graph)),
        faults_(faults),
        condition_(condition),
        checks_left_(limits.most_checks),
        sets_left_(limits.most_sets) {}

  bool gave_up() const { return checks_left_ == 0 || sets_left_ == 0; }

  /// Whether `left` more edges can do; they are in `edges` then.
  bool mends(std::uint32_t left, Edges& edges) {
    if (gave_up()) return false;
    --sets_left_;
    const auto breach = any_breach();
    if (!breach) return true;
    if (left == 0 || gave_up()) return false;
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
  // Most sets of edges leave a breach as it is that another set met: to see that is a thousand
  // times cheaper than to look for one.
  std::optional<Witness> any_breach() {
    const auto last = std::find_if(met_.rbegin(), met_.rend(),
                                   [&](const Witness& w) { return is_breach_still(w); });
    if (last != met_.rend()) return *last;
    --checks_left_;
    auto breach = condition_ == Condition::kSynchronous ? synchronous_breach(graph_, faults_)
                                                        : asynchronous_breach(graph_, faults_);
    if (breach) met_.push_back(*breach);
    return breach;
  }
  // Sets into which nothing leads contain source components, so if they are too small, or too far
  // apart, those are.
  bool is_breach_still(const Witness& w) const {
    if (leads_into(w.source_a, w.a)) return false;
    return w.source_b == 0 || !leads_into(w.source_b, faulty_of_b(w));
  }
  bool leads_into(Mask source, Mask faulty) const {
    bool leads = false;
    for_each(graph_.all() & ~faulty & ~source, [&](std::uint32_t from) {
      leads = leads || (graph_.out(NodeId{static_cast<std::uint16_t>(from)}) & source) != 0;
    });
    return leads;
  }
  static Mask faulty_of_b(const Witness& w) { return w.breach == Breach::kFewCommon ? w.b : w.a; }

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
    if (w.source_b != 0) into(w.source_b, faulty_of_b(w));
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  Digraph graph_;
  std::uint32_t faults_;
  Condition condition_;
  std::uint64_t checks_left_;
  std::uint64_t sets_left_;
  std::vector<Witness> met_;
};

}  // namespace

Result<std::optional<Edges>> repair(Digraph graph, std::uint32_t faults, Condition condition,
                                    const RepairLimits& limits) {
  Search search(std::move(graph), faults, condition, limits);
  for (std::uint32_t k = 0; k <= limits.most_edges; ++k) {
    Edges edges;
    if (search.mends(k, edges)) return std::optional(std::move(edges));
    if (search.gave_up()) return Errc::kQuotaExceeded;
  }
  return std::optional<Edges>();
}

}  // namespace thresher::digraph
