#include "fault_kinds.hpp"

#include <array>
#include <vector>

#include "thresher/core/assert.hpp"

namespace thresher::sim {
namespace {

using enum FaultKind;

constexpr FaultTraits kRows[] = {
    {.kind = kSilent, .name = {"silent", "sends nothing"}},
    {.kind = kCrash,
     .name = {"crash", "stops at `from`, restarts at `to` with what its disk holds"},
     .blame = Blame::kStopped,
     .goes_down = true,
     .takes = {.numbers = false}},
    {.kind = kAmnesia,
     .name = {"amnesia", "crashes and restarts with an empty disk"},
     .goes_down = true,
     .takes = {.numbers = false}},
    {.kind = kDelay,
     .name = {"delay", "holds its messages back by `delay`"},
     .takes = {.delay = true},
     .needs = {.delay = true}},
    {.kind = kDrop, .name = {"drop", "its messages vanish"}},
    {.kind = kEquivocate,
     .name = {"equivocate", "two faces to two groups, by changing a declared field"},
     .takes = {.group = true, .field = FieldMeans::kField}},
    {.kind = kTwins,
     .name = {"twins", "two honest faces with one key, each shown to one group"},
     .takes = {.group = true}},
    {.kind = kWithhold, .name = {"withhold", "its messages reach exactly f+1 correct nodes"}},
    {.kind = kSelective,
     .name = {"selective", "its messages reach `group` only"},
     .takes = {.group = true, .field = FieldMeans::kLabel},
     .needs = {.group = true}},
    {.kind = kReplay, .name = {"replay", "sends old messages again"}},
    {.kind = kStale, .name = {"stale", "answers with messages of earlier rounds"}},
    {.kind = kFlood,
     .name = {"flood", "sends `copies` of its messages, and junk"},
     .takes = {.copies = true},
     .needs = {.copies = true}},
    {.kind = kMutate,
     .name = {"mutate", "small-scope mutation of one field (ByzzFuzz)"},
     .takes = {.field = FieldMeans::kField}},
    {.kind = kForge,
     .name = {"forge", "signs proposals of its own making instead of its own, for whom it likes"},
     .takes = {.late = true, .group = true, .field = FieldMeans::kField}},
    {.kind = kStarve,
     .name = {"starve",
              "network: messages of `who` (absent: of leaders) come as late as allowed, or `delay` "
              "later"},
     .blame = Blame::kNobody,
     .takes = {.delay = true, .group = true, .field = FieldMeans::kLabel},
     .needs = {.who = false}},
    {.kind = kNoShare, .name = {"no-share", "withholds its coin shares"}},
    {.kind = kRestart,
     .name = {"restart", "a correct node stops at `from` and is back at `to`: none of the f"},
     .blame = Blame::kNobody,
     .goes_down = true,
     .takes = {.numbers = false, .field = FieldMeans::kMoment},
     .needs = {.to = true}},
    {.kind = kDeny,
     .name = {"deny", "leaves questions (of `group`) unanswered"},
     .takes = {.group = true, .field = FieldMeans::kLabel}},
    {.kind = kDeaf,
     .name = {"deaf", "takes no messages (of `group`)"},
     .takes = {.group = true, .numbers = false, .field = FieldMeans::kLabel}},
    {.kind = kStuff,
     .name = {"stuff", "fills memory with messages of every type, all of it made up"},
     .takes = {.numbers = false}},
    {.kind = kMimic,
     .name = {"mimic",
              "says to correct nodes (of `group`) what they say, as its own and in its place"},
     .takes = {.group = true, .numbers = false, .field = FieldMeans::kLabel}},
};
static_assert(std::size(kRows) == kFaultKinds);

constexpr bool in_order() {
  for (std::size_t k = 0; k < std::size(kRows); ++k) {
    if (kRows[k].kind != static_cast<FaultKind>(k)) return false;
  }
  return true;
}
static_assert(in_order(), "rows are found by their place");

constexpr auto kNames = [] {
  std::array<Name, kFaultKinds> out{};
  for (std::size_t k = 0; k < kFaultKinds; ++k) out[k] = kRows[k].name;
  return out;
}();

}  // namespace

std::span<const FaultTraits> fault_kinds() {
  return kRows;
}

const FaultTraits& traits_of(FaultKind kind) {
  const auto at = static_cast<std::size_t>(kind);
  THRESHER_ASSERT(at < kFaultKinds, "every kind has a row");
  return kRows[at];
}

std::string kinds_where(bool (*is)(const FaultTraits&)) {
  std::vector<std::string_view> names;
  for (const FaultTraits& t : kRows) {
    if (is(t)) names.push_back(t.name.name);
  }
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 == names.size() ? " or " : ", ";
    out += names[i];
  }
  return out;
}

template <>
std::span<const Name> names_of<FaultKind>() {
  return kNames;
}

}  // namespace thresher::sim
