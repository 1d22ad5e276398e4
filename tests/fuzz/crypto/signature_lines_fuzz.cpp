// The reader of signature files takes any bytes: it gives lines or says what is wrong, and a line
// that it gave was there.
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "crypto/signature_lines.hpp"
#include "samples.hpp"

namespace {

void check(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::abort();
}

}  // namespace

std::vector<std::string> fuzz_samples() {
  return {R"({"id":"a","key":"00ff","msg":"","sig":"7f","valid":true,"x":[1,{"y":null}]})"
          "\n"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
  thresher::cli::SignatureLines lines(in, "fuzz");
  std::uint64_t given = 0;
  while (const auto line = lines.next()) {
    ++given;
    check(lines.problem().empty(), "a line and a problem");
    check(lines.lines() == given, "lines are counted");
    check(2 * (line->key.size() + line->message.size() + line->signature.size()) <= size,
          "no more bytes than digits");
    check(line->well_sized() == (line->key.size() == 32 && line->signature.size() == 64), "sizes");
  }
  check(!lines.problem().empty() || in.peek() == std::istream::traits_type::eof(),
        "stops at the end or with a problem");
  check(!lines.next(), "nothing comes after the end");
  if (!lines.problem().empty()) {
    check(lines.problem().rfind("fuzz:" + std::to_string(given + 1) + ": ", 0) == 0,
          "a problem names its line");
  }
  return 0;
}
