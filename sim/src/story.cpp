#include "thresher/sim/story.hpp"

#include <algorithm>

namespace thresher::sim {
namespace {

std::string node(NodeId id) {
  return "node " + std::to_string(id.value);
}

std::string message(std::string_view label, const TraceEvent& e) {
  return std::string(label) + " of " + std::to_string(e.round);
}

// A broadcast names what it decides by whose message it is and which of theirs (`round`), 48 bits.
std::string decided(const TraceEvent& e) {
  constexpr std::uint64_t kNumber = (std::uint64_t{1} << 48) - 1;
  const std::uint64_t origin = e.number >> 48;
  if (origin == 0 || (e.number & kNumber) != e.round) return std::to_string(e.number);
  return std::to_string(e.round) + " of node " + std::to_string(origin);
}

}  // namespace

Story::Story(Line line, const StoryOptions& options) : line_(std::move(line)), options_(options) {
  if (options_.experiment == nullptr) return;
  const Experiment& e = *options_.experiment;
  const auto is_twin = [&](NodeId id) {
    return std::any_of(e.faults.begin(), e.faults.end(), [id](const FaultAction& fault) {
      return fault.what == FaultKind::kTwins &&
             std::find(fault.who.begin(), fault.who.end(), id) != fault.who.end();
    });
  };
  for (std::uint32_t i = 0; i < e.n; ++i) {
    const NodeId id{static_cast<std::uint16_t>(i)};
    faces_.insert(faces_.end(), is_twin(id) ? 2 : 1, id);
  }
}

bool Story::wanted(const TraceEvent& e) const {
  if (options_.node && e.node != *options_.node && e.peer != *options_.node) return false;
  return options_.about.empty() || e.label == options_.about;
}

// TraceEvent::number of a message is (its number * faces + the sending face) * n + its receiver.
std::string Story::sender(const TraceEvent& e) const {
  const NodeId id = e.kind == TraceEvent::Kind::kSend ? e.node : e.peer;
  if (faces_.empty()) return node(id);
  const std::size_t face = e.number / options_.experiment->n % faces_.size();
  const bool second = face > 0 && faces_[face] == id && faces_[face - 1] == id;
  return node(id) + (second ? " (second face)" : "");
}

std::string Story::words(const TraceEvent& e) const {
  using Kind = TraceEvent::Kind;
  const std::string label(e.label);
  switch (e.kind) {
    case Kind::kSend:
    case Kind::kVertex:
      return {};  // sends are collected; a vertex is a block that is sent as well
    case Kind::kDeliver:
      return node(e.node) + " takes " + message(label, e) + " from " + sender(e) + " (message " +
             std::to_string(e.count) + ")";
    case Kind::kDrop:
      return message(label, e) + " from " + sender(e) + " to " + node(e.node) +
             " is lost: " + std::string(e.detail);
    case Kind::kTimer:
      return node(e.node) + ": a timer fires";
    case Kind::kDecide:
      return node(e.node) + " decides: " + label + " " + decided(e) +
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

void Story::say(Ticks at, const std::string& what) {
  const std::string line = "[" + in_units(at) + "] " + what;
  const std::size_t head = options_.most_lines / 4;
  if (options_.most_lines == 0 || told_ < head) {
    ++told_;
    return line_(line);
  }
  tail_.push_back(line);
  if (tail_.size() <= options_.most_lines - head) return;
  tail_.pop_front();
  ++cut_;
}

bool Story::joins(const TraceEvent& e) const {
  return !receivers_.empty() && e.kind == TraceEvent::Kind::kSend && e.at == sending_.at &&
         e.node == sending_.node && e.count == sending_.count && sender(e) == sender(sending_) &&
         e.label == label_ && e.round == sending_.round;
}

void Story::end() {
  tell_sending();
  if (cut_ > 0)
    line_("... " + std::to_string(cut_) + " lines are left out here; " + options_.all_by +
          " prints all ...");
  for (const std::string& line : tail_) line_(line);
  tail_.clear();
  cut_ = 0;
}

void Story::tell_sending() {
  if (receivers_.empty()) return;
  say(sending_.at, sender(sending_) + " ->" + receivers_ + ": " + message(label_, sending_) +
                       " (message " + std::to_string(sending_.count) + ", " +
                       std::to_string(sending_.bytes) + " bytes)");
  receivers_.clear();
}

void Story::event(const TraceEvent& e) {
  if (!joins(e)) tell_sending();
  if (!wanted(e)) return;
  if (e.at > options_.until) {
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
