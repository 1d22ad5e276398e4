// Which payloads are kept: what an author may make this node keep is bounded in bytes, and where it
// is over, blocks are held by their header alone. Equivocators' further blocks have a quota of
// their own, and beyond it as many payloads are taken as blocks of others need. Rules H1 to H3, F3
// and X1 to X3 of docs/protocols/thresher.md, section "What a peer can fill", which says why
// nothing is lost by it.
//
//   PayloadRoom payloads(config, store, culprits, where);
//   payloads.begins_to_wait(*block);                    // it is held
//   payloads.drop_if_too_much(edge);                    // and cannot be accepted at once
//   if (payloads.look_at(entry) == PayloadRoom::Found::kLacking) need(edge);   // it could be now
//   if (payloads.take(block)) settle(block->edge());    // the rest of it came
//   payloads.bring_near(ready);                         // this node, or others, went on
//   if (payloads.want_held_back(tick, wanted)) ...      // once in each tick
//
// Guarantees: a payload is dropped only where its block's header stays held, and is named to be
// asked for again when it is needed. Asks nobody itself: it says what is to be asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "header_only.hpp"
#include "kept_payload.hpp"
#include "twins.hpp"
#include "whereabouts.hpp"

namespace thresher::dag {

class PayloadRoom {
 public:
  /// Of a block that is acceptable but for its payload.
  enum class Found : std::uint8_t {
    kHere,      ///< as far as it is needed
    kFar,       ///< H3: bring_near() names it when it is far no more
    kHeldBack,  ///< X1: want_held_back() names it when somebody needs it
    kLacking    ///< it is to be asked for now
  };
  /// A payload that somebody needs: `child`, by `payer`, rests on it.
  struct Wanted {
    Edge edge;
    Edge child;
    NodeId payer;
  };

  /// `like`: of the node of which this one is a copy. Changes the blocks in `store`.
  PayloadRoom(const Config& config, Store& store, const Culprits& culprits,
              const Whereabouts& where, const PayloadRoom* like = nullptr);
  PayloadRoom(const PayloadRoom&) = delete;

  /// Held, or packed and not unfolded; until it is accepted, unfolded, or gone.
  void begins_to_wait(const Block& block) { kept_.begins_to_wait(block); }
  void waits_no_more(const Block& block) { kept_.waits_no_more(block); }
  /// A far block counts until it is near, accepted or not.
  void was_accepted(const Block& block);
  /// Another block of its author and round is held; `payer` needs it.
  void hold_twin(const Edge& edge, NodeId payer) { twins_.hold(edge, payer); }
  /// The same for one that a record shows. No record says who needed it, so its author pays for it.
  void charge_restored(const Entry& entry);
  /// Its round falls below the floor. An accepted twin is charged for until forget_twin().
  void leaves_store(const Entry& entry);
  void forget_twin(const Block& block) { twins_.forget(block); }
  /// The host has the payload. True when it was lacking here.
  bool host_has(const Edge& edge) { return header_only_.forget(edge); }

  /// H2. A block was held that could not be accepted at once.
  void drop_if_too_much(const Edge& edge);
  Found look_at(Entry& entry);
  /// The rest of a block of which the header is held. False: it is not, or this is not its payload.
  bool take(const BlockPtr& block);
  /// H3. Appends what is far no more.
  void bring_near(std::vector<Edge>& ready);
  /// X2, X3. Appends what is held back and can be taken now. True: somebody needs one, whether or
  /// not there is room for it. `tick`: a count of the calls.
  bool want_held_back(std::uint32_t tick, std::vector<Wanted>& wanted);

  /// H1. For a block that nothing held refers to.
  bool has_room(NodeId author) const {
    return kept_.waiting(author) < config_.limits.waiting_per_peer &&
           kept_.bytes(author) < config_.limits.waiting_bytes_per_peer;
  }
  bool room_for_twin(NodeId payer) const;
  /// For whose sake it is held; empty: it is no twin.
  std::optional<NodeId> payer(const Edge& twin) const { return twins_.payer(twin); }
  /// It is held by its header alone.
  bool lacks(const Edge& edge) const { return header_only_.contains(edge); }
  bool holds_back() const { return !header_only_.held_back().empty(); }

 private:
  bool too_much(const Entry& entry) const;
  void drop(Entry& entry);
  bool is_held_back(Entry& entry);
  bool charge(const Edge& edge, NodeId payer, std::uint64_t bytes);
  std::optional<NodeId> charge_one_of(const NodeSet& authors, const Edge& edge, NodeSet& had_more);

  const Config& config_;
  Store& store_;
  const Culprits& culprits_;
  const Whereabouts& where_;
  KeptPayload kept_;
  HeaderOnly header_only_;
  Twins twins_;
};

}  // namespace thresher::dag
