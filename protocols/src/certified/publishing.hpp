// The own header goes out, is voted for, gets its certificate, and is repeated while it may be
// lost. Rules R1, R3 and R4.
//
//   Publishing publishing(config, own, records, checking, stats);
//   if (const VertexPtr v = publishing.begin(std::move(draft), signature, fx)) hold(v);
//   if (const VertexPtr v = publishing.hear(peer, vote, fx)) hold(v);
//   if (const VertexPtr v = publishing.judge(done, fx)) hold(v);   // the verdicts on votes
//   const bool quiet = publishing.repeat(fx);                      // kPushTimer ran off
//
// Guarantees: those of own.hpp, which others change too: a disk brings the last header back. The
// header is durable before it is sent. Votes are verified when they could be enough, all at once.
// Whoever is given the vertex holds it: it was sent to all.
#pragma once

#include "../chassis/beside.hpp"
#include "checking.hpp"
#include "composing.hpp"
#include "own.hpp"
#include "records.hpp"

namespace thresher::certified {

class Publishing {
 public:
  using Fx = Bullshark::Fx;

  Publishing(const Config& config, Own& own, const Records& records, Checking& checking,
             Stats& stats);

  /// Goes on after a start with the header that the disk brought. The vertex, here and below: the
  /// own header has its certificate now; null: it has not.
  [[nodiscard]] VertexPtr resume(Fx& fx);
  [[nodiscard]] VertexPtr begin(Composing::Draft draft, const Signature& signature, Fx& fx);
  [[nodiscard]] VertexPtr hear(NodeId from, const Vote& message, Fx& fx);
  /// Pre: it is a check of votes.
  [[nodiscard]] VertexPtr judge(const Checks::Concluded& done, Fx& fx);

  /// A header was sent since repeat() was called.
  bool sent_recently() const { return sent_recently_; }
  /// Sends the last header again, or its certificate. False: it was sent since the last call.
  bool repeat(Fx& fx);

 private:
  VertexPtr check_votes(Fx& fx);
  VertexPtr certify(Fx& fx);
  void send(Fx& fx) const;

  bool sent_recently_ = false;
  chassis::Beside<const Config> config_;
  chassis::Beside<Own> own_;
  chassis::Beside<const Records> records_;
  chassis::Beside<Checking> checking_;
  chassis::Beside<Stats> stats_;
};

}  // namespace thresher::certified
