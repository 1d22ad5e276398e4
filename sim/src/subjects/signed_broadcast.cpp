#include "signed_words.hpp"

namespace thresher::sim {
namespace {

struct SignedWords : SignedMessages {
  using Broadcast = SignedBroadcast;
};

}  // namespace

SubjectEntry subject_signed_broadcast() {
  return broadcast_entry<SignedWords>("Broadcast with signatures: votes to all, two delays",
                                      SignedWords::fields());
}

}  // namespace thresher::sim
