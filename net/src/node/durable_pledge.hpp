// How far this node has bound itself by what is surely on its disk. Private to net/.
//
//   pledge.handed(barrier);                    // records went to the writer
//   pledge.durable(barrier);                   // and are on the disk
//   if (const auto p = pledge.look(engine.pledge())) sign_once.note(*p);    // now and then
//
// A note that said more than the disk has would make the next start refuse its own data. So each
// look remembers what is bound now, and a later one gives it, when the disk has come behind all
// that was handed to it by then. Guarantees: what is given is never more than the disk has; nothing
// is given twice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "engines/order_engine.hpp"

namespace thresher::net {

class DurablePledge {
 public:
  /// Records of this barrier, or of an earlier one.
  void handed(std::uint64_t barrier) { handed_ = std::max(handed_, barrier); }
  /// All up to this barrier is on the disk.
  void durable(std::uint64_t barrier) { durable_ = barrier; }
  /// `now`: what the node is bound to. Empty: nothing new is surely on the disk.
  std::optional<Pledge> look(const Pledge& now) {
    std::optional<Pledge> out;
    if (sample_ && durable_ > sample_->barrier) {
      out = sample_->pledge;
      sample_.reset();
    }
    if (!sample_) sample_ = {now, handed_};
    return out;
  }

 private:
  struct Sample {
    Pledge pledge;
    std::uint64_t barrier = 0;  // the last one before it was taken
  };
  std::optional<Sample> sample_;
  std::uint64_t handed_ = 0;
  std::uint64_t durable_ = 0;
};

}  // namespace thresher::net
