#include <algorithm>
#include <map>
#include <optional>

#include "lanes.hpp"
#include "svg.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/sim/report.hpp"

namespace thresher::sim {
namespace {

constexpr double kLane = 36;
constexpr double kWidth = 1100;
using Kind = TraceEvent::Kind;

class Picture {
 public:
  Picture(const Experiment& experiment, const TraceRecorder& trace, std::size_t limit)
      : experiment_(experiment),
        trace_(trace),
        byzantine_(byzantine_nodes(experiment)),
        svg_(kLaneLeft + kWidth + 20, kLaneTop + kLane * experiment.n + 40) {
    std::size_t messages = 0;
    for (const auto& kept : trace.events()) {
      const Kind kind = kept.event.kind;
      if ((kind == Kind::kDeliver || kind == Kind::kDrop) && ++messages > limit) break;
      end_ = std::max(end_, kept.event.at);
      ++shown_;
    }
    messages_ = std::min(messages, limit);
  }

  std::string draw() {
    lanes();
    for (std::size_t i = 0; i < shown_; ++i) {
      if (trace_.events()[i].event.kind == Kind::kSend) {
        sent_[trace_.events()[i].event.number] = i;
      }
    }
    for (std::size_t i = 0; i < shown_; ++i) draw(trace_.events()[i]);
    const std::string caption = "The first " + std::to_string(messages_) + " messages, " +
                                std::to_string(shown_) + " of " + std::to_string(trace_.seen()) +
                                " events, up to " + time_text(experiment_, end_);
    svg_.text(kLaneLeft, kLaneTop + kLane * experiment_.n + 24, caption, "label");
    return svg_.finish("Space-time diagram. " + caption);
  }

 private:
  double x(Ticks at) const {
    return kLaneLeft +
           kWidth * static_cast<double>(at) / static_cast<double>(std::max<Ticks>(end_, 1));
  }
  double y(NodeId id) const { return kLaneTop + kLane * (id.value + 0.5); }
  std::string colour(NodeId id) const {
    return id.value < byzantine_.size() && byzantine_[id.value] ? " byzantine" : "";
  }

  // A lane has a gap where its node is down.
  void lanes() {
    std::vector<std::optional<Ticks>> up(experiment_.n, Ticks{0});
    const auto piece = [&](NodeId id, Ticks from, Ticks to) {
      svg_.line(x(from), y(id), x(to), y(id), "lane" + colour(id));
    };
    for (std::size_t i = 0; i < shown_; ++i) {
      const TraceEvent& e = trace_.events()[i].event;
      if (e.node.value >= experiment_.n) continue;
      auto& since = up[e.node.value];
      if (e.kind == Kind::kCrash && since) {
        piece(e.node, *since, e.at);
        since.reset();
      }
      if (e.kind == Kind::kRestart) since = e.at;
    }
    for (const NodeId id : node_ids(experiment_.n)) {
      if (up[id.value]) piece(id, *up[id.value], end_);
      svg_.text(8, y(id) + 4, node_text(id), "label" + colour(id));
    }
  }

  void draw(const TraceRecorder::Kept& kept) {
    const TraceEvent& e = kept.event;
    const std::string when = time_text(experiment_, e.at);
    const std::string who = node_text(e.node);
    const std::string what = kept.label.empty() ? "" : kept.label + " ";
    switch (e.kind) {
      case Kind::kDeliver:
      case Kind::kDrop:
        return message(kept);
      case Kind::kTimer:
        svg_.line(x(e.at), y(e.node) - 6, x(e.at), y(e.node) + 6, "timer", who + ": timer " + when);
        return;
      case Kind::kDecide:
        svg_.square(x(e.at), y(e.node), 4, "decide",
                    who + " decides " + what + std::to_string(e.round) + ", " + when);
        return;
      case Kind::kCrash:
      case Kind::kRestart:
        svg_.circle(x(e.at), y(e.node), 5, "crash",
                    who + (e.kind == Kind::kCrash ? " stops, " : " is back, ") + when);
        return;
      case Kind::kFault:
        svg_.circle(x(e.at), y(e.node), 4, "fault", who + ": " + what + when);
        return;
      case Kind::kAccuse:
        svg_.cross(x(e.at), y(e.node), 5, "fault",
                   who + " accuses node " + std::to_string(e.peer.value) + ", " + when);
        return;
      case Kind::kSend:
      case Kind::kVertex:
        return;
    }
  }

  void message(const TraceRecorder::Kept& kept) {
    const TraceEvent& e = kept.event;
    const bool lost = e.kind == Kind::kDrop;
    const NodeId from = e.peer;  // a loss, too, is told of the receiver
    const NodeId to = e.node;
    const auto sent = sent_.find(e.number);
    const Ticks begin = sent == sent_.end() ? e.at : trace_.events()[sent->second].event.at;
    const std::string hover = kept.label + " " + std::to_string(e.round) + ": node " +
                              std::to_string(from.value) + " to " + std::to_string(to.value) +
                              ", " + time_text(experiment_, begin) +
                              (lost ? ", lost" : " to " + time_text(experiment_, e.at));
    if (lost) {
      const double middle = (y(from) + y(to)) / 2;
      const double at = x(std::max(begin, e.at));
      svg_.line(x(begin), y(from), at, middle, "message lost" + colour(from), hover);
      svg_.cross(at, middle, 4, "lost", hover);
      return;
    }
    svg_.line(x(begin), y(from), x(e.at), y(to), "message" + colour(from), hover);
    svg_.circle(x(e.at), y(to), 1.5, "arrow" + colour(from));
  }

  const Experiment& experiment_;
  const TraceRecorder& trace_;
  std::vector<bool> byzantine_;
  std::map<std::uint64_t, std::size_t> sent_;  // by message number
  Ticks end_ = 0;
  std::size_t shown_ = 0;
  std::size_t messages_ = 0;
  Svg svg_;
};

}  // namespace

std::string space_time(const Experiment& experiment, const TraceRecorder& trace,
                       std::size_t limit) {
  return Picture(experiment, trace, limit).draw();
}

}  // namespace thresher::sim
