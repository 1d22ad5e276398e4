// Runs one protocol over one backend, and keeps the promise "persist before send" in one place.
//
//   Executor<P, Backend> executor(P(...), backend);
//   executor.run(inputs);                         // steps each, then releases effects
//   executor.persisted(barrier);                  // the backend says: durable up to here
//
// Guarantees: an effect that must wait for a record is handed to the backend only after that record
// is durable, and in list order. All records of one run() form one group commit. Not thread-safe.
#pragma once

#include <algorithm>
#include <deque>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "thresher/core/protocol.hpp"

namespace thresher {

/// What an executor needs from the world. `persist` answers later through
/// Executor::persisted(barrier).
template <class B, class P>
concept Backend = Protocol<P> &&
    requires(B b, NodeId id, typename P::Message m, typename P::Output o, TimerId timer, Delay d,
             std::vector<Persist> w, std::uint64_t barrier, const Verify& v, const VerifyAll& all,
             const Endorse& e, const Accuse& a) {
  b.send(id, std::move(m));
  b.broadcast(std::move(m));
  b.deliver(std::move(o));
  b.arm(timer, d);
  b.cancel(timer);
  b.persist(std::move(w), barrier);
  b.verify(v);
  b.verify(all);
  b.endorse(e);
  b.accuse(a);
};

/// One protocol, one backend.
template <Protocol P, class B>
class Executor {
 public:
  using Input = InputOf<P>;
  using Effect = typename EffectsOf<P>::Effect;

  Executor(P protocol, B& backend) : protocol_(std::move(protocol)), backend_(&backend) {}

  /// Steps each input in order, then releases effects up to the first record that is not durable.
  void run(std::span<const Input> inputs) {
    for (const Input& input : inputs) step(protocol_, input, effects_);
    route();
  }
  void run(const Input& input) { run(std::span(&input, 1)); }

  /// Every record up to and including `barrier` is durable.
  void persisted(std::uint64_t barrier) {
    durable_ = std::max(durable_, barrier);
    while (!held_.empty() && held_.front().barrier <= durable_) {
      Held held = std::move(held_.front());
      held_.pop_front();
      release(std::move(held.effect));
    }
  }

  /// Read-only: checkers and metrics.
  const P& protocol() const { return protocol_; }
  /// Effects that wait for the disk.
  std::size_t held() const { return held_.size(); }

 private:
  struct Held {
    std::uint64_t barrier;
    Effect effect;
  };

  static bool waits(const Effect& effect) {
    return std::holds_alternative<Send<typename P::Message>>(effect) ||
           std::holds_alternative<Broadcast<typename P::Message>>(effect) ||
           std::holds_alternative<Deliver<typename P::Output>>(effect);
  }

  void route() {
    std::vector<Persist> records;
    std::uint64_t barrier = 0;  // stays 0 while all records are lazy: nobody waits for them
    for (Effect& effect : effects_.list()) {
      if (auto* record = std::get_if<Persist>(&effect)) {
        if (!record->lazy && barrier == 0) barrier = ++issued_;
        records.push_back(std::move(*record));
      } else if (waits(effect) && issued_ > durable_) {
        held_.push_back({issued_, std::move(effect)});
      } else {
        release(std::move(effect));
      }
    }
    effects_.clear();
    if (!records.empty()) backend_->persist(std::move(records), barrier);
  }

  void release(Effect effect) {
    std::visit([this](auto&& e) { this->emit(std::forward<decltype(e)>(e)); }, std::move(effect));
  }
  void emit(Send<typename P::Message>&& e) { backend_->send(e.to, std::move(e.message)); }
  void emit(Broadcast<typename P::Message>&& e) { backend_->broadcast(std::move(e.message)); }
  void emit(Deliver<typename P::Output>&& e) { backend_->deliver(std::move(e.output)); }
  void emit(ArmTimer&& e) { backend_->arm(e.id, e.after); }
  void emit(CancelTimer&& e) { backend_->cancel(e.id); }
  void emit(Persist&&) {}
  void emit(Verify&& e) { backend_->verify(e); }
  void emit(VerifyAll&& e) { backend_->verify(e); }
  void emit(Endorse&& e) { backend_->endorse(e); }
  void emit(Accuse&& e) { backend_->accuse(e); }

  P protocol_;
  B* backend_;
  EffectsOf<P> effects_;
  std::deque<Held> held_;
  std::uint64_t issued_ = 0;
  std::uint64_t durable_ = 0;
};

}  // namespace thresher
