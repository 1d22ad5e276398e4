#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <utility>

#include "../client_of.hpp"
#include "../text.hpp"

namespace thresher::cli {
namespace {

/// Nobody refused, and nothing was committed.
struct Stalled : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Args {
  std::string home;
  std::string genesis;
  std::string data;
  std::string file;
};

// Every line of a file ("-": standard input), or the one text given.
Result<std::vector<std::string>, std::string> payloads(const Args& a) {
  if (a.data.empty() == a.file.empty()) {
    return std::string("give either a text with --data or a file of lines with --file");
  }
  if (!a.data.empty()) return std::vector{a.data};
  std::ifstream opened;
  if (a.file != "-") {
    auto file = open_lines(a.file);
    if (!file) return file.error();
    opened = std::move(*file);
  }
  std::vector<std::string> lines;
  for (std::string line; std::getline(a.file == "-" ? std::cin : opened, line);) {
    lines.push_back(std::move(line));
  }
  if (lines.empty()) {
    return (a.file == "-" ? "standard input" : "'" + a.file + "'") + " holds no line to submit";
  }
  return lines;
}

int submit(const Args& a) {
  if (a.home.empty() == a.genesis.empty()) {
    return fail(kUsage, "give either a node's folder with --home or the network with --genesis");
  }
  const auto lines = payloads(a);
  if (!lines) return fail(kUsage, lines.error());
  auto client = a.home.empty() ? net::Client::open(a.genesis) : client_of(a.home);
  if (!client) return fail(kUsage, client.error());
  constexpr std::size_t kInFlight = 1024;
  std::vector<std::future<std::optional<std::uint64_t>>> flying;
  std::size_t printed = 0;
  bool told = false;
  const auto print_next = [&] {
    using std::chrono::seconds;
    if (flying[printed].wait_for(seconds(3)) != std::future_status::ready) {
      if (!std::exchange(told, true)) {
        (void)std::fputs("nothing committed yet; waiting for 30 s at most\n", stderr);
      }
      if (flying[printed].wait_for(seconds(27)) != std::future_status::ready) {
        throw Stalled(
            "nothing was committed for 30 s; are enough nodes up? ask each with: thresher node "
            "status --home DIR");
      }
    }
    const auto position = flying[printed].get();
    ++printed;
    std::printf("%s\n", position ? std::to_string(*position).c_str() : "committed before");
  };
  try {
    for (const std::string& line : *lines) {
      flying.push_back((*client)->submit(as_view(line)));
      if (flying.size() - printed > kInFlight) print_next();
    }
    while (printed < flying.size()) print_next();
  } catch (const std::runtime_error& e) {
    (void)std::fflush(stdout);
    const bool stalled = dynamic_cast<const Stalled*>(&e) != nullptr;
    return fail(stalled ? kNoProgress : kFailed, std::string(e.what()) + " (" +
                                                     std::to_string(printed) + " of " +
                                                     std::to_string(lines->size()) + " committed)");
  }
  return kDone;
}

}  // namespace

Verb make_submit() {
  auto a = std::make_shared<Args>();
  return {{"submit"},
          "Submit transactions and print their positions in the log. Example: thresher submit "
          "--home mynet/node0 --data hello",
          {{"--home", "the folder of the node to use", &a->home},
           {"--genesis", "the network's genesis file: any node that answers", &a->genesis},
           {"--data", "one transaction", &a->data},
           {"--file", "a file of one transaction a line; - reads standard input", &a->file}},
          [a] { return submit(*a); }};
}

}  // namespace thresher::cli
