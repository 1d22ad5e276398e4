#include "thresher/sim/story.hpp"

namespace thresher::sim {
namespace {

std::string node(NodeId id) {
  return "node " + std::to_string(id.value);
}

std::string message(std::string_view label, const TraceEvent& e) {
  return std::string(label) + " of " + std::to_string(e.round);
}

std::string words(const TraceEvent& e) {
  using Kind = TraceEvent::Kind;
  const std::string label(e.label);
  switch (e.kind) {
    case Kind::kSend:
    case Kind::kVertex:
      return {};  // sends are collected; a vertex is a block that is sent as well
    case Kind::kDeliver:
      return node(e.node) + " takes " + message(label, e) + " from " + node(e.peer) + " (message " +
             std::to_string(e.count) + ")";
    case Kind::kDrop:
      return message(label, e) + " from " + node(e.peer) + " to " + node(e.node) +
             " is lost: " + std::string(e.detail);
    case Kind::kTimer:
      return node(e.node) + ": a timer fires";
    case Kind::kDecide:
      return node(e.node) + " decides: " + label + " " + std::to_string(e.number) +
             (e.detail.empty() ? "" : ", leader block " + std::string(e.detail));
    case Kind::kCrash:
      return node(e.node) + " goes down (" + label + ")";
    case Kind::kRestart:
      return node(e.node) + " is back";
    case Kind::kFault:
      return "fault `" + label + "` fires at " + node(e.node) + ", against " + node(e.peer);
    case Kind::kAccuse:
      return node(e.node) + " accuses " + node(e.peer);
  }
  return {};
}

}  // namespace

void Story::say(Ticks at, const std::string& what) {
  line_("[" + in_units(at) + "] " + what);
}

bool Story::joins(const TraceEvent& e) const {
  return !receivers_.empty() && e.kind == TraceEvent::Kind::kSend && e.at == sending_.at &&
         e.node == sending_.node && e.count == sending_.count && e.label == label_ &&
         e.round == sending_.round;
}

void Story::end() {
  if (receivers_.empty()) return;
  say(sending_.at, node(sending_.node) + " ->" + receivers_ + ": " + message(label_, sending_) +
                       " (message " + std::to_string(sending_.count) + ", " +
                       std::to_string(sending_.bytes) + " bytes)");
  receivers_.clear();
}

void Story::event(const TraceEvent& e) {
  if (!joins(e)) end();
  if (e.at > until_) {
    ++left_out_;
    return;
  }
  if (e.kind == TraceEvent::Kind::kSend) {
    sending_ = e;
    label_ = e.label;  // the event's texts live only as long as the call
    sending_.label = {};
    sending_.detail = {};
    receivers_ += " " + std::to_string(e.peer.value);
    return;
  }
  const std::string what = words(e);
  if (!what.empty()) say(e.at, what);
}

}  // namespace thresher::sim
