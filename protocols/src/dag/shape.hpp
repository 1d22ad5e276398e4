// What follows from a block alone, worked out once: whether it is well formed, and its edges as
// bits.
//
//   ShapePtr shape = make_shape(*block, judge, names_of);     // names_of(round): below
//   for (const Line& line : shape->lines()) all = all && line.authors.within(accepted(line.round));
//
// One block of each author and round is *named*: the first that a holder of these names held. An
// edge to it, if it is not old, is one bit of a line; edges to twins, to what nobody held yet and
// to old rounds stay in `others` with their digests.
//
// Guarantees: a bit stands for exactly one digest for as long as anybody has the round or a shape
// made from it: the digests of both were compared in full, never the authors alone. A name is not a
// judgement: which twin is named changes what a look costs, not what it finds. Nodes that share
// names must be of one thread, one committee and one set of rules.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "row.hpp"
#include "thresher/protocols/dag/block.hpp"
#include "thresher/protocols/dag/rules.hpp"

namespace thresher::dag {

/// What a block is measured by.
struct Judge {
  Committee committee;
  Rules rules;
  std::uint64_t gc_depth;  ///< how far below a block its references may reach, in rounds
};

/// Enough parents by distinct authors, every author at most once, and in the one order that there
/// is: parents, then stragglers, each by author.
bool dense(const Header& header, const Judge& judge);
/// All that can be told of a block without any other.
bool well_formed(const Block& block, const Judge& judge);

struct Shape;
using ShapePtr = std::shared_ptr<const Shape>;

/// The very same object, not an equal one.
inline bool same(const std::weak_ptr<const Block>& a, const BlockPtr& b) {
  return !a.owner_before(b) && !b.owner_before(a);
}

/// Which block of each author is named, in one round.
struct NamesOf {
  struct Named {
    bool taken = false;
    Digest digest{};
    std::weak_ptr<const Block> block{};  ///< one copy of it
    std::weak_ptr<const Shape> shape{};
    std::weak_ptr<const Block> packed{};  ///< one copy of it in packed form, found well formed
    /// The same object as `other`: then nothing need be compared.
    bool is(const BlockPtr& other) const { return taken && same(block, other); }
    bool is_packed(const BlockPtr& other) const { return taken && same(packed, other); }
  };
  std::vector<Named> of;  ///< by author
};

/// The edges of a block to named blocks of one round.
struct Line {
  Round round;
  Row authors;
  std::shared_ptr<const NamesOf> names;  ///< keeps the meaning of `authors`
};

struct Shape {
  bool well_formed = false;
  bool dense = false;
  /// Edges to so many rounds below a block may be bits.
  static constexpr std::size_t kLines = 4;
  std::array<Line, kLines> line_of_round{};  ///< by descending round; not all are in use
  std::size_t in_use = 0;
  std::vector<Edge> others;  ///< its other edges, as each_edge() visits them

  /// The first is of the round before the block's.
  std::span<const Line> lines() const { return {line_of_round.data(), in_use}; }
  const Row& parents() const { return line_of_round.front().authors; }
};

/// `names_of(round)`: the names of that round; null when there are none.
ShapePtr make_shape(const Block& block, const Judge& judge,
                    const std::function<std::shared_ptr<const NamesOf>(Round)>& names_of);

/// The names of all rounds that somebody has.
class Names {
 public:
  explicit Names(std::uint32_t members) : members_(members) {}
  /// Those of a round, new ones when nobody has any.
  std::shared_ptr<NamesOf> at(Round round);
  /// Null when nobody has any.
  std::shared_ptr<NamesOf> find(Round round) const;
  /// Takes over names that are those of `round`.
  void put(Round round, const std::shared_ptr<NamesOf>& names) { rounds_[round] = names; }

 private:
  static constexpr std::size_t kLeastSwept = 64;

  std::uint32_t members_;
  std::map<Round, std::weak_ptr<NamesOf>> rounds_;
  // Expired entries go when the map has doubled since the last sweep: a sweep costs as much as
  // the map is long, and a round is added to it thousands of times a second.
  std::size_t swept_at_ = kLeastSwept;
};

}  // namespace thresher::dag
