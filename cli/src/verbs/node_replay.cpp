#include <cstdio>
#include <deque>
#include <memory>
#include <string>

#include "../client_of.hpp"
#include "../json.hpp"
#include "../text.hpp"
#include "thresher/net/config.hpp"
#include "thresher/net/replay.hpp"

namespace thresher::cli {
namespace {

/// Entries before a difference, or a broken invariant, that are printed with it.
constexpr std::size_t kLast = 20;

struct Args {
  std::string home;
  std::string journal;
  bool print = false;
  bool json = false;
};

std::string line_of(std::uint64_t entry, unsigned depth, const std::string& words) {
  return std::to_string(entry) + "  " + std::string(std::size_t{2} * depth, ' ') + words;
}

std::string end_of(const net::Replayed& r) {
  if (r.difference) return "what follows was not made again";
  switch (r.end) {
    case net::Replayed::End::kClosed:
      return "the node ended in order";
    case net::Replayed::End::kCut:
      return "the journal stops there without an end mark: the node was killed or still runs, or "
             "what followed is lost";
    case net::Replayed::End::kFull:
      return "the journal had reached its size there";
    case net::Replayed::End::kDisk:
      return "the disk took no more of the journal there (" + r.disk + "), and the node went on";
    case net::Replayed::End::kDamaged:
      return "the journal is damaged: " + r.damage;
  }
  return {};
}

void print_json(const std::string& journal, const net::Replayed& r, bool same) {
  Json out;
  out.set("journal", journal).set("program", r.program).set("protocol", r.protocol);
  out.set("node", std::uint64_t{r.self.value}).set("calls", r.calls).set("asked", r.asked);
  out.set("commits", r.commits).set("last_slot", r.last_slot.value).set("same", same);
  out.set("end", end_of(r));
  if (r.broken) out.set("broken", r.broken->what).set("broken_at", r.broken->entry);
  if (r.difference) {
    out.set("differs_at", r.difference->entry).set("recorded", r.difference->recorded);
    out.set("now", r.difference->now);
  }
  out.print();
}

void print_text(const net::Replayed& r, const std::deque<std::string>& last) {
  std::printf("node %u, protocol %s, recorded by version %s\n", r.self.value, r.protocol.c_str(),
              r.program.c_str());
  if (r.broken || r.difference) {
    for (const std::string& line : last) std::printf("  %s\n", escaped(line).c_str());
  }
  if (r.difference) {
    std::printf("entry %llu differs\n  recorded: %s\n  now:      %s\n",
                static_cast<unsigned long long>(r.difference->entry),
                escaped(r.difference->recorded).c_str(), escaped(r.difference->now).c_str());
  }
  if (r.broken) {
    std::printf("entry %llu: the invariant does not hold again: %s\n",
                static_cast<unsigned long long>(r.broken->entry), escaped(r.broken->what).c_str());
  }
  std::printf("%llu calls, %llu things asked for, %llu commits up to slot %llu%s; %s\n",
              static_cast<unsigned long long>(r.calls), static_cast<unsigned long long>(r.asked),
              static_cast<unsigned long long>(r.commits),
              static_cast<unsigned long long>(r.last_slot.value),
              r.difference ? "" : ": all as recorded", end_of(r).c_str());
}

int replay(const Args& a) {
  const auto config = net::load_config(a.home);
  if (!config) return fail_all(kUsage, config.error());
  const net::NodeOptions options = net::with_paths(config->options);
  std::string journal = a.journal;
  if (journal.empty()) {
    auto newest = net::newest_journal(options.home);
    if (!newest) return fail(kUsage, newest.error());
    journal = std::move(*newest);
  }
  std::deque<std::string> last;
  net::ReplayOptions how{options.genesis, options.coin, {}};
  how.on_entry = [&](std::uint64_t entry, unsigned depth, const std::string& words) {
    const std::string line = line_of(entry, depth, words);
    if (a.print) std::puts(escaped(line).c_str());
    last.push_back(line);
    if (last.size() > kLast) last.pop_front();
  };
  const auto again = net::replay_journal(journal, how);
  if (!again) return fail(kUsage, again.error());
  if (a.json) {
    print_json(journal, *again, !again->difference);
  } else {
    print_text(*again, last);
  }
  const bool damaged = again->end == net::Replayed::End::kDamaged;
  return again->difference || again->broken || damaged ? kFailed : kDone;
}

}  // namespace

Verb make_node_replay() {
  auto a = std::make_shared<Args>();
  return {
      {"node", "replay"},
      "Make a node's protocol do again what it did in its last start, from its journal (thresher "
      "node run --journal). Example: thresher node replay --home mynet/node0",
      {{"--home", "the node's folder", &a->home, true},
       {"--journal", "the file; the newest one in the node's folder if it is left out",
        &a->journal},
       {"--print", "every call, and what followed from it, one a line", &a->print},
       {"--json", "one object on one line", &a->json}},
      [a] { return replay(*a); }};
}

}  // namespace thresher::cli
