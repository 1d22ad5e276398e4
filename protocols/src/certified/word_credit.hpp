// How many questions for rounds a peer's word is worth that it is in a later one. Rule R9.
//
//   WordCredit words(committee);
//   words.renew(peer);                                  // it said so, or its answer brought
//   something if (words.left(peer)) words.use(peer), ask(peer);
//
// Guarantees: a word that nothing follows from costs so many questions and no more; correct peers
// repeat theirs. Does not know what was said (chassis/frontier.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "thresher/core/assert.hpp"
#include "thresher/core/committee.hpp"

namespace thresher::certified {

class WordCredit {
 public:
  static constexpr std::uint32_t kQuestions = 8;

  explicit WordCredit(const Committee& committee) : left_(committee.size()) {}

  void renew(NodeId peer) { left_[peer.value] = kQuestions; }
  bool left(NodeId peer) const { return left_[peer.value] > 0; }
  /// Pre: left(peer).
  void use(NodeId peer) {
    THRESHER_ASSERT(left(peer), "a word is worth so many questions");
    --left_[peer.value];
  }

 private:
  std::vector<std::uint32_t> left_;  // by peer
};

}  // namespace thresher::certified
