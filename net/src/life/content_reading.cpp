#include "life/content_reading.hpp"

#include <utility>

#include "ledger/ledger.hpp"

namespace thresher::net {

ContentReading::ContentReading(const LogReader& log, What what)
    : log_(log), what_(std::move(what)), contents_(std::move(what_.in_front)) {}

bool ContentReading::read_on(const Enough& enough) {
  if (!after_) {
    const auto first = log_.before(what_.begin, what_.last);
    if (!first) return true;
    after_ = *first;
  }
  Step step = whole() ? Step::kEnds : Step::kGoesOn;
  if (entry_ && step == Step::kGoesOn) {
    const LogEntry entry = *std::exchange(entry_, std::nullopt);
    step = read(entry, enough);
  }
  if (step != Step::kGoesOn) return step == Step::kEnds;
  const auto scanned = log_.each(*after_, [&](const LogEntry& entry) {
    step = read(entry, enough);
    return step == Step::kGoesOn;
  });
  return !scanned || step != Step::kPauses;  // behind the last entry there is nothing
}

ContentReading::Step ContentReading::read(const LogEntry& entry, const Enough& enough) {
  if (entry.first >= what_.begin + what_.results.size()) return Step::kEnds;
  if (block_ == 0) position_ = entry.first;
  // An entry that orders nothing has duplicates at most.
  const std::size_t blocks = entry.count == 0 ? 0 : entry.blocks.size();
  while (block_ < blocks && !whole()) {
    if (!read_block(entry.blocks[block_++])) return Step::kEnds;
    if (block_ == blocks || whole() || !enough()) continue;
    entry_ = entry;  // the log would be searched and decoded again for each piece
    return Step::kPauses;
  }
  block_ = 0;
  after_ = entry.slot;
  if (whole()) return Step::kEnds;
  return enough() ? Step::kPauses : Step::kGoesOn;
}

// False: it is not there as its author signed it.
bool ContentReading::read_block(const LoggedBlock& block) {
  const auto payload = log_.payload(block);
  if (!payload) return false;
  const std::uint64_t end = what_.begin + what_.results.size();
  position_ =
      each_ordered(block, payload->view(), position_, [&](const Transaction& t, const Validity&) {
        if (t.position < what_.begin + contents_.size() || t.position >= end) return;
        contents_.push_back(
            {t.client, t.sequence, payload_hash(t.data), what_.results[t.position - what_.begin]});
      });
  return true;
}

}  // namespace thresher::net
