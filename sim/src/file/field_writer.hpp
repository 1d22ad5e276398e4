// Writes an experiment's fields into a tree, with the help on each key beside it.
//
//   FieldWriter writer;
//   describe(writer, draft, protocols);
//   text::Value tree = writer.take();
//
// Guarantees: what it writes reads back equal. Quiet keys that are zero or empty are left out, and
// from a template what follows from other keys: a change of those need not know of it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fields.hpp"
#include "thresher/text/json.hpp"

namespace thresher::sim {

/// The help on one key of an object, in the order of the description.
struct Note {
  std::string key;
  std::string help;
  bool written = false;
  std::vector<Note> inner;  ///< of an object
  bool telling = false;     ///< nobody would guess what the key means
};

class FieldWriter final : public Fields {
 public:
  explicit FieldWriter(bool as_template = false) : template_(as_template) {}
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
  void tolerate() override {}
  bool given(const char*) const override { return true; }
  void refuse(const char*, const std::string&, const std::string&) override {}
  bool sound() const override { return true; }

  text::Value take() { return std::move(tree_); }
  std::vector<Note> take_notes() { return std::move(notes_); }

 private:
  void optional(const Key& key, std::optional<std::uint64_t>& value,
                const std::function<void(std::uint64_t&)>& use) override;
  void put(const Key& key, text::Value value, bool empty);

  bool template_;
  bool given_ = false;  // the value stands in the experiment, and 0 is not the same as none
  text::Value tree_ = text::Value::object();
  std::vector<Note> notes_;
};

}  // namespace thresher::sim
