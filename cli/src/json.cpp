#include "json.hpp"

#include <cstdio>

#include "thresher/text/json.hpp"

namespace thresher::cli {

Result<JsonLine, Error> read_json_line(const std::string& line) {
  const auto value = text::parse(line);
  if (!value) return Error{ErrorCode::kMalformed, value.error().front().what};
  if (!value->is_object()) return Error{ErrorCode::kMalformed, "a line must hold one JSON object"};
  JsonLine out;
  for (const text::Member& member : value->members()) {
    if (const std::string* words = member.value.as_text()) out.texts[member.key] = *words;
    if (const auto truth = member.value.as_truth()) out.truths[member.key] = *truth;
    if (member.value.as_unsigned()) out.texts[member.key] = text::write(member.value);
  }
  return out;
}

struct Json::Impl {
  text::Value value = text::Value::object();
};

Json::Json() : impl_(std::make_unique<Impl>()) {}
Json::~Json() = default;
Json::Json(Json&&) noexcept = default;

Json& Json::set(const std::string& key, bool value) {
  impl_->value.set(key, value);
  return *this;
}
Json& Json::set(const std::string& key, double value) {
  impl_->value.set(key, value);
  return *this;
}
Json& Json::set(const std::string& key, std::uint64_t value) {
  impl_->value.set(key, value);
  return *this;
}
Json& Json::set(const std::string& key, const std::string& value) {
  impl_->value.set(key, value);
  return *this;
}
Json& Json::set(const std::string& key, const std::vector<std::uint64_t>& value) {
  text::Value list = text::Value::list();
  for (const std::uint64_t number : value) list.push(number);
  impl_->value.set(key, std::move(list));
  return *this;
}
Json& Json::set(const std::string& key, const Json& value) {
  impl_->value.set(key, value.impl_->value);
  return *this;
}
Json& Json::set(const std::string& key, const std::vector<Json>& rows) {
  text::Value list = text::Value::list();
  for (const Json& row : rows) list.push(row.impl_->value);
  impl_->value.set(key, std::move(list));
  return *this;
}
Json& Json::set_null(const std::string& key) {
  impl_->value.set(key, text::Value());
  return *this;
}
std::string Json::line() const {
  return text::write(impl_->value);
}
void Json::print_array(const std::vector<Json>& rows) {
  text::Value list = text::Value::list();
  for (const Json& row : rows) list.push(row.impl_->value);
  std::puts(text::write(list).c_str());
  (void)std::fflush(stdout);
}
std::string Json::quoted(const std::string& words) {
  return text::quoted(words);
}
void Json::print() const {
  std::puts(line().c_str());
  (void)std::fflush(stdout);
}

}  // namespace thresher::cli
