// Work of a thread that is done a piece at a time, so that everything else has its turn between the
// pieces. Private to net/.
//
//   PieceWork pages(loop, [&] { return queue.serve(); });     // one piece; when the next may come
//   queue.ask(question);
//   pages.go_on();                              // and from here on by itself, until none is left
//
// Guarantees: while something is left one timer runs, and none when nothing is; so what is asked
// for in the middle of a piece, or a thousand times, is done by the same timer. The piece may ask
// for itself again. Does not look by itself for new work: who makes some calls go_on(). On the
// loop's thread. It and what the piece uses have to live as long as the loop calls anything.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "links/alarm.hpp"

namespace thresher::net {

class PieceWork {
 public:
  /// Does a piece. When the next one may come, monotonic, in microseconds; empty: nothing is left.
  using Piece = std::function<std::optional<std::uint64_t>()>;

  PieceWork(Loop& loop, Piece piece)
      : piece_(std::move(piece)), next_(loop, [this] { at_once(); }) {}
  PieceWork(const PieceWork&) = delete;
  PieceWork& operator=(const PieceWork&) = delete;

  /// There may be more to do: a piece now, if none is due already.
  void go_on() {
    if (!next_.is_set()) at_once();
  }
  /// A piece now, though another may be due: for what need not wait for that.
  void at_once() {
    if (const std::optional<std::uint64_t> due_us = piece_()) next_.set_at(*due_us);
  }
  /// A piece is due: something is left.
  bool waits() const { return next_.is_set(); }

 private:
  Piece piece_;
  Alarm next_;
};

}  // namespace thresher::net
