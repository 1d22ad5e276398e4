// One protocol as an OrderEngine. An adapter says what is special about it:
//
//   struct Adapter {
//     using Protocol = ...;
//     std::optional<Frame> encode(Message m);       // empty: send nothing
//     std::optional<Message> decode(const Frame&);  // empty: malformed
//     Request request(Bytes payload, const Digest& root);
//     void deliver(Output, EngineHost&);
//     bool adopts() const;
//     void adopt(const Commit&, Inputs&, Records&);
//     EngineSample sample(const Protocol&) const;
//     Pledge pledge(const Protocol&) const;
//     std::uint32_t quorum() const;
//     std::size_t pending_submits(const Protocol&) const;
//     static constexpr bool kExtends = false;
//     static constexpr bool kHashesPayloads = true;
//     RecordName record_of(const OrderedBlock&) const;
//     std::size_t payload_limit() const;
//     // If it needs the bodies of its records at a restart:
//     static constexpr bool kWithBodies = true;
//     // If it notes what it delivered apart from what it decided: the slot that a record notes.
//     std::optional<Round> progress_of(const Persist&);
//     // Else, before Start: up to which slot its records take the log for granted.
//     Round noted() const;
//     // Slots that a newcomer has to know; and, of a record that notes a delivery, what the log
//     // does not have (empty by default); and what else a newcomer starts with:
//     std::uint64_t window() const;
//     Bytes beyond_log(const Persist& noted) const;
//     void enter(const Commit&, std::vector<Persist>& records) const;
//     // If it can say what a peer speaks of as its own (0: of no round), and, cheaply, how much it
//     // refused so far:
//     Round spoke_of(const Message&, NodeId from) const;
//     // If not all peers speak to all:
//     bool hears(const Protocol&, NodeId peer) const;
//     std::uint64_t refused(const Protocol&) const;
//     // If it signs nothing that shows a peer's pledge, or not all of it:
//     Pledge pledged(const Message&) const;         // of the sender
//     // If it signs something:
//     Bytes last_signed(const Protocol&, NodeId author) const;
//     std::optional<LastSigned> read_signed(const Protocol&, const Bytes&) const;
//     // If clocks of members can be believed: of how many.
//     std::uint32_t clock_witnesses() const;
//     // If it keeps something of its own:
//     void restore(const Restored&); void start(EngineHost&);
//   };
//
// Guarantees: those of Executor. Records that note a delivery wait for the host to take them; an
// erasure leaves after everything that was delivered before it, because the host's log may name
// what is erased. Private to net/.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engines/order_engine.hpp"
#include "thresher/core/assert.hpp"
#include "thresher/core/executor.hpp"
#include "thresher/core/node_ids.hpp"

namespace thresher::net {

template <class Adapter>
class EngineOf final : public OrderEngine {
 public:
  using P = typename Adapter::Protocol;
  using Message = typename P::Message;

  EngineOf(Adapter adapter, P protocol, EngineHost& host)
      : backend_{std::move(adapter), &host}, executor_(std::move(protocol), backend_) {}

