#include "missing.hpp"

#include <algorithm>

#include "pull_timer.hpp"
#include "thresher/core/assert.hpp"

namespace thresher::certified {
namespace {

/// Others that named a vertex are asked this far apart, and so many of them.
constexpr std::uint32_t kTicksPerNamer = 2;
constexpr std::uint32_t kNamersAsked = 4;

/// The nodes that a question goes to: places in a line of all, from `first` on.
struct Turn {
  std::uint32_t first = 0;
  std::uint32_t size = 1;
};

// One is asked, then two, then four, ...: some of those who could answer stay silent, and nobody
// knows which.
Turn turn_of(std::uint32_t turn, std::uint32_t most) {
  Turn out;
  for (; turn > 0 && out.size < most; --turn) {
    out.first += out.size;
    out.size = std::min(out.size * 2, most);
  }
  out.first += turn * out.size;
  return out;
}

}  // namespace

// A header of a large committee may name more than the limit all alone.
MissingVertices::MissingVertices(const Committee& committee, NodeId self, std::uint32_t most)
    : self_(self),
      members_(committee.size()),
      most_(most + members_),
      most_asked_(committee.at_least(kValidity)),
      charged_(members_),
      filled_at_(members_) {}

// R8
bool MissingVertices::need(const Ref& ref, NodeId who, bool certified) {
  if (const auto it = missing_.find(ref); it != missing_.end()) {
    Missing& known = it->second;
    note_namer(ref, known, who);
    known.forgotten_at = known.ticks + kTicksForProposals;
    if (!certified || known.certified) return true;
    discharge(known.needed_by);
    known.certified = true;
    return true;
  }
  if (!certified) {
    if (charged_[who.value] >= most_) return false;
    ++charged_[who.value];
  }
  missing_.emplace(
      ref, Missing{.needed_by = who, .certified = certified, .forgotten_at = kTicksForProposals});
  return true;
}

void MissingVertices::discharge(NodeId who) {
  THRESHER_ASSERT(charged_[who.value] > 0, "what only a header names was charged once");
  --charged_[who.value];
}

void MissingVertices::drop(const Ref& ref) {
  const auto it = missing_.find(ref);
  if (!it->second.certified) discharge(it->second.needed_by);
  missing_.erase(it);
}

// R11
void MissingVertices::found(const Ref& ref) {
  const auto it = missing_.find(ref);
  if (it == missing_.end()) return;
  if (it->second.ticks > 0 && !it->second.pushed) on_trial_.insert(ref);
  drop(ref);
}

// R11
void MissingVertices::pushed(const Ref& ref) {
  on_trial_.erase(ref);
  longer_.erase(ref);
  if (const auto it = missing_.find(ref); it != missing_.end()) it->second.pushed = true;
}

void MissingVertices::forget(Round floor) {
  std::erase_if(missing_, [&](const auto& entry) {
    if (entry.first.round > floor) return false;
    if (!entry.second.certified) discharge(entry.second.needed_by);
    return true;
  });
}

bool MissingVertices::exists(const Ref& ref) const {
  const auto it = missing_.find(ref);
  return it != missing_.end() && it->second.certified;
}

// A node that names a vertex holds it.
void MissingVertices::note_namer(const Ref& ref, Missing& known, NodeId who) const {
  const bool of_use = who != known.needed_by && who != ref.author && who != self_;
  if (!of_use || known.named_by >= kNamersAsked) return;
  if (std::find(known.namers.begin(), known.namers.end(), who) != known.namers.end()) return;
  ++known.named_by;
  known.namers.push_back(who);
}

// Counts the tick.
bool MissingVertices::given_up(Missing& one) {
  return one.ticks++ >= one.forgotten_at && !one.certified;
}

// R8: first whoever needed it, then its author, then everybody in turn, more of them each time.
// Besides these turns one that named the vertex after another, a Delta apart; at once when so far
// only its author could be asked.
std::vector<NodeId> MissingVertices::asked_now(const Ref& ref, Missing& one,
                                               std::uint32_t now) const {
  std::vector<NodeId> out;
  const std::uint32_t tick = one.ticks - 1;
  if (tick == 0 && one.needed_by != ref.author) one.next_namer = one.ticks + kTicksPerNamer;
  const bool only_author = one.needed_by == ref.author && one.next_namer == 0;
  if (!one.namers.empty() && (one.ticks >= one.next_namer || only_author)) {
    out.push_back(one.namers.front());
    one.namers.erase(one.namers.begin());
    one.next_namer = one.ticks + kTicksPerNamer;
  }
  if (tick % kTicksPerAnswer != 0) return out;
  const std::uint32_t first = one.needed_by.value;
  // A full answer was cut: there is more where it came from.
  const bool more = one.turn == 1 && filled_at_[first] + kTicksPerAnswer > now;
  const Turn turn = turn_of(more ? 0 : one.turn++, most_asked_);
  for (std::uint32_t k = turn.first; k < turn.first + turn.size; ++k) {
    const std::uint32_t place = k % (members_ + 1);
    const std::uint32_t who =
        place == 1 ? ref.author.value : (first + (place > 1 ? place - 1 : 0)) % members_;
    out.push_back(NodeId{static_cast<std::uint16_t>(who)});
  }
  return out;
}

}  // namespace thresher::certified
