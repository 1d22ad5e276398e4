// What a kind of fault is called, what it means, and which keys of a file go with it: one row a
// kind, and the only place that lists them.
//
//   const FaultTraits& t = traits_of(FaultKind::kFlood);
//   if (!t.takes.copies) fields.wrong("copies", ...);
//
// A new kind is an enumerator of FaultKind and a row here; what it does to a message or to a node
// is a case in world/ (the compiler names the switches). Guarantees: one row for every enumerator,
// in its order. Private to sim/.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "thresher/sim/experiment.hpp"
#include "thresher/sim/names.hpp"

namespace thresher::sim {

/// What a fault does to the count of the faulty.
enum class Blame : std::uint8_t {
  kLiar,     ///< one of the f, and not to be believed
  kStopped,  ///< one of the f; what it said before counts
  kNobody,   ///< the network's, or a correct node's restart
};

/// What `field` says in an action of that kind.
enum class FieldMeans : std::uint8_t {
  kNothing,
  kField,   ///< a field of the protocol's messages
  kLabel,   ///< the label of messages, such as give
  kMoment,  ///< what the node has just vouched for
};

struct FaultTraits {
  FaultKind kind;
  Name name;
  Blame blame = Blame::kLiar;
  bool goes_down = false;  ///< the node stops
  struct Takes {
    bool delay = false;
    bool copies = false;
    bool late = false;
    bool group = false;
    bool numbers = true;  ///< it is about messages that the node sends, or hears if it forges
    FieldMeans field = FieldMeans::kNothing;
  } takes{};
  /// What a file must say besides `what`.
  struct Needs {
    bool who = true;
    bool group = false;
    bool to = false;
    bool delay = false;
    bool copies = false;
  } needs{};
};

std::span<const FaultTraits> fault_kinds();
const FaultTraits& traits_of(FaultKind kind);
/// "equivocate, mutate or forge": the kinds of which `is` is true, for messages.
std::string kinds_where(bool (*is)(const FaultTraits&));

}  // namespace thresher::sim