  bool receive(NodeId from, const Frame& frame) override {
    auto message = backend_.adapter.decode(frame);
    if (!message) return false;
    if constexpr (requires { backend_.adapter.spoke_of(*message, from); }) {
      note_round(from, backend_.adapter.spoke_of(*message, from));
    }
    if constexpr (requires { backend_.adapter.pledged(*message); }) {
      pledges_[from].raise(backend_.adapter.pledged(*message));
    }
    inputs_.push_back(Received<Message>{from, std::move(*message)});
    return true;
  }
  bool push(HostInput input) override {
    if (auto* record = std::get_if<Restored>(&input)) {
      if constexpr (kSeals) {
        auto value = unsealed(*record);
        if (!value) return false;
        record->value = std::move(*value);
      }
      if constexpr (requires { backend_.adapter.progress_of(Persist{}); }) {
        const Persist as_written{record->table, record->key, record->value, {}};
        noted_ = std::max(noted_, backend_.adapter.progress_of(as_written).value_or(Round{0}));
      }
      if constexpr (requires { backend_.adapter.restore(*record); }) {
        backend_.adapter.restore(*record);
      }
    }
    if constexpr (requires { backend_.adapter.start(*backend_.host); }) {
      if (std::holds_alternative<Start>(input)) backend_.adapter.start(*backend_.host);
    }
    std::visit([this](auto&& event) { inputs_.push_back(std::forward<decltype(event)>(event)); },
               std::move(input));
    return true;
  }
  bool wants_bodies() const override { return kSeals; }
  void submit(Bytes payload, const Digest& root, const std::optional<Digest>& replaces) override {
    auto request = backend_.adapter.request(std::move(payload), root);
    if constexpr (requires { request.replaces; }) request.replaces = replaces;
    inputs_.push_back(Requested<typename P::Request>{std::move(request)});
  }
  bool run() override {
    if (broken_) return false;
    const bool any = !inputs_.empty();
    while (!inputs_.empty()) {
      const InputOf<P> input = std::move(inputs_.front());
      inputs_.pop_front();
      const auto* received = std::get_if<Received<Message>>(&input);
      backend_.from = received != nullptr ? std::optional(received->from) : std::nullopt;
      if (!step(input)) return false;
      hand_over();
      note_refused();
    }
    hand_over();  // what an adopted commit led to
    return any;
  }
  void persisted(std::uint64_t barrier) override {
    if (broken_) return;
    backend_.durable = std::max(backend_.durable, barrier);
    executor_.persisted(barrier);
    hand_over();
  }
  bool adopts() const override { return backend_.adapter.adopts(); }
  void adopt(const Commit& commit, Stored stored) override {
    std::deque<InputOf<P>> inputs;
    std::vector<Persist> records = take_over(commit, inputs);
    if (stored == Stored::kNo) backend_.host->persist(std::move(records), 0);
    backend_.from.reset();
    for (const InputOf<P>& input : inputs) {
      if (!step(input)) return;
    }
  }
  Round noted() const override {
    if constexpr (requires { backend_.adapter.noted(); }) return backend_.adapter.noted();
    return noted_;
  }
  std::vector<Persist> records_of(const Commit& commit) override {
    std::deque<InputOf<P>> inputs;
    return take_over(commit, inputs);
  }
  bool notes_progress() const override {
    return requires(const Adapter& a, const Persist& r) {
      a.progress_of(r);
    };
  }
  std::uint64_t window() const override { return backend_.adapter.window(); }
  std::vector<Persist> entry_of(const Commit& commit,
                                const std::vector<Persist>& progress) override {
    std::deque<InputOf<P>> inputs;
    std::vector<Persist> records = take_over(commit, inputs);
    // Where blocks stay on the disk, peers have those of so long ago.
    for (Persist& r : records) r.body = kSeals ? r.body : Bytes{};
    if constexpr (requires { backend_.adapter.beyond_log(records.front()); }) {
      for (const InputOf<P>& input : inputs) {
        const auto* mark = std::get_if<Restored>(&input);
        if (mark == nullptr) continue;
        Persist noted{mark->table, mark->key, mark->value, {}, true};
        if (!backend_.adapter.progress_of(noted)) continue;
        Writer value;
        value.bytes(noted.value.view());
        if (!progress.empty()) value.bytes(backend_.adapter.beyond_log(progress.back()).view());
        noted.value = Bytes::from(value.take());
        records.push_back(std::move(noted));
      }
    }
    if constexpr (requires { backend_.adapter.enter(commit, records); })
      backend_.adapter.enter(commit, records);
    return records;
  }
  std::vector<Persist> take_progress(Round slot) override {
    std::vector<Persist> out;
    const auto end = backend_.progress.upper_bound(slot);
    for (auto it = backend_.progress.begin(); it != end; ++it) out.push_back(std::move(it->second));
    backend_.progress.erase(backend_.progress.begin(), end);
    return out;
  }
  Bytes prove(Round slot, const OrderedBlock& block) const override {
    if constexpr (requires { backend_.adapter.prove(executor_.protocol(), slot, block); }) {
      return backend_.adapter.prove(executor_.protocol(), slot, block);
    }
    return {};
  }
  std::size_t pending_submits() const override {
    return backend_.adapter.pending_submits(executor_.protocol());
  }
  bool extends() const override { return Adapter::kExtends; }
  bool hashes_payloads() const override { return Adapter::kHashesPayloads; }
  Round spoke_of(NodeId peer) const override {
    return peer.value < spoke_of_.size() ? spoke_of_[peer.value] : Round{0};
  }
  bool hears(NodeId peer) const override {
    if constexpr (requires { backend_.adapter.hears(executor_.protocol(), peer); })
      return backend_.adapter.hears(executor_.protocol(), peer);
    return true;
  }
  EngineSample sample() const override { return backend_.adapter.sample(executor_.protocol()); }
  Pledge pledge() const override { return backend_.adapter.pledge(executor_.protocol()); }
  Pledge pledge_of(NodeId peer) const override {
    const auto it = pledges_.find(peer);
    return it == pledges_.end() ? Pledge{} : it->second;
  }
  void remember(NodeId peer, const Pledge& pledge) override { pledges_[peer].raise(pledge); }
  Bytes last_signed(NodeId author) const override {
    if constexpr (requires { backend_.adapter.last_signed(executor_.protocol(), author); }) {
      return backend_.adapter.last_signed(executor_.protocol(), author);
    }
    return {};
  }
  std::optional<LastSigned> read_signed(const Bytes& bytes) const override {
    if constexpr (requires { backend_.adapter.read_signed(executor_.protocol(), bytes); }) {
      return backend_.adapter.read_signed(executor_.protocol(), bytes);
    }
    return std::nullopt;
  }
  std::uint32_t quorum() const override { return backend_.adapter.quorum(); }
  RecordName record_of(const OrderedBlock& b) const override {
    return backend_.adapter.record_of(b);
  }
  std::uint32_t clock_witnesses() const override {
    if constexpr (requires { backend_.adapter.clock_witnesses(); }) {
      return backend_.adapter.clock_witnesses();
    }
    return 0;
  }
  std::size_t payload_limit() const override { return backend_.adapter.payload_limit(); }

