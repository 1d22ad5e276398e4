// Certificates that are here by their authors' word: their signatures are checked when they could
// matter, those of a round in one call. Rules R3 and R10.
//
//   Parked parked(committee, limits.proposals_per_peer);
//   if (parked.full(author)) check(vertex);
//   else if (parked.add(vertex) == Parked::Added::kOther) refuse();   // one of the two is false
//   parked.want();                                      // somebody refers to one of them
//   if (parked.take_wanted()) for (const auto& v : parked.take_all()) check(v);
//
// Guarantees: one certificate of each name waits, and so many of each author. Nothing in here is
// accepted, nor known to exist. When they could matter is the caller's business.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "thresher/protocols/certified/vertex.hpp"

namespace thresher::certified {

class Parked {
 public:
  enum class Added : std::uint8_t {
    kNew,
    kSame,  ///< repeated
    kOther  ///< the name is here with other signatures
  };
  using OfRound = std::map<NodeId, VertexPtr>;

  Parked(const Committee& committee, std::uint32_t most) : most_(most), of_(committee.size()) {}

  bool full(NodeId author) const { return of_[author.value] >= most_; }
  /// Pre: !full(vertex->author()).
  Added add(const VertexPtr& vertex);
  bool contains(const Ref& ref) const;
  bool empty() const { return rounds_.empty(); }
  std::size_t size(NodeId author) const { return of_[author.value]; }
  const std::map<Round, OfRound>& rounds() const { return rounds_; }

  void want() { wanted_ = true; }
  /// Whether one was wanted since the last call.
  bool take_wanted() { return std::exchange(wanted_, false); }
  /// In order of round and author.
  std::vector<VertexPtr> take_all();

 private:
  std::uint32_t most_;
  std::map<Round, OfRound> rounds_;
  std::vector<std::uint32_t> of_;  // by author
  bool wanted_ = false;
};

}  // namespace thresher::certified
