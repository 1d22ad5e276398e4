#include "json.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace thresher::cli {

Result<JsonLine, std::string> read_json_line(const std::string& line) {
  const auto value = nlohmann::json::parse(line, nullptr, false);
  if (value.is_discarded()) return std::string("this is no JSON");
  if (!value.is_object()) return std::string("a line must hold one JSON object");
  JsonLine out;
  for (const auto& [name, field] : value.items()) {
    if (field.is_string()) out.texts[name] = field.get<std::string>();
    if (field.is_boolean()) out.truths[name] = field.get<bool>();
    if (field.is_number_unsigned()) out.texts[name] = field.dump();
  }
  return out;
}

struct Json::Impl {
  nlohmann::ordered_json value = nlohmann::ordered_json::object();
};

Json::Json() : impl_(std::make_unique<Impl>()) {}
Json::~Json() = default;
Json::Json(Json&&) noexcept = default;

Json& Json::set(const std::string& key, bool value) {
  impl_->value[key] = value;
  return *this;
}
Json& Json::set(const std::string& key, double value) {
  impl_->value[key] = value;
  return *this;
}
Json& Json::set(const std::string& key, std::uint64_t value) {
  impl_->value[key] = value;
  return *this;
}
Json& Json::set(const std::string& key, const std::string& value) {
  impl_->value[key] = value;
  return *this;
}
Json& Json::set(const std::string& key, const std::vector<std::uint64_t>& value) {
  impl_->value[key] = value;
  return *this;
}
Json& Json::set(const std::string& key, const Json& value) {
  impl_->value[key] = value.impl_->value;
  return *this;
}
Json& Json::set(const std::string& key, const std::vector<Json>& rows) {
  auto& array = impl_->value[key] = nlohmann::ordered_json::array();
  for (const Json& row : rows) array.push_back(row.impl_->value);
  return *this;
}
Json& Json::set_null(const std::string& key) {
  impl_->value[key] = nullptr;
  return *this;
}
std::string Json::line() const {
  return impl_->value.dump();
}
void Json::print_array(const std::vector<Json>& rows) {
  auto array = nlohmann::ordered_json::array();
  for (const Json& row : rows) array.push_back(row.impl_->value);
  std::puts(array.dump().c_str());
  (void)std::fflush(stdout);
}
std::string Json::quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}
void Json::print() const {
  std::puts(line().c_str());
  (void)std::fflush(stdout);
}

}  // namespace thresher::cli