 private:
  /// An adapter with `kWithBodies` gets its records back with their bodies, checked.
  static constexpr bool kSeals = requires { Adapter::kWithBodies; };

  struct Backend {
    Adapter adapter;
    EngineHost* host;
    std::optional<NodeId> from{};  // of the input that is stepped
    std::vector<typename P::Output> outputs{};
    std::map<Round, Persist> progress{};  // by slot: what the host has yet to take
    struct Erasure {
      std::uint64_t barrier;  // what was delivered before it is out when this is durable
      Persist record;
    };
    std::deque<Erasure> erasures{};
    std::uint64_t issued = 0;
    std::uint64_t durable = 0;

    void send(NodeId to, Message m) {
      if (const auto frame = adapter.encode(std::move(m))) host->send(to, *frame);
    }
    void broadcast(Message m) {
      if (const auto frame = adapter.encode(std::move(m))) host->broadcast(*frame);
    }
    void deliver(typename P::Output o) { outputs.push_back(std::move(o)); }
    void arm(TimerId id, Delay d) { host->arm(id, d); }
    void cancel(TimerId id) { host->cancel(id); }
    void persist(std::vector<Persist> records, std::uint64_t barrier) {
      issued = std::max(issued, barrier);
      std::vector<Persist> now;
      now.reserve(records.size());
      for (Persist& r : records) {
        if (r.value.empty()) {  // an empty value erases
          erasures.push_back({issued, std::move(r)});
          continue;
        }
        if constexpr (requires { adapter.progress_of(r); }) {
          if (const auto slot = adapter.progress_of(r)) {
            progress.insert_or_assign(*slot, std::move(r));
            continue;
          }
        }
        if constexpr (kSeals) r.value = sealed(r);
        now.push_back(std::move(r));
      }
      if (!now.empty() || barrier != 0) host->persist(std::move(now), barrier);
    }
    void erase() {
      std::vector<Persist> due;
      while (!erasures.empty() && erasures.front().barrier <= durable) {
        due.push_back(std::move(erasures.front().record));
        erasures.pop_front();
      }
      if (!due.empty()) host->persist(std::move(due), 0);
    }
    void verify(const Verify& v) { host->verify(v, v.sender ? v.sender : from); }
    void verify(const VerifyAll& v) { host->verify(v, v.sender ? v.sender : from); }
    void endorse(const Endorse& e) { host->endorse(e); }
    void accuse(const Accuse& a) { host->accuse(a); }
  };

