// What nodes say to each other while they generate a key, beside their broadcasts and votes.
//
//   Message m = Acks{.dealers = held, .asks = true};     // the shares of these dealings are good
#pragma once

#include <variant>

#include "thresher/core/bytes.hpp"
#include "thresher/core/committee.hpp"

namespace thresher::dkg {

/// The dealings whose shares the sender found good, so far. `done`: its key is safe. `asks`: it
/// may lack what the receiver said.
struct Acks {
  NodeSet dealers;
  bool done = false;
  bool asks = false;
};
/// The proof that a dealer gave the sender shares that do not fit.
struct Complaint {
  NodeId dealer;
  Bytes proof;
};
/// The sender's own shares of a dealing, for nodes that complained of it.
struct Reveal {
  NodeId dealer;
  Bytes shares;
};
/// A part of the receiver's share of the key, sealed.
struct Point {
  Bytes sealed;
};

using Message = std::variant<Acks, Complaint, Reveal, Point>;

/// Bytes of what a complaint proves with, and of a point.
inline constexpr std::size_t kProofBytes = 96;
inline constexpr std::size_t kPointBytes = 32;

}  // namespace thresher::dkg
