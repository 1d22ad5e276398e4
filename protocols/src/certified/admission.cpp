#include "admission.hpp"

#include <utility>

#include "settled.hpp"

namespace thresher::certified {

Admission::Admission(const With& with)
    : config_(with.config),
      store_(with.store),
      asking_(with.asking),
      pacemaker_(with.pacemaker),
      from_log_(with.from_log),
      undelivered_(with.undelivered),
      records_(with.records),
      stats_(with.stats) {}

bool Admission::acceptable(const Ref& ref, NodeId from) {
  const Header& h = std::as_const(*store_).find(ref)->vertex->header;
  if (refs_settled(*store_, h)) return true;
  bool registered = false;
  each_ref(h, [&](const Ref& parent) {
    if (store_->settled(parent)) return true;
    if (!std::exchange(registered, true)) waits_.add(parent, ref);
    if (store_->find(parent) == nullptr) asking_->need(parent, from, true);
    return true;
  });
  return !registered;
}

bool Admission::settle(std::vector<Ref> ready, Fx& fx) {
  const std::uint32_t needed = store_->committee().at_least(config_->rules.complete);
  bool completed = false;
  while (!ready.empty()) {
    const Ref ref = ready.back();
    ready.pop_back();
    Cell* cell = store_->find(ref);
    if (cell == nullptr || cell->accepted || !acceptable(ref, ref.author)) continue;
    store_->accept(ref);
    completed = completed || store_->accepted_authors(ref.round).count() == needed;
    ++stats_->vertices_accepted;
    pacemaker_->block_came(ref);
    const std::optional<Round> of_log = from_log_->take(ref);
    if (of_log) {
      cell->delivered = true;
    } else {
      undelivered_->add(cell->vertex->header);
    }
    records_->put_vertex(*cell->vertex, of_log.value_or(Round{0}), fx);
    waits_.wake(ref, ready);
  }
  return completed;
}

}  // namespace thresher::certified
