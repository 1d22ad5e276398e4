// The clients of a key-value store on a cluster's log, and the history of what they did.
//
//   HistoryRecorder recorder(loop, {.file = "run.ndjson", .genesis = "net/genesis.json", .nodes =
//   4}); recorder.begin(client, line);                      // request(line) is on its way
//   recorder.acknowledged(client, node, position);     // a get still waits for the log up to there
//   if (!recorder.busy(client)) ...                    // the next one
//   recorder.finish();
//
// A put is a transaction. A get is one too, and what it returns is what the log up to its own place
// says. With `replica_gets` it is what a replica holds at this moment, a copy that follows the log
// of the client's node, and a put ends when that replica has it: so does examples/kv. Guarantees: a
// client has one operation at a time. An operation ends when its client knows the answer: that of a
// get comes from the node that acknowledged it, unless that is gone; then from any other one. An
// operation without an answer is recorded without an end. Times are microseconds since the recorder
// was made.
#pragma once

#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "thresher/net/client.hpp"
#include "thresher/net/transport.hpp"

namespace thresher::cli {

struct HistoryOptions {
  std::string file;  ///< to write, in the form of `thresher history check`
  std::string genesis;
  std::size_t nodes = 0;
  std::size_t clients = 0;
  bool replica_gets = false;
};

class HistoryRecorder {
 public:
  HistoryRecorder(net::Loop& loop, const HistoryOptions& options);
  HistoryRecorder(const HistoryRecorder&) = delete;
  HistoryRecorder& operator=(const HistoryRecorder&) = delete;

  /// The text of the operation of this number: "put k3 v17" or "get k3".
  static std::string request(std::uint64_t line);
  /// The operation goes through the log.
  bool is_transaction(std::uint64_t line) const;

  void begin(std::size_t client, std::uint64_t line);
  void acknowledged(std::size_t client, std::size_t node, std::uint64_t position);
  /// Begins and ends a get that is not a transaction.
  void get_from_replica(std::size_t client, std::size_t node, std::uint64_t line);
  bool busy(std::size_t client) const { return open_[client].has_value(); }
  bool idle() const;
  void gone(std::size_t node) { replicas_[node].up = false; }
  void back(std::size_t node) { replicas_[node].up = true; }

  /// Records what is open without an end. The error says why the file is not whole.
  Result<Unit, Error> finish();

 private:
  using Value = std::optional<std::string>;
  /// The store as the log of one node makes it.
  struct Replica {
    bool up = true;
    std::map<std::string, std::string> pairs;
    std::map<std::uint64_t, Value> got;  ///< by the position of a get
    std::uint64_t length = 0;            ///< of the log so far
    std::unique_ptr<net::Client> client;
  };
  struct Open {
    std::uint64_t line = 0;
    std::uint64_t begin_us = 0;
    std::size_t node = 0;
    std::optional<std::uint64_t> position{};  ///< acknowledged, and waits for the log up to there
  };

  void apply(std::size_t node, std::uint64_t position, const std::string& request);
  void resolve();
  std::optional<Value> answer(const Open& open) const;
  void record(std::size_t client, const Open& open, const Value& value,
              std::optional<std::uint64_t> end_us);
  std::uint64_t now() const { return net::Loop::now_us() - began_us_; }

  net::Loop& loop_;
  HistoryOptions options_;
  std::ofstream out_;
  std::uint64_t began_us_ = net::Loop::now_us();
  std::vector<std::optional<Open>> open_;  // by client
  std::vector<Replica> replicas_;          // by node
};

}  // namespace thresher::cli
