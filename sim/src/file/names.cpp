#include "thresher/sim/names.hpp"

namespace thresher::sim {
namespace {

constexpr Name kEngines[] = {
    {"rounds", "lock-step rounds; times are in rounds"},
    {"events", "discrete events; times are in milliseconds"},
    {"sockets", "real nodes on loopback"},
};
constexpr Name kLaws[] = {
    {"constant", "always `mean`"},
    {"uniform", "from `min` to `max`"},
    {"normal", "`mean` and `deviation`, cut to [min, max]"},
    {"exponential", "`mean`, cut to [min, max]"},
};
constexpr Name kTopologies[] = {
    {"complete", "everybody to everybody"},
    {"ring", "each to both neighbours"},
    {"chain", "a ring with one link cut"},
    {"star", "node 0 to everybody"},
    {"grid", "`width` x `height`, each to four neighbours"},
    {"torus", "a grid whose edges meet"},
    {"unidirectional-ring", "each to the next"},
    {"random", "a random graph, `degree` links a node"},
    {"list", "`neighbours`: a list for each node"},
};
constexpr Name kSchedulers[] = {
    {"fair", "delays as drawn"},
    {"starve", "the leader's (anchor's) messages come as late as allowed"},
    {"rushing", "the faulty are heard first, the correct last"},
    {"adaptive", "the last f leaders are heard as late as allowed"},
    {"reverse", "last sent, first delivered"},
    {"hunt", "a leader is heard when all others have left its round, or as late as allowed"},
};
constexpr Name kWorkloads[] = {
    {"closed", "`clients` requests in flight at each node"},
    {"open", "a request every `interval` at each node"},
    {"none", "no requests"},
};
constexpr Name kSignatures[] = {
    {"mock", "a tag in place of a signature: costs nothing"},
    {"real", "Ed25519, made and verified; the run decides what it decides with mocks"},
};

}  // namespace

template <>
std::span<const Name> names_of<Engine>() {
  return kEngines;
}
template <>
std::span<const Name> names_of<DelayLaw::Kind>() {
  return kLaws;
}
template <>
std::span<const Name> names_of<Topology>() {
  return kTopologies;
}
template <>
std::span<const Name> names_of<Network::Scheduler>() {
  return kSchedulers;
}
template <>
std::span<const Name> names_of<Workload::Kind>() {
  return kWorkloads;
}
template <>
std::span<const Name> names_of<Signatures>() {
  return kSignatures;
}
// Those of FaultKind stand with what else is known of each: fault_kinds.cpp.

}  // namespace thresher::sim
