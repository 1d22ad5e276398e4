// The backends that a --backend option names.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "thresher/core/names.hpp"
#include "thresher/core/result.hpp"
#include "thresher/crypto/verifier.hpp"

namespace thresher::cli {

/// Known, but not on this machine.
struct Missing {
  std::string name;
  std::string why;
};

struct Backends {
  std::vector<std::unique_ptr<crypto::BatchVerifier>> here;
  std::vector<Missing> missing;
};

/// "all": every one that applies ZIP-215. The error names the nearest.
inline Result<Backends, std::string> backends_of(const std::string& name) {
  static const std::vector<std::string> known{"portable", "avx2",       "avx512",
                                              "rlc",      "rlc-straus", "rlc-pippenger",
                                              "rlc-avx2", "emulator",   "cuda"};
  // Parts of rlc, for measuring: by name only.
  const auto part = [](const std::string& each) { return each.rfind("rlc-", 0) == 0; };
  Backends out;
  for (const std::string& each : known) {
    if (name != each && (name != "all" || part(each))) continue;
    if (auto verifier = crypto::make_verifier(each)) {
      out.here.push_back(std::move(verifier));
    } else {
      out.missing.push_back({each, crypto::why_unavailable(each)});
    }
  }
  if (!out.here.empty() || !out.missing.empty()) return out;
  const auto near = nearest(name, known);
  std::string all;
  for (const std::string& each : known) all += each + ", ";
  return "no backend is called '" + name + "'" +
         (near ? "; did you mean '" + *near + "'?" : "; there are: " + all + "all");
}

}  // namespace thresher::cli
