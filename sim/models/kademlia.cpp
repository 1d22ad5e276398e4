#include "kademlia.hpp"

namespace thresher::sim {

SubjectEntry subject_kademlia() {
  ProtocolInfo info;
  info.name = "kademlia";
  info.help = "model: lookups by the XOR of identifiers, one bucket a prefix";
  info.nodes_per_fault = 2;
  info.unjudged = {"agreement", "prefix", "totality"};
  info.parameters = LookupSubject<KademliaRouter>::parameters();
  info.parameters.push_back(
      {"contacts", KademliaRouter::kContacts, 1, 64, "nodes known of each bucket"});
  return {info, [](const Experiment& e, const RunOptions& o) {
            return run(LookupSubject<KademliaRouter>(e), e, o);
          }};
}

}  // namespace thresher::sim
