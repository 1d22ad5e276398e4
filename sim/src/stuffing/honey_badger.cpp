#include "honey_badger.hpp"

#include "thresher/core/node_ids.hpp"

namespace thresher::sim {
namespace {

constexpr std::uint64_t kMany = 16;
constexpr std::uint64_t kFarAhead = 1 << 20;
constexpr std::size_t kSmall = 8;  // bytes

}  // namespace

void HoneyBadgerStuffing::make(Kind<honey_badger::Subset::Message>, Prng& rng, Out& out) const {
  const SubsetStuffing<Avid> subset{id, config.committee, config.window, config.batch_bytes};
  const auto* of_subset = std::get_if<honey_badger::Subset::Message>(&heard);
  const honey_badger::Subset::Message first = BcaAgreement::Message{agreement::Done{}};
  for (auto& m : subset.on_hearing(of_subset != nullptr ? *of_subset : first, rng.next()))
    out.emplace_back(std::move(m));
}

void HoneyBadgerStuffing::make(Kind<honey_badger::Forward>, Prng& rng, Out& out) const {
  const std::size_t bytes = rng.below(2) == 0 ? config.value_bytes : kSmall;
  for (std::uint64_t k = 0; k < kMany; ++k)
    out.push_back(honey_badger::Forward{filler(bytes, rng)});
}

void HoneyBadgerStuffing::make(Kind<honey_badger::Status>, Prng& rng, Out& out) const {
  for (std::uint64_t k = 0; k < kMany; ++k) {
    const std::uint64_t delivered = slot + rng.below(kFarAhead);
    const std::uint64_t epoch = rng.below(kFarAhead);
    out.push_back(honey_badger::Status{delivered, epoch, rng.below(kFarAhead), true});
  }
}

void HoneyBadgerStuffing::make(Kind<honey_badger::Decided>, Prng& rng, Out& out) const {
  for (std::uint64_t k = 0; k < kMany; ++k) {
    const std::uint64_t of = slot + rng.below(2 * kMany);
    out.push_back(honey_badger::Decided{of, filler(kSmall, rng)});
  }
}

void HoneyBadgerStuffing::make(Kind<honey_badger::Reveal>, Prng& rng, Out& out) const {
  const auto* of_epoch = std::get_if<honey_badger::Reveal>(&heard);
  const std::uint64_t first = of_epoch != nullptr ? of_epoch->epoch : 0;
  for (std::uint64_t k = 0; k < kMany; ++k) {
    honey_badger::Reveal m{first + rng.below(kMany), rng.below(2) == 0, {}};
    for (const NodeId i : node_ids(config.committee.size())) m.shares.push_back({i, {}});
    out.emplace_back(std::move(m));
  }
}

void HoneyBadgerStuffing::answer(const Message& asked, Prng& rng, Out& out) const {
  const auto* status = std::get_if<honey_badger::Status>(&asked);
  if (status != nullptr && status->asks) make(Kind<honey_badger::Decided>{}, rng, out);
}

}  // namespace thresher::sim
