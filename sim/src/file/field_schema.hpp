// Makes the JSON Schema of experiment files from their description.
//
//   FieldSchema schema;
//   describe(schema, draft, protocols);
//   text::Value tree = schema.take();           // an object schema: properties, nothing besides
//
// Guarantees: has exactly the reader's keys. Types, ranges and names only: what must fit together
// the reader checks. Protocols' own parameters are left open, since they come with the protocol.
#pragma once

#include "fields.hpp"
#include "thresher/text/json.hpp"

namespace thresher::sim {

class FieldSchema final : public Fields {
 public:
  void truth(const Key& key, bool& value) override;
  void whole(const Key& key, std::uint64_t& value, Range range) override;
  void decimal(const Key& key, std::uint64_t& value, const Scaled& form) override;
  void words(const Key& key, std::string& value) override;
  void choice(const Key& key, std::size_t& value, std::span<const Name> names) override;
  bool nodes(const Key& key, std::vector<NodeId>& value, const Members& members) override;
  void node_lists(const Key& key, std::vector<std::vector<NodeId>>& value,
                  const Members& members) override;
  void numbers(const Key& key, std::vector<std::uint64_t>& value) override;
  void texts(const Key& key, std::vector<std::string>& value) override;
  void tables(const Key& key, std::vector<std::vector<std::uint64_t>>& value,
              const Scaled& form) override;
  void parameter(const ParameterInfo& info, Parameter& value) override;
  void object(const Key& key, const Inner& inner, const char* shorthand) override;
  void list(const Key& key, std::size_t size, const std::function<void(std::size_t)>& resize,
            const std::function<void(Fields&, std::size_t)>& inner) override;
  void elsewhere(const Key& key) override;
  void tolerate() override { open_ = true; }
  bool given(const char*) const override { return true; }
  void refuse(const char*, const std::string&, const std::string&) override {}
  bool sound() const override { return false; }

  text::Value take();

 private:
  void optional(const Key& key, std::optional<std::uint64_t>& value,
                const std::function<void(std::uint64_t&)>& use) override;
  void put(const Key& key, text::Value schema);

  text::Value properties_ = text::Value::object();
  bool open_ = false;
};

}  // namespace thresher::sim
