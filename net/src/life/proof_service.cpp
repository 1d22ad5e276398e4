#include "life/proof_service.hpp"

#include <utility>

namespace thresher::net {

ProofService::ProofService(const Genesis& genesis, const NodeStore& store, const LogReader& log,
                           Hooks hooks)
    : every_(checkpoint_slots(genesis)),
      quorum_(certificate_quorum(genesis)),
      log_(log),
      tree_(store, log, static_cast<std::uint32_t>(genesis.nodes.size())),
      hooks_(std::move(hooks)) {}

// What was begun for it is not finished.
void ProofService::leave(ConnectionId link) {
  if (queue_.leave(link)) against_.reset();
}

void ProofService::forget() {
  tree_.forget();
  against_.reset();
}

// Why there is no proof of a position; empty: there is one against the newest certificate.
std::string ProofService::unproved(std::uint64_t position,
                                   const std::optional<Certificate>& newest) const {
  if (every_ == 0) return "this ledger has no checkpoints: `checkpoint` is 0 in its genesis file";
  if (!newest || position >= newest->checkpoint.length) {
    return "position " + std::to_string(position) + " has no certificate yet: the log has " +
           std::to_string(hooks_.length()) + " transactions, of which " +
           std::to_string(newest ? newest->checkpoint.length : 0) +
           " are certified; one follows every " + std::to_string(every_) + " slots";
  }
  if (position < log_.begin().length) return pruned_words(position, log_.begin().length);
  return {};
}

// Empty: there is more to read.
std::optional<ProofService::Proof> ProofService::prove(std::uint64_t position,
                                                       const Enough& enough) {
  if (!against_) {
    std::optional<Certificate> newest = hooks_.newest();
    if (std::string why = unproved(position, newest); !why.empty())
      return Error{ErrorCode::kMissing, std::move(why)};
    against_ = std::move(newest);
  }
  const Round slot = against_->checkpoint.slot;
  TreeReader* of = tree_.at(slot);
  if (of == nullptr) {
    against_.reset();
    return Error{ErrorCode::kMissing,
                 "this node has not written down its own checkpoint of slot " +
                     std::to_string(slot.value) +
                     " yet, which is certified: ask again in a moment, or another node"};
  }
  if (!of->read_for_proof(position / kLeafPositions, enough)) return std::nullopt;
  const Certificate certificate = *std::exchange(against_, std::nullopt);
  return proof_of(*of, position, certificate, quorum_);
}

// After kBurst a piece ends with the block that it is at. Clients that ask without end, however
// many, get no more of the node's time than the share.
std::optional<std::uint64_t> ProofService::step() {
  for (std::uint64_t now = hooks_.now_us(); const auto q = queue_.take(now);) {
    const auto enough = [&, until = now + ThreadShare::kBurst] { return hooks_.now_us() >= until; };
    if (const auto proof = prove(q->position, enough)) {
      hooks_.tell(*q, *proof);
      queue_.answered();
    }
    queue_.spent(now, hooks_.now_us());
    now = hooks_.now_us();
  }
  return queue_.next_us();
}

}  // namespace thresher::net
