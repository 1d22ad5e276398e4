#include "thresher/sim/results.hpp"

namespace thresher::sim {
namespace {

void add(std::string& line, std::string_view key, std::uint64_t value) {
  line += ",\"";
  line += key;
  line += "\":";
  line += std::to_string(value);
}

void add(std::string& line, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  line += ",\"";
  line += key;
  line += "\":";
  line += text::quoted(value);
}

bool about_message(TraceEvent::Kind kind) {
  using Kind = TraceEvent::Kind;
  return kind == Kind::kSend || kind == Kind::kDeliver || kind == Kind::kDrop;
}

}  // namespace

std::string_view to_string(TraceEvent::Kind kind) {
  constexpr std::string_view kNames[] = {"send",  "deliver", "drop",  "timer",  "decide",
                                         "crash", "restart", "fault", "accuse", "vertex"};
  return kNames[static_cast<std::size_t>(kind)];
}

TraceFile::TraceFile(const std::filesystem::path& path)
    : path_(path), out_(path, std::ios::binary) {}

void TraceFile::event(const TraceEvent& event) {
  line_ = "{\"at\":" + text::write(static_cast<double>(event.at) / static_cast<double>(kUnit));
  add(line_, "event", to_string(event.kind));
  add(line_, "node", event.node.value);
  if (about_message(event.kind)) {
    add(line_, "peer", event.peer.value);
    add(line_, "number", event.number);
    add(line_, "count", event.count);
    add(line_, "bytes", event.bytes);
  } else if (event.kind == TraceEvent::Kind::kAccuse) {
    add(line_, "peer", event.peer.value);
  }
  add(line_, "round", event.round);
  add(line_, "label", event.label);
  add(line_, "detail", event.detail);
  line_ += "}\n";
  out_.write(line_.data(), static_cast<std::streamsize>(line_.size()));
}

bool TraceFile::close() {
  out_.close();
  if (out_.good()) return true;
  std::error_code error;
  if (std::filesystem::is_regular_file(path_, error)) std::filesystem::remove(path_, error);
  return false;
}

}  // namespace thresher::sim
