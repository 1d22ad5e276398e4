#include "life/divergence.hpp"

#include <algorithm>

#include "life/leaf_content.hpp"
#include "thresher/core/assert.hpp"
#include "thresher/net/codec.hpp"

namespace thresher::net {
namespace {

void write(const WantTree& want, Writer& out) {
  out.u64(want.slot.value).u64(want.begin).u64(want.end);
}
WantTree read_want(Reader& in) {
  const Round slot{in.u64()};
  const std::uint64_t begin = in.u64();
  return {slot, begin, in.u64()};
}

std::optional<ApplyResult> shown(const ApplyResult* result) {
  if (result == nullptr || result->bytes.size() > kMostShownResult) return std::nullopt;
  return *result;
}

void write(const std::optional<ApplyResult>& result, Writer& out) {
  out.u8(result ? 1 : 0);
  if (!result) return;
  out.u8(result->failed ? 1 : 0).u32(static_cast<std::uint32_t>(result->bytes.size()));
  out.bytes(result->bytes.view());
}

// False: malformed.
bool read_result(Reader& in, ShownResults& out) {
  const std::uint8_t known = in.u8();
  out.emplace_back();
  if (known == 0) return in.ok();
  const std::uint8_t failed = in.u8();
  const std::uint32_t size = in.u32();
  if (known > 1 || failed > 1 || size > kMostShownResult) return false;
  out.back() = ApplyResult{failed == 1, Bytes::copy_of(in.bytes(size))};
  return in.ok();
}

}  // namespace

Bytes encode(const WantTree& want) {
  Writer w;
  write(want, w);
  return Bytes::from(w.take());
}

std::optional<WantTree> decode_want_tree(ByteView bytes) {
  Reader in(bytes);
  const WantTree out = read_want(in);
  if (!in.done() || out.begin >= out.end) return std::nullopt;
  return out;
}

Bytes encode(const TreePart& p) {
  THRESHER_ASSERT(p.leaf.size() == p.results.size(), "a result for each content");
  Writer w;
  write(p.of, w);
  w.u8(p.known ? 1 : 0).bytes(p.left.bytes).bytes(p.right.bytes);
  w.u8(static_cast<std::uint8_t>(p.leaf.size()));
  for (std::size_t i = 0; i < p.leaf.size(); ++i) {
    write(p.leaf[i], w);
    write(p.results[i], w);
  }
  return Bytes::from(w.take());
}

std::optional<TreePart> decode_tree_part(ByteView bytes) {
  Reader in(bytes);
  TreePart out;
  out.of = read_want(in);
  const std::uint8_t known = in.u8();
  out.known = known == 1;
  out.left = in.digest();
  out.right = in.digest();
  const std::uint32_t positions = in.u8();
  if (positions > kLeafPositions) return std::nullopt;
  for (std::uint32_t i = 0; i < positions; ++i) {
    out.leaf.push_back(read_content(in));
    if (!read_result(in, out.results)) return std::nullopt;
  }
  if (!in.done() || known > 1) return std::nullopt;
  return out;
}

// Parts that no search asks for are not known: merkle_part() takes only parts of the tree.
TreePart answer_of(const WantTree& want, TreeReader* tree, const ResultAt& result) {
  TreePart out{want, false, {}, {}, {}, {}};
  if (tree == nullptr || want.end > tree->leaves()) return out;
  std::uint64_t begin = 0, end = tree->leaves();
  while (begin != want.begin || end != want.end) {
    if (end - begin < 2) return out;
    const std::uint64_t middle = coding::merkle_middle(begin, end);
    if (want.end <= middle) {
      end = middle;
    } else if (want.begin >= middle) {
      begin = middle;
    } else {
      return out;
    }
  }
  if (end - begin == 1) {
    const auto leaf = tree->leaf(begin);
    out.known = static_cast<bool>(leaf);
    if (leaf) out.leaf = *leaf;
    for (std::size_t i = 0; i < out.leaf.size(); ++i)
      out.results.push_back(shown(result(begin * kLeafPositions + i)));
    return out;
  }
  const std::uint64_t middle = coding::merkle_middle(begin, end);
  const auto left = tree->part(begin, middle);
  const auto right = left ? tree->part(middle, end) : left;
  out.known = left && right;
  if (out.known) {
    out.left = *left;
    out.right = *right;
  }
  return out;
}

DivergenceSearch::DivergenceSearch(const Checkpoints::Difference& difference, Hooks hooks)
    : difference_(difference),
      hooks_(std::move(hooks)),
      end_(leaves_of(difference.there.length)),
      theirs_(difference.there.root) {}

void DivergenceSearch::begin(std::uint64_t now) {
  ends_us_ = now + kSearch;
  over_ = difference_.peers.empty();
  if (!over_) ask(now);
}

void DivergenceSearch::ask(std::uint64_t now) {
  asked_us_ = now;
  ++questions_;
  hooks_.send(difference_.peers[peer_],
              {kWantTree, encode(WantTree{difference_.there.slot, begin_, end_}), {}});
}

void DivergenceSearch::next_peer(std::uint64_t now) {
  peer_ = (peer_ + 1) % difference_.peers.size();
  ask(now);
}

void DivergenceSearch::tick(std::uint64_t now) {
  if (over_) return;
  over_ = now > ends_us_;
  if (!over_ && now > asked_us_ + kPatience) next_peer(now);
}

void DivergenceSearch::answer(NodeId from, const TreePart& part, std::uint64_t now) {
  const bool asked = from == difference_.peers[peer_] && part.of.begin == begin_ &&
                     part.of.end == end_ && part.of.slot == difference_.there.slot;
  if (over_ || !asked) return;
  if (!part.known) return next_peer(now);
  if (end_ - begin_ == 1) return conclude(part, now);
  if (coding::merkle_parent(part.left, part.right) != theirs_) {
    hooks_.blame(from);
    return next_peer(now);
  }
  const std::uint64_t middle = coding::merkle_middle(begin_, end_);
  const auto own = hooks_.part(begin_, middle);
  if (!own) return;  // not written down yet, perhaps: asked again when its patience ends
  if (*own != part.left) {
    end_ = middle;
    theirs_ = part.left;
  } else {
    begin_ = middle;
    theirs_ = part.right;
  }
  ask(now);
}

void DivergenceSearch::conclude(const TreePart& part, std::uint64_t now) {
  if (part.leaf.empty() || leaf_of(part.leaf) != theirs_) {
    hooks_.blame(difference_.peers[peer_]);
    return next_peer(now);
  }
  const auto own = hooks_.leaf(begin_);
  if (!own) return;
  over_ = true;
  const auto [here, there] = std::ranges::mismatch(*own, part.leaf);
  if (here == own->end() || there == part.leaf.end()) return;
  const auto at = static_cast<std::size_t>(here - own->begin());
  found_ = {first() + at, *here, *there, shown(hooks_.result(first() + at)), part.results[at]};
  // What does not have the hash is no result of this position.
  const auto keep = [](std::optional<ApplyResult>& result, const LeafContent& of) {
    if (result && digest_of(*result) != of.result) result.reset();
  };
  keep(found_->result_here, *here);
  keep(found_->result_there, *there);
}

}  // namespace thresher::net
