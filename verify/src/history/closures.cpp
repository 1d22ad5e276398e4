#include "closures.hpp"

#include <map>

#include "relation.hpp"

namespace thresher::history {
namespace {

using Ops = std::vector<Operation>;

/// The index of the operation of the same client before each one.
std::vector<std::optional<std::size_t>> session_order(const History& h) {
  std::vector<std::optional<std::size_t>> out(h.operations.size());
  std::vector<std::optional<std::size_t>> last(h.clients.size());
  for (std::size_t i = 0; i < h.operations.size(); ++i) {
    out[i] = last[h.operations[i].client];
    last[h.operations[i].client] = i;
  }
  return out;
}

Finding no(std::string why) {
  return {Holds::kNo, std::move(why)};
}

std::string old_news(const History& h, std::size_t get, std::size_t newer,
                     std::optional<std::size_t> read, const std::string& who) {
  const Ops& ops = h.operations;
  const std::string hidden = who + show(h, ops[newer]) + " comes before " + show(h, ops[get]);
  return read ? hidden + ", and after " + show(h, ops[*read]) + ", which that returned"
              : hidden + ", which found nothing";
}

/// What the clients' orders, the declared dependencies and the reads imply; or why that is a cycle.
struct Causality {
  Relation order;
  std::string cycle;

  Causality(const History& h, const Reads& reads) : order(h.operations.size()) {
    const auto previous = session_order(h);
    for (std::size_t i = 0; i < h.operations.size(); ++i) {
      const Operation& op = h.operations[i];
      if (previous[i]) add(h, *previous[i], i);
      for (const std::uint32_t a : op.after) add(h, a, i);
      if (op.kind != Kind::kGet) continue;
      if (const auto put = reads.of(op)) add(h, *put, i);
    }
  }

 private:
  void add(const History& h, std::size_t a, std::size_t b) {
    if (order.add(a, b) || !cycle.empty()) return;
    cycle = show(h, h.operations[b]) + " depends on " + show(h, h.operations[a]) +
            ", which depends on it";
  }
};

/// Orders puts for the gets of one client: a put of the same key that comes before a get comes
/// before the put that this get reads. Repeats until nothing is new.
Finding saturate(const History& h, const Reads& reads, std::uint32_t client, Relation& order) {
  const Ops& ops = h.operations;
  const std::string who = "for " + h.clients[client] + ", ";
  for (bool fresh = true; fresh;) {
    fresh = false;
    for (std::size_t get = 0; get < ops.size(); ++get) {
      if (ops[get].client != client || ops[get].kind != Kind::kGet) continue;
      const auto read = reads.of(ops[get]);
      for (const std::size_t put : reads.puts(ops[get].key)) {
        if (read == put || !order.has(put, get)) continue;
        if (!read) return no(old_news(h, get, put, read, who));
        if (order.has(put, *read)) continue;
        if (!order.add(put, *read)) return no(old_news(h, get, put, read, who));
        fresh = true;
      }
    }
  }
  return {Holds::kYes};
}

/// Per client and key, whether its versions can stand in one order that keeps those of their
/// writers and every pair that `pairs` gives.
template <class Pairs>
Finding order_of_versions(const History& h, const Reads& reads, Pairs pairs) {
  const Ops& ops = h.operations;
  for (std::uint32_t key = 0; key < h.keys.size(); ++key) {
    const auto& puts = reads.puts(key);
    std::map<std::size_t, std::size_t> place;
    for (const std::size_t put : puts) place.emplace(put, place.size());
    for (std::uint32_t client = 0; client < h.clients.size(); ++client) {
      Relation order(puts.size());
      std::map<std::uint32_t, std::size_t> last;
      for (const std::size_t put : puts) {
        const auto [it, first] = last.emplace(ops[put].client, put);
        if (!first) (void)order.add(place[std::exchange(it->second, put)], place[put]);
      }
      Finding broken{Holds::kYes};
      pairs(client, key, [&](std::size_t older, std::optional<std::size_t> newer, std::size_t get) {
        if (broken.holds == Holds::kNo || newer == older) return;
        if (!newer || !order.add(place[older], place[*newer])) {
          broken = no(old_news(h, get, older, newer, "for " + h.clients[client] + ", "));
        }
      });
      if (broken.holds == Holds::kNo) return broken;
    }
  }
  return {Holds::kYes};
}

}  // namespace

Reads::Reads(const History& h) : put_of_(h.values.size()), puts_(h.keys.size()) {
  const Ops& ops = h.operations;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].kind != Kind::kPut) continue;
    puts_[ops[i].key].push_back(i);
    auto& put = put_of_[ops[i].version];
    if (put && ambiguous_.empty()) {
      ambiguous_ = show(h, ops[*put]) + " and " + show(h, ops[i]) + " put the same value";
    }
    if (ops[i].version < h.keys.size() && ambiguous_.empty()) {
      ambiguous_ = show(h, ops[i]) + " leaves nothing, as it was in the beginning";
    }
    put = i;
  }
  for (const Operation& op : ops) {
    const bool nowhere = op.version >= h.keys.size() && !put_of_[op.version];
    if (nowhere && from_nowhere_.empty()) {
      from_nowhere_ = show(h, op) + " returned what nobody put";
    }
  }
}

