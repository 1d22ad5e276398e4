#include "thresher/protocols/broadcast/avid.hpp"

#include <algorithm>

#include "coded_instances.hpp"
#include "thresher/coding/merkle.hpp"
#include "thresher/core/node_ids.hpp"

namespace thresher {

using namespace avid;  // NOLINT(google-build-using-namespace): the protocol's own vocabulary

template class coded::Instances<Avid, avid::State, avid::Message>;

std::vector<Digest> Avid::leaves_of(std::span<const Bytes> fragments) {
  std::vector<Digest> leaves;
  for (const Bytes& fragment : fragments) leaves.push_back(coding::merkle_leaf(fragment.view()));
  return leaves;
}

std::vector<Piece> Avid::pieces_of(std::span<const Bytes> fragments) {
  const coding::MerkleTree tree(leaves_of(fragments));
  std::vector<Piece> out;
  for (std::size_t i = 0; i < fragments.size(); ++i)
    out.push_back({tree.root(), fragments[i], tree.inclusion(i)});
  return out;
}

bool Avid::proved(const Piece& piece, NodeId index, std::uint32_t leaves) {
  return coding::merkle_included(coding::merkle_leaf(piece.fragment.view()), index.value, leaves,
                                 piece.proof, piece.root);
}

// A fragment of any payload that is allowed has one of these sizes.
bool Avid::fits(const Piece& piece, NodeId index) const {
  return !piece.fragment.empty() &&
         piece.fragment.size() <= fragments_.size(config_.payload_bytes) &&
         proved(piece, index, config_.committee.size());
}

Count& Avid::count(State& s, const Digest& root) const {
  return s.counts.try_emplace(root, config_.committee).first->second;
}

// What was refused leaves nothing behind: its sender may say something else as often as it likes.
void Avid::forget_unsaid(State& s, const Digest& root) {
  const auto at = s.counts.find(root);
  const Count& c = at->second;
  if (c.echo.count() + c.ready.count() + c.fragments.size() == 0) s.counts.erase(at);
}

// R1
void Avid::start(const Instance& i, State& s, const Bytes& payload, Fx& fx) {
  const std::vector<Piece> pieces = pieces_of(fragments_.cut(payload.view()));
  own(i, s, pieces.front().root, payload, fx);
  for (const NodeId k : node_ids(pieces.size())) {
    if (k != config_.self) fx.send(k, Disperse{i, pieces[k.value]});
  }
  echo(i, s, pieces[config_.self.value], fx);
  advance(i, s, fx);
}

// R1. Without room it is refused for now: it is asked for again.
void Avid::receive(NodeId from, const Disperse& m, Fx& fx) {
  if (from != m.instance.origin) return refuse();
  State* s = instance_for(from, m.instance, fx);
  if (s == nullptr || s->said[kEcho]) return;
  if (!fits(m.piece, config_.self)) return refuse();
  if (!s->payloads.contains(m.piece.root) && !take_room(m.instance, *s, m.piece.fragment.size()))
    return;
  s->input = m.piece.root;
  echo(m.instance, *s, m.piece, fx);
  advance(m.instance, *s, fx);
}

// R2. Where the payload is held, its fragment is not; and it is copied, since a slice would keep
// all of the bytes that it was cut from.
void Avid::echo(const Instance& i, State& s, const Piece& piece, Fx& fx) {
  const bool held = s.payloads.contains(piece.root);
  s.mine = {piece.root, held ? Bytes{} : Bytes::copy_of(piece.fragment.view()), piece.proof};
  Writer proof;
  for (const Digest& d : piece.proof) proof.bytes(d.bytes);
  record(i, s, kEcho, piece.root, proof.view(), s.mine.fragment, fx);
  count(s, piece.root).echo.add(config_.self);
  fx.broadcast(Echo{i, piece});
}

// R2: a peer counts once, and only with a proof.
void Avid::receive(NodeId from, const Echo& m, Fx& fx) {
  State* s = instance_for(from, m.instance, fx);
  if (s == nullptr || s->spoke[kEcho].contains(from)) return;
  if (!fits(m.piece, from)) return refuse();
  const Digest& root = m.piece.root;
  Count& c = count(*s, root);
  const bool over = s->payloads.contains(root) || s->no_codeword.contains(root) ||
                    (s->said[kReadied] && s->said[kReadied] != root);
  if (!over && c.fragments.size() < fragments_.needed()) {
    const std::size_t bytes = m.piece.fragment.size();
    if (s->input == root ? !take_room(m.instance, *s, bytes)
                         : !take_room_on_word(from, m.instance, *s, bytes))
      return forget_unsaid(*s, root);
    c.fragments.emplace(from, m.piece.fragment);
  }
  s->spoke[kEcho].insert(from);
  c.echo.add(from);
  advance(m.instance, *s, fx);
}

void Avid::receive(NodeId from, const Ready& m, Fx& fx) {
  State* s = instance_for(from, m.instance, fx);
  if (s == nullptr) return;
  if (s->spoke[kReadied].insert(from)) count(*s, m.root).ready.add(from);
  const auto said = s->counts.find(m.root);
  if (m.holds && said != s->counts.end() && said->second.ready.contains(from))
    said->second.holders.insert(from);
  advance(m.instance, *s, fx);
}

void Avid::drop_fragments(const Instance& i, State& s, const Digest& root, Count& c) {
  for (const auto& [who, fragment] : c.fragments) free_room(i, s, fragment.size());
  c.fragments.clear();
  if (s.mine.root != root || !s.payloads.contains(root)) return;
  free_room(i, s, s.mine.fragment.size());
  s.mine.fragment = Bytes{};
}

// R3: the payload of `root`, if all n leaves are one codeword. Any n-2f of them tell: if the others
// differ from the code's, the root is not this one. Keeping it takes less room than its fragments.
bool Avid::recover(const Instance& i, State& s, const Digest& root, Count& c) {
  if (s.payloads.contains(root)) return true;
  if (s.no_codeword.contains(root)) return false;
  std::vector<Bytes> held(fragments_.total());
  for (const auto& [who, fragment] : c.fragments) held[who.value] = fragment;
  if (s.said[kEcho] == root) held[config_.self.value] = s.mine.fragment;
  const auto there = std::ranges::count_if(held, [](const Bytes& b) { return !b.empty(); });
  if (static_cast<std::size_t>(there) < fragments_.needed()) return false;
  const auto payload = fragments_.join(held);
  if (!payload || payload->size() > config_.payload_bytes ||
      coding::MerkleTree(leaves_of(fragments_.cut(payload->view()))).root() != root) {
    s.no_codeword.insert(root);
    drop_fragments(i, s, root, c);
    return false;
  }
  shelf_.keep(i, s, root, *payload);
  drop_fragments(i, s, root, c);
  return true;
}

void Avid::ready(const Instance& i, State& s, const Digest& root, Fx& fx) {
  record(i, s, kReadied, root, {}, {}, fx);
  Count& c = count(s, root);
  c.ready.add(config_.self);
  s.told_holding = s.payloads.contains(root);
  if (s.told_holding) c.holders.insert(config_.self);
  fx.broadcast(Ready{i, root, s.told_holding});
  // Nobody can deliver another root any more.
  for (auto& [other, told] : s.counts) {
    if (other != root) drop_fragments(i, s, other, told);
  }
  shelf_.keep_only(i, s, root);
}

// Takes the step at `root` that is open, if there is one.
bool Avid::step_at(const Instance& i, State& s, const Digest& root, Count& c, Fx& fx) {
  if (s.no_codeword.contains(root)) return false;
  if (s.said[kReadied]) {
    if (s.told_holding || !recover(i, s, root, c)) return false;
    s.told_holding = true;
    c.holders.insert(config_.self);
    fx.broadcast(Ready{i, root, true});
    return true;
  }
  // R4 needs no payload: one of f+1 is correct, and had it when the first correct one said ready.
  const bool amplify = reached(c.ready, thresholds_.amplify);
  if (!amplify && !reached(c.echo, thresholds_.ready)) return false;
  if (!recover(i, s, root, c) && !amplify) return false;
  ready(i, s, root, fx);
  return true;
}

void Avid::advance(const Instance& i, State& s, Fx& fx) {
  if (s.done) return;
  for (bool moved = true; moved;) {
    moved = false;
    for (auto& [root, c] : s.counts) {
      if (!moved && s.said[kReadied].value_or(root) == root) moved = step_at(i, s, root, c, fx);
    }
  }
  // R5
  if (!s.told_holding) return;
  const Count& c = s.counts.at(*s.said[kReadied]);
  if (reached(c.ready, thresholds_.deliver))
    deliver(i, s, *s.said[kReadied], i.origin == config_.self, fx);
}

// Whatever root the origin named, its fragments are the origin's.
std::size_t Avid::held_on_word(const State& s, NodeId from) const {
  std::size_t bytes = 0;
  for (const auto& [root, c] : s.counts) {
    const auto held = c.fragments.find(from);
    if (held != c.fragments.end() && s.input != root) bytes += held->second.size();
  }
  return bytes;
}

bool Avid::all_hold(const State& s) const {
  const auto c = s.said[kReadied] ? s.counts.find(*s.said[kReadied]) : s.counts.end();
  return c != s.counts.end() && c->second.holders.size() == config_.committee.size();
}

void Avid::say(NodeId to, const Instance& i, const State& s, Counter c, Fx& fx) const {
  const auto held = s.payloads.find(s.mine.root);
  if (c == kEcho && held == s.payloads.end()) return fx.send(to, Echo{i, s.mine});
  if (c == kEcho) {
    const Bytes fragment = fragments_.cut(held->second.view(), config_.self);
    return fx.send(to, Echo{i, {s.mine.root, fragment, s.mine.proof}});
  }
  fx.send(to, Ready{i, *s.said[kReadied], s.told_holding});
}

// To a node that said ready while it held the payload. An echo is nothing without its fragment, and
// a node with the payload needs none.
void Avid::say_bare(NodeId to, const Instance& i, const Digest& root, Counter c, Fx& fx) const {
  if (c == kReadied) fx.send(to, Ready{i, root, true});
}

// One fragment costs less than all, and any peer may ask: so the leaves are remembered.
void Avid::say_input(NodeId to, const Instance& i, State& s, Fx& fx) {
  const auto own = s.payloads.find(*s.input);
  if (own == s.payloads.end()) return;
  const ByteView payload = own->second.view();
  if (s.leaves.empty()) s.leaves = leaves_of(fragments_.cut(payload));
  const coding::MerkleTree tree(s.leaves);
  fx.send(to, Disperse{i, {*s.input, fragments_.cut(payload, to), tree.inclusion(to.value)}});
}

void Avid::restore(const Instance& i, State& s, Counter c, const Restored& record) {
  const Digest& said = *s.said[c];
  Count& counted = count(s, said);
  if (c == kReadied) {
    counted.ready.add(config_.self);
    return;
  }
  counted.echo.add(config_.self);
  s.input = said;
  Reader value(record.value.view());
  s.mine = {value.digest(), record.body, {}};
  while (value.remaining() > 0 && value.ok()) s.mine.proof.push_back(value.digest());
  s.bytes += record.body.size();
  shelf_.charge(i, record.body.size());
}

void Avid::resume(const Instance& i, State& s, Fx& fx) {
  // A crash came between the origin's record and its echo.
  const auto payload = s.input ? s.payloads.find(*s.input) : s.payloads.end();
  if (i.origin == config_.self && payload != s.payloads.end() && !s.said[kEcho])
    echo(i, s, pieces_of(fragments_.cut(payload->second.view()))[config_.self.value], fx);
  if (s.said[kEcho]) {
    Count& c = count(s, s.mine.root);
    drop_fragments(i, s, s.mine.root, c);
  }
  s.told_holding = s.said[kReadied] && s.payloads.contains(*s.said[kReadied]);
  advance(i, s, fx);
}

}  // namespace thresher
