#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <utility>

#include "../client_of.hpp"
#include "../text.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/net/config.hpp"
#include "thresher/net/genesis.hpp"
#include "thresher/text/json.hpp"

namespace thresher::cli {
namespace {

/// A running node that sends nothing for so long is given up.
constexpr std::chrono::seconds kPatience{10};

/// How a transaction is printed.
enum class Form { kLine, kRaw, kJson };

// Bytes that are no UTF-8 have no place in JSON: they stand in hexadecimal, under another key.
void print_json(const net::Transaction& t) {
  text::Value row;
  row.set("position", t.position).set("client", to_hex(t.client.bytes)).set("sequence", t.sequence);
  const std::string_view data = as_text(t.data);
  const auto back = text::parse(text::quoted(data), {.bytes = ~std::size_t{0}});
  const bool is_text = back && back->as_text() != nullptr && *back->as_text() == data;
  row.set(is_text ? "data" : "data_hex", is_text ? std::string(data) : to_hex(t.data));
  std::puts(text::write(row).c_str());
}

// A client's bytes could forge lines of this list and write to the terminal, so they are escaped.
void print_transaction(const net::Transaction& t, Form form) {
  if (form == Form::kJson) return print_json(t);
  const bool raw = form == Form::kRaw;
  if (!raw) {
    std::printf("%llu %s:%llu ", static_cast<unsigned long long>(t.position),
                to_hex(t.client.bytes).c_str(), static_cast<unsigned long long>(t.sequence));
  }
  const std::string_view data = as_text(t.data);
  const std::string text = raw ? std::string(data) : escaped(data);
  (void)std::fwrite(text.data(), 1, text.size(), stdout);
  (void)std::fputc('\n', stdout);
}

// A log that does not begin at position 0 must not be taken for one that does.
void told_beginning(std::uint64_t begins) {
  if (begins == 0) return;
  std::fprintf(stderr, "what was before it was pruned: the log begins at position %llu\n",
               static_cast<unsigned long long>(begins));
}

int was_pruned(std::uint64_t position, std::uint64_t begins) {
  return fail(kFailed, "position " + std::to_string(position) +
                           " was pruned: the log begins at position " + std::to_string(begins) +
                           "; go on with --from " + std::to_string(begins));
}

// What the node had committed when it was asked. It may prune what is not read yet.
int log_of_running(const std::string& home, std::uint64_t from, Form form) {
  std::fprintf(stderr, "the node of '%s' is running: its log comes over its own port\n",
               home.c_str());
  std::promise<void> all;
  std::atomic<std::uint64_t> next{from};
  auto client = client_of(home);
  if (!client) return fail(kUsage, client.error());
  std::uint64_t end = 0, begins = 0;
  try {
    const net::NodeStatus status = (*client)->status().get();
    end = status.length;
    begins = status.begins;
  } catch (const std::runtime_error& e) {
    return fail(kFailed, "the node of '" + home + "' gives " + e.what() +
                             "; stop it and read its folder, or ask again when it answers");
  }
  if (from >= end) return kDone;
  if (from > 0 && from < begins) return was_pruned(from, begins);
  next = from = std::max(from, begins);
  auto done = all.get_future();
  told_beginning(begins);
  std::atomic<bool> prints{false};  // whoever reads the output may take his time
  const auto visit = [&, form, end](const net::Transaction& t) {
    if (t.position >= end) return;
    prints = true;
    print_transaction(t, form);
    next = t.position + 1;
    prints = false;
    if (t.position + 1 == end) all.set_value();
  };
  std::atomic<std::uint64_t> begins_now{0};
  (*client)->subscribe(from, visit, [&, end](std::uint64_t now) {
    if (next < end && begins_now.exchange(now) == 0) all.set_value();
  });
  std::uint64_t before = from;
  while (done.wait_for(kPatience) != std::future_status::ready) {
    if (std::exchange(before, next.load()) == next.load() && !prints) {
      client->reset();
      return fail(kFailed, "the node of '" + home + "' stopped sending at position " +
                               std::to_string(before) + " of " + std::to_string(end) +
                               "; go on with --from " + std::to_string(before));
    }
  }
  client->reset();
  return begins_now > 0 ? was_pruned(next, begins_now) : static_cast<int>(kDone);
}

}  // namespace

Verb make_log() {
  struct Args {
    std::string home;
    std::uint64_t from = 0;
    bool raw = false;
    bool json = false;
  };
  auto args = std::make_shared<Args>();
  return {
      {"log"},
      "Print the committed log of a node, running or not. Example: thresher log --home mynet/node0 "
      "--from 100",
      {{"--home", "the node's folder", &args->home, true},
       {"--from", "first position", &args->from},
       {"--raw",
        "the payloads' own bytes, a line break after each; for programs, not for a terminal",
        &args->raw},
       {"--json", "one object a transaction, a line each", &args->json}},
      [args] {
        if (args->raw && args->json) return fail(kUsage, "give either --raw or --json");
        const Form form = args->json ? Form::kJson : args->raw ? Form::kRaw : Form::kLine;
        const auto config = net::load_config(args->home);
        if (!config) return fail_all(kUsage, config.error());
        const auto genesis = net::load_genesis(net::with_paths(config->options).genesis);
        if (!genesis) return fail(kUsage, genesis.error());
        bool first = true;
        const auto done =
            net::read_log(config->options, args->from, [&](const net::Transaction& t) {
              if (first && args->from == 0) told_beginning(t.position);
              first = false;
              print_transaction(t, form);
            });
        if (!done && done.error().code == ErrorCode::kBusy) {
          return log_of_running(args->home, args->from, form);
        }
        return done ? static_cast<int>(kDone) : fail(kFailed, done.error().text());
      }};
}

}  // namespace thresher::cli
