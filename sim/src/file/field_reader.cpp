#include "field_reader.hpp"

#include <algorithm>
#include <cmath>

#include "checks.hpp"
#include "thresher/core/names.hpp"

namespace thresher::sim {
namespace {

std::string plain(double number) {
  std::string out = text::write(text::Value(number));
  if (out.ends_with(".0")) out.resize(out.size() - 2);
  return out;
}

std::string from_to(const std::string& min, const std::string& max) {
  return min == max ? "that is " + min : "from " + min + " to " + max;
}

}  // namespace

std::string called(const text::Value& value) {
  if (value.is_list()) return "a list";
  if (value.is_object()) return "an object";
  if (const std::string* words = value.as_text()) return "the string " + text::quoted(*words);
  return text::write(value);
}

FieldReader::FieldReader(const text::Value& object, std::string path, const text::Place& place,
                         Complaints& complaints)
    : object_(object), path_(std::move(path)), place_(place), complaints_(complaints) {}

const text::Value* FieldReader::take(const char* key) {
  asked_.emplace_back(key);
  return object_.find(key);
}

std::string FieldReader::path_of(const std::string& key) const {
  if (key.empty()) return path_;
  return path_.empty() ? key : path_ + "." + key;
}

void FieldReader::complain(const text::Value& at, const std::string& path, const std::string& what,
                           const std::string& remedy) {
  complaints_.push_back({at.place(), path, what, remedy});
  sound_ = false;
}

void FieldReader::refuse(const char* key, const std::string& what, const std::string& remedy) {
  const text::Value* at = object_.find(key);
  complaints_.push_back({at != nullptr ? at->place() : place_, path_of(key), what, remedy});
  sound_ = false;
}

bool FieldReader::given(const char* key) const {
  return object_.find(key) != nullptr;
}

void FieldReader::finish() {
  if (tolerant_) return;
  for (const text::Member& member : object_.members()) {
    if (std::find(asked_.begin(), asked_.end(), member.key) != asked_.end()) continue;
    const Error odd = unknown("key", member.key, asked_);
    complaints_.push_back({member.place, path_of(member.key), odd.what, odd.remedy});
  }
}

void FieldReader::elsewhere(const Key& key) {
  asked_.emplace_back(key.name);
}

void FieldReader::truth(const Key& key, bool& value) {
  const text::Value* at = take(key.name);
  if (at == nullptr) return;
  if (const auto truth = at->as_truth()) {
    value = *truth;
  } else {
    complain(*at, path_of(key.name), "must be true or false, not " + called(*at));
  }
}

void FieldReader::whole(const Key& key, std::uint64_t& value, Range range) {
  const text::Value* at = take(key.name);
  if (at == nullptr) return;
  const auto number = at->as_unsigned();
  if (number && *number >= range.min && *number <= range.max) {
    value = *number;
    return;
  }
  complain(*at, path_of(key.name),
           "must be a whole number " +
               from_to(std::to_string(range.min), std::to_string(range.max)) + ", not " +
               called(*at));
}

std::optional<std::uint64_t> FieldReader::scaled(const text::Value& at, const std::string& path,
                                                 const Scaled& form) {
  const auto number = at.as_real();
  const auto scale = static_cast<double>(form.scale);
  const double min = static_cast<double>(form.range.min) / scale;
  const double max = static_cast<double>(form.range.max) / scale;
  if (!number || !(*number >= min && *number <= max)) {
    complain(at, path,
             "must be a number " + from_to(plain(min), plain(max)) + ", not " + called(at));
    return std::nullopt;
  }
  const double kept = *number * scale;
  if (std::abs(kept - std::round(kept)) > 1e-9 * std::max(1.0, kept)) {
    complain(at, path, called(at) + " is finer than the smallest step, " + plain(1 / scale));
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(std::llround(kept));
}

void FieldReader::decimal(const Key& key, std::uint64_t& value, const Scaled& form) {
  const text::Value* at = take(key.name);
  if (at == nullptr) return;
  if (const auto number = scaled(*at, path_of(key.name), form)) value = *number;
}

void FieldReader::optional(const Key& key, std::optional<std::uint64_t>& value,
                           const std::function<void(std::uint64_t&)>& use) {
  const text::Value* at = object_.find(key.name);
  if (at == nullptr || at->is_null()) {
    asked_.emplace_back(key.name);
    return;
  }
  const std::size_t before = complaints_.size();
  std::uint64_t read = 0;
  use(read);
  if (complaints_.size() == before) value = read;
}

void FieldReader::words(const Key& key, std::string& value) {
  const text::Value* at = take(key.name);
  if (at == nullptr) return;
  if (const std::string* words = at->as_text()) {
    value = *words;
  } else {
    complain(*at, path_of(key.name), "must be a string, not " + called(*at));
  }
}

void FieldReader::choice(const Key& key, std::size_t& value, std::span<const Name> names) {
  const text::Value* at = take(key.name);
  if (at == nullptr) return;
  std::vector<std::string> known;
  for (const Name& name : names) known.emplace_back(name.name);
  const std::string* word = at->as_text();
  if (word == nullptr) {
    return complain(*at, path_of(key.name),
                    "must be a string such as \"" + known.front() + "\", not " + called(*at));
  }
  const auto found = std::find(known.begin(), known.end(), *word);
  if (found == known.end()) {
    return complain(*at, path_of(key.name), unknown(key.name, *word, known));
  }
  value = static_cast<std::size_t>(found - known.begin());
}

std::vector<NodeId> FieldReader::read_nodes(const text::Value& list, const std::string& path,
                                            const Members& members) {
  std::vector<NodeId> out;
  std::set<std::uint64_t> seen;
  for (const text::Value& item : list.items()) {
    const auto id = item.as_unsigned();
    if (!id) {
      complain(item, path, "a node is a whole number, not " + called(item));
    } else if (members.n != 0 && *id >= members.n) {
      complain(item, path,
               "there is no node " + std::to_string(*id) + " in a committee of " +
                   std::to_string(members.n) + " (0 to " + std::to_string(members.n - 1) + ")");
    } else if (!seen.insert(*id).second) {
      complain(item, path, "node " + std::to_string(*id) + " stands twice", "remove one");
    } else {
      out.push_back(NodeId{static_cast<std::uint16_t>(*id)});
    }
  }
  return out;
}

std::vector<NodeId> FieldReader::read_count(const text::Value& object, const std::string& path,
                                            const Members& members) {
  std::vector<NodeId> out;
  const text::Value* count = object.find("count");
  for (const text::Member& member : object.members()) {
    if (member.key == "count") continue;
    complain(member.value, path + "." + member.key, unknown("key", member.key, {"count"}));
  }
  if (count == nullptr) {
    complain(object, path, "must be a list of nodes or {\"count\": 3}");
    return out;
  }
  if (members.n == 0) return out;
  const std::string* letter = count->as_text();
  const auto number = letter != nullptr && *letter == "f" ? members.f : count->as_unsigned();
  std::vector<NodeId> free;
  for (std::uint32_t i = 0; i < members.n; ++i) {
    const NodeId node{static_cast<std::uint16_t>(i)};
    if (!members.taken.contains(node)) free.push_back(node);
  }
  if (!number || *number > free.size()) {
    complain(*count, path + ".count",
             "must be \"f\" or a whole number from 0 to " + std::to_string(free.size()) +
                 (members.taken.empty() ? "" : ", which no fault before names") + ", not " +
                 called(*count));
    return out;
  }
  // Spread, so that faulty leaders do not follow each other.
  for (std::uint64_t i = 0; i < *number; ++i) out.push_back(free[i * free.size() / *number]);
  return out;
}

bool FieldReader::nodes(const Key& key, std::vector<NodeId>& value, const Members& members) {
  const text::Value* at = take(key.name);
  if (at == nullptr) return false;
  const std::string path = path_of(key.name);
  if (members.count && at->is_object()) {
    value = read_count(*at, path, members);
    return value.empty();
  }
  if (!at->is_list()) {
    complain(*at, path,
             "must be a list of nodes" + std::string(members.count ? " or {\"count\": 3}" : "") +
                 ", not " + called(*at));
  } else if (at->items().empty()) {
    complain(*at, path, "names nobody", "leave it out or name a node");
  } else {
    value = read_nodes(*at, path, members);
  }
  return false;
}

void FieldReader::node_lists(const Key& key, std::vector<std::vector<NodeId>>& value,
                             const Members& members) {
  const text::Value* at = take(key.name);
  if (at == nullptr) return;
  if (!at->is_list()) {
    return complain(*at, path_of(key.name), "must be a list of lists, not " + called(*at));
  }
  value.clear();
  for (std::size_t i = 0; i < at->items().size(); ++i) {
    const text::Value& row = at->items()[i];
    const std::string path = path_of(key.name) + "[" + std::to_string(i) + "]";
    if (!row.is_list()) complain(row, path, "must be a list of nodes, not " + called(row));
    value.push_back(read_nodes(row, path, members));
  }
}

void FieldReader::numbers(const Key& key, std::vector<std::uint64_t>& value) {
  const text::Value* at = take(key.name);
  if (at == nullptr) return;
  if (!at->is_list() || at->items().empty()) {
    return complain(*at, path_of(key.name), "must be a list of whole numbers, one at least",
                    "leave it out for all");
  }
  for (const text::Value& item : at->items()) {
    if (const auto number = item.as_unsigned()) {
      value.push_back(*number);
    } else {
      complain(item, path_of(key.name), "must hold whole numbers, not " + called(item));
    }
  }
}

void FieldReader::texts(const Key& key, std::vector<std::string>& value) {
  const text::Value* at = take(key.name);
  if (at == nullptr) return;
  if (!at->is_list() || at->items().empty()) {
    return complain(*at, path_of(key.name), "must be a list of texts, one at least");
  }
  for (const text::Value& item : at->items()) {
    if (const std::string* words = item.as_text()) {
      value.push_back(*words);
    } else {
      complain(item, path_of(key.name), "must hold texts, not " + called(item));
    }
  }
}

void FieldReader::tables(const Key& key, std::vector<std::vector<std::uint64_t>>& value,
                         const Scaled& form) {
  const text::Value* at = take(key.name);
  if (at == nullptr) return;
  if (!at->is_list()) {
    return complain(*at, path_of(key.name), "must be a list of rows, not " + called(*at));
  }
  value.clear();
  for (std::size_t i = 0; i < at->items().size(); ++i) {
    const text::Value& row = at->items()[i];
    const std::string path = path_of(key.name) + "[" + std::to_string(i) + "]";
    if (!row.is_list()) complain(row, path, "must be a list of numbers, not " + called(row));
    auto& numbers = value.emplace_back();
    for (const text::Value& item : row.items()) {
      if (const auto number = scaled(item, path, form)) numbers.push_back(*number);
    }
  }
}

void FieldReader::parameter(const ParameterInfo& info, Parameter& value) {
  const text::Value* at = take(info.name.c_str());
  if (at == nullptr) return;
  const std::string path = path_of(info.name);
  const bool bounded = info.min != 0 || info.max != 0;
  const auto between = [&] {
    return bounded ? " " + from_to(std::to_string(info.min), std::to_string(info.max)) : "";
  };
  const auto outside = [&](auto number) {
    return bounded && (number < static_cast<decltype(number)>(info.min) ||
                       number > static_cast<decltype(number)>(info.max));
  };
  if (std::holds_alternative<bool>(value)) {
    if (const auto truth = at->as_truth()) {
      value = *truth;
    } else {
      complain(*at, path, "must be true or false, not " + called(*at));
    }
  } else if (std::holds_alternative<std::int64_t>(value)) {
    const auto number = at->as_signed();
    const std::string of = info.step == 1 ? "" : ", a multiple of " + std::to_string(info.step);
    if (number && !outside(*number) && *number % info.step == 0) {
      value = *number;
    } else {
      complain(*at, path, "must be a whole number" + between() + of + ", not " + called(*at));
    }
  } else if (std::holds_alternative<double>(value)) {
    const auto number = at->as_real();
    if (number && !outside(*number)) {
      value = *number;
    } else {
      complain(*at, path, "must be a number" + between() + ", not " + called(*at));
    }
  } else {
    const std::string* words = at->as_text();
    const auto& allowed = info.choices;
    const auto fits = [&] { return std::find(allowed.begin(), allowed.end(), *words); };
    if (words == nullptr) {
      complain(*at, path, "must be a string, not " + called(*at));
    } else if (!allowed.empty() && fits() == allowed.end()) {
      std::string names;
      for (const std::string& name : allowed) names += (names.empty() ? "" : ", ") + name;
      complain(*at, path, "must be one of " + names + ", not " + called(*at));
    } else {
      value = *words;
    }
  }
}

void FieldReader::object(const Key& key, const Inner& inner, const char* shorthand) {
  static const text::Value kEmpty = text::Value::object();
  const text::Value* at = take(key.name);
  text::Value expanded;
  text::Place place = place_;
  if (at != nullptr) {
    place = at->place();
    if (shorthand != nullptr && at->is_number()) {
      expanded.set(shorthand, *at).at(place);
      at = &expanded;
    }
    if (!at->is_object()) {
      const char* wanted = shorthand != nullptr ? "a number or an object" : "an object";
      return complain(*at, path_of(key.name),
                      std::string("must be ") + wanted + ", not " + called(*at));
    }
  }
  FieldReader reader(at != nullptr ? *at : kEmpty, path_of(key.name), place, complaints_);
  inner(reader);
  reader.finish();
}

void FieldReader::list(const Key& key, std::size_t, const std::function<void(std::size_t)>& resize,
                       const std::function<void(Fields&, std::size_t)>& inner) {
  const text::Value* at = take(key.name);
  if (at == nullptr) return;
  if (!at->is_list()) {
    return complain(*at, path_of(key.name), "must be a list of objects, not " + called(*at));
  }
  resize(at->items().size());
  for (std::size_t i = 0; i < at->items().size(); ++i) {
    const text::Value& item = at->items()[i];
    const std::string path = path_of(key.name) + "[" + std::to_string(i) + "]";
    if (!item.is_object()) {
      complain(item, path, "must be an object, not " + called(item));
      continue;
    }
    FieldReader reader(item, path, item.place(), complaints_);
    inner(reader, i);
    reader.finish();
  }
}

}  // namespace thresher::sim
