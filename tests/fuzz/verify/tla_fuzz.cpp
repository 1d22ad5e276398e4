// The reader of .tla files.
#include "reading.hpp"
#include "samples.hpp"
#include "thresher/verify/export.hpp"

std::vector<std::string> fuzz_samples() {
  const auto ta = thresher::verify::parse_automaton(kSample, "sample");
  check(bool(ta), "the sample is an automaton: " + (ta ? "" : ta.error().text()));
  const auto tla = thresher::verify::export_tla(*ta);
  check(bool(tla), "the sample is written as TLA+: " + (tla ? "" : tla.error().text()));
  return {tla->text};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_reading(thresher::verify::parse_tla(text, "fuzz"));
  return 0;
}
