#include "../cluster/cluster.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>

#include "../cluster/broadcast_cluster.hpp"
#include "../cluster/trace_print.hpp"
#include "../durations.hpp"
#include "../json.hpp"
#include "../output_file.hpp"
#include "../protocol_table.hpp"
#include "../testnet.hpp"
#include "../text.hpp"
#include "../transaction_lines.hpp"
#include "thresher/core/names.hpp"

namespace thresher::cli {
namespace {

/// Connections of clients that a node holds, and some for others.
constexpr std::uint64_t kClientsPerNode = 200;
/// What its nodes take, and what is read of a file of transactions. Unit: bytes.
constexpr std::size_t kLargestTransaction = 262144;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

struct Args {
  std::uint64_t nodes = 4;
  std::string protocol = "thresher";
  std::string broadcast;
  std::vector<std::string> set;
  std::string duration = "20s";
  std::string transactions;
  std::string rate = "max";
  std::uint64_t tx_bytes = 512;
  std::uint64_t clients = 4;
  std::uint64_t window = 16384;
  std::vector<std::string> kill;
  std::vector<std::string> restart;
  std::string storage = "disk";
  std::uint64_t threads = 1;
  std::string delay = "0ms";
  std::string wan;
  std::string home;
  std::string history;
  std::string gets = "log";
  bool trace = false;
  bool json = false;
};

// "3@10s": node 3, ten seconds after the first submission.
std::string parse_events(const std::vector<std::string>& texts, bool restart, const Args& a,
                         std::vector<ClusterEvent>& out) {
  for (const std::string& text : texts) {
    const auto event = parse_node_at(text);
    if (!event || event->node >= a.nodes) {
      return "'" + text + "' is not NODE@TIME, like 3@10s, with a node from 0 to " +
             std::to_string(a.nodes - 1);
    }
    out.push_back({event->node, event->at_us, restart});
  }
  return {};
}

// A node to kill must be up by then, one to restart down. `events` are in the order of time; load
// ends at `end_us`, 0: when a file is submitted.
std::string check_events(const std::vector<ClusterEvent>& events, std::uint64_t end_us) {
  std::set<std::size_t> down;
  for (const ClusterEvent& e : events) {
    if (!e.restart && end_us != 0 && e.at_us >= end_us) {
      return "--kill " + std::to_string(e.node) + "@" + std::to_string(e.at_us / 1000) +
             "ms: the load ends before, after " + std::to_string(end_us / 1000) +
             "ms; kill it earlier, or give a longer --duration";
    }
    if (e.restart ? down.erase(e.node) != 0 : down.insert(e.node).second) continue;
    return (e.restart ? "--restart " : "--kill ") + std::to_string(e.node) + "@" +
           std::to_string(e.at_us / 1000) + "ms: node " + std::to_string(e.node) +
           (e.restart ? " is up then; --kill it before" : " is down then; --restart it before");
  }
  return {};
}

// Clients of a key-value store in place of a load, one operation at a time each.
std::string read_history(const Args& a, ClusterOptions& o) {
  if (a.gets != "log" && a.gets != "replica") {
    return "--gets '" + a.gets + "' is neither log nor replica";
  }
  if (a.history.empty()) return {};
  if (std::string why = same_file_problem("--history", a.history, a.wan); !why.empty()) return why;
  if (!std::ofstream(a.history, std::ios::app)) {  // an older one stays until there is a new one
    return "cannot write '" + a.history + "'; give a file in a folder that is there";
  }
  o.history = a.history;
  o.replica_gets = a.gets == "replica";
  o.window = a.clients;
  return {};
}

// All are in memory, so that what is measured does not read a file.
std::string read_transactions(const std::string& path, ClusterOptions& o) {
  TransactionLines lines;
  if (std::string why = lines.open(path, kLargestTransaction); !why.empty()) return why;
  o.from_file = true;
  std::uint64_t bytes = 0;
  for (std::string line; lines.next(line); o.lines.push_back(line)) {
    bytes += line.size();
    if (bytes > kMostBytes) {
      return "'" + path + "' holds more than " + std::to_string(kMostBytes >> 30) +
             " GiB; a cluster on one machine reads all of it first: give less";
    }
  }
  if (!lines.problem().empty()) return lines.problem();
  return o.lines.empty() ? "'" + path + "' holds no line" : std::string();
}

/// The protocols whose blocks a node traces.
constexpr const char* kTraced[] = {"thresher", "mysticeti", "mahi-mahi"};

std::string read_trace(const Args& a, ClusterOptions& o) {
  o.trace = a.trace;
  if (!a.trace || std::ranges::find(kTraced, a.protocol) != std::end(kTraced)) return {};
  std::string known;
  for (const char* name : kTraced) known += (known.empty() ? "" : ", ") + std::string(name);
  return "--trace-commits knows the stages of " + known + ", and not those of '" + a.protocol +
         "'; choose one of them with --protocol, or leave it out";
}

std::string read_wan(const Args& a, ClusterOptions& o) {
  if (a.wan.empty()) return {};
  if (o.delay_us != 0) return "--wan says how long messages take; leave --delay out";
  auto area = wan_delays(a.wan, a.nodes);
  if (!area) return area.error().text();
  o.wan = std::move(*area);
  return {};
}

std::string read_options(const Args& a, ClusterOptions& o) {
  o.nodes = a.nodes;
  o.protocol = a.protocol;
  o.tx_bytes = a.tx_bytes;
  o.clients = a.clients;
  o.window = a.window;
  o.set = a.set;
  if (a.nodes == 0 || a.nodes > 64) return "--nodes must be 1 to 64 on one machine";
  const auto nodes = static_cast<std::uint32_t>(a.nodes);
  if (const auto runs = check_protocol(a.protocol, a.set, nodes); !runs) return runs.error().text();
  if (a.clients == 0 || a.clients > kClientsPerNode * a.nodes) {
    return "--clients must be 1 to " + std::to_string(kClientsPerNode * a.nodes) + ", " +
           std::to_string(kClientsPerNode) + " for each node";
  }
  if (a.tx_bytes < 8 || a.tx_bytes > kLargestTransaction) return "--tx-bytes must be 8 to 262144";
  if (a.window == 0) return "--window must be at least 1";
  const auto duration = parse_duration(a.duration);
  if (!duration || *duration == 0)
    return no_duration("--duration", a.duration, "time; write 20s or 500ms");
  o.duration_us = *duration;
  // "rocksdb" is the older word for "disk".
  if (a.storage != "disk" && a.storage != "rocksdb" && a.storage != "memory") {
    return "--storage: " + unknown_name("store", a.storage, {"disk", "memory"});
  }
  o.memory = a.storage == "memory";
  if (a.threads < 1 || a.threads > 64)
    return "--threads must be a whole number from 1 to 64, not " + std::to_string(a.threads);
  o.threads = a.threads;
  const auto delay = parse_duration(a.delay);
  if (!delay || *delay > 10'000'000) return "--delay '" + a.delay + "' is no time up to 10s";
  o.delay_us = *delay;
  if (std::string p = read_wan(a, o); !p.empty()) return p;
  if (std::string p = read_trace(a, o); !p.empty()) return p;
  if (a.rate != "max") {
    const auto [end, error] = std::from_chars(a.rate.data(), a.rate.data() + a.rate.size(), o.rate);
    if (error != std::errc{} || end != a.rate.data() + a.rate.size() || !(o.rate > 0) ||
        !std::isfinite(o.rate)) {
      return "--rate '" + a.rate + "' is neither 'max' nor a number above 0";
    }
  }
  for (const auto& [texts, restart] : {std::pair(&a.kill, false), std::pair(&a.restart, true)}) {
    if (std::string p = parse_events(*texts, restart, a, o.events); !p.empty()) return p;
  }
  std::stable_sort(o.events.begin(), o.events.end(),
                   [](const auto& x, const auto& y) { return x.at_us < y.at_us; });
  const std::uint64_t end_us = a.transactions.empty() ? o.duration_us : 0;
  if (std::string p = check_events(o.events, end_us); !p.empty()) return p;
  if (std::string p = read_history(a, o); !p.empty()) return p;
  if (a.transactions.empty()) return {};
  return read_transactions(a.transactions, o);
}

Json verify_json(const ClusterReport& r) {
  Json out;
  const std::pair<const char*, double VerifyCalls::*> figures[] = {
      {"calls_per_round", &VerifyCalls::per_round},
      {"certificate_calls_per_round", &VerifyCalls::certificates_per_round},
      {"signatures_per_call", &VerifyCalls::signatures_per_call}};
  for (const auto& [name, figure] : figures)
    r.calls ? out.set(name, (*r.calls).*figure) : out.set_null(name);
  return out;
}

void print_json(const Args& a, const ClusterReport& r, const std::string& why) {
  Json latency;
  latency.set("p50", r.p50_ms).set("p90", r.p90_ms).set("p99", r.p99_ms).set("max", r.max_ms);
  Json out;
  out.set("agreement", r.agreement).set("nodes", a.nodes).set("protocol", a.protocol);
  out.set("committed_tx", r.committed).set("others_tx", r.others);
  out.set("tx_per_s", r.tx_per_s).set("latency_ms", latency);
  out.set("cpu_us_per_tx", r.cpu_us_per_tx).set("bytes_per_payload_byte", r.bytes_per_payload_byte);
  out.set("longest_gap_ms", r.longest_gap_ms).set("log_hash", r.log_hash);
  out.set("state_hash", r.state_hash).set("killed", r.killed).set("fsyncs", r.syncs);
  out.set("verify", verify_json(r)).set("why", why);
  if (r.catch_up_ms < 0) {
    out.set_null("catch_up_ms");
  } else {
    out.set("catch_up_ms", r.catch_up_ms);
  }
  if (r.trace) out.set("trace", trace_json(r));
  out.print();
}

void print_text(const ClusterReport& r, const std::string& why) {
  std::printf("committed %llu transactions in %.1f s: %.0f tx/s\n",
              static_cast<unsigned long long>(r.committed), r.seconds, r.tx_per_s);
  if (r.committed > 0)
    std::printf("latency at the client: p50 %.1f ms, p90 %.1f ms, p99 %.1f ms, max %.1f ms\n",
                r.p50_ms, r.p90_ms, r.p99_ms, r.max_ms);
  // The nodes' own counts are asked for once they are level.
  if (!r.stalled)
    std::printf(
        "CPU %.1f us a transaction (all nodes and clients), %.2f bytes sent per payload byte, "
        "%llu fsyncs, longest gap %.0f ms\n",
        r.cpu_us_per_tx, r.bytes_per_payload_byte, static_cast<unsigned long long>(r.syncs),
        r.longest_gap_ms);
  if (r.calls)
    std::printf("signatures: %.1f calls a round, %.1f of them for certificates, %.1f in a call\n",
                r.calls->per_round, r.calls->certificates_per_round, r.calls->signatures_per_call);
  if (r.catch_up_ms >= 0)
    std::printf("the restarted node was level after %.0f ms\n", r.catch_up_ms);
  if (r.stalled) {
    std::printf("agreement: not checked, because nothing was committed any more\n");
    return;
  }
  std::printf("why not faster: %s\n", why.c_str());
  std::printf("agreement: %s (log %s)\n",
              r.agreement ? "all nodes hold the same log and state" : "NO",
              r.log_hash.substr(0, 16).c_str());
  if (r.others > 0)
    std::printf("the log has %llu more transactions, which clients from outside submitted\n",
                static_cast<unsigned long long>(r.others));
}

void print_broadcasts(const Args& a, const BroadcastReport& r) {
  if (a.json) {
    Json latency;
    latency.set("p50", r.p50_ms).set("p99", r.p99_ms);
    Json out;
    out.set("agreement", r.agreement).set("nodes", a.nodes).set("broadcast", a.broadcast);
    out.set("delivered", r.delivered).set("deliveries_per_s", r.deliveries_per_s);
    out.set("latency_ms", latency).set("bytes_per_payload_byte", r.bytes_per_payload_byte);
    out.set("cpu_us_per_delivery", r.cpu_us_per_delivery);
    out.set("cpu_ms_per_mib", r.cpu_ms_per_mib).set("fsyncs", r.syncs).set("missed", r.missed);
    return out.print();
  }
  std::printf("every node that is up delivered %llu payloads in %.1f s: %.0f deliveries/s\n",
              static_cast<unsigned long long>(r.delivered), r.seconds, r.deliveries_per_s);
  std::printf("latency at the sender: p50 %.1f ms, p99 %.1f ms\n", r.p50_ms, r.p99_ms);
  std::printf(
      "CPU %.1f us a delivery, %.1f ms a delivered MiB, %.2f bytes sent per payload byte, "
      "%llu fsyncs\n",
      r.cpu_us_per_delivery, r.cpu_ms_per_mib, r.bytes_per_payload_byte,
      static_cast<unsigned long long>(r.syncs));
  if (r.missed > 0) {
    std::printf(
        "who was away or too slow missed %llu payloads, which the others had forgotten; "
        "--broadcast chained-echo misses none\n",
        static_cast<unsigned long long>(r.missed));
  }
  const char* same =
      r.missed > 0 ? "whatever two nodes delivered is the same" : "all nodes delivered the same";
  std::printf("agreement: %s\n", r.agreement ? same : "NO");
}

std::string read_broadcast_options(const Args& a, ClusterOptions& checked) {
  if (std::string problem = no_broadcast(a.broadcast); !problem.empty()) return problem;
  if (std::string problem = read_options(a, checked); !problem.empty()) return problem;
  if (!a.restart.empty() && checked.memory)
    return "--restart needs --storage disk: without records a node must not come back with its "
           "key";
  return {};
}

// Channels of one broadcast; their payloads are the transactions.
int run_broadcast(const Args& a) {
  ClusterOptions checked;
  if (const std::string problem = read_broadcast_options(a, checked); !problem.empty())
    return fail(kUsage, problem);
  if (const std::string problem = output_folder_problem("--home", a.home); !problem.empty())
    return fail(kUsage, problem);
  BroadcastOptions o{.nodes = a.nodes, .protocol = a.broadcast, .home = a.home};
  o.duration_us = checked.duration_us;
  o.events = checked.events;
  o.payload_bytes = a.tx_bytes;
  o.window = std::max<std::uint64_t>(1, std::min<std::uint64_t>(a.window / a.nodes, 64));
  std::string made;
  if (o.home.empty() && !checked.memory) {
    std::string pattern = (std::filesystem::temp_directory_path() / "thresher-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
      return fail(kFailed, "cannot create a folder in " + pattern + "; give one with --home");
    o.home = made = pattern;
  }
  const BroadcastReport r = run_broadcasts(o);
  std::error_code ignored;
  if (!made.empty()) std::filesystem::remove_all(made, ignored);
  if (r.interrupted) return fail(kInterrupted, r.problem);
  if (!r.problem.empty()) return fail(r.stalled ? kNoProgress : kFailed, r.problem);
  print_broadcasts(a, r);
  return r.agreement ? kDone : fail(kSafetyViolated, "the nodes delivered different payloads");
}

int run(const Args& a) {
  if (!a.broadcast.empty()) return run_broadcast(a);
  ClusterOptions o;
  if (const std::string problem = read_options(a, o); !problem.empty())
    return fail(kUsage, problem);
  if (const std::string problem = new_folder_problem("--home", a.home); !problem.empty())
    return fail(kUsage, problem);
  o.home = a.home;
  o.live = ::isatty(2) == 1;
  const ClusterReport r = a.home.empty() ? run_temporary_cluster(o) : run_cluster(o);
  if (r.interrupted) return fail(kInterrupted, r.problem);
  if (!r.problem.empty() && !r.stalled) return fail(kFailed, r.problem);
  if (a.json) {
    print_json(a, r, why_not_faster(o, r));
  } else {
    print_text(r, why_not_faster(o, r));
    if (r.trace) print_trace(r);
  }
  if (r.stalled) return fail(kNoProgress, r.problem);
  if (!r.agreement) return fail(kSafetyViolated, "the nodes hold different logs; see " + o.home);
  // Nobody else knows the addresses of a folder that was just made.
  if (r.others == 0 || !a.home.empty()) return kDone;
  return fail(kSafetyViolated, "the log has " + std::to_string(r.others) +
                                   " transactions more than were submitted; see " + o.home);
}

}  // namespace

Verb make_cluster() {
  auto a = std::make_shared<Args>();
  return {
      {"cluster"},
      "Run a local cluster of real processes under load, with faults, and measure it. Example: "
      "thresher cluster --duration 10s --kill 3@3s --restart 3@5s",
      {{"--nodes", "how many nodes", &a->nodes},
       {"--protocol", protocol_help(), &a->protocol},
       {"--broadcast",
        "channels of this broadcast in place of a ledger: bracha, ...; who comes back with "
        "--restart "
        "gets what it missed of chained-echo alone",
        &a->broadcast},
       {"--set", parameter_help(), &a->set},
       {"--duration", "how long to submit, like 20s", &a->duration},
       {"--transactions", "a file: each line is a transaction; ends when all are committed",
        &a->transactions},
       {"--rate", "transactions a second in total, or max", &a->rate},
       {"--tx-bytes", "size of a generated transaction", &a->tx_bytes},
       {"--clients", "how many clients", &a->clients},
       {"--window", "transactions in flight in total", &a->window},
       {"--kill", "NODE@TIME: SIGKILL, timed from the first submission; repeatable", &a->kill},
       {"--restart", "NODE@TIME; repeatable", &a->restart},
       {"--storage", "disk or memory", &a->storage},
       {"--threads", "threads in node.toml: that each node's loop may use", &a->threads},
       {"--delay", "added to every message between nodes, like 50ms", &a->delay},
       {"--wan",
        "a table of round trips between regions, as network.wan of an experiment: a name of "
        "thresher sim list, or a file; messages between nodes take half of them",
        &a->wan},
       {"--home", "keep the nodes' folders here", &a->home},
       {"--history",
        "clients of a key-value store in place of a load: each puts or gets, one at a time, and "
        "what they did goes to this file, for thresher history check",
        &a->history},
       {"--gets",
        "of these clients: log (each get has a place in it) or replica (what the log "
        "of the client's node has come to)",
        &a->gets},
       {"--trace-commits",
        "nodes note when each transaction reached each stage: shows which one takes how long, and "
        "what the CPU does; of thresher, mysticeti and mahi-mahi",
        &a->trace},
       {"--json", "one object on one line", &a->json}},
      [a] { return run(*a); },
      {{{"--protocol", "--set", "--transactions", "--rate", "--clients", "--threads", "--delay",
         "--wan", "--history", "--gets", "--trace-commits"},
        [a] { return !a->broadcast.empty(); },
        "--broadcast goes with --nodes, --duration, --tx-bytes, --window, --kill, --restart, "
        "--storage, --home and --json"},
       {{"--gets"}, [a] { return a->history.empty(); }, "--gets goes with --history FILE"},
       {{"--transactions", "--window", "--tx-bytes"},
        [a] { return !a->history.empty(); },
        "--history makes its own transactions, one at a time for each client; choose --clients"},
       {{"--tx-bytes", "--duration"},
        [a] { return !a->transactions.empty(); },
        "--transactions says what is submitted, and the run ends when all of it is committed"}}};
}

}  // namespace thresher::cli
