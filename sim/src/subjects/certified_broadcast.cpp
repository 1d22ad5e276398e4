#include "signed_words.hpp"

namespace thresher::sim {
namespace {

struct CertifiedWords : SignedMessages {
  using Broadcast = CertifiedBroadcast;
};

}  // namespace

SubjectEntry subject_certified_broadcast() {
  return broadcast_entry<CertifiedWords>(
      "Broadcast with signatures: votes to the origin, linear in messages",
      CertifiedWords::fields());
}

}  // namespace thresher::sim
