// What a node reads of its log for peers: hashes and certificates.
#include <optional>
#include <utility>

#include "node/impl.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/net/wire.hpp"

namespace thresher::net {
bool Node::Impl::ask_small(NodeId from, const Frame& f) {
  if (!small_questions.ask(from, f)) return false;
  answering_small.at_once();
  return true;
}

// False: it is malformed.
bool Node::Impl::answer_small(NodeId from, const Frame& question) {
  if (question.kind != kWantLogHash) return checkpoints.frame(from, question);
  const auto want = wire::decode<wire::WantLogHash>(question.control.view());
  const auto answer = reader.hash_after(question, ledger.slot());
  if (!want || !answer) return false;
  note_log_question(from, want->slot);
  (void)transport.send(from.value, *answer);
  return true;
}

}  // namespace thresher::net
