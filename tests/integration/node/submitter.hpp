// A client of a node that a test drives by hand.
//
//   Submitter client(net, 0);
//   EXPECT_EQ(client.answer(0, "first"), 0);                 // its position in the log
//   client.submit(texts, since, until); auto got = client.answers(texts.size());
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "network.hpp"
#include "payloads.hpp"
#include "raw_peer.hpp"
#include "thresher/net/client.hpp"

namespace thresher::net {

/// A client that speaks the protocol's bytes.
class Submitter {
 public:
  explicit Submitter(const Network& net, std::size_t node = 0,
                     const crypto::SigningKey& key = crypto::SigningKey::generate())
      : id_(client_id_of(key.public_key())) {
    EXPECT_TRUE(Network::eventually([&] {  // a node listens some time after its start
      peer_ = std::make_unique<RawPeer>(net.genesis().nodes[node].port, key);
      return peer_->greet(net.genesis().context().chain);
    }));
  }
  const ClientId& id() const { return id_; }
  RawPeer& peer() { return *peer_; }
  void submit(const Texts& texts) {
    EXPECT_TRUE(peer_->write(bytes_of({kSubmit, {}, entries(texts)})));
  }
  /// To be ordered in one of these slots, or never.
  void submit(const Texts& texts, Round since, Round until) {
    const wire::Submit control{std::pair(since, until)};
    EXPECT_TRUE(peer_->write(bytes_of({kSubmit, wire::encode(control), entries(texts)})));
  }
  /// The last slot of the node's log, as its newest answer says.
  Round slot() const { return slot_; }
  /// The last slot of the node's log when it told where this one was ordered.
  Round told_in(std::uint64_t sequence) const { return told_in_.at(sequence); }
  /// Transactions in the node's log. Pre: no answer is on its way. All submissions on this
  /// connection have been read before.
  std::uint64_t log_length() {
    EXPECT_TRUE(peer_->write(bytes_of({kStatus, {}, {}})));
    while (const auto f = peer_->answer()) {
      const auto status = f->kind == kStatusReply ? decode_status(f->control.view()) : std::nullopt;
      if (status) return status->length;
    }
    ADD_FAILURE() << "no answer";
    return 0;
  }

  /// Asks for the node's status and waits for it: what was submitted on this connection has been
  /// read then, and was not refused. Pre: nothing of it is ordered meanwhile.
  bool reads() {
    EXPECT_TRUE(peer_->write(bytes_of({kStatus, {}, {}})));
    const auto f = peer_->answer();
    return f && f->kind == kStatusReply;
  }

  /// Answers until `count` sequences have one: positions, or minus the number of the refusal.
  std::map<std::uint64_t, std::int64_t> answers(std::size_t count) {
    std::map<std::uint64_t, std::int64_t> out;
    while (out.size() < count) {
      const auto f = peer_->answer();
      if (!f) break;
      Reader in(f->payload.view());
      if (f->kind == kAck) {
        if (const auto ack = wire::decode<wire::Ack>(f->control.view())) slot_ = ack->slot;
        while (in.remaining() > 0) {
          const std::uint64_t sequence = in.u64();
          told_in_[sequence] = slot_;
          EXPECT_TRUE(out.emplace(sequence, static_cast<std::int64_t>(in.u64())).second);
        }
      } else if (f->kind == kRefused) {
        const auto why = wire::decode<wire::Refused>(f->control.view());
        EXPECT_TRUE(why);
        if (why) slot_ = why->slot;
        while (why && in.remaining() > 0) out[in.u64()] = -static_cast<std::int64_t>(why->reason);
      }
    }
    return out;
  }
  std::int64_t answer(std::uint64_t sequence, const std::string& text) {
    submit({{sequence, text}});
    const auto got = answers(1);
    return got.contains(sequence) ? got.at(sequence) : -1000;
  }

 private:
  ClientId id_;
  Round slot_{0};
  std::map<std::uint64_t, Round> told_in_;
  std::unique_ptr<RawPeer> peer_;
};

/// The data of all transactions in the log of a node that does not run.
inline std::vector<std::string> log_of(const std::string& home) {
  std::vector<std::string> out;
  NodeOptions o;
  o.home = home;
  const auto read =
      read_log(o, 0, [&](const Transaction& t) { out.emplace_back(as_text(t.data)); });
  EXPECT_TRUE(read) << read.error();
  return out;
}

}  // namespace thresher::net
