// The backends that a --backend option names.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../text.hpp"
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

/// What --backend takes, for help.
inline std::string backend_help() {
  return name_list(crypto::verifier_names([](const crypto::VerifierInfo& info) {
           return info.use == crypto::VerifierUse::kWhole;
         })) +
         " or all";
}

/// "all": every one that applies ZIP-215. kMissing: there is none of that name; the remedy is the
/// nearest.
inline Result<Backends, Error> backends_of(const std::string& name) {
  Backends out;
  std::vector<std::string> known;
  for (const crypto::VerifierInfo& each : crypto::known_verifiers()) {
    if (each.use == crypto::VerifierUse::kYardstick) continue;
    known.emplace_back(each.name);
    const bool among_all = name == "all" && each.use == crypto::VerifierUse::kWhole;
    if (name != each.name && !among_all) continue;
    if (auto verifier = crypto::open_verifier(each.name)) {
      out.here.push_back(std::move(*verifier));
    } else {
      out.missing.push_back({known.back(), verifier.error().text()});
    }
  }
  if (!out.here.empty() || !out.missing.empty()) return out;
  known.emplace_back("all");
  Error odd = unknown("backend", name, known);
  odd.what.insert(0, "--backend: ");
  return odd;
}

/// Why none of them is on this machine, where one was asked for by name; empty when one is.
inline std::string none_here(const Backends& backends, const std::string& name) {
  if (!backends.here.empty()) return {};
  return "backend '" + name + "' is not on this machine: " + backends.missing.front().why;
}

}  // namespace thresher::cli
