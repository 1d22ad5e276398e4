#include <memory>

#include "../json.hpp"
#include "../protocol_table.hpp"
#include "../text.hpp"

namespace thresher::cli {
namespace {

int print(bool json) {
  if (json) {
    std::vector<Json> rows;
    for (const ProtocolRow& p : protocol_table()) {
      Json row;
      row.set("name", std::string(p.name)).set("kind", std::string(p.kind));
      row.set("faults", std::string(p.faults)).set("delays", std::string(p.delays));
      row.set("messages", std::string(p.messages)).set("bits", std::string(p.bits));
      row.set("needs", std::string(p.needs)).set("runs_in", std::string(p.runs_in));
      row.set("verified", std::string(p.verified));
      rows.push_back(std::move(row));
    }
    Json::print_array(rows);
    return kDone;
  }
  for (const ProtocolRow& p : protocol_table()) {
    std::printf(
        "%s: %s\n  faults    %s\n  delays    %s\n  messages  %s\n  bits      %s\n  needs     "
        "%s\n  runs in   %s\n  verified  %s\n",
        p.name, p.kind, p.faults, p.delays, p.messages, p.bits, p.needs, p.runs_in, p.verified);
  }
  return kDone;
}

}  // namespace

Verb make_protocols() {
  auto json = std::make_shared<bool>(false);
  return {{"protocols"},
          "List the protocols: faults tolerated, message delays, messages and bits, needs, what is "
          "verified. Example: "
          "thresher protocols --json",
          {{"--json", "an array of objects on one line", json.get()}},
          [json] { return print(*json); }};
}

}  // namespace thresher::cli
