// How long vertices of a DAG are on their way into the order.
//
//   VertexTimes times(n);
//   times.sent({author, round}, now);                  // at every message that is a vertex's first
//   times.outputs(node, now);                           // a node orders some ...
//   times.ordered({author, round}, now);               // ... and these they are
//   times.tell(outcome);
//
// Guarantees: what Outcome::vertices and the three fields after it promise.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "thresher/sim/outcome.hpp"
#include "thresher/sim/subject.hpp"

namespace thresher::sim {

class VertexTimes {
 public:
  explicit VertexTimes(std::uint32_t n) : n_(n), paced_(n) {}

  void sent(const VertexName& name, Ticks now) {
    if (births_.size() <= name.round) births_.resize(name.round + 1);
    auto& of_round = births_[name.round];
    if (of_round.empty()) of_round.assign(n_, kNever);
    Ticks& birth = of_round[name.author.value];
    birth = std::min(birth, now);
  }
  void outputs(NodeId id, Ticks now) {
    Paced& paced = paced_[id.value];
    first_ = !std::exchange(paced.any, true);
    if (first_) paced.first = now;
    paced.last = now;
  }
  /// By the node that outputs() named last.
  void ordered(const VertexName& name, Ticks now) {
    if (name.round >= births_.size() || births_[name.round].empty()) return;
    const Ticks birth = births_[name.round][name.author.value];
    if (birth == kNever) return;
    ++vertices_;
    ticks_ += now - birth;
    paced_vertices_ += first_ ? 0 : 1;
  }
  void tell(Outcome& out) const {
    out.vertices = vertices_;
    out.vertex_ticks = ticks_;
    out.paced_vertices = paced_vertices_;
    for (const Paced& paced : paced_) out.paced_ticks += paced.last - paced.first;
  }

 private:
  struct Paced {
    bool any = false;
    Ticks first = 0;
    Ticks last = 0;
  };
  static constexpr Ticks kNever = ~Ticks{0};

  std::uint32_t n_;
  std::vector<std::vector<Ticks>> births_;  // by round and author
  std::vector<Paced> paced_;                // by node
  bool first_ = false;                      // the output at hand is its node's first
  std::uint64_t vertices_ = 0;
  Ticks ticks_ = 0;
  std::uint64_t paced_vertices_ = 0;
};

}  // namespace thresher::sim
