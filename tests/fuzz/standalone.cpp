// Stands in for libFuzzer where it is not: the same inputs on every run, some plain random, some
// cut out of the target's samples and damaged. A target ends the process when something is wrong.
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "../how_many.hpp"
#include "samples.hpp"
#include "thresher/core/prng.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

thresher::Prng random_numbers(7);

std::uint64_t below(std::uint64_t bound) {
  return random_numbers.below(bound);
}

std::string noise() {
  std::string out(below(700), ' ');
  for (char& c : out) c = static_cast<char>(below(256));
  return out;
}

/// Bytes replaced, parts left out, doubled or moved.
void damage(std::string& text) {
  if (text.empty()) return;
  const std::size_t at = below(text.size());
  switch (below(4)) {
    case 0:
      text.erase(at, 1 + below(20));
      break;
    case 1:
      text.insert(at, text.substr(below(text.size()), below(40)));
      break;
    case 2:
      text[at] = "(){}[];:,.\"<>!&|=+-*/\\'0aZ\n"[below(27)];
      break;
    default:
      text[at] = static_cast<char>(below(256));
  }
}

}  // namespace

int main() {
  const std::vector<std::string> samples = fuzz_samples();
  const std::uint64_t wanted = thresher::how_many(FAST_INPUTS, 2000);
  std::uint64_t runs = 0;
  for (; runs < wanted; ++runs) {
    std::string input;
    if (runs % 4 == 0) {
      input = noise();
    } else {
      const std::string& sample = samples[below(samples.size())];
      for (std::uint64_t times = below(8) == 0 ? 2 : 1; times > 0; --times) input += sample;
      for (std::uint64_t edits = below(5); edits > 0; --edits) damage(input);
      if (below(4) == 0) input.resize(input.size() - below(input.size() / 8 + 1));
    }
    (void)LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  }
  std::printf("%llu inputs\n", static_cast<unsigned long long>(runs));
  return 0;
}
