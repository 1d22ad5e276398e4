// Choosing who does a job: each of four programs proposes itself, and all get the same name, also
// when one of them is gone. Before that they agree whether the job is to be done at all.
//
//   thresher testnet init --protocol mahi-mahi -n 4 -o mynet
//   thresher dkg --home mynet/node0               # and the others, at about the same time
//   agree mynet/node0 yes alice 5                 # 5 jobs; and the others, with names of their own
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "thresher/crypto/key_file.hpp"
#include "thresher/net/agreement_channel.hpp"

int main(int argc, char** argv) {
  using namespace thresher;  // NOLINT: an example
  if (argc != 5) return std::fprintf(stderr, "usage: agree HOME yes|no NAME JOBS\n"), 2;
  const std::string home = argv[1], name = argv[3];
  const bool wanted = std::string(argv[2]) == "yes";
  const auto genesis = net::load_genesis(home + "/../genesis.json");
  const auto key = crypto::load_key(home + "/node.key");
  if (!genesis || !key) return std::fprintf(stderr, "no network there\n"), 1;
  auto channel = agreement::Channel::join(
      {.genesis = *genesis,
       .key = *key,
       .coin = home + "/coin.key",
       .folder = home + "/agree",
       .valid = [](auto, auto, ByteView who) { return !who.empty() && who.size() <= 20; }});
  if (!channel) return std::fprintf(stderr, "%s\n", channel.error().text().c_str()), 1;
  for (std::uint64_t job = 0; job < std::strtoull(argv[4], nullptr, 10); ++job) {
    auto done = (*channel)->agree(job, wanted);
    auto who = (*channel)->agree(job, as_view(name));
    if (!done || !who)
      return std::fprintf(stderr, "%s\n", (done ? who.error() : done.error()).text().c_str()), 1;
    const bool yes = done->get();
    const agreement::Agreed chosen = who->get();
    const auto text = as_text(chosen.value.view());
    std::printf("job %llu: %s, by %.*s\n", static_cast<unsigned long long>(job), yes ? "yes" : "no",
                static_cast<int>(text.size()), text.data());
    (void)std::fflush(stdout);
  }
  std::this_thread::sleep_for(std::chrono::seconds(1));  // others may need the last words
  return 0;
}
