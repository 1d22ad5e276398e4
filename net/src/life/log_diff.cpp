#include "thresher/net/log_diff.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include "engines/ordering_protocols.hpp"
#include "life/log_tree.hpp"
#include "life/resting_store.hpp"

namespace thresher::net {
namespace {

/// One node's folder at rest.
struct Folder {
  NodeOptions options;
  Genesis genesis;
  RestingStore store;
  std::unique_ptr<LogReader> reader;

  Result<Unit, Error> open(const NodeOptions& given) {
    options = with_paths(given);
    auto read = load_genesis(options.genesis);
    if (!read) return read.error();
    genesis = std::move(*read);
    if (const auto opened = store.open(options, genesis.context().chain); !opened)
      return opened.error();
    reader = std::make_unique<LogReader>(store, log_form_of(genesis));
    return Unit{};
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(genesis.nodes.size()); }
  /// Log hash and length after each slot above `after`.
  std::map<Round, std::pair<Digest, std::uint64_t>> log(Round after) const {
    std::map<Round, std::pair<Digest, std::uint64_t>> out;
    (void)reader->each(after, [&](const LogEntry& e) {
      out.emplace(e.slot, std::pair(e.log_hash, e.first + e.count));
      return true;
    });
    return out;
  }
  /// Hashes of results from `position` on, as far as checkpoints or whole chunks have them.
  std::vector<Digest> results(std::uint64_t position) const {
    std::vector<Digest> out = chunk_results(store, position);
    const std::vector<Round> slots = own_checkpoint_slots(store);
    if (slots.empty()) return out;
    const auto newest = load_own_checkpoint(store, slots.back(), size());
    const std::uint64_t end = position + out.size();
    if (newest && newest->signed_checkpoint.checkpoint.length >= end &&
        newest->signed_checkpoint.checkpoint.length - newest->open_results.size() == end) {
      out.insert(out.end(), newest->open_results.begin(), newest->open_results.end());
    }
    return out;
  }
};

// Where the later one of two logs begins.
const LogBegin& later_begin(const Folder& a, const Folder& b) {
  const bool first = a.reader->begin().slot > b.reader->begin().slot;
  return first ? a.reader->begin() : b.reader->begin();
}

void compare_logs(const Folder& a, const Folder& b, LogDiff& out) {
  const LogBegin& begin = later_begin(a, b);
  const auto first = a.log(begin.slot);
  const auto second = b.log(begin.slot);
  out.same_length = begin.length;
  const auto length = [&](const auto& log) {
    return log.empty() ? begin.length : log.rbegin()->second.second;
  };
  out.first_length = length(first);
  out.second_length = length(second);
  auto x = first.begin();
  auto y = second.begin();
  for (; x != first.end() && y != second.end(); ++x, ++y) {
    if (*x != *y) {
      out.log.emplace();
      out.log->slot = std::min(x->first, y->first);
      out.log->first = x->second.first;
      out.log->second = y->second.first;
      return;
    }
    out.same_length = x->second.second;
  }
}

void compare_results(const Folder& a, const Folder& b, LogDiff& out) {
  // From the first whole chunk on that both have.
  constexpr std::uint64_t kChunk = LogTree::kChunk;
  const std::uint64_t from = (later_begin(a, b).length + kChunk - 1) / kChunk * kChunk;
  if (out.same_length < from) return;
  const std::vector<Digest> first = a.results(from);
  const std::vector<Digest> second = b.results(from);
  const std::size_t end = static_cast<std::size_t>(
      std::min<std::uint64_t>(out.same_length - from, std::min(first.size(), second.size())));
  out.results_compared = end;
  for (std::size_t i = 0; i < end; ++i) {
    if (first[i] == second[i]) continue;
    out.result = LogDiff::Result{};
    out.result->position = from + i;
    out.result->first = first[i];
    out.result->second = second[i];
    return;
  }
}

void compare_states(const Folder& a, const Folder& b, LogDiff& out) {
  for (const Round slot : own_checkpoint_slots(a.store)) {
    const auto first = load_own_checkpoint(a.store, slot, a.size());
    const auto second = load_own_checkpoint(b.store, slot, b.size());
    if (!first || !second) continue;
    const Checkpoint& x = first->signed_checkpoint.checkpoint;
    const Checkpoint& y = second->signed_checkpoint.checkpoint;
    if (x.log_hash != y.log_hash) return;
    ++out.states_compared;
    if (x.state == y.state) continue;
    out.state = LogDiff::State{};
    out.state->slot = slot;
    out.state->length = x.length;
    out.state->first = x.state;
    out.state->second = y.state;
    return;
  }
}

}  // namespace

Result<LogDiff, Error> diff_logs(const NodeOptions& first, const NodeOptions& second) {
  Folder a, b;
  if (const auto opened = a.open(first); !opened) return opened.error();
  if (const auto opened = b.open(second); !opened) return opened.error();
  if (!(a.genesis.context() == b.genesis.context())) {
    return Error{ErrorCode::kMismatch,
                 "'" + a.options.genesis + "' and '" + b.options.genesis +
                     "' are of two networks: only nodes of one can be compared",
                 b.options.genesis};
  }
  LogDiff out;
  compare_logs(a, b, out);
  compare_results(a, b, out);
  compare_states(a, b, out);
  return out;
}

}  // namespace thresher::net
