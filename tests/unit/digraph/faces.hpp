// A network of nodes of a directed graph for tests, in waves: what was sent in one arrives in the
// next. A Byzantine node has faces: honest programs with its key, each with its own input and its
// own idea of whom it hears and whom it answers.
//
//   Faces<SyncAuth> net(graph);
//   net.add({.node = SyncAuth(...), .id = 0});
//   net.start();
//   net.wave(true);                        // deliver what is on its way, then let a timer expire
//
// Guarantees: a face sends along edges only and signs as its own node only; verdicts are true.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "thresher/core/protocol.hpp"
#include "thresher/protocols/digraph/graph.hpp"
#include "thresher/sim/signing.hpp"

namespace thresher::digraph {

inline NodeId node_id(std::uint32_t node) {
  return NodeId{static_cast<std::uint16_t>(node)};
}

/// The graph whose edges are the bits of `edges`, in the order of pairs.
inline Digraph graph_of(std::uint32_t n, std::uint64_t edges) {
  Digraph out(n);
  for (std::uint32_t a = 0; a < n; ++a) {
    for (std::uint32_t b = 0; b < n; ++b) {
      if (a == b) continue;
      if (edges % 2 == 1) out.add(node_id(a), node_id(b));
      edges /= 2;
    }
  }
  return out;
}

template <class P>
struct Face {
  using Message = typename P::Message;
  P node;
  std::uint32_t id = 0;
  bool faulty = false;
  Mask hears = ~Mask{0};
  Mask answers = ~Mask{0};
  /// Which faces of others it talks with: those with the same number, and those of correct nodes.
  std::uint32_t side = 0;
  std::uint32_t starts = 0;  ///< in this wave
  /// Changes what it sends, or keeps it back (false).
  std::function<bool(std::uint32_t to, Message&)> lie{};
};

template <class P>
class Faces {
 public:
  using Message = typename P::Message;

  explicit Faces(const Digraph& graph) : graph_(graph) {}

  void add(Face<P> face) { faces_.push_back(std::move(face)); }
  void start() {
    each([](P& node, auto& fx) { node.on(Start{}, fx); });
  }
  /// Whether anything was on its way.
  bool wave(bool expire) {
    auto arriving = std::exchange(underway_, {});
    for (const auto& m : arriving) deliver(m);
    ++wave_;
    start_those_of_this_wave();
    if (expire) each([](P& node, auto& fx) { node.on(Expired{}, fx); });
    return !arriving.empty();
  }
  /// Delivers one message of those that `choose` picks among so many; false: none is on its way.
  template <class F>
  bool one(F choose) {
    if (underway_.empty()) return false;
    const std::size_t at = choose(underway_.size());
    std::swap(underway_[at], underway_.back());
    const Underway m = std::move(underway_.back());
    underway_.pop_back();
    deliver(m);
    return true;
  }
  const std::vector<Face<P>>& faces() const { return faces_; }
  /// The face of a correct node.
  const P& correct(std::uint32_t id) const {
    for (const Face<P>& face : faces_) {
      if (face.id == id && !face.faulty) return face.node;
    }
    throw std::out_of_range("no such correct node");
  }

 private:
  struct Underway {
    std::size_t from = 0;
    std::uint32_t to = 0;
    Message message;
  };

  void deliver(const Underway& m) {
    const Face<P>& sender = faces_[m.from];
    for (std::size_t i = 0; i < faces_.size(); ++i) {
      Face<P>& face = faces_[i];
      if (face.id != m.to || (face.hears & bit(sender.id)) == 0) continue;
      if (face.faulty && sender.faulty && face.side != sender.side) continue;
      Effects<Message, typename P::Output> fx;
      face.node.on(Received<Message>{node_id(sender.id), m.message}, fx);
      carry_out(i, fx);
    }
  }
  void start_those_of_this_wave() {
    for (std::size_t i = 0; i < faces_.size(); ++i) {
      if (faces_[i].starts != wave_) continue;
      Effects<Message, typename P::Output> fx;
      faces_[i].node.on(Start{}, fx);
      carry_out(i, fx);
    }
  }
  // To all that have started.
  template <class F>
  void each(F input) {
    for (std::size_t i = 0; i < faces_.size(); ++i) {
      if (faces_[i].starts > wave_) continue;
      Effects<Message, typename P::Output> fx;
      input(faces_[i].node, fx);
      carry_out(i, fx);
    }
  }
  void carry_out(std::size_t from, Effects<Message, typename P::Output>& fx) {
    Face<P>& face = faces_[from];
    for (auto& effect : fx.list()) {
      Effects<Message, typename P::Output> more;
      if (auto* send = std::get_if<Send<Message>>(&effect)) {
        const std::uint32_t to = send->to.value;
        const bool reaches =
            graph_.has(node_id(face.id), send->to) && (face.answers & bit(to)) != 0;
        if (reaches && (!face.lie || face.lie(to, send->message))) {
          underway_.push_back({from, to, send->message});
        }
      } else if (auto* endorse = std::get_if<Endorse>(&effect)) {
        face.node.on(
            Endorsed{endorse->ticket, sim::mock_signature(node_id(face.id), endorse->digest)},
            more);
      } else if (auto* all = std::get_if<VerifyAll>(&effect)) {
        const bool good = all->list->all([&](NodeId signer, const Signature& s) {
          return s == sim::mock_signature(signer, all->digest);
        });
        face.node.on(Verified{all->ticket, good}, more);
      } else if (auto* one = std::get_if<Verify>(&effect)) {
        const bool good = one->signature == sim::mock_signature(one->signer, one->digest);
        face.node.on(Verified{one->ticket, good}, more);
      }
      if (!more.empty()) carry_out(from, more);
    }
  }

  Digraph graph_;
  std::vector<Face<P>> faces_;
  std::vector<Underway> underway_;
  std::uint32_t wave_ = 0;
};

}  // namespace thresher::digraph
