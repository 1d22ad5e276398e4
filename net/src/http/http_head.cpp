#include "http/http_head.hpp"

#include <algorithm>

namespace thresher::net {
namespace {

constexpr std::string_view kDigits = "0123456789";
/// Characters of a host's name or address (RFC 3986, 3.2.2): no '@', so no user in front of it.
constexpr std::string_view kHostCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=%";
constexpr std::string_view kScheme = "http://";

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool consists_of(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == text.npos;
}

/// uri-host [":" port], of which each part may be empty.
bool is_host(std::string_view text) {
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == text.npos || !consists_of(text.substr(1, end - 1), "0123456789abcdefABCDEF:.")) {
      return false;
    }
    const std::string_view rest = text.substr(end + 1);
    return rest.empty() || (rest.front() == ':' && consists_of(rest.substr(1), kDigits));
  }
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view port = text.substr(std::min(colon + 1, text.size()));
  return consists_of(text.substr(0, colon), kHostCharacters) && consists_of(port, kDigits);
}

}  // namespace

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

HttpHead::HttpHead(unsigned version, std::string_view target)
    : version_(version), origin_form_(target) {
  if (!same_name(target.substr(0, kScheme.size()), kScheme)) return;
  target.remove_prefix(kScheme.size());
  const std::size_t end = std::min(target.find_first_of("/?"), target.size());
  authority_ = target.substr(0, end);
  origin_form_ = target.substr(end);
  if (!origin_form_.starts_with('/')) origin_form_.insert(0, 1, '/');
}

std::vector<std::string_view> HttpHead::values(std::string_view name) const {
  std::vector<std::string_view> out;
  for (const auto& [known, value] : fields_) {
    if (same_name(known, name)) out.push_back(value);
  }
  return out;
}

std::optional<HttpRefusal> HttpHead::refusal() const {
  if (auto wrong = against_length()) return wrong;
  if (auto wrong = against_host()) return wrong;
  for (const std::string_view expected : values("Expect")) {
    if (!same_name(expected, "100-continue"))
      return HttpRefusal{417, "100-continue is all that can be expected here"};
  }
  return std::nullopt;
}

std::optional<HttpRefusal> HttpHead::against_length() const {
  const auto codings = values("Transfer-Encoding");
  if (codings.empty()) return std::nullopt;
  const auto bad = [](int status, const char* why) { return HttpRefusal{status, why, {}, true}; };
  if (version_ < 11) return bad(400, "HTTP/1.0 has no Transfer-Encoding: give a Content-Length");
  if (has("Content-Length")) {
    return bad(400, "give a Content-Length or a Transfer-Encoding, not both: they may disagree");
  }
  if (codings.size() > 1 || !same_name(codings.front(), "chunked")) {
    return bad(501,
               "the only Transfer-Encoding here is chunked, once: give that or a "
               "Content-Length");
  }
  return std::nullopt;
}

std::optional<HttpRefusal> HttpHead::against_host() const {
  const auto hosts = values("Host");
  if (hosts.size() > 1) return HttpRefusal{400, "a request has one Host", {}, true};
  if (hosts.empty() && version_ >= 11) return HttpRefusal{400, "HTTP/1.1 wants a Host"};
  if (!hosts.empty() && !is_host(hosts.front()))
    return HttpRefusal{400, "the Host cannot be read: it is a name and a port"};
  if (authority_ && (authority_->empty() || !is_host(*authority_)))
    return HttpRefusal{400, "the host in the target cannot be read: it is a name and a port"};
  return std::nullopt;
}

std::string_view HttpHead::host() const {
  if (authority_) return *authority_;
  const auto hosts = values("Host");
  return hosts.empty() ? std::string_view() : hosts.front();
}

}  // namespace thresher::net
