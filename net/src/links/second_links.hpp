// Two connections with the key of one node, from two starts of it. Private to transport.cpp.
//
//   SecondLinks seconds(loop, answer_us, {replace, say});
//   if (seconds.contend(link, fresh)) return;        // fresh waits
//   seconds.alive(connection); seconds.closed(connection);
//
// A process that was restarted has left its old connection dead, or is about to be noticed as such:
// the link in place is asked, and if nothing comes back the new one takes its place. If it answers,
// two processes run with one key: both are told where the other is, and the new one is turned away
// before it is listened to.
//
// Guarantees: only who holds the node's key can bring this about, and its own reconnecting does
// not; a link that answers is never given up; the wait is answer_us at most. One new connection
// waits at a time, the newest.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "links/connection.hpp"
#include "thresher/net/codec.hpp"

namespace thresher::net {

class SecondLinks {
 public:
  using Ptr = std::shared_ptr<Connection>;
  struct Hooks {
    std::function<void(Connection&)> replace;  ///< takes the place of the link of its node
    std::function<void(const std::string&)> say;
  };

  SecondLinks(Loop& loop, std::uint64_t answer_us, Hooks hooks)
      : loop_(loop), answer_us_(answer_us), hooks_(std::move(hooks)) {}

  /// True: `fresh` is not read until the link in place has answered, or has not. False: it may take
  /// its place now.
  bool contend(const Ptr& link, const Ptr& fresh) {
    const auto& old = link->incarnation();
    const auto& now = fresh->incarnation();
    if (!old || !now || old->same_start(*now)) return false;
    const ConnectionId id = fresh->id;
    if (const Ptr before = std::exchange(pairs_[id], {link, fresh}).fresh) {
      before->close("replaced by a newer connection of the same node");
    }
    fresh->pause();
    tell(*link, *fresh);
    after_wait(fresh, [this, id](const Ptr& waits) {
      const auto it = pairs_.find(id);
      if (it != pairs_.end() && it->second.fresh == waits) let_in(it);
    });
    return true;
  }

  /// The link in place has answered.
  void alive(const Connection& link) {
    const auto it = pairs_.find(link.id);
    if (it == pairs_.end() || it->second.link.get() != &link) return;
    const auto [in_place, fresh] = std::exchange(it->second, {});
    pairs_.erase(it);
    hooks_.say("two processes run with the key of node " + std::to_string(link.id) + ": at " +
               in_place->address() + " and at " + fresh->address() + "; both are told");
    tell(*fresh, *in_place);
    // Read on, or what it was told could be lost with what it sent.
    fresh->dismiss();
    std::erase_if(turned_away_, [](const auto& weak) { return weak.expired(); });
    turned_away_.push_back(fresh);
    after_wait(fresh, [](const Ptr& c) { c->close("another process runs with its key"); });
  }

  /// Closes all that are not links. No hook is called from then on.
  void close() {
    for (const auto& [id, pair] : std::exchange(pairs_, {})) pair.fresh->close("shutting down");
    for (const auto& weak : std::exchange(turned_away_, {})) {
      if (const Ptr c = weak.lock()) c->close("shutting down");
    }
  }

  void closed(const Connection& c) {
    const auto it = pairs_.find(c.id);
    if (it == pairs_.end()) return;
    if (it->second.fresh.get() == &c) {
      pairs_.erase(it);
    } else if (it->second.link.get() == &c) {
      let_in(it);
    }
  }

 private:
  struct Pair {
    Ptr link;
    Ptr fresh;
  };
  using Pairs = std::map<ConnectionId, Pair>;

  // Tells `to` what it must know of the process behind `other`.
  static void tell(Connection& to, const Connection& other) {
    const wire::OtherProcess message{*other.incarnation(), other.address(), other.spoke};
    (void)to.send({kOtherProcess, wire::encode(message), {}});
  }
  void let_in(Pairs::iterator it) {
    const Ptr fresh = it->second.fresh;
    pairs_.erase(it);
    hooks_.replace(*fresh);
    fresh->resume();
  }
  template <class F>
  void after_wait(const Ptr& connection, F work) {
    loop_.call_after(answer_us_, [weak = std::weak_ptr(connection), work] {
      const Ptr c = weak.lock();
      if (c && !c->closed()) work(c);
    });
  }

  Loop& loop_;
  std::uint64_t answer_us_;
  Hooks hooks_;
  Pairs pairs_;
  std::vector<std::weak_ptr<Connection>> turned_away_;  // told, and not closed yet
};

}  // namespace thresher::net
