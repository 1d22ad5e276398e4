#include "signed_words.hpp"

namespace thresher::sim {
namespace {

struct Words : SignedMessages {
  using Broadcast = SignedBroadcast;
};

}  // namespace

SubjectEntry subject_signed_broadcast() {
  return broadcast_entry<Words>("Broadcast with signatures: votes to all, two delays",
                                Words::fields());
}

}  // namespace thresher::sim
