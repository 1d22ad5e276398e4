// All that is wrong with a file or with the options of a command, where several things can be.
//
//   Errors wrong;
//   wrong.push_back(error_at(ErrorCode::kMalformed, "node.toml:3:8", "delta_us must be a number"));
//   for (const Error& e : wrong) std::cerr << e << '\n';  // node.toml:3:8: delta_us must be ...
//
// Guarantees: who returns them has one at least, in the order in which they are to be read. Of what
// was read from a file `where` is "file:line:column", or the file where the whole of it is meant.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "thresher/core/error.hpp"

namespace thresher {

using Errors = std::vector<Error>;  ///< one at least, where they are the reason for something

/// The sentence begins with the place: "where: what".
inline Error error_at(ErrorCode code, std::string where, const std::string& what,
                      std::string remedy = {}) {
  std::string sentence = where + ": " + what;
  return {code, std::move(sentence), std::move(where), std::move(remedy)};
}

/// The text of each, as the command line prints them.
inline std::vector<std::string> texts_of(const Errors& errors) {
  std::vector<std::string> out;
  for (const Error& e : errors) out.push_back(e.text());
  return out;
}

}  // namespace thresher
