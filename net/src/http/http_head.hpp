// What the head of an HTTP/1.1 request says of its body, its host and its target, and what of it a
// server must refuse before it reads the body. Private to net/.
//
//   HttpHead head(11, "http://localhost/status");
//   head.add("Host", "localhost");
//   if (const auto wrong = head.refusal()) return reply(wrong->status, wrong->why);
//   serve(head.host(), head.origin_form());       // "localhost", "/status"
//
// Where two readers disagree about the end of a body, its rest is a request that nobody sent
// (request smuggling), so a head that leaves this open is refused, and its connection must end with
// the answer. Guarantees: RFC 9112, sections 3.2 (target and Host) and 6 (length of the body), and
// RFC 9110, 10.1.1 (Expect). Not guaranteed: that the Content-Length is a number, which the parser
// checks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace thresher::net {

/// An answer in the place of that which was asked for.
struct HttpRefusal {
  int status = 400;
  std::string why{};
  std::string allow{};  ///< the methods that there are instead, with 405
  bool ends = false;    ///< the connection: where the next request begins is not certain
};

/// Names that differ in upper and lower case alone are the same (RFC 9110, 5.1).
bool same_name(std::string_view a, std::string_view b);

/// Refers to the text that it was made from.
class HttpHead {
 public:
  /// `version`: 10 or 11. `target`: as in the request line.
  HttpHead(unsigned version, std::string_view target);
  /// A field, in the order of the request; the same name may come again. The value has no white
  /// space around it.
  void add(std::string_view name, std::string_view value) { fields_.emplace_back(name, value); }

  /// Empty: nothing in it must be refused.
  std::optional<HttpRefusal> refusal() const;
  /// The host that the request is for: the target's word if it has one (RFC 9112, 3.2.2).
  std::string_view host() const;
  /// The target's path and parameters.
  const std::string& origin_form() const { return origin_form_; }
  bool has(std::string_view name) const { return !values(name).empty(); }
  /// Whether the request has a body, if only one of length 0, because it says so.
  bool tells_length() const { return has("Content-Length") || has("Transfer-Encoding"); }
  /// Whether the client waits for a word before it sends the body. Pre: no refusal().
  bool waits_for_continue() const { return version_ >= 11 && has("Expect"); }

 private:
  std::vector<std::string_view> values(std::string_view name) const;
  std::optional<HttpRefusal> against_length() const;
  std::optional<HttpRefusal> against_host() const;

  unsigned version_;
  std::optional<std::string_view> authority_;  // of a target in absolute form
  std::string origin_form_;
  std::vector<std::pair<std::string_view, std::string_view>> fields_;
};

}  // namespace thresher::net
