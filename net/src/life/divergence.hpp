// Finds the first transaction whose result differs between this node and a peer, by halves of the
// log's tree. Private to net/.
//
//   DivergenceSearch search(difference, {send, part, leaf, result, blame});
//   search.begin(now);
//   search.answer(peer, control, now); search.tick(now);     // until search.over()
//   if (const auto& f = search.found()) ...                  // position, both contents and results
//
// The peer signed the root of its tree; each answer is the two halves of a part whose hash is
// known, so an answer that does not hash to it is a lie and has a name, and another peer is asked
// from there on. A tree of N leaves takes log2(N) + 1 questions.
//
// Guarantees: what is found is what the peers signed, whoever answers. Ends within kSearch, then
// with the part in which they differ. Does not say which of the two is right.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "life/checkpoints.hpp"
#include "thresher/net/application.hpp"

namespace thresher::net {

/// A part of the tree that a checkpoint covers, by its leaves.
struct WantTree {
  Round slot;  ///< of the checkpoint
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};
/// Longest result that goes with its hash. Unit: bytes.
inline constexpr std::size_t kMostShownResult = 256;
/// Results of neighbouring positions; empty: not known any more, or longer than kMostShownResult.
using ShownResults = std::vector<std::optional<ApplyResult>>;
/// What the application answered at a position. Null: not known any more.
using ResultAt = std::function<const ApplyResult*(std::uint64_t position)>;

/// Its halves, or what the positions of the one leaf hold.
struct TreePart {
  WantTree of;
  bool known = false;  ///< false: the rest says nothing
  Digest left{};
  Digest right{};
  std::vector<LeafContent> leaf{};
  ShownResults results{};  ///< one for each of `leaf`
};
Bytes encode(const WantTree& want);
std::optional<WantTree> decode_want_tree(ByteView bytes);
Bytes encode(const TreePart& part);
std::optional<TreePart> decode_tree_part(ByteView bytes);
/// What this node answers; `tree` is that of the checkpoint, null when there is none.
TreePart answer_of(const WantTree& want, TreeReader* tree, const ResultAt& result);

class DivergenceSearch {
 public:
  struct Hooks {
    std::function<void(NodeId, Frame)> send;
    std::function<std::optional<Digest>(std::uint64_t begin, std::uint64_t end)> part;
    std::function<std::optional<std::vector<LeafContent>>(std::uint64_t leaf)> leaf;
    ResultAt result;
    std::function<void(NodeId)> blame;
  };
  struct Found {
    std::uint64_t position = 0;
    LeafContent here;
    LeafContent there;
    // Whose hashes are in the contents; empty: not known any more, or longer than kMostShownResult.
    std::optional<ApplyResult> result_here{};
    std::optional<ApplyResult> result_there{};
  };
  /// Unit: microseconds.
  static constexpr std::uint64_t kPatience = 500'000;
  static constexpr std::uint64_t kSearch = 20'000'000;

  /// Pre: the roots differ.
  DivergenceSearch(const Checkpoints::Difference& difference, Hooks hooks);

  void begin(std::uint64_t now);
  void tick(std::uint64_t now);
  void answer(NodeId from, const TreePart& part, std::uint64_t now);

  bool over() const { return over_; }
  const std::optional<Found>& found() const { return found_; }
  /// The positions among which the first difference lies.
  std::uint64_t first() const { return begin_ * kLeafPositions; }
  std::uint64_t end() const { return std::min(end_ * kLeafPositions, difference_.there.length); }
  std::uint32_t questions() const { return questions_; }

 private:
  void ask(std::uint64_t now);
  void next_peer(std::uint64_t now);
  void conclude(const TreePart& part, std::uint64_t now);

  Checkpoints::Difference difference_;
  Hooks hooks_;
  std::uint64_t begin_ = 0;  // the part that is searched, in leaves
  std::uint64_t end_;
  Digest theirs_;  // of that part
  std::size_t peer_ = 0;
  std::uint64_t asked_us_ = 0;
  std::uint64_t ends_us_ = 0;
  std::uint32_t questions_ = 0;
  bool over_ = false;
  std::optional<Found> found_;
};

}  // namespace thresher::net
