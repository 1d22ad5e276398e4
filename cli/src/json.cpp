#include "json.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace thresher::cli {

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
Json& Json::set_null(const std::string& key) {
  impl_->value[key] = nullptr;
  return *this;
}
std::string Json::line() const {
  return impl_->value.dump();
}
void Json::print() const {
  std::puts(line().c_str());
  (void)std::fflush(stdout);
}

}  // namespace thresher::cli
