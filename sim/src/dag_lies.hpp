// What a liar of the uncertified DAG can say instead: it knows every block that was sent, and signs
// one that names others.
//
//   DagLies lies(committee);
//   lies.note(block);                                      // of anybody, as it is sent
//   lies.change(header, payload, Mutation("claim", salt)); // claims another leader block, or none
//
// Guarantees: a function of what was noted and the mutation. Names blocks that exist; only a claim
// may, for want of another, name one that nobody has. Bounded: the latest rounds are remembered.
#pragma once

#include <map>
#include <vector>

#include "mutation.hpp"
#include "thresher/protocols/dag/block.hpp"

namespace thresher::sim {

class DagLies {
 public:
  explicit DagLies(const Committee& committee) : committee_(committee) {}

  void note(const dag::BlockPtr& block);
  /// Changes one field of a block that is about to be signed; false: there is nothing to change.
  bool change(dag::Header& header, dag::Payload& payload, Mutation by) const;

 private:
  using Name = std::optional<Digest>;

  std::vector<dag::BlockPtr> leaders(std::uint64_t round) const;
  bool name_another(std::uint64_t round, Name& name, std::uint64_t salt) const;
  bool change_claim(dag::Header& header, std::uint64_t salt) const;
  bool change_refs(dag::Header& header, std::uint64_t salt) const;
  bool change_self(dag::Header& header, std::uint64_t salt) const;

  Committee committee_;
  std::map<std::uint64_t, std::vector<dag::BlockPtr>> by_round_;
};

}  // namespace thresher::sim
