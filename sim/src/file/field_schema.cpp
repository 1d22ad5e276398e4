#include "field_schema.hpp"

namespace thresher::sim {
namespace {

text::Value typed(const char* type) {
  text::Value out;
  out.set("type", type);
  return out;
}

text::Value list_of(text::Value items) {
  text::Value out = typed("array");
  out.set("items", std::move(items));
  return out;
}

text::Value one_of(text::Value a, text::Value b) {
  text::Value out;
  out.set("oneOf", text::Value::list({std::move(a), std::move(b)}));
  return out;
}

text::Value whole_number(Range range) {
  text::Value out = typed("integer");
  out.set("minimum", range.min).set("maximum", range.max);
  return out;
}

text::Value number_of(std::uint64_t kept, std::uint64_t scale) {
  if (kept % scale == 0) return kept / scale;
  return static_cast<double>(kept) / static_cast<double>(scale);
}

text::Value decimal_number(const Scaled& form) {
  text::Value out = typed("number");
  out.set("minimum", number_of(form.range.min, form.scale));
  out.set("maximum", number_of(form.range.max, form.scale));
  return out;
}

text::Value node() {
  text::Value out = typed("integer");
  out.set("minimum", 0);
  return out;
}

}  // namespace

void FieldSchema::put(const Key& key, text::Value schema) {
  schema.set("description", key.help);
  properties_.set(key.name, std::move(schema));
}

text::Value FieldSchema::take() {
  text::Value out = typed("object");
  out.set("properties", std::move(properties_)).set("additionalProperties", open_);
  return out;
}

void FieldSchema::truth(const Key& key, bool&) {
  put(key, typed("boolean"));
}

void FieldSchema::whole(const Key& key, std::uint64_t&, Range range) {
  put(key, whole_number(range));
}

void FieldSchema::decimal(const Key& key, std::uint64_t&, const Scaled& form) {
  put(key, decimal_number(form));
}

void FieldSchema::optional(const Key& key, std::optional<std::uint64_t>&,
                           const std::function<void(std::uint64_t&)>& use) {
  std::uint64_t unused = 0;
  use(unused);
  text::Value& made = *properties_.find(key.name);
  const text::Value type = *made.find("type");
  made.set("type", text::Value::list({type, "null"}));
}

void FieldSchema::words(const Key& key, std::string&) {
  put(key, typed("string"));
}

void FieldSchema::choice(const Key& key, std::size_t&, std::span<const Name> names) {
  text::Value known = text::Value::list();
  for (const Name& name : names) known.push(name.name);
  text::Value out;
  out.set("enum", std::move(known));
  put(key, std::move(out));
}

bool FieldSchema::nodes(const Key& key, std::vector<NodeId>&, const Members& members) {
  text::Value list = list_of(node());
  list.set("minItems", 1).set("uniqueItems", true);
  if (!members.count) {
    put(key, std::move(list));
    return false;
  }
  text::Value f;
  f.set("const", "f");
  text::Value count;
  count.set("count", one_of(node(), std::move(f)));
  text::Value object = typed("object");
  object.set("properties", std::move(count)).set("required", text::Value::list({"count"}));
  object.set("additionalProperties", false);
  put(key, one_of(std::move(list), std::move(object)));
  return false;
}

void FieldSchema::node_lists(const Key& key, std::vector<std::vector<NodeId>>&, const Members&) {
  put(key, list_of(list_of(node())));
}

void FieldSchema::numbers(const Key& key, std::vector<std::uint64_t>&) {
  put(key, list_of(node()));
}

void FieldSchema::texts(const Key& key, std::vector<std::string>&) {
  put(key, list_of(typed("string")));
}

void FieldSchema::tables(const Key& key, std::vector<std::vector<std::uint64_t>>&,
                         const Scaled& form) {
  put(key, list_of(list_of(decimal_number(form))));
}

void FieldSchema::parameter(const ParameterInfo&, Parameter&) {
  open_ = true;
}

void FieldSchema::object(const Key& key, const Inner& inner, const char* shorthand) {
  FieldSchema schema;
  inner(schema);
  text::Value object = schema.take();
  put(key, shorthand == nullptr ? std::move(object) : one_of(typed("number"), std::move(object)));
}

void FieldSchema::list(const Key& key, std::size_t, const std::function<void(std::size_t)>& resize,
                       const std::function<void(Fields&, std::size_t)>& inner) {
  resize(1);
  FieldSchema schema;
  inner(schema, 0);
  put(key, list_of(schema.take()));
}

void FieldSchema::elsewhere(const Key& key) {
  text::Value out;
  out.set("type", text::Value::list({"object", "array"}));
  put(key, std::move(out));
}

}  // namespace thresher::sim
