// Stands in for libFuzzer where it is not: the same inputs on every run, some plain random, some
// cut out of a line that is right. A fuzz target ends the process when something is wrong.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "thresher/core/prng.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main() {
  const std::string line =
      R"({"id":"a","key":"00ff","msg":"","sig":"7f","valid":true,"x":[1,{"y":null}]})"
      "\n";
  thresher::Prng random(7);
  int runs = 0;
  for (; runs < 1000; ++runs) {
    std::vector<std::uint8_t> input;
    if (runs % 2 == 0) {
      input.resize(random.below(700));
      for (std::uint8_t& b : input) b = static_cast<std::uint8_t>(random.below(256));
    } else {
      for (std::uint64_t lines = random.below(5); lines > 0; --lines) {
        input.insert(input.end(), line.begin(), line.end());
      }
      for (std::uint64_t edits = random.below(4); edits > 0 && !input.empty(); --edits) {
        input[random.below(input.size())] = static_cast<std::uint8_t>(random.below(256));
      }
      input.resize(input.size() - random.below(input.size() / 8 + 1));
    }
    (void)LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("%d inputs\n", runs);
  return 0;
}
