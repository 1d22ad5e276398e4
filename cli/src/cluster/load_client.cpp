#include "load_client.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "thresher/core/transcript.hpp"
#include "thresher/net/client.hpp"
#include "thresher/net/client_id.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/net/wire.hpp"

namespace thresher::cli {
namespace {
constexpr std::size_t kFrameBytes = 128 * 1024;
constexpr std::uint64_t kReconnect = 20'000;  // us
}  // namespace

LoadClient::LoadClient(net::Loop& loop, const net::Genesis& genesis, std::size_t node,
                       LoadHooks hooks)
    : loop_(loop), genesis_(genesis), node_(node), hooks_(std::move(hooks)) {
  const net::ClientId id = net::client_id_of(key_.public_key());
  std::memcpy(&id_, id.bytes.data(), sizeof id_);
  connect();
}

void LoadClient::connect() {
  if (stopped_) return;
  for (std::size_t k = 0; k < genesis_.nodes.size() && !hooks_.reachable(node_); ++k) {
    node_ = (node_ + 1) % genesis_.nodes.size();
  }
  link_ = std::make_unique<net::ClientLink>(
      loop_, genesis_.context().chain, genesis_.nodes[node_],
      net::TransportCallbacks{[this](net::ConnectionId, const net::Frame& f) { frame(f); },
                              [this](net::ConnectionId, bool up) { linked(up); },
                              [](const std::string&) {}},
      key_);
  link_->connect();
}

void LoadClient::linked(bool up) {
  if (up) return;  // it is ready when the node has said in which slot it is
  // A node that was there goes away: the next one at once.
  const std::uint64_t wait = std::exchange(ready_, false) ? 0 : kReconnect;
  loop_.call_after(wait, [this] { connect(); });
}

void LoadClient::frame(const net::Frame& f) {
  switch (static_cast<net::FrameKind>(f.kind)) {
    case net::kWelcome: {
      const auto in = net::wire::decode<net::wire::Welcome>(f.control.view());
      if (!in) return;
      slot_ = in->slot;
      longest_life_ = in->longest_life;
      ready_ = true;
      return send(base_);
    }
    case net::kAck:
      return acknowledge(f);
    case net::kRefused:
      return refused(f);
    // What it never asks for, and what nodes say to each other.
    case net::kPush:
    case net::kWant:
    case net::kWantRound:
    case net::kWantEvidence:
    case net::kGive:
    case net::kWantLog:
    case net::kLogPart:
    case net::kWantLogHash:
    case net::kLogHash:
    case net::kCoinShare:
    case net::kWantKnown:
    case net::kKnown:
    case net::kOtherProcess:
    case net::kAlive:
    case net::kEvidence:
    case net::kProtocol:
    case net::kEquivocation:
    case net::kPushWith:
    case net::kCheckpoint:
    case net::kCertificate:
    case net::kWantCheckpoint:
    case net::kWantTree:
    case net::kTreePart:
    case net::kWantSnapshots:
    case net::kSnapshots:
    case net::kWantPart:
    case net::kPart:
    case net::kStarted:
    case net::kTookSnapshot:
    case net::kSubmit:
    case net::kStatus:
    case net::kStatusReply:
    case net::kSubscribe:
    case net::kLog:
    case net::kResults:
    case net::kQuery:
    case net::kQueryReply:
    case net::kProve:
    case net::kProof:
      return;
  }
}

void LoadClient::refused(const net::Frame& f) {
  const auto in = net::wire::decode<net::wire::Refused>(f.control.view());
  if (in && in->reason == net::Refusal::kTooEarly) {  // this node has yet to catch up
    loop_.call_after(kReconnect, [this] {
      if (ready_) send(base_);
    });
    return;
  }
  // None is too large, and all are fresh: the nodes have too much to do.
  hooks_.refused(std::to_string(f.payload.size() / 8) +
                 " transactions were refused: use a smaller --window or --tx-bytes");
}

void LoadClient::acknowledge(const net::Frame& f) {
  if (const auto in = net::wire::decode<net::wire::Ack>(f.control.view())) {
    slot_ = std::max(slot_, in->slot);
  }
  bool any = false;
  const std::uint64_t now = net::Loop::now_us();  // one reading of the clock serves them all
  Reader in(f.payload.view());
  while (in.remaining() >= 16) {
    const std::uint64_t sequence = in.u64();
    const std::uint64_t position = in.u64();
    if (sequence < base_ || sequence - base_ >= flying_.size()) continue;
    Flight& flight = flying_[sequence - base_];
    if (std::exchange(flight.done, true)) continue;
    --in_flight_;
    any = true;
    hooks_.committed(flight.line, position, now - flight.sent_us);
    if (hooks_.traced) hooks_.traced({id_, sequence, position, node_, flight.sent_us, now});
    while (!flying_.empty() && flying_.front().done) {
      flying_.pop_front();
      ++base_;
    }
  }
  if (any) hooks_.answered();
}

void LoadClient::submit(const std::vector<std::uint64_t>& lines) {
  const std::uint64_t first = base_ + flying_.size();
  const std::uint64_t now = net::Loop::now_us();
  const Round since{slot_.value - std::min(slot_.value, net::kSlotsBack)};
  for (const std::uint64_t line : lines) flying_.push_back({now, line, since, false});
  in_flight_ += lines.size();
  send(first);
}

// What is not acknowledged from a sequence on. A frame has one pair of slots.
void LoadClient::send(std::uint64_t from) {
  Writer w;
  Round since{0};
  const auto flush = [&] {
    if (w.view().empty()) return;
    const net::wire::Submit control{std::pair(since, Round{since.value + longest_life_})};
    (void)link_->send({net::kSubmit, net::wire::encode(control), Bytes::from(w.take())});
    w = Writer();
  };
  for (std::uint64_t sequence = from; sequence < base_ + flying_.size(); ++sequence) {
    const Flight& flight = flying_[sequence - base_];
    if (flight.done) continue;
    if (flight.since != since || w.view().size() >= kFrameBytes) flush();
    since = flight.since;
    const ByteView data = hooks_.data(flight.line);
    w.u64(sequence).u32(static_cast<std::uint32_t>(data.size())).bytes(data);
  }
  flush();
}

}  // namespace thresher::cli
