#include "signed_words.hpp"

namespace thresher::sim {
namespace {

struct Words : SignedMessages {
  using Broadcast = CertifiedBroadcast;
};

}  // namespace

SubjectEntry subject_certified_broadcast() {
  return broadcast_entry<Words>(
      "Broadcast with signatures: votes to the origin, linear in messages", Words::fields());
}

}  // namespace thresher::sim
