#include "own_blocks.hpp"

#include <utility>

#include "composer.hpp"
#include "timers.hpp"

namespace thresher::dag {
namespace {

/// While there is work the last block is repeated this often.
Delay busy(const Config& config) {
  return Delay{config.timeout.value * 2 / 3};
}

}  // namespace

OwnBlocks::OwnBlocks(const Config& config, Store& store, const Culprits& culprits,
                     const Slots& slots, Whereabouts& where, const Work& work, Backlog& backlog,
                     Attachments& attachments, Stats& stats, const OwnBlocks* like)
    : config_(config),
      store_(store),
      culprits_(culprits),
      slots_(slots),
      where_(where),
      work_(work),
      backlog_(backlog),
      attachments_(attachments),
      stats_(stats),
      draft_(like != nullptr ? like->draft_ : std::nullopt),
      pushed_recently_(like != nullptr && like->pushed_recently_) {}

// N1: the one block of this round.
void OwnBlocks::compose(Round r, Fx& fx) {
  Draft& out = draft_.emplace();
  out.payload = backlog_.take();
  const bool leads = !config_.rules.coin && slots_.leader(r) == config_.self;
  Composer composer(config_, store_, culprits_, where_.rounds());
  out.header = composer.header(r, where_.own(), out.payload, leads);
  out.attached = attachments_.with(out.header, fx);
  fx.push(Endorse{{r.value, {}}, digest_of(out.header, config_.chain)});
}

// N1
std::optional<std::vector<BlockPtr>> OwnBlocks::sign(const Endorsed& event) {
  if (!draft_ || event.ticket.local != draft_->header.round.value) return std::nullopt;
  Draft signed_now = *std::exchange(draft_, std::nullopt);
  where_.made(make_block(std::move(signed_now.header), std::move(signed_now.payload),
                         event.signature, config_.chain));
  return std::move(signed_now.attached);
}

void OwnBlocks::send(std::vector<BlockPtr> along, Fx& fx) {
  pushed_recently_ = true;
  stats_.attached += along.size();
  fx.broadcast(Push{outgoing(), std::move(along)});
}

void OwnBlocks::begin(Fx& fx) {
  if (where_.own()) fx.broadcast(Push{outgoing()});
  pushed_recently_ = true;
  fx.push(ArmTimer{{kPushTimer, {}}, busy(config_)});
}

// M3. Lost messages are repaired by repeating the last own block, byte for byte.
void OwnBlocks::repeat(Fx& fx) {
  const bool again = where_.own() && !pushed_recently_;
  pushed_recently_ = false;
  if (again) fx.broadcast(Push{outgoing()});
  fx.push(ArmTimer{{kPushTimer, {}}, work_.any() ? busy(config_) : config_.idle_push});
}

BlockPtr OwnBlocks::outgoing() const {
  return config_.rules.bitmap_refs ? pack(where_.own(), config_.committee) : where_.own();
}

}  // namespace thresher::dag
