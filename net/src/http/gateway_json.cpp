#include "http/gateway_json.hpp"

#include <algorithm>
#include <charconv>

#include "http/http_head.hpp"
#include "http/loopback_address.hpp"
#include "thresher/core/hex.hpp"

namespace thresher::net {
namespace {

/// What is between % and the next character; empty: malformed.
std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      const auto byte = i + 3 <= text.size() ? from_hex(text.substr(i + 1, 2)) : std::nullopt;
      if (!byte) return std::nullopt;
      out += as_text(*byte);
      i += 2;
    }
  }
  return out;
}

std::string_view head_of(std::string_view& rest, char end) {
  const std::size_t at = std::min(rest.find(end), rest.size());
  const std::string_view out = rest.substr(0, at);
  rest.remove_prefix(std::min(at + 1, rest.size()));
  return out;
}

/// Bytes of the UTF-8 sequence that begins so; 0: none does.
std::size_t sequence_size(unsigned char first) {
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

/// The least and the most that the second byte may be: what is longer than it need be, a half of a
/// surrogate pair, or beyond the last character stands for nothing (RFC 3629, section 4).
std::pair<unsigned char, unsigned char> second_of(unsigned char first) {
  const bool shorter = first == 0xe0 || first == 0xf0;
  return {shorter ? (first == 0xe0 ? 0xa0 : 0x90) : 0x80, first == 0xed   ? 0x9f
                                                          : first == 0xf4 ? 0x8f
                                                                          : 0xbf};
}

/// Whether a person can read it: well-formed UTF-8 without control characters.
bool readable(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t size = sequence_size(static_cast<unsigned char>(text[i]));
    if (size == 0 || i + size > text.size()) return false;
    const auto [least, most] = second_of(static_cast<unsigned char>(text[i]));
    for (std::size_t k = 1; k < size; ++k) {
      const auto byte = static_cast<unsigned char>(text[i + k]);
      if (k == 1 && (byte < least || byte > most)) return false;
      if ((byte & 0xc0) != 0x80) return false;
    }
    i += size;
  }
  return true;
}

void put(text::Value& out, std::string_view name, ByteView bytes) {
  out.set(name, to_hex(bytes));
  const std::string_view text = as_text(bytes);
  if (readable(text)) out.set(std::string(name) + "_text", text);
}

const char* name_of(Refusal refusal) {
  switch (refusal) {
    case Refusal::kOverloaded:
      return "overloaded";
    case Refusal::kTooLarge:
      return "too large";
    case Refusal::kExpired:
      return "expired";
    case Refusal::kTooLate:
      return "too late";
    case Refusal::kMalformed:
      return "malformed";
    case Refusal::kTooEarly:
      return "too early";
    case Refusal::kRejected:
      return "rejected";
    case Refusal::kObserves:
      return "observes";
    case Refusal::kUnreachable:
      return "unreachable";
  }
  return "";
}

text::Value json_of(const PeerStatus& p) {
  text::Value out;
  out.set("peer", p.id.value).set("link", p.up).set("address", p.address).set("lag", p.lag);
  out.set("problem", p.problem).set("round", p.round).set("suspicion", p.suspicion);
  return out;
}

}  // namespace

std::optional<Target> Target::parse(std::string_view rest) {
  const auto path = decoded(head_of(rest, '?'));
  if (!path || path->empty() || path->front() != '/') return std::nullopt;
  Target out{*path, {}};
  while (!rest.empty()) {
    std::string_view pair = head_of(rest, '&');
    const auto name = decoded(head_of(pair, '='));
    const auto value = decoded(pair);
    if (!name || !value || !out.parameters.emplace(*name, *value).second) return std::nullopt;
  }
  return out;
}

const std::string* Target::find(const std::string& name) const {
  const auto it = parameters.find(name);
  return it == parameters.end() ? nullptr : &it->second;
}

std::optional<std::uint64_t> Target::number(const std::string& name,
                                            std::uint64_t otherwise) const {
  const std::string* text = find(name);
  if (text == nullptr) return otherwise;
  std::uint64_t out = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), out);
  if (error != std::errc{} || end != text->data() + text->size()) return std::nullopt;
  return out;
}

std::optional<std::string> Target::unknown_of(const std::vector<std::string>& known) const {
  for (const auto& [name, value] : parameters) {
    if (std::find(known.begin(), known.end(), name) == known.end()) return name;
  }
  return std::nullopt;
}

// Another name that leads here is that of a page somewhere, opened by a browser on this machine.
bool is_this_machine(std::string_view host) {
  if (const std::size_t colon = host.rfind(':'); colon != host.npos) {
    const std::string_view port = host.substr(colon + 1);
    if (port.find_first_not_of("0123456789") == port.npos) host = host.substr(0, colon);
  }
  return same_name(host, "localhost") || is_loopback(host);
}

text::Value json_of(const CommitStatus& outcome) {
  text::Value out;
  switch (outcome.kind) {
    case CommitStatus::Kind::kCommitted: {
      const Receipt& r = outcome.receipt;
      out.set("outcome", "committed").set("position", r.position).set("slot", r.slot);
      if (r.result) {
        out.set("failed", r.result->failed);
        put(out, "result", r.result->bytes.view());
      }
      if (!r.proof.empty()) out.set("proof", to_hex(r.proof.view()));
      return out;
    }
    case CommitStatus::Kind::kRefused:
      out.set("outcome", "refused").set("reason", name_of(outcome.refusal));
      return out.set("error", outcome.why);
    case CommitStatus::Kind::kUnknown:
      out.set("outcome", "unknown").set("until", outcome.until);
      return out.set("error", outcome.why);
  }
  return out;
}

text::Value json_of(const Answer& answer) {
  text::Value out;
  out.set("length", answer.length);
  if (answer.failed) return out.set("error", as_text(answer.bytes.view()));
  put(out, "answer", answer.bytes.view());
  return out;
}

text::Value json_of(const NodeStatus& s) {
  text::Value out;
  out.set("length", s.length).set("round", s.round).set("slot", s.slot).set("links", s.links);
  out.set("begins", s.begins);
  out.set("log_hash", to_hex(s.log_hash.bytes)).set("state_hash", to_hex(s.state.bytes));
  out.set("ready", s.waits_for.empty()).set("waits_for", s.waits_for);
  text::Value peers = text::Value::list();
  for (const PeerStatus& p : s.peers) peers.push(json_of(p));
  return out.set("peers", std::move(peers));
}

text::Value json_of(const LoggedTransaction& t) {
  text::Value out;
  out.set("position", t.position).set("slot", t.slot).set("client", to_hex(t.client.bytes));
  out.set("sequence", t.sequence);
  put(out, "data", t.data.view());
  return out;
}

text::Value json_of(std::uint64_t from, const LogPage& page) {
  text::Value out;
  text::Value rows = text::Value::list();
  std::uint64_t next = from;
  for (const LoggedTransaction& t : page.transactions) {
    rows.push(json_of(t));
    next = t.position + 1;
  }
  return out.set("length", page.length).set("next", next).set("transactions", std::move(rows));
}

text::Value pruned_json(const LogPage& page) {
  return error_json(page.problem).set("begins", page.begins);
}

text::Value error_json(const std::string& what) {
  text::Value out;
  return out.set("error", what);
}

}  // namespace thresher::net
