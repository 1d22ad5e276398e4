// The oracle made from the proof, as a process: one file of cases in, one line of decisions a case
// out.
//
//   const std::vector<std::string> said = ask_oracle(program, text);
//
// Throws std::runtime_error with the oracle's words when it refuses the input.
#pragma once

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace thresher {

inline std::vector<std::string> ask_oracle(const std::string& program, const std::string& cases) {
  const auto file = std::filesystem::path(::testing::TempDir()) /
                    ("cases-" + std::to_string(static_cast<long>(getpid())) + ".txt");
  std::ofstream(file) << cases;
  std::FILE* pipe = popen(("'" + program + "' 2>&1 <'" + file.string() + "'").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("'" + program + "' cannot be started");
  std::string out;
  std::array<char, 65536> buffer{};
  while (const std::size_t got = fread(buffer.data(), 1, buffer.size(), pipe)) {
    out.append(buffer.data(), got);
  }
  const int status = pclose(pipe);
  std::filesystem::remove(file);
  if (status != 0) throw std::runtime_error("the oracle refuses its input: " + out);
  std::vector<std::string> lines;
  std::istringstream in(out);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace thresher
