#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include "../client_of.hpp"
#include "../json.hpp"
#include "../text.hpp"
#include "thresher/core/hex.hpp"

namespace thresher::cli {
namespace {

std::string text_of(const net::PeerStatus& p) {
  if (p.suspicion == 0) return "none";
  return p.suspicion == 1 ? "suspected" : "proved faulty";
}

/// What a node says may be anything: control characters would reach the terminal.
std::string printable(const std::string& text) {
  std::string out = text;
  std::replace_if(
      out.begin(), out.end(), [](unsigned char c) { return c < 0x20 || c >= 0x7f; }, '?');
  return out;
}

Json json_of(const net::PeerStatus& p) {
  Json out;
  out.set("peer", std::uint64_t{p.id.value}).set("link", p.up).set("address", printable(p.address));
  out.set("problem", printable(p.problem))
      .set("round", p.round)
      .set("lag", p.lag)
      .set("links", p.links);
  out.set("sent_bytes", p.bytes_sent).set("received_bytes", p.bytes_received);
  out.set("log_bytes", p.log_bytes).set("malformed", p.malformed).set("refused", p.refused);
  out.set("bad_signatures", p.bad_signatures).set("false_answers", p.false_answers);
  out.set("suspicion", text_of(p));
  return out;
}

void print_json(const net::NodeStatus& s) {
  Json out;
  out.set("length", s.length)
      .set("round", s.round)
      .set("slot", s.slot)
      .set("links", std::uint64_t{s.links});
  out.set("begins", s.begins);
  out.set("sent_bytes", s.node_bytes).set("syncs", s.syncs).set("payload_bytes", s.payload_bytes);
  out.set("signatures", s.signatures).set("verify_calls", s.verify_calls);
  out.set("certificate_calls", s.certificate_calls);
  out.set("log_hash", to_hex(s.log_hash.bytes)).set("state_hash", to_hex(s.state.bytes));
  out.set("ready", s.waits_for.empty()).set("waits_for", printable(s.waits_for));
  std::vector<Json> peers;
  for (const net::PeerStatus& p : s.peers) peers.push_back(json_of(p));
  out.set("peers", peers).print();
}

void print_text(const net::NodeStatus& s) {
  std::printf(
      "transactions in the log  %llu\nround of the last block  %llu\nlast slot in the log     "
      "%llu\nbytes sent to nodes      %llu\nlinks to other nodes     %u\nsignatures verified      "
      "%llu in %llu calls, %llu of them for certificates\nlog hash                 %s\nready "
      "                   %s\n",
      static_cast<unsigned long long>(s.length), static_cast<unsigned long long>(s.round),
      static_cast<unsigned long long>(s.slot), static_cast<unsigned long long>(s.node_bytes),
      s.links, static_cast<unsigned long long>(s.signatures),
      static_cast<unsigned long long>(s.verify_calls),
      static_cast<unsigned long long>(s.certificate_calls), to_hex(s.log_hash.bytes).c_str(),
      s.waits_for.empty() ? "yes" : ("no, it " + printable(s.waits_for)).c_str());
  if (s.begins > 0) {
    std::printf("the log begins at        position %llu; what was before it was pruned\n",
                static_cast<unsigned long long>(s.begins));
  }
  if (s.peers.empty()) return;
  std::printf(
      "\npeer  link  round         lag  links  malformed  refused  suspicion      address\n");
  for (const net::PeerStatus& p : s.peers) {
    const std::string why = p.problem.empty() ? "" : "  (" + printable(p.problem) + ")";
    std::printf("%-4u  %-4s  %-9llu  %6llu  %5llu  %9llu  %7llu  %-13s  %s%s\n", p.id.value,
                p.up ? "up" : "down", static_cast<unsigned long long>(p.round),
                static_cast<unsigned long long>(p.lag), static_cast<unsigned long long>(p.links),
                static_cast<unsigned long long>(p.malformed),
                static_cast<unsigned long long>(p.refused + p.bad_signatures + p.false_answers),
                text_of(p).c_str(), printable(p.address).c_str(), why.c_str());
  }
}

int print_status(const std::string& home, bool json) {
  auto client = client_of(home);
  if (!client) return fail(kUsage, client.error());
  net::NodeStatus s;
  try {
    s = (*client)->status().get();
  } catch (const std::runtime_error& e) {
    return fail(kFailed, "the node of '" + home + "' gives " + e.what() +
                             ". If its process is there, something holds it up: see its log and "
                             "the machine; else start "
                             "it with: thresher node run --home " +
                             home);
  }
  json ? print_json(s) : print_text(s);
  return kDone;
}

}  // namespace

Verb make_node_status() {
  struct Args {
    std::string home;
    bool json = false;
  };
  auto args = std::make_shared<Args>();
  return {{"node", "status"},
          "Ask a running node for its status. Example: thresher node status --home mynet/node0",
          {{"--home", "the node's folder", &args->home, true},
           {"--json", "one object on one line", &args->json}},
          [args] { return print_status(args->home, args->json); }};
}

}  // namespace thresher::cli
