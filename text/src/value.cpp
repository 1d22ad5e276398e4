#include <algorithm>
#include <limits>

#include "thresher/core/assert.hpp"
#include "thresher/text/json.hpp"

namespace thresher::text {

std::string to_string(const Place& place) {
  return std::to_string(place.line) + ":" + std::to_string(place.column);
}

Value::Value() = default;
Value::Value(const Value&) = default;
Value::Value(Value&&) noexcept = default;
Value& Value::operator=(const Value&) = default;
Value& Value::operator=(Value&&) noexcept = default;
Value::~Value() = default;
Value::Value(bool truth) : data_(truth) {}
Value::Value(double number) : data_(number) {}
Value::Value(std::string text) : data_(std::move(text)) {}
Value::Value(std::string_view text) : data_(std::string(text)) {}
Value::Value(const char* text) : data_(std::string(text)) {}

void Value::hold(std::int64_t number) {
  data_ = number;
}

void Value::hold(std::uint64_t number) {
  data_ = number;
}

bool operator==(const Value& a, const Value& b) {
  return a.data_ == b.data_;
}

Value Value::list() {
  return list(List{});
}

Value Value::list(List items) {
  Value out;
  out.data_ = std::move(items);
  return out;
}

Value Value::object() {
  Value out;
  out.data_ = Object{};
  return out;
}

bool Value::is_number() const {
  return as_real().has_value();
}

std::optional<bool> Value::as_truth() const {
  const bool* truth = std::get_if<bool>(&data_);
  return truth != nullptr ? std::optional(*truth) : std::nullopt;
}

std::optional<std::uint64_t> Value::as_unsigned() const {
  const auto* number = std::get_if<std::uint64_t>(&data_);
  return number != nullptr ? std::optional(*number) : std::nullopt;
}

std::optional<std::int64_t> Value::as_signed() const {
  if (const auto* number = std::get_if<std::int64_t>(&data_)) return *number;
  const auto* number = std::get_if<std::uint64_t>(&data_);
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (number == nullptr || *number > kMost) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

std::optional<double> Value::as_real() const {
  if (const auto* number = std::get_if<double>(&data_)) return *number;
  if (const auto* number = std::get_if<std::int64_t>(&data_)) return static_cast<double>(*number);
  if (const auto* number = std::get_if<std::uint64_t>(&data_)) return static_cast<double>(*number);
  return std::nullopt;
}

const Value::List& Value::items() const {
  static const List kNone;
  const List* items = std::get_if<List>(&data_);
  return items != nullptr ? *items : kNone;
}

const Value::Object& Value::members() const {
  static const Object kNone;
  const Object* members = std::get_if<Object>(&data_);
  return members != nullptr ? *members : kNone;
}

const Value* Value::find(std::string_view key) const {
  for (const Member& member : members()) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

Value* Value::find(std::string_view key) {
  return const_cast<Value*>(std::as_const(*this).find(key));
}

Value& Value::item(std::size_t index) {
  THRESHER_ASSERT(index < items().size(), "there is such an item");
  return std::get<List>(data_)[index];
}

Value& Value::set(std::string_view key, Value value) {
  if (is_null()) data_ = Object{};
  THRESHER_ASSERT(is_object(), "only an object has members");
  if (Value* old = find(key)) {
    *old = std::move(value);
  } else {
    const Place place = value.place();
    std::get<Object>(data_).push_back({std::string(key), std::move(value), place});
  }
  return *this;
}

void Value::append(Member member) {
  THRESHER_ASSERT(is_object(), "only an object has members");
  std::get<Object>(data_).push_back(std::move(member));
}

Value& Value::push(Value value) {
  if (is_null()) data_ = List{};
  THRESHER_ASSERT(is_list(), "only a list has items");
  std::get<List>(data_).push_back(std::move(value));
  return *this;
}

bool Value::erase(std::string_view key) {
  auto* members = std::get_if<Object>(&data_);
  if (members == nullptr) return false;
  return std::erase_if(*members, [&](const Member& m) { return m.key == key; }) != 0;
}

}  // namespace thresher::text
