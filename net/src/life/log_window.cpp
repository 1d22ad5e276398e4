#include "life/log_window.hpp"

namespace thresher::net {

LogWindow::LogWindow(const Committee& committee, NodeId self, const LogForm& log,
                     PortableLedger ledger, Hooks hooks)
    : ledger_(std::move(ledger)),
      hooks_(std::move(hooks)),
      sync_(committee, self, log,
            {hooks_.send, [this](const Commit& c) { note(c); }, [] { return true; }, hooks_.blame,
             hooks_.pruned}),
      hash_(ledger_.window_hash) {}

void LogWindow::begin(std::uint64_t now) {
  sync_.begin(ledger_.window_before, hash_, now, ledger_.checkpoint.slot);
}

void LogWindow::note(const Commit& commit) {
  const Checkpoint& of = ledger_.checkpoint;
  if (ended_ || commit.slot > of.slot) return;
  hash_ = chained(hash_, commit);
  for (Persist& r : hooks_.entry_of(commit, ledger_.progress)) records_.push_back(std::move(r));
  if (commit.slot < of.slot) return;
  ended_ = true;
  const bool certified = hash_ == of.log_hash;
  if (certified) sync_.stop();
  hooks_.ended(certified);
}

}  // namespace thresher::net
