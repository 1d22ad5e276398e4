#include "thresher/sim/wan.hpp"

#include <algorithm>

namespace thresher::sim {
namespace {

// The upper triangle in milliseconds, row by row, without the diagonal.
WanTable table(const char* name, const char* help, std::vector<std::string> regions,
               double inside_ms, const std::vector<double>& upper_ms) {
  WanTable out{.name = name, .help = help, .regions = std::move(regions)};
  const std::size_t n = out.regions.size();
  out.rtt_us.resize(n * n, static_cast<std::uint32_t>(inside_ms * 1000));
  std::size_t next = 0;
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a + 1; b < n; ++b) {
      const auto us = static_cast<std::uint32_t>(upper_ms.at(next++) * 1000 + 0.5);
      out.rtt_us[a * n + b] = out.rtt_us[b * n + a] = us;
    }
  }
  return out;
}

// Average round trips between ten AWS regions, as published in April 2017 at
// acomputerscientistlearnsaws.blogspot.com/2017/04/aws-regions.html (the direction from the row's
// region). Inside a region no figure stands there: half a millisecond is an estimate.
WanTable aws() {
  return table("aws", "ten regions of AWS, averages of 2017",
               {"virginia", "california", "oregon", "ireland", "frankfurt", "tokyo", "seoul",
                "singapore", "sydney", "sao-paulo"},
               0.5, {72.74, 86.98, 80.55, 88.66, 145.3, 178.4, 216.7, 230.0, 119.5,  // virginia
                     19.46, 153.2, 166.6, 102.5, 131.5, 174.0, 157.5, 192.7,         // california
                     137.0, 159.5, 89.1,  118.3, 161.4, 162.2, 182.7,                // oregon
                     19.56, 212.4, 242.4, 239.0, 309.6, 191.3,                       // ireland
                     236.5, 266.2, 325.9, 323.5, 194.9,                              // frankfurt
                     31.44, 73.79, 103.9, 256.8,                                     // tokyo
                     71.87, 134.0, 286.3,                                            // seoul
                     175.3, 328.1,                                                   // singapore
                     322.5});                                                        // sydney
}

// Five regions of the same table on three continents: the usual setting of papers.
WanTable aws_five() {
  return table("aws5", "five of these regions: three continents",
               {"virginia", "california", "ireland", "frankfurt", "tokyo"}, 0.5,
               {72.74, 80.55, 88.66, 145.3,  // virginia
                153.2, 166.6, 102.5,         // california
                19.56, 212.4,                // ireland
                236.5});                     // frankfurt
}

// Average round trips between ten regions of IBM Cloud from 27 July to 25 August 2024, as
// published in its documentation (github.com/ibm-cloud-docs/vpc, network-latency.md); inside a
// region the mean between two zones, about 2 ms there.
WanTable ibm() {
  return table("ibm", "ten regions of IBM Cloud, averages of August 2024",
               {"dallas", "toronto", "washington", "frankfurt", "london", "madrid", "osaka",
                "sydney", "tokyo", "sao-paulo"},
               2.0, {34,  31,  123, 113, 119, 150, 186, 143, 146,  // dallas
                     19,  93,  82,  108, 168, 215, 162, 129,       // toronto
                     91,  75,  87,  172, 214, 164, 118,            // washington
                     13,  29,  232, 250, 233, 198,                 // frankfurt
                     27,  244, 261, 243, 188,                      // london
                     257, 275, 258, 209,                           // madrid
                     122, 9,   293,                                // osaka
                     115, 328,                                     // sydney
                     284});                                        // tokyo
}

// Round trips between ten AWS regions, in whole milliseconds, with which the evaluation of
// Bluestreak (ePrint 2026/898) and its relatives delays messages: the table in
// github.com/iotaledger/starfish, crates/starfish-core/src/network.rs (commit 0348fd1e). One
// millisecond inside a region and 3 % of jitter are that program's, too. The paper's Table 3 could
// not be compared: only the program was at hand. Where its comments name a region otherwise than
// its list (EUS2 for eu-south-1, APSE2 for ap-southeast-1), the round trips fit the comments: 29 ms
// from Ireland is Spain, and 101 ms from Tokyo and 309 from Sao Paulo is Sydney.
WanTable bluestreak() {
  WanTable out = table("bluestreak", "ten regions of AWS, as Bluestreak's evaluation emulates them",
                       {"virginia", "california", "montreal", "ireland", "spain", "stockholm",
                        "sao-paulo", "mumbai", "sydney", "tokyo"},
                       1.0, {65,  14,  68,  104, 110, 112, 201, 198, 146,  // virginia
                             78,  127, 163, 172, 175, 226, 137, 108,       // california
                             67,  106, 103, 122, 189, 196, 142,            // montreal
                             29,  38,  176, 125, 254, 199,                 // ireland
                             50,  215, 143, 281, 238,                      // spain
                             220, 148, 268, 245,                           // stockholm
                             299, 309, 254,                                // sao-paulo
                             150, 140,                                     // mumbai
                             101});                                        // sydney
  out.jitter_ppm = 30'000;
  return out;
}

constexpr std::uint64_t kMillion = 1'000'000;

// A share of one way, rounded to the nearest microsecond.
Ticks share_of(Ticks way, std::uint64_t ppm) {
  return (way * ppm + kMillion / 2) / kMillion;
}

DelayLaw law_of(Ticks way, std::uint64_t jitter_ppm) {
  const Ticks off = share_of(way, jitter_ppm);
  if (off == 0) return {DelayLaw::Kind::kConstant, way, 0, way, way};
  return {DelayLaw::Kind::kUniform, way, 0, std::max<Ticks>(way - off, 1), way + off};
}

}  // namespace

std::optional<std::size_t> WanTable::index_of(std::string_view region) const {
  const auto found = std::find(regions.begin(), regions.end(), region);
  if (found == regions.end()) return std::nullopt;
  return static_cast<std::size_t>(found - regions.begin());
}

std::span<const WanTable> wan_tables() {
  static const std::vector<WanTable> kTables{aws(), aws_five(), bluestreak(), ibm()};
  return kTables;
}

const WanTable* wan_table(std::string_view name) {
  for (const WanTable& table : wan_tables()) {
    if (table.name == name) return &table;
  }
  return nullptr;
}

const WanTable* table_of(const Network& network) {
  return network.matrix.empty() ? wan_table(network.wan) : &network.matrix;
}

std::vector<LinkRule> links_with_wan(const Network& network) {
  const WanTable* table = table_of(network);
  if (table == nullptr) return network.links;
  std::vector<std::vector<NodeId>> members(table->regions.size());
  for (std::size_t i = 0; i < network.regions.size(); ++i) {
    if (const auto region = table->index_of(network.regions[i])) {
      members[*region].push_back(NodeId{static_cast<std::uint16_t>(i)});
    }
  }
  std::vector<LinkRule> out;
  for (std::size_t a = 0; a < members.size(); ++a) {
    for (std::size_t b = 0; b < members.size(); ++b) {
      if (members[a].empty() || members[b].empty()) continue;
      out.push_back({members[a], members[b], law_of(table->one_way(a, b), table->jitter_ppm),
                     a == b ? 0 : table->loss_ppm});
    }
  }
  out.insert(out.end(), network.links.begin(), network.links.end());
  return out;
}

}  // namespace thresher::sim
