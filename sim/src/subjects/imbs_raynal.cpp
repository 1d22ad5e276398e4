#include "thresher/protocols/broadcast/imbs_raynal.hpp"

#include "bracha_words.hpp"

namespace thresher::sim {
namespace {

struct ImbsRaynalWords : BrachaMessages {
  using Broadcast = ImbsRaynal;
  using BrachaMessages::facts;
  static MessageFacts facts(const bracha::Statement& m) {
    return {.label = m.counter == bracha::kEcho ? "witness" : "join", .round = m.instance.number};
  }
};

}  // namespace

SubjectEntry subject_imbs_raynal() {
  return broadcast_entry<ImbsRaynalWords>(
      "Imbs and Raynal's reliable broadcast: two delays, for n > 5f",
      {"counter", "digest", "number", "payload"});
}

}  // namespace thresher::sim
