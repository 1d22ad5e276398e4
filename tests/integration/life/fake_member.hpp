// A member as clients see it, that says what a test has it say. The other members have no link with
// it.
//
//   FakeMember liar(net, NodeId{0}, Round{20}, [](const FakeMember::Submitted& got) {
//     return refusal_of(Round{20}, got.sequences, Refusal::kExpired);
//   });
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "network.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/net/transport.hpp"
#include "thresher/net/wire.hpp"
#include "wire/result_entries.hpp"
#include "wire/transactions.hpp"

namespace thresher::net {

/// That each of these is ordered: `word` gives its position and its result.
template <class Word>
Frame results_of(Round slot, const std::vector<std::uint64_t>& sequences, const Word& word) {
  Writer out;
  for (const std::uint64_t sequence : sequences) {
    const std::pair<std::uint64_t, std::string> said = word(sequence);
    const ApplyResult result{false, Bytes::copy_of(as_view(said.second))};
    append_result(sequence, said.first, &result, out);
  }
  return {kResults, wire::encode(wire::Results{slot}), Bytes::from(out.take())};
}
inline Frame refusal_of(Round slot, const std::vector<std::uint64_t>& sequences, Refusal reason) {
  Writer out;
  for (const std::uint64_t sequence : sequences) out.u64(sequence);
  return {kRefused, wire::encode(wire::Refused{reason, 1 << 20, slot}), Bytes::from(out.take())};
}

class FakeMember {
 public:
  /// A frame of submissions.
  struct Submitted {
    Validity valid{};
    std::vector<std::uint64_t> sequences{};
  };
  using Reply = std::function<std::optional<Frame>(const Submitted&)>;  // none: silence
  using Proof = std::function<std::optional<Bytes>(std::uint64_t position)>;
  using Other = std::function<std::optional<Frame>(const Frame&)>;  // of another kind

  /// `slot`: the one that it says it is in; none: it never says so.
  FakeMember(const Network& net, NodeId self, std::optional<Round> slot, Reply reply,
             Proof proof = {}, Other other = {})
      : slot_(slot),
        reply_(std::move(reply)),
        proof_(std::move(proof)),
        other_(std::move(other)),
        transport_(loop_, options(net, self),
                   {[this](ConnectionId from, const Frame& f) { frame(from, f); },
                    [this](ConnectionId who, bool up) {
                      if (up && slot_) welcome(who);
                    },
                    [](const std::string&) {}}) {
    EXPECT_TRUE(transport_.start());
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~FakeMember() {
    loop_.post([this] {
      transport_.close();
      loop_.stop();
    });
    thread_.join();
  }

 private:
  static TransportOptions options(const Network& net, NodeId self) {
    TransportOptions out;
    out.self = self;
    out.key = *crypto::load_key(net.home(self.value) + "/node.key");
    out.chain = net.genesis().context().chain;
    out.nodes = net.genesis().nodes;
    out.linked.assign(out.nodes.size(), false);
    return out;
  }
  void welcome(ConnectionId who) {
    const auto key = transport_.key_of(who);
    if (!key) return;
    const wire::Welcome hello{*slot_, client_id_of(*key), 1000, 1 << 20};
    (void)transport_.send(who, {kWelcome, wire::encode(hello), {}});
  }
  void frame(ConnectionId from, const Frame& f) {
    if (f.kind == kSubmit) {
      Submitted got;
      const auto control = wire::decode<wire::Submit>(f.control.view());
      if (control && control->valid) got.valid = {control->valid->first, control->valid->second};
      Reader in(f.payload.view());
      while (in.ok() && in.remaining() > 0) {
        got.sequences.push_back(in.u64());
        (void)in.bytes(in.u32());
      }
      if (const auto answer = reply_(got)) (void)transport_.send(from, *answer);
    }
    if (other_) {
      if (const auto answer = other_(f)) (void)transport_.send(from, *answer);
    }
    if (f.kind != kProve || !proof_) return;
    const std::uint64_t position = Reader(f.control.view()).u64();
    const auto proof = proof_(position);
    if (!proof) return;
    Writer w;
    w.u64(position).u8(1).bytes(proof->view());
    (void)transport_.send(from, {kProof, Bytes::from(w.take()), {}});
  }

  std::optional<Round> slot_;
  Reply reply_;
  Proof proof_;
  Other other_;
  Loop loop_;
  Transport transport_;
  std::thread thread_;
};

}  // namespace thresher::net
