#include <algorithm>
#include <array>
#include <cstdio>

#include "attack.hpp"
#include "thresher/sim/report.hpp"

namespace thresher::cli {
namespace {

/// The picture, in pixels. A bar that would be longer than kMost times fair weather is cut.
constexpr int kLabels = 190;
constexpr int kBars = 420;
constexpr int kRow = 12;
constexpr double kMost = 5;
constexpr std::array<const char*, 4> kColours{"#4269d0", "#efb118", "#ff725c", "#6cc5b0"};

text::Value json_of(const AttackDone& done) {
  text::Value out;
  out.set("attack", done.attack).set("protocol", done.protocol).set("verdict", done.verdict);
  out.set("commits", done.commits);
  out.set("mean_ms", done.mean_ms).set("p50_ms", done.p50_ms).set("p99_ms", done.p99_ms);
  out.set("first_commit_ms", done.first_ms).set("longest_gap_ms", done.gap_ms);
  out.set("bytes", done.bytes);
  out.set("x_mean", done.x_mean).set("x_commits", done.x_commits).set("x_bytes", done.x_bytes);
  return out;
}

template <class... A>
std::string printed(const char* format, A... a) {
  char out[320];
  (void)std::snprintf(out, sizeof out, format, a...);
  return out;
}

std::vector<std::string> names(const std::vector<AttackDone>& all, std::string AttackDone::*of) {
  std::vector<std::string> out;
  for (const AttackDone& done : all) {
    if (std::find(out.begin(), out.end(), done.*of) == out.end()) out.push_back(done.*of);
  }
  return out;
}

}  // namespace

text::Value json_of(const AttackScale& scale, const std::vector<AttackDone>& all) {
  text::Value rows = text::Value::list();
  for (const AttackDone& done : all) rows.push(json_of(done));
  text::Value out;
  out.set("n", scale.n).set("virtual_s", static_cast<double>(scale.virtual_ms) / 1000);
  out.set("seed", scale.seed).set("wan", scale.wan).set("rows", std::move(rows));
  return out;
}

std::string line_of(const AttackDone& done) {
  return printed(
      "| %s | %s | %s | %llu (%.2f) | %.0f (**%.2f**) | %.0f | %.0f | %.0f | %.0f | %.2f |",
      done.attack.c_str(), done.protocol.c_str(), done.verdict.c_str(),
      static_cast<unsigned long long>(done.commits), done.x_commits, done.mean_ms, done.x_mean,
      done.p50_ms, done.p99_ms, done.first_ms, done.gap_ms, done.x_bytes);
}

std::string attack_chart(const std::vector<AttackDone>& all) {
  const auto protocols = names(all, &AttackDone::protocol);
  const auto attacks = names(all, &AttackDone::attack);
  const int group = kRow * static_cast<int>(protocols.size()) + 8;
  const int height = 40 + group * static_cast<int>(attacks.size());
  std::string out = printed(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
      "font-family=\"sans-serif\" "
      "font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
      kLabels + kBars + 60, height);
  for (std::size_t p = 0; p < protocols.size(); ++p) {
    out += printed("<text x=\"%d\" y=\"16\" fill=\"%s\">", kLabels + static_cast<int>(p) * 140,
                   kColours[p % kColours.size()]);
    out += protocols[p] + "</text>\n";
  }
  for (const AttackDone& done : all) {
    const auto row = std::find(attacks.begin(), attacks.end(), done.attack) - attacks.begin();
    const auto p = std::find(protocols.begin(), protocols.end(), done.protocol) - protocols.begin();
    const int top = 28 + group * static_cast<int>(row);
    const int y = top + kRow * static_cast<int>(p);
    if (p == 0) out += printed("<text x=\"4\" y=\"%d\">", top + 10) + done.attack + "</text>\n";
    const int width = static_cast<int>(std::min(done.x_mean, kMost) / kMost * kBars);
    out += printed("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>", kLabels, y,
                   width, kRow - 2, kColours[static_cast<std::size_t>(p) % kColours.size()]);
    out +=
        printed("<text x=\"%d\" y=\"%d\">%.2f</text>\n", kLabels + width + 4, y + 9, done.x_mean);
  }
  return out + "</svg>\n";
}

}  // namespace thresher::cli
