// Filling the memory of Raft's nodes. Nobody lies there, so what fills memory is true: a node whose
// clients ask for as much as they can. About terms, votes and logs no node says more than it does
// in any run.
#pragma once

#include "stuffing.hpp"
#include "thresher/protocols/order/raft.hpp"

namespace thresher::sim {

struct RaftStuffing {
  using Message = Raft::Message;
  using Out = std::vector<Message>;
  static constexpr std::uint64_t kMany = 64;

  std::size_t bytes;  ///< of the largest payload

  void make(Kind<raft::RequestVote>, Prng&, Out&) const {}
  void make(Kind<raft::RequestVoteReply>, Prng&, Out&) const {}
  void make(Kind<raft::AppendEntries>, Prng&, Out&) const {}
  void make(Kind<raft::AppendEntriesReply>, Prng&, Out&) const {}
  void make(Kind<raft::Forward>, Prng& rng, Out& out) const {
    // In place: g++ 12 sees the other alternatives read when the variant is moved.
    for (std::uint64_t k = 0; k < kMany; ++k)
      out.emplace_back(std::in_place_type<raft::Forward>, raft::Forward{filler(bytes, rng)});
  }
  void answer(const Message&, Prng&, Out&) const {}
};

}  // namespace thresher::sim
