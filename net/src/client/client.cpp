#include "thresher/net/client.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "client/client_impl.hpp"
#include "host/guarded.hpp"
#include "links/patience.hpp"
#include "thresher/core/threshold.hpp"

namespace thresher::net {
namespace {

constexpr std::uint64_t kReconnect = 100'000;
/// Between two looks for what waits too long.
constexpr std::uint64_t kTick = 50'000;

}  // namespace

std::optional<NodeStatus> decode_status(ByteView control) {
  return wire::decode<NodeStatus>(control);
}

Client::Impl::Impl(Genesis g, ClientOptions o)
    : genesis(std::move(g)),
      options(std::move(o)),
      key(options.key ? *options.key : crypto::SigningKey::generate()),
      node(options.node ? options.node->value : 0),
      links(genesis.nodes.size()),
      next_sequence(options.first_sequence) {
  thread = std::thread([this] {
    want(node);
    tick();
    loop.run();
  });
}

Client::Impl::~Impl() {
  loop.post([this] {
    closed = true;
    for (Link& l : links) l.link.reset();
    loop.stop();
  });
  thread.join();
  while (!flying.empty()) give_up(flying.begin(), "the client was closed");
  for (auto& [id, question] : std::exchange(questions, {})) {
    question.done({true, Bytes::copy_of(as_view("the client was closed")), 0});
  }
  const auto gone = std::make_exception_ptr(std::runtime_error("the client was closed"));
  for (StatusAsked& one : asking) one.promise.set_exception(gone);
}

std::size_t Client::Impl::quorum_of_words() const {
  return Committee::make(static_cast<std::uint32_t>(genesis.nodes.size()), genesis.f)
      ->at_least(kValidity);
}

void Client::Impl::connect(std::size_t to) {
  if (closed || !links[to].wanted) return;
  links[to].link = std::make_unique<ClientLink>(
      loop, genesis.context().chain, genesis.nodes[to],
      TransportCallbacks{[this, to](ConnectionId, const Frame& f) { frame(to, f); },
                         [this, to](ConnectionId, bool up) { linked(to, up); },
                         [this, to](const std::string& why) { failed(to, why); }},
      key);
  links[to].link->connect();
}

void Client::Impl::want(std::size_t to) {
  if (!std::exchange(links[to].wanted, true)) connect(to);
}

// The nodes whose answers are to be compared.
void Client::Impl::want_all() {
  for (std::size_t to = 0; to < links.size(); ++to) want(to);
}

void Client::Impl::failed(std::size_t to, const std::string& why) {
  const PeerAddress& at = genesis.nodes[to];
  problem =
      "node " + std::to_string(to) + " at " + at.host + ":" + std::to_string(at.port) + ": " + why;
  if (!closed && options.on_problem) options.on_problem(problem);
}

void Client::Impl::linked(std::size_t to, bool up) {
  if (closed) return;
  links[to].up_us = up ? Loop::now_us() : 0;
  if (up) {
    if (to == node) at_hand();
    return;
  }
  if (to == node) forget_unproven();
  links[to].welcome = false;
  if (to == node && !options.node) return move_on();
  loop.call_after(kReconnect, [this, to] { connect(to); });
}

// The next node becomes the one at hand. Where words are compared the others stay connected.
void Client::Impl::move_on() {
  forget_unproven();
  const bool compares =
      std::all_of(links.begin(), links.end(), [](const Link& l) { return l.wanted; });
  const std::size_t before = std::exchange(node, (node + 1) % links.size());
  at_hand_us = Loop::now_us();
  for (auto& [sequence, flight] : flying) flight.put_off = 0;
  links[before].wanted = compares && links.size() > 1;
  links[before].welcome = false;
  links[before].up_us = 0;
  // The link may be the caller of this.
  loop.call_after(kReconnect, [this, before, after = node] {
    if (closed) return;
    if (!links[before].wanted) links[before].link.reset();
    if (links[before].wanted) connect(before);
    if (after != node) return;
    if (links[after].welcome) return at_hand();
    links[after].wanted = false;
    want(after);
  });
}

// The node at hand is connected: it gets what waits.
void Client::Impl::at_hand() {
  if (!asking.empty()) (void)send(node, {kStatus, {}, {}});
  if (visit) ask_log();
  if (!links[node].welcome) return;  // the rest when it has said in which slot it is
  send_all(node);
  send_questions(node);
}

bool Client::Impl::send(std::size_t to, const Frame& f) {
  return links[to].link && links[to].link->send(f);
}

void Client::Impl::ask_log() {
  (void)send(node, {kSubscribe, wire::encode(wire::Subscribe{log_position}), {}});
}

void Client::Impl::welcomed(std::size_t from, const wire::Welcome& in) {
  links[from].welcome = true;
  links[from].slot = in.slot;
  if (from == node) slot = in.slot;  // another node's word is nothing to this one
  send_all(from);
  send_held();
  send_questions(from);
}

// What nodes say to each other, and what clients say, is nothing to a client.
void Client::Impl::frame(std::size_t from, const Frame& f) {
  if (f.kind == kWelcome) {
    if (const auto in = wire::decode<wire::Welcome>(f.control.view())) welcomed(from, *in);
  } else if (f.kind == kAck) {
    acknowledged(from, f);
  } else if (f.kind == kResults) {
    results(from, f);
  } else if (f.kind == kRefused) {
    refusals(from, f);
  } else if (f.kind == kProof) {
    proof(from, f);
  } else if (f.kind == kQueryReply) {
    answered(from, f);
  } else if (f.kind == kStatusReply) {
    if (const auto s = decode_status(f.control.view())) {
      for (StatusAsked& one : std::exchange(asking, {})) one.promise.set_value(*s);
    }
  } else if (f.kind == kLog && from == node) {
    log(f);
  }
}

void Client::Impl::saw(std::size_t from, Round at) {
  links[from].slot = std::max(links[from].slot.value_or(at), at);
  if (from == node) slot = std::max(slot, at);
}

void Client::Impl::tick() {
  const std::uint64_t now = Loop::now_us();
  tick_submissions(now);
  tick_proofs(now);
  tick_questions(now);
  tick_status(now);
  loop.call_after(kTick, [this] { tick(); });
}

void Client::Impl::tick_status(std::uint64_t now) {
  const auto late = std::partition(asking.begin(), asking.end(),
                                   [&](const StatusAsked& one) { return one.deadline_us > now; });
  const std::string why = "no answer" + (problem.empty() ? std::string() : " (" + problem + ")");
  std::for_each(late, asking.end(), [&](StatusAsked& one) {
    one.promise.set_exception(std::make_exception_ptr(std::runtime_error(why)));
  });
  asking.erase(late, asking.end());
}

void Client::Impl::log(const Frame& f) {
  const auto control = wire::decode<wire::Log>(f.control.view());
  if (control && control->begins > log_position) {
    if (pruned) pruned(control->begins);
    return;
  }
  if (!visit || !control || control->first > log_position)
    return;  // not what was asked for: the node is broken
  std::uint64_t position = control->first;
  each_transaction(f.payload.view(),
                   [&](const RunHead& run, std::uint64_t sequence, ByteView data) {
                     if (position++ < log_position) return;
                     visit(Transaction{log_position++, run.client, sequence, data, 0, 0});
                   });
}

Client::Client() = default;
Client::~Client() = default;

Result<std::unique_ptr<Client>, Error> Client::open(const std::string& genesis_file,
                                                    ClientOptions options) {
  auto genesis = load_genesis(genesis_file);
  if (!genesis) return genesis.error();
  if (options.node && options.node->value >= genesis->nodes.size()) {
    const std::string node = "node " + std::to_string(options.node->value);
    return Error{ErrorCode::kMissing, "there is no " + node + " in '" + genesis_file + "'", node,
                 "nodes count from 0 to " + std::to_string(genesis->nodes.size() - 1)};
  }
  std::unique_ptr<Client> client(new Client());
  client->impl_ = std::make_unique<Impl>(std::move(*genesis), std::move(options));
  return client;
}

void Client::submit(ByteView transaction, OnCommitStatus done, AskOptions ask) {
  Impl& impl = *impl_;
  auto flight = std::make_shared<Impl::Flight>();
  flight->data = Bytes::copy_of(transaction);
  flight->done = guarded(std::move(done), "submit()", impl.options.on_problem);
  flight->deadline_us = end_of(ask.patience_us);
  flight->words = ask.words;
  impl.loop.post(
      [&impl, flight, cancel = std::move(ask.cancel)] { impl.take(std::move(*flight), cancel); });
}

std::future<CommitStatus> Client::submit(ByteView transaction, AskOptions ask) {
  auto promise = std::make_shared<std::promise<CommitStatus>>();
  auto future = promise->get_future();
  submit(
      transaction, [promise](const CommitStatus& out) { promise->set_value(out); }, std::move(ask));
  return future;
}

std::future<Answer> Client::query(ByteView question, AskOptions ask) {
  auto promise = std::make_shared<std::promise<Answer>>();
  auto future = promise->get_future();
  Impl& impl = *impl_;
  const std::uint64_t deadline = end_of(ask.patience_us);
  impl.loop.post([&impl, promise, text = Bytes::copy_of(question), ask = std::move(ask), deadline] {
    impl.take({text, [promise](const Answer& a) { promise->set_value(a); }, deadline, ask.length,
               ask.words});
  });
  return future;
}

std::future<NodeStatus> Client::status(std::uint64_t patience_us) {
  auto promise = std::make_shared<std::promise<NodeStatus>>();
  auto future = promise->get_future();
  Impl& impl = *impl_;
  impl.loop.post([&impl, promise, deadline = end_of(patience_us)] {
    impl.asking.push_back({std::move(*promise), deadline});
    (void)impl.send(impl.node, {kStatus, {}, {}});
  });
  return future;
}

void Client::subscribe(std::uint64_t position, std::function<void(const Transaction&)> visit,
                       std::function<void(std::uint64_t)> pruned) {
  Impl& impl = *impl_;
  impl.loop.post([&impl, position, visit = std::move(visit), pruned = std::move(pruned)] {
    const Tell& tell = impl.options.on_problem;
    impl.visit = visit ? guarded(visit, "subscribe()", tell) : visit;
    impl.pruned = pruned ? guarded(pruned, "subscribe()", tell) : pruned;
    impl.log_position = position;
    impl.ask_log();
  });
}

}  // namespace thresher::net
