#include "pbft.hpp"

namespace thresher::sim {
namespace {

constexpr std::uint64_t kViewsHeard = 3;  // this one and the next two
constexpr std::uint64_t kFarAhead = 1 << 20;

}  // namespace

PbftStuffing::PbftStuffing(NodeId id, const Pbft::Config& config, const Message& heard)
    : id_(id), config_(config), heard_(heard) {
  std::visit(
      [this](const auto& m) {
        if constexpr (requires { m.view; }) view_ = m.view;
        if constexpr (requires { m.slot; }) slot_ = m.slot;
        if constexpr (requires { m.delivered; }) slot_ = m.delivered;
      },
      heard);
}

// Around the slots that are open, too far behind and too far ahead included.
std::uint64_t PbftStuffing::any_slot(Prng& rng) const {
  const std::uint64_t slot = slot_ + rng.below(3 * config_.window);
  return slot - std::min(slot, config_.window);
}

std::uint64_t PbftStuffing::own_view() const {
  const std::uint64_t n = config_.committee.size();
  return view_ + (id_.value + n - view_ % n) % n;
}

void PbftStuffing::make(Kind<pbft::PrePrepare>, Prng& rng, Out& out) const {
  for (std::uint64_t k = 0; k < 2 * config_.window; ++k)
    out.push_back(pbft::PrePrepare{own_view(), any_slot(rng), filler(config_.value_bytes, rng)});
}

void PbftStuffing::make(Kind<pbft::Vote>, Prng& rng, Out& out) const {
  for (std::uint64_t k = 0; k < 2 * config_.window; ++k) {
    pbft::Vote vote{view_ + rng.below(kViewsHeard), any_slot(rng), nobodys(rng), pbft::kPrepare};
    if (rng.below(2) == 0) vote.phase = pbft::kCommit;
    out.push_back(vote);
  }
}

void PbftStuffing::make(Kind<pbft::NewView>, Prng&, Out& out) const {
  pbft::NewView start{own_view(), {}};
  for (std::uint32_t i = 0; i < config_.committee.size(); ++i)
    start.from.push_back(NodeId{static_cast<std::uint16_t>(i)});
  out.push_back(std::move(start));
}

void PbftStuffing::make(Kind<pbft::Forward>, Prng& rng, Out& out) const {
  const std::size_t bytes = rng.below(2) == 0 ? config_.value_bytes : sizeof(std::uint64_t);
  for (std::uint64_t k = 0; k < 2 * config_.window; ++k)
    out.push_back(pbft::Forward{filler(bytes, rng), rng.below(8) == 0});
}

void PbftStuffing::make(Kind<pbft::Checkpoint>, Prng& rng, Out& out) const {
  out.push_back(pbft::Checkpoint{view_ + rng.below(kFarAhead), slot_ + rng.below(kFarAhead)});
}

void PbftStuffing::make(Kind<pbft::Want>, Prng& rng, Out& out) const {
  for (std::uint64_t k = 0; k < 2 * config_.window; ++k)
    out.push_back(pbft::Want{view_, any_slot(rng)});
}

void PbftStuffing::make(Kind<pbft::Ordered>, Prng& rng, Out& out) const {
  for (std::uint64_t k = 0; k < 2 * config_.window; ++k)
    out.push_back(pbft::Ordered{any_slot(rng), nobodys(rng)});
}

// View changes are broadcast under the number of their view, less two.
void PbftStuffing::make(Kind<Bracha::Message>, Prng& rng, Out& out) const {
  const auto* heard = std::get_if<Bracha::Message>(&heard_);
  const std::uint64_t number = view_ - std::min<std::uint64_t>(view_, 2);
  const BrachaStuffing inner{id_, config_.committee.size(),
                             heard != nullptr ? number_of(*heard) : number, config_.window,
                             Pbft::largest_view_change(config_)};
  const Bracha::Message about = heard != nullptr ? *heard : bracha::Floor{};
  for (Bracha::Message& m : stuff_with(inner, about, rng.next())) out.emplace_back(std::move(m));
}

void PbftStuffing::make(Kind<pbft::Fetch>, Prng& rng, Out& out) const {
  const auto* vote = std::get_if<pbft::Vote>(&heard_);
  for (std::uint64_t k = 0; k < 2 * config_.window; ++k)
    out.push_back(pbft::Fetch{any_slot(rng), vote != nullptr ? vote->digest : nobodys(rng)});
}

void PbftStuffing::make(Kind<pbft::Fetched>, Prng& rng, Out& out) const {
  for (std::uint64_t k = 0; k < 2 * config_.window; ++k)
    out.push_back(pbft::Fetched{any_slot(rng), filler(config_.value_bytes, rng)});
}

void PbftStuffing::make(Kind<pbft::Offer>, Prng& rng, Out& out) const {
  for (std::uint64_t k = 0; k < 2 * config_.window; ++k)
    out.push_back(pbft::Offer{nobodys(rng), rng.below(2) == 0});
}

void PbftStuffing::make(Kind<pbft::Ask>, Prng& rng, Out& out) const {
  const auto* offer = std::get_if<pbft::Offer>(&heard_);
  for (std::uint64_t k = 0; k < 2 * config_.window; ++k)
    out.push_back(pbft::Ask{offer != nullptr ? offer->digest : nobodys(rng), rng.below(2) == 0});
}

void PbftStuffing::answer(const Message& heard, Prng& rng, Out& out) const {
  if (std::holds_alternative<pbft::Want>(heard)) make(Kind<pbft::Ordered>{}, rng, out);
  if (std::holds_alternative<pbft::Fetch>(heard)) make(Kind<pbft::Fetched>{}, rng, out);
  if (std::holds_alternative<pbft::Ask>(heard)) make(Kind<pbft::Forward>{}, rng, out);
  const auto* inner = std::get_if<Bracha::Message>(&heard);
  const bool asks = inner != nullptr && std::holds_alternative<bracha::Want>(*inner);
  if (asks) make(Kind<Bracha::Message>{}, rng, out);
}

}  // namespace thresher::sim
