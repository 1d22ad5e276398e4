// The reader of runs (thresher-run-1): any bytes give runs, which are printed and read again as the
// same ones and may be carried out, or an error that names the place.
#include "reading.hpp"
#include "samples.hpp"
#include "thresher/verify/schedule.hpp"

namespace {

using namespace thresher::verify;

const Automaton& automaton() {
  static const Automaton ta = *parse_automaton(kSample, "sample");
  return ta;
}

}  // namespace

std::vector<std::string> fuzz_samples() {
  const Execution run{{4, 1, 1}, {{2, 1, 0}, {0, 0}}, {{0, 2}, {1, 1}}};
  return {print_schedule(automaton(), {{"never", run}, {"live", run}})};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto runs = parse_schedule(text, "fuzz", automaton());
  if (!runs) {
    check(runs.error().where.rfind("fuzz:", 0) == 0,
          "an error names its place: " + runs.error().text());
    return 0;
  }
  const std::string printed = print_schedule(automaton(), *runs);
  const auto again = parse_schedule(printed, "again", automaton());
  check(bool(again) && *again == *runs, "what was printed is the same\n" + printed);
  for (const NamedRun& named : *runs) (void)replay(automaton(), named.run);
  return 0;
}
