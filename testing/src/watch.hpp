// Says which seed a campaign was at when a callback of the protocol crashes the process, or does
// not return. Neither leaves any other trace, and a seed is all that it takes to see it again.
//
//   Watch watch("./test --gtest_filter=My.Test", 60);
//   { const Watch::Seed at(watch, 7);  run(...); }
//
// Guarantees: the crash itself goes on as without it, and no run is ended. Of two
// campaigns at once, the command of the latest is told.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace thresher::testing {

/// "THRESHER_SEED=7 ./test ...": runs that seed alone.
std::string seed_again(std::uint64_t seed, const std::string& again);

class Watch {
 public:
  /// `seconds` of one run before it is named on stderr; 0: never.
  Watch(std::string again, std::uint64_t seconds);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// The calling thread runs this seed for as long as it lives.
  class Seed {
   public:
    Seed(Watch& watch, std::uint64_t seed);
    ~Seed();
    Seed(const Seed&) = delete;
    Seed& operator=(const Seed&) = delete;

   private:
    Watch& watch_;
    std::uint64_t number_;
  };

 private:
  struct Running {
    std::uint64_t seed = 0;
    std::chrono::steady_clock::time_point since;
    bool told = false;
  };

  void look();

  const std::string again_;
  const std::chrono::seconds longest_;
  std::mutex mutex_;
  std::condition_variable ends_;
  bool over_ = false;
  std::uint64_t next_ = 0;
  std::map<std::uint64_t, Running> running_;
  std::thread thread_;
};

}  // namespace thresher::testing
