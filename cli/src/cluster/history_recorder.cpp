#include "history_recorder.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include "thresher/core/prng.hpp"
#include "thresher/text/json.hpp"

namespace thresher::cli {
namespace {

/// Few enough that clients meet under each, enough that a search for an order stays short.
constexpr std::uint64_t kKeys = 8;

std::string key_of(std::uint64_t line) {
  return "k" + std::to_string(mix64(line) % kKeys);
}
bool is_put(std::uint64_t line) {
  return mix64(line ^ mix64(line)) % 2 == 0;
}
// No two puts put the same, so that a get names the put that it read.
std::string value_of(std::uint64_t line) {
  return "v" + std::to_string(line);
}

}  // namespace

HistoryRecorder::HistoryRecorder(net::Loop& loop, const HistoryOptions& options)
    : loop_(loop),
      options_(options),
      out_(options.file),
      open_(options.clients),
      replicas_(options.nodes) {
  for (std::size_t i = 0; i < replicas_.size(); ++i) {
    net::ClientOptions only;
    only.node = NodeId{static_cast<std::uint16_t>(i)};
    auto client = net::Client::open(options_.genesis, std::move(only));
    if (!client) continue;  // the cluster has just read that file, and would have said why
    replicas_[i].client = std::move(*client);
    replicas_[i].client->subscribe(0, [this, i](const net::Transaction& t) {
      loop_.post([this, i, position = t.position, request = std::string(as_text(t.data))] {
        apply(i, position, request);
      });
    });
  }
}

std::string HistoryRecorder::request(std::uint64_t line) {
  return is_put(line) ? "put " + key_of(line) + " " + value_of(line) : "get " + key_of(line);
}

bool HistoryRecorder::is_transaction(std::uint64_t line) const {
  return is_put(line) || !options_.replica_gets;
}

void HistoryRecorder::begin(std::size_t client, std::uint64_t line) {
  open_[client] = Open{.line = line, .begin_us = now()};
}

void HistoryRecorder::acknowledged(std::size_t client, std::size_t node, std::uint64_t position) {
  if (!open_[client]) return;
  Open& open = *open_[client];
  if (is_put(open.line) && !options_.replica_gets) {
    return record(client, *std::exchange(open_[client], {}), {}, now());
  }
  open.node = node;
  open.position = position;
  resolve();
}

void HistoryRecorder::get_from_replica(std::size_t client, std::size_t node, std::uint64_t line) {
  const auto& pairs = replicas_[node].pairs;
  const auto it = pairs.find(key_of(line));
  const std::uint64_t at = now();
  record(client, Open{.line = line, .begin_us = at},
         it == pairs.end() ? Value{} : Value{it->second}, at);
}

bool HistoryRecorder::idle() const {
  return std::none_of(open_.begin(), open_.end(),
                      [](const auto& open) { return open.has_value(); });
}

void HistoryRecorder::apply(std::size_t node, std::uint64_t position, const std::string& request) {
  std::istringstream in(request);
  std::string verb, key, value;
  in >> verb >> key >> value;
  Replica& replica = replicas_[node];
  replica.length = position + 1;
  if (verb == "put") {
    replica.pairs[key] = value;
  } else {
    const auto it = replica.pairs.find(key);
    replica.got[position] = it == replica.pairs.end() ? Value{} : Value{it->second};
  }
  resolve();
}

void HistoryRecorder::resolve() {
  for (std::size_t client = 0; client < open_.size(); ++client) {
    if (!open_[client] || !open_[client]->position) continue;
    const auto value = answer(*open_[client]);
    if (value) record(client, *std::exchange(open_[client], {}), *value, now());
  }
}

std::optional<HistoryRecorder::Value> HistoryRecorder::answer(const Open& open) const {
  const auto of = [&](const Replica& replica) -> std::optional<Value> {
    if (replica.length <= *open.position) return std::nullopt;
    const auto it = replica.got.find(*open.position);
    return it == replica.got.end() ? Value{} : it->second;
  };
  const Replica& own = replicas_[open.node];
  if (auto value = of(own); value || own.up) return value;
  for (const Replica& replica : replicas_) {
    if (auto value = of(replica)) return value;
  }
  return std::nullopt;
}

void HistoryRecorder::record(std::size_t client, const Open& open, const Value& value,
                             std::optional<std::uint64_t> end_us) {
  const bool put = is_put(open.line);
  text::Value row;
  row.set("client", "c" + std::to_string(client)).set("op", put ? "put" : "get");
  row.set("key", key_of(open.line));
  row.set("value", put     ? text::Value(value_of(open.line))
                   : value ? text::Value(*value)
                           : text::Value());
  row.set("begin", open.begin_us);
  if (end_us) row.set("end", *end_us);
  out_ << text::write(row) << '\n';
}

Result<Unit, Error> HistoryRecorder::finish() {
  for (std::size_t client = 0; client < open_.size(); ++client) {
    if (open_[client]) record(client, *std::exchange(open_[client], {}), {}, {});
  }
  out_.close();
  if (out_.good()) return Unit{};
  return Error{ErrorCode::kIo, "the history could not be written to '" + options_.file + "'",
               options_.file, "is there such a folder, and room?"};
}

}  // namespace thresher::cli
