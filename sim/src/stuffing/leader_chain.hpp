// Filling the memory of nodes of the leader chain (Simplex, HotStuff-2).
#pragma once

#include "stuffing.hpp"
#include "thresher/protocols/order/leader_chain.hpp"

namespace thresher::sim {

class LeaderChainStuffing {
 public:
  using Message = LeaderChain::Message;
  using Out = std::vector<Message>;

  /// `heard` tells where correct nodes are.
  LeaderChainStuffing(NodeId id, const LeaderChain::Config& config, const Message& heard);

  /// The largest blocks, in the views that it leads and that are listened to, on nothing.
  void make(Kind<leader_chain::Propose>, Prng& rng, Out& out) const;
  /// Each kind of vote for a block that nobody has, in each view that is listened to.
  void make(Kind<leader_chain::Vote>, Prng& rng, Out& out) const;
  /// Long lists of signatures that nobody made.
  void make(Kind<leader_chain::Certificate>, Prng& rng, Out& out) const;
  /// A queue full of the largest requests, or of the smallest; now and then an urgent one.
  void make(Kind<leader_chain::Forward>, Prng& rng, Out& out) const;
  void make(Kind<leader_chain::Offer>, Prng& rng, Out& out) const;
  void make(Kind<leader_chain::Ask>, Prng& rng, Out& out) const;
  void make(Kind<leader_chain::Ordered>, Prng& rng, Out& out) const;
  void make(Kind<leader_chain::Fetch>, Prng& rng, Out& out) const;
  /// One: it is answered by many messages, each of which may be stuffed again.
  void make(Kind<leader_chain::Want>, Prng& rng, Out& out) const;
  void make(Kind<leader_chain::Status>, Prng& rng, Out& out) const;
  void make(Kind<leader_chain::WantBlock>, Prng& rng, Out& out) const;
  void make(Kind<leader_chain::Give>, Prng& rng, Out& out) const;
  void make(Kind<leader_chain::Decided>, Prng& rng, Out& out) const;
  void answer(const Message& heard, Prng& rng, Out& out) const;

 private:
  /// A view that is listened to, or nearly.
  std::uint64_t any_view(Prng& rng) const;
  leader_chain::Block large_block(std::uint64_t view, Prng& rng) const;

  NodeId id_;
  const LeaderChain::Config& config_;
  std::uint64_t view_ = 1;
  std::uint64_t slot_ = 0;
};

}  // namespace thresher::sim
