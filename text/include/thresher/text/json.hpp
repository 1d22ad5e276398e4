// JSON as a tree that remembers the place of every key and value, so that a complaint about a
// file can say where; and the way back to text.
//
//   auto tree = text::parse(content);
//   if (!tree) return complain(tree.error());          // every problem with its place
//   const text::Value* n = tree->find("n");            // n->place(), n->as_unsigned()
//   text::Value out = text::Value::object();
//   out.set("verdict", "Pass").set("nodes", 4u);
//   puts(text::write(out).c_str());                    // one line
//
// Guarantees: members keep their order; what `write` prints parses back to an equal tree; the
// same tree gives the same text. Whole lines that start with `//` (after blanks) are comments.
// Two members of one name, too deep a nest and too long a text are refused. Not a validator: the
// reader of a tree checks names and types.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "thresher/core/result.hpp"

namespace thresher::text {

struct Member;

/// Where something begins in a text. Both are counted from 1, columns in bytes; 0 for what was not
/// read from a text.
struct Place {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};

/// "3:14".
std::string to_string(const Place& place);

/// Null, a truth value, a number, a text, a list or an object.
class Value {
 public:
  using List = std::vector<Value>;
  using Object = std::vector<Member>;

  // Not inline: a vector of members must not be touched before Member is complete (clang minds).
  Value();
  Value(const Value&);
  Value(Value&&) noexcept;
  Value& operator=(const Value&);
  Value& operator=(Value&&) noexcept;
  ~Value();
  Value(bool truth);             // NOLINT(google-explicit-constructor): a tree of literals
  Value(double number);          // NOLINT(google-explicit-constructor)
  Value(std::string text);       // NOLINT(google-explicit-constructor)
  Value(std::string_view text);  // NOLINT(google-explicit-constructor)
  Value(const char* text);       // NOLINT(google-explicit-constructor)
  /// A number that is not negative is kept without a sign, whatever type it came in.
  template <std::integral I>
  requires(!std::same_as<I, bool>) Value(I number)
      : Value() {  // NOLINT(google-explicit-constructor)
    if (number < 0) {
      hold(static_cast<std::int64_t>(number));
    } else {
      hold(static_cast<std::uint64_t>(number));
    }
  }
  static Value list();
  static Value list(List items);
  static Value object();

  bool is_null() const { return data_.index() == 0; }
  bool is_list() const { return std::holds_alternative<List>(data_); }
  bool is_object() const { return std::holds_alternative<Object>(data_); }
  bool is_number() const;
  std::optional<bool> as_truth() const;
  /// A whole number that is not negative; 4.0 is none.
  std::optional<std::uint64_t> as_unsigned() const;
  std::optional<std::int64_t> as_signed() const;
  /// Any number.
  std::optional<double> as_real() const;
  const std::string* as_text() const { return std::get_if<std::string>(&data_); }

  /// The items of a list; none if this is not a list.
  const List& items() const;
  /// The members of an object in their order; none if this is not an object.
  const Object& members() const;
  const Value* find(std::string_view key) const;
  Value* find(std::string_view key);
  /// Pre: a list, and index < items().size().
  Value& item(std::size_t index);

  /// Adds or replaces a member. Pre: null (becomes an object) or an object.
  Value& set(std::string_view key, Value value);
  /// Adds a member without looking for one of that name. Pre: an object.
  void append(Member member);
  /// Pre: null (becomes a list) or a list.
  Value& push(Value value);
  /// True when there was such a member.
  bool erase(std::string_view key);

  const Place& place() const { return place_; }
  Value& at(const Place& place) {
    place_ = place;
    return *this;
  }

  /// Places do not count.
  friend bool operator==(const Value& a, const Value& b);

 private:
  void hold(std::int64_t number);
  void hold(std::uint64_t number);

  std::variant<std::monostate, bool, std::uint64_t, std::int64_t, double, std::string, List, Object>
      data_;
  Place place_;
};

/// One member of an object. `place` is that of the key.
struct Member {
  std::string key;
  Value value;
  Place place{};
  friend bool operator==(const Member& a, const Member& b) {
    return a.key == b.key && a.value == b.value;
  }
};

struct Problem {
  Place place;
  std::string what;
};

struct Limits {
  std::size_t bytes = std::size_t{16} << 20;
  std::uint32_t depth = 64;
};

/// The tree of one JSON text (RFC 8259, plus comment lines), or all that is wrong with it.
Result<Value, std::vector<Problem>> parse(std::string_view content, const Limits& limits = {});

/// One line, or with `indent` blanks a level if that is not negative. Bytes that are no UTF-8
/// become U+FFFD; numbers that JSON cannot say (infinity) become null.
std::string write(const Value& value, int indent = -1);

/// A text as JSON writes it, quotes included.
std::string quoted(std::string_view text);

}  // namespace thresher::text
