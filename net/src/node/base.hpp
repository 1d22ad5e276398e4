// What all duties of a node stand on: who it is, its protocol, its log, its links, its disk, and
// the program around it. Private to net/.
//
//   Clientele(NodeBase& node, Hooks hooks);                  // a duty: clientele.hpp
//   node.say(Level::kInfo, "...");
//   if (!store_is_fine) return node.halt(node.words.unreadable(why, place));
//
// A duty owns its data and says in its header what it guarantees. It uses what stands here, and
// reaches another duty by the hooks that the node gives it. Guarantees: all of this outlives the
// duties; none of it but `loop.post()` and `writer` may be used from another thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engines/order_engine.hpp"
#include "host/app_calls.hpp"
#include "host/host_calls.hpp"
#include "http/metrics.hpp"
#include "journal/recording_engine.hpp"
#include "ledger/ledger.hpp"
#include "ledger/log_reader.hpp"
#include "links/complaints.hpp"
#include "links/conduct.hpp"
#include "node/commit_tracer.hpp"
#include "node/last_words.hpp"
#include "node/stage_clock.hpp"
#include "store/writer_thread.hpp"
#include "thresher/crypto/signing_key.hpp"
#include "thresher/net/genesis.hpp"
#include "thresher/net/node.hpp"
#include "wire/hashed_payloads.hpp"

namespace thresher::net {

/// What a node is made from.
struct NodeParts {
  NodeOptions options;
  App& app;
  Genesis genesis;
  crypto::SigningKey key;
  NodeId self;
  SharedKey shared;
  std::unique_ptr<NodeStore> store;
  std::unique_ptr<journal::JournalWriter> journal;  ///< null: it keeps none
};

struct NodeBase {
  NodeBase(NodeParts parts, EngineHost& host, TransportCallbacks links);
  NodeBase(const NodeBase&) = delete;
  NodeBase& operator=(const NodeBase&) = delete;

  /// Runs inputs of the protocol until nothing is left to do now.
  virtual void pump() = 0;
  /// Ends the node. Empty: nothing is wrong.
  virtual void halt(std::optional<Error> why) = 0;

  Committee committee() const;
  /// A log that throws loses its line; the node goes on.
  void say(Level level, const std::string& line);
  /// A peer's answer that cannot be right.
  void false_answer(NodeId from, const std::string& how);
  CommitTracer::Scope on(Duty duty) { return CommitTracer::on(tracer.get(), duty); }

  // Who it is, and what it runs on.
  NodeOptions options;
  App& app;
  Genesis genesis;
  crypto::SigningKey key;
  NodeId self;
  ChainContext chain;
  LastWords words;
  std::unique_ptr<NodeStore> store;
  LogForm log_form;
  LogReader reader;
  Loop loop;
  std::unique_ptr<OrderEngine> engine;
  Transport transport;

  // Its log, and what is known of peers.
  std::uint64_t checkpoint_every;  ///< slots; 0: never
  HashedPayloads hashed;           ///< what was hashed of payloads, for the checkpoints' tree
  Ledger ledger;
  Conduct conduct;
  Complaints complaints;

  // The program around it.
  HostCalls calls;
  AppCalls app_calls{app, calls};
  bool app_lags = false;                 ///< the application did not get all of the log
  std::optional<Error> stopped_because;  ///< empty: it runs, or was told to stop

  // Who looks on.
  std::unique_ptr<CommitTracer> tracer;  ///< null: nothing is traced
  std::unique_ptr<Metrics> metrics;      ///< null: not asked for
  StageClock stages;                     ///< only where there are metrics

  std::unique_ptr<WriterThread> writer;  ///< null: the node has not begun, or is at its end

 protected:
  ~NodeBase() = default;

 private:
  TransportOptions transport_options() const;
};

}  // namespace thresher::net
