// The bare core driven by hand: four nodes of one protocol in a loop of your own, no sockets, no
// threads, no clock. One process trusts itself, so verify() and endorse() answer without
// signatures; with a transport of yours in place of the queue, yours go there.
#include <cstdio>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "thresher/core/executor.hpp"
#include "thresher/protocols/dag/dag.hpp"

using namespace thresher;  // NOLINT: an example
using dag::Dag;

struct Host;
struct Letter {
  std::size_t to;
  InputOf<Dag> input;
};
std::deque<Letter> letters;
std::vector<std::unique_ptr<Host>> hosts;

/// What the executor asks of the world; here: everything goes into one queue.
struct Host {
  explicit Host(std::size_t index) : id(index), executor(make(index), *this) {}
  static Dag make(std::size_t index) {
    dag::Config config;
    config.self = NodeId{static_cast<std::uint16_t>(index)};
    return Dag(std::move(config));
  }
  void send(NodeId to, dag::Message m) {
    letters.push_back(
        {to.value, Received<dag::Message>{NodeId{static_cast<std::uint16_t>(id)}, std::move(m)}});
  }
  void broadcast(const dag::Message& m) {
    for (std::uint16_t to = 0; to < 4; ++to) {
      if (to != id) send(NodeId{to}, m);
    }
  }
  void deliver(dag::Committed commit) {
    for (const dag::BlockPtr& b : commit.blocks) {
      const auto text = as_text(b->payload.bytes.view());
      if (!text.empty()) log.emplace_back(text);
    }
  }
  // Every node is up, so no timer has to run out but those of no length: they are a node's next
  // step.
  void arm(TimerId timer, Delay after) {
    if (after.value == 0) letters.push_back({id, Expired{timer}});
  }
  void cancel(TimerId) {}
  void persist(const std::vector<Persist>&, std::uint64_t barrier) { durable = barrier; }
  void verify(const Verify& v) { letters.push_back({id, Verified{v.ticket, true}}); }
  void verify(const VerifyAll& v) { letters.push_back({id, Verified{v.ticket, true}}); }
  void endorse(const Endorse& e) { letters.push_back({id, Endorsed{e.ticket, {}}}); }
  void accuse(const Accuse&) {}
  void take(const InputOf<Dag>& input) {
    executor.run(input);
    executor.persisted(durable);
  }

  std::size_t id;
  std::uint64_t durable = 0;
  std::vector<std::string> log;
  Executor<Dag, Host> executor;
};

int main() {
  for (std::size_t i = 0; i < 4; ++i) hosts.push_back(std::make_unique<Host>(i));
  for (auto& host : hosts) host->take(Start{});
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string text = "from node " + std::to_string(i);
    const Bytes bytes = Bytes::copy_of(as_view(text));
    hosts[i]->take(Requested<dag::Submit>{{{bytes, hash(bytes.view())}}});
  }
  while (!letters.empty()) {
    const Letter letter = std::move(letters.front());
    letters.pop_front();
    hosts[letter.to]->take(letter.input);
  }
  for (const std::string& line : hosts[0]->log) std::printf("%s\n", line.c_str());
  for (const auto& host : hosts) {
    if (host->log != hosts[0]->log) return std::puts("the logs differ"), 1;
  }
  return hosts[0]->log.size() == 4 ? 0 : 1;
}
