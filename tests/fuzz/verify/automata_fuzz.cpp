// The reader of .ta and .eta files.
#include "reading.hpp"
#include "samples.hpp"

std::vector<std::string> fuzz_samples() {
  return {kSample};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_reading(thresher::verify::parse_automaton(text, "fuzz"));
  return 0;
}
