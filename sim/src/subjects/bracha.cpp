#include "bracha_words.hpp"

namespace thresher::sim {
namespace {

bool change(bracha::Init& m, Mutation by) {
  return by.payload("payload", m.payload) || by.number("number", m.instance.number);
}
bool change(bracha::Statement& m, Mutation by) {
  if (by.picks("counter")) {
    m.counter = m.counter == bracha::kEcho ? bracha::kReadied : bracha::kEcho;
    return true;
  }
  return by.digest("digest", m.digest) || by.number("number", m.instance.number);
}
bool change(bracha::Want& m, Mutation by) {
  return by.number("number", m.instance.number);
}
bool change(bracha::Give& m, Mutation by) {
  return by.payload("payload", m.payload) || by.number("number", m.instance.number);
}
bool change(bracha::Floor& m, Mutation by) {
  return by.number("number", m.number);
}

struct BrachaWords : BrachaMessages {
  using Broadcast = Bracha;
  using BrachaMessages::facts;
  static MessageFacts facts(const bracha::Statement& m) {
    return {.label = m.counter == bracha::kEcho ? "echo" : "ready", .round = m.instance.number};
  }
};

}  // namespace

bool mutate_bracha(Bracha::Message& message, Mutation by) {
  return std::visit([&](auto& m) { return change(m, by); }, message);
}

SubjectEntry subject_bracha() {
  return broadcast_entry<BrachaWords>(
      "Bracha's reliable broadcast: every node broadcasts, nothing is ordered",
      {"counter", "digest", "number", "payload"});
}

}  // namespace thresher::sim
