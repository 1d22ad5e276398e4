#include "field_writer.hpp"

namespace thresher::sim {
namespace {

text::Value list_of(const std::vector<NodeId>& nodes) {
  text::Value out = text::Value::list();
  for (const NodeId node : nodes) out.push(node.value);
  return out;
}

text::Value number_of(std::uint64_t kept, std::uint64_t scale) {
  if (kept % scale == 0) return kept / scale;
  return static_cast<double>(kept) / static_cast<double>(scale);
}

}  // namespace

void FieldWriter::put(const Key& key, text::Value value, bool empty) {
  const bool left_out = template_ && key.derived;
  const bool written = (!key.quiet || !empty) && !left_out;
  notes_.push_back({key.name, key.help, written, {}, left_out});
  if (written) tree_.append({key.name, std::move(value)});
}

void FieldWriter::truth(const Key& key, bool& value) {
  put(key, value, !value);
}

void FieldWriter::whole(const Key& key, std::uint64_t& value, Range) {
  put(key, value, value == 0 && !given_);
}

void FieldWriter::decimal(const Key& key, std::uint64_t& value, const Scaled& form) {
  put(key, number_of(value, form.scale), value == 0 && !given_);
}

void FieldWriter::optional(const Key& key, std::optional<std::uint64_t>& value,
                           const std::function<void(std::uint64_t&)>& use) {
  if (value) {
    given_ = true;
    use(*value);
    given_ = false;
  } else {
    put({key.name, key.help, true}, {}, true);
  }
}

void FieldWriter::words(const Key& key, std::string& value) {
  put(key, value, value.empty());
}

void FieldWriter::choice(const Key& key, std::size_t& value, std::span<const Name> names) {
  put(key, names[value].name, value == 0);
}

bool FieldWriter::nodes(const Key& key, std::vector<NodeId>& value, const Members&) {
  put(key, list_of(value), value.empty());
  return false;
}

void FieldWriter::node_lists(const Key& key, std::vector<std::vector<NodeId>>& value,
                             const Members&) {
  text::Value out = text::Value::list();
  for (const auto& row : value) out.push(list_of(row));
  put(key, std::move(out), value.empty());
}

void FieldWriter::numbers(const Key& key, std::vector<std::uint64_t>& value) {
  text::Value out = text::Value::list();
  for (const std::uint64_t number : value) out.push(number);
  put(key, std::move(out), value.empty());
}

void FieldWriter::texts(const Key& key, std::vector<std::string>& value) {
  text::Value out = text::Value::list();
  for (const std::string& words : value) out.push(words);
  put(key, std::move(out), value.empty());
}

void FieldWriter::tables(const Key& key, std::vector<std::vector<std::uint64_t>>& value,
                         const Scaled& form) {
  text::Value out = text::Value::list();
  for (const auto& row : value) {
    text::Value numbers = text::Value::list();
    for (const std::uint64_t number : row) numbers.push(number_of(number, form.scale));
    out.push(std::move(numbers));
  }
  put(key, std::move(out), value.empty());
}

void FieldWriter::parameter(const ParameterInfo& info, Parameter& value) {
  put({info.name.c_str(), info.help.c_str()},
      std::visit([](const auto& v) { return text::Value(v); }, value), false);
  notes_.back().telling = true;
}

void FieldWriter::object(const Key& key, const Inner& inner, const char*) {
  FieldWriter writer(template_);
  inner(writer);
  text::Value object = writer.take();
  const bool empty = object.members().empty();
  put(key, std::move(object), empty);
  notes_.back().inner = writer.take_notes();
}

void FieldWriter::list(const Key& key, std::size_t size, const std::function<void(std::size_t)>&,
                       const std::function<void(Fields&, std::size_t)>& inner) {
  text::Value out = text::Value::list();
  for (std::size_t i = 0; i < size; ++i) {
    FieldWriter writer(template_);
    inner(writer, i);
    out.push(writer.take());
  }
  put(key, std::move(out), size == 0);
}

void FieldWriter::elsewhere(const Key& key) {
  put({key.name, key.help, true}, {}, true);
}

}  // namespace thresher::sim
