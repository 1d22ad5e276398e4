// Filling the memory of PBFT's nodes.
#pragma once

#include "bracha.hpp"
#include "thresher/protocols/order/pbft.hpp"

namespace thresher::sim {

class PbftStuffing {
 public:
  using Message = Pbft::Message;
  using Out = std::vector<Message>;

  /// `heard` tells where correct nodes are.
  PbftStuffing(NodeId id, const Pbft::Config& config, const Message& heard);

  /// Every slot of the window, in each view that it leads and that is listened to.
  void make(Kind<pbft::PrePrepare>, Prng& rng, Out& out) const;
  /// Another digest for each slot, view and phase.
  void make(Kind<pbft::Vote>, Prng& rng, Out& out) const;
  void make(Kind<pbft::NewView>, Prng& rng, Out& out) const;
  /// A queue full of the largest requests, or of the smallest; now and then an urgent one.
  void make(Kind<pbft::Forward>, Prng& rng, Out& out) const;
  void make(Kind<pbft::Checkpoint>, Prng& rng, Out& out) const;
  void make(Kind<pbft::Want>, Prng& rng, Out& out) const;
  void make(Kind<pbft::Ordered>, Prng& rng, Out& out) const;
  void make(Kind<Bracha::Message>, Prng& rng, Out& out) const;
  void make(Kind<pbft::Fetch>, Prng& rng, Out& out) const;
  void make(Kind<pbft::Fetched>, Prng& rng, Out& out) const;
  void make(Kind<pbft::Offer>, Prng& rng, Out& out) const;
  void make(Kind<pbft::Ask>, Prng& rng, Out& out) const;
  void answer(const Message& heard, Prng& rng, Out& out) const;

 private:
  std::uint64_t any_slot(Prng& rng) const;
  /// The next one that it leads.
  std::uint64_t own_view() const;

  NodeId id_;
  const Pbft::Config& config_;
  Message heard_;
  std::uint64_t view_ = 1;
  std::uint64_t slot_ = 0;
};

}  // namespace thresher::sim
