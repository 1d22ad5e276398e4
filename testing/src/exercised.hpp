// What a campaign has shown, and what it was asked for and never did.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "thresher/testing/check.hpp"

namespace thresher::testing {

/// Null: it is not among them.
const Property* property_of(const std::vector<Property>& properties, Property::Kind kind);

/// What the reports of runs do not add up. Any number of threads may note; read it after them.
class Seen {
 public:
  void note(const sim::Experiment& e, const sim::Outcome& o);

  struct Tries {
    std::uint64_t drawn = 0;
    std::uint64_t fired = 0;
  };
  bool held = false;             ///< some node held something
  std::set<std::string> labels;  ///< of messages that were sent
  std::map<std::string, Tries> fields;
  static constexpr std::size_t kRunsTold = 64;
  /// The seeds and hashes of the first different ones: more than one a size are enough.
  std::set<std::pair<std::uint64_t, Digest>> runs;

 private:
  std::mutex mutex_;
};

/// In one line.
std::string coverage(const sim::FuzzReport& r, const std::vector<Property>& properties);

/// Things the runs were asked to do and never did: they have shown nothing about them. Empty: none.
std::string unexercised(const sim::FuzzReport& r, const Options& options,
                        const std::vector<Property>& properties, const Seen& seen);

}  // namespace thresher::testing
