// A broadcast on links, disk and clock: one protocol of the shelf behind a plain interface. Private
// to net/.
//
//   auto engine = make_engine(options, committee, self, host);   // null: no such protocol
//   engine->restore(); engine->receive(NodeId{2}, frame); engine->send(payload);
//
// Guarantees: those of Executor: what waits for a record leaves when it is durable; all records of
// inputs that wait together are one write. Signatures that wait together are verified together. On
// the loop's thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "thresher/crypto/verifier.hpp"
#include "thresher/net/broadcast_channel.hpp"
#include "thresher/net/node_store.hpp"

namespace thresher::net {

/// What an engine needs from its channel.
struct BroadcastHost {
  Loop* loop = nullptr;
  NodeStore* store = nullptr;  ///< null: nothing is kept
  crypto::BatchVerifier* verifier = nullptr;
  std::function<void(NodeId, const Frame&)> send;
  std::function<void(broadcast::Delivery)> deliver;
  /// This many more payloads will never be delivered here.
  std::function<void(std::uint64_t)> missed;
  /// The disk failed: the channel must not go on.
  std::function<void(const Error&)> fail;
};

class BroadcastEngine {
 public:
  virtual ~BroadcastEngine() = default;
  /// Reads what the store holds and begins. Errors: those of ProtocolHost.
  virtual Result<Unit, Error> restore() = 0;
  virtual void receive(NodeId from, const Frame& frame) = 0;
  /// False when the broadcast has no room for it now.
  virtual bool send(Bytes payload) = 0;
  virtual std::uint64_t refused() const = 0;
  virtual std::uint64_t skipped() const = 0;
  virtual std::size_t open() const = 0;
};

/// What is wrong with a channel's committee or limits, in words; empty: all is well.
std::string broadcast_problem(const broadcast::ChannelOptions& options);
/// The faults that it bears when none are asked for. Pre: broadcast_problem() is empty.
std::uint32_t broadcast_faults(const broadcast::ChannelOptions& options);
std::unique_ptr<BroadcastEngine> make_engine(const broadcast::ChannelOptions& options,
                                             const ChainContext& chain, const Committee& committee,
                                             NodeId self, BroadcastHost host);

}  // namespace thresher::net
