// Imbs and Raynal's reliable broadcast: two delays and n^2 messages, for n > 5f.
//
//   ImbsRaynal node({.committee = *Committee::make(6, 1), .self = NodeId{0}});
//   static_assert(broadcast::Broadcast<ImbsRaynal>);
//
// Bracha's machine (bracha.hpp: room, repetition, forgetting, payloads asked for) with
// another rule table, which is proved for every n as Bracha's is: a node witnesses the first
// payload that the origin shows it; n-2f witnesses make everybody join; n-f deliver. A node says at
// most two values: what it witnessed, and what it joined. Correct nodes join one value only: n-2f
// senders of it hold n-3f correct witnesses, and n > 5f leaves too few for another.
// Pre: n > 5f; with fewer nodes agreement fails. Guarantees: those of broadcast.hpp.
// Source: Imbs, Raynal, "Trading off t-resilience for efficiency in asynchronous Byzantine reliable
// broadcast" (Parallel Processing Letters 26, 2016), figure 1.
#pragma once

#include "thresher/protocols/broadcast/bracha.hpp"

namespace thresher {

namespace imbs_raynal {

enum Location : std::uint8_t { kIdle, kWitnessed, kJoined, kDelivered };
enum Counter : std::uint8_t { kWitness, kJoin };

inline constexpr LocationInfo kLocations[] = {
    {"S", true, false}, {"W", true, false}, {"J", false, true}, {"D", false, true}};
inline constexpr std::string_view kCounters[] = {"witness", "join"};
/// The paper has one message WITNESS; a node that says it a second time, because others did, says
/// it here by another counter. Both count as one.
inline constexpr Rule kRules[] = {
    {"witness", kIdle, kWitnessed, {}, Say{kWitness, Value::kInput}},
    {"join", kWitnessed, kJoined, Guard{kWitness, kCorrectHeard, kJoin},
     Say{kJoin, Value::kCounted, true}},
    {"join before input", kIdle, kJoined, Guard{kWitness, kCorrectHeard, kJoin},
     Say{kJoin, Value::kCounted}},
    {"deliver", kJoined, kDelivered, Guard{kWitness, kAvailability, kJoin}, {}},
};
inline constexpr RuleTable kTable{"imbs-raynal", kLocations, kCounters, kRules, 5};
static_assert(well_formed(kTable));

}  // namespace imbs_raynal

class ImbsRaynal : public Bracha {
 public:
  static constexpr std::string_view kName = "imbs-raynal";
  static constexpr std::uint32_t kNodesPerFault = 5;

  explicit ImbsRaynal(const Config& config) : Bracha(on_its_table(config)) {}

 private:
  // A test's own table stays.
  static Config on_its_table(Config config) {
    if (config.table == &bracha::kTable) config.table = &imbs_raynal::kTable;
    return config;
  }
};

static_assert(broadcast::Broadcast<ImbsRaynal>);

}  // namespace thresher