Finding judge_causal_convergent(const History& h, const Reads& reads) {
  const Causality causal(h, reads);
  if (!causal.cycle.empty()) return no(causal.cycle);
  Relation arbitration = causal.order;
  for (std::size_t get = 0; get < h.operations.size(); ++get) {
    if (h.operations[get].kind != Kind::kGet) continue;
    const auto read = reads.of(h.operations[get]);
    for (const std::size_t put : reads.puts(h.operations[get].key)) {
      if (read == put || !causal.order.has(put, get)) continue;
      if (!read || !arbitration.add(put, *read)) {
        return no(old_news(h, get, put, read, "in any order of puts for all, "));
      }
    }
  }
  return {Holds::kYes};
}

Finding judge_causal(const History& h, const Reads& reads) {
  const Causality causal(h, reads);
  if (!causal.cycle.empty()) return no(causal.cycle);
  for (std::uint32_t client = 0; client < h.clients.size(); ++client) {
    Relation order = causal.order;
    if (auto found = saturate(h, reads, client, order); found.holds != Holds::kYes) {
      return found;
    }
  }
  return {Holds::kYes};
}

Finding judge_pipelined(const History& h, const Reads& reads) {
  Relation sessions(h.operations.size());
  const auto previous = session_order(h);
  for (std::size_t i = 0; i < previous.size(); ++i) {
    if (previous[i]) (void)sessions.add(*previous[i], i);
  }
  for (std::uint32_t client = 0; client < h.clients.size(); ++client) {
    Relation order = sessions;
    for (std::size_t get = 0; get < h.operations.size(); ++get) {
      const Operation& op = h.operations[get];
      if (op.client != client || op.kind != Kind::kGet) continue;
      const auto put = reads.of(op);
      if (put && !order.add(*put, get)) {
        return no(show(h, op) + " returned what its own client put later");
      }
    }
    if (auto found = saturate(h, reads, client, order); found.holds != Holds::kYes) {
      return found;
    }
  }
  return {Holds::kYes};
}

namespace {

auto behind_own_puts(const History& h, const Reads& reads) {
  return [&](std::uint32_t client, std::uint32_t key, auto add) {
    std::vector<std::size_t> own;
    for (std::size_t i = 0; i < h.operations.size(); ++i) {
      const Operation& op = h.operations[i];
      if (op.client != client || op.key != key) continue;
      if (op.kind == Kind::kPut) {
        own.push_back(i);
      } else if (!own.empty()) {
        add(own.back(), reads.of(op), i);
      }
    }
  };
}

auto behind_own_gets(const History& h, const Reads& reads) {
  return [&](std::uint32_t client, std::uint32_t key, auto add) {
    std::optional<std::size_t> before;
    for (std::size_t i = 0; i < h.operations.size(); ++i) {
      const Operation& op = h.operations[i];
      if (op.client != client || op.key != key || op.kind != Kind::kGet) continue;
      const auto read = reads.of(op);
      if (before) add(*before, read, i);
      before = read;
    }
  };
}

}  // namespace

// Each half may have an order of its own, and both none together.
Finding judge_session(const History& h, const Reads& reads) {
  const auto puts = behind_own_puts(h, reads);
  const auto gets = behind_own_gets(h, reads);
  return order_of_versions(h, reads, [&](std::uint32_t client, std::uint32_t key, auto add) {
    puts(client, key, add);
    gets(client, key, add);
  });
}

Finding judge_read_your_writes(const History& h, const Reads& reads) {
  return order_of_versions(h, reads, behind_own_puts(h, reads));
}

Finding judge_monotonic_reads(const History& h, const Reads& reads) {
  return order_of_versions(h, reads, behind_own_gets(h, reads));
}

}  // namespace thresher::history