  std::vector<Persist> take_over(const Commit& commit, std::deque<InputOf<P>>& inputs) {
    std::vector<Persist> records;
    backend_.adapter.adopt(commit, inputs, records);
    if constexpr (kSeals) {
      for (Persist& r : records) r.value = sealed(r);
    }
    return records;
  }

  // False when an invariant does not hold: no effect of that step leaves, and no step follows.
  bool step(const InputOf<P>& input) {
    if (broken_) return false;
    try {
      executor_.run(input);
    } catch (const InvariantBroken& broken) {
      broken_ = true;
      inputs_.clear();
      backend_.host->broken(broken.what());
    }
    return !broken_;
  }
  // What a step delivers goes to the host after the records of that step: the log of the host names
  // them, and must not reach the disk before they do.
  void hand_over() {
    for (auto& o : std::exchange(backend_.outputs, {})) {
      backend_.adapter.deliver(std::move(o), *backend_.host);
    }
    backend_.erase();
  }

  void note_round(NodeId from, Round round) {
    if (from.value >= spoke_of_.size()) spoke_of_.resize(from.value + std::size_t{1});
    spoke_of_[from.value] = std::max(spoke_of_[from.value], round);
  }
  // A message is refused when it is stepped; what a later verdict refuses is told by the verdict.
  // False shares of a coin are their senders', whoever completed the batch.
  void note_refused() {
    if constexpr (requires { backend_.adapter.refused(executor_.protocol()); }) {
      const std::uint64_t before =
          std::exchange(refused_, backend_.adapter.refused(executor_.protocol()));
      if (refused_ == before) return;
      const std::uint64_t of_others = note_false_shares();
      if (backend_.from && refused_ > before + of_others)
        backend_.host->refused(*backend_.from, refused_ - before - of_others);
    }
  }
  std::uint64_t note_false_shares() {
    std::uint64_t sum = 0;
    if constexpr (requires { executor_.protocol().false_shares(); }) {
      const std::span<const std::uint64_t> now = executor_.protocol().false_shares();
      false_shares_.resize(now.size());
      for (const NodeId i : node_ids(now.size())) {
        const std::uint64_t more =
            now[i.value] - std::exchange(false_shares_[i.value], now[i.value]);
        if (more > 0) backend_.host->refused(i, more);
        sum += more;
      }
    }
    return sum;
  }

  Backend backend_;
  Executor<P, Backend> executor_;
  bool broken_ = false;                      // an invariant did not hold
  std::vector<Round> spoke_of_;              // by peer
  Round noted_{0};                           // delivered, as the records say
  std::uint64_t refused_ = 0;                // as the protocol counted before the next input
  std::vector<std::uint64_t> false_shares_;  // by sender, of those
  std::map<NodeId, Pledge> pledges_;         // of members, as their messages show
  std::deque<InputOf<P>> inputs_;
};

}  // namespace thresher::net
