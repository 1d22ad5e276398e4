// Reads an experiment's fields from a tree and gathers what is wrong with it.
//
//   Complaints complaints;
//   FieldReader reader(tree, "", tree.place(), complaints);
//   describe(reader, draft, protocols);
//   reader.finish();                                  // keys that nobody asked for
//
// Guarantees: never stops at the first problem; a value that is wrong leaves the default.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "fields.hpp"
#include "thresher/core/error.hpp"
#include "thresher/text/json.hpp"

namespace thresher::sim {

struct Complaint {
  text::Place place{};  ///< none: of the command line
  std::string path;
  std::string what;
  std::string remedy{};
  ErrorCode code = ErrorCode::kMalformed;
  friend auto operator<=>(const Complaint&, const Complaint&) = default;
};
using Complaints = std::vector<Complaint>;

class FieldReader final : public Fields {
 public:
  /// Pre: `object` is one and outlives the reader. `place` is for what is missing in it.
  FieldReader(const text::Value& object, std::string path, const text::Place& place,
              Complaints& complaints);

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
  void tolerate() override { tolerant_ = true; }
  bool given(const char* key) const override;
  bool sound() const override { return sound_; }

  /// Complains about every key that was not asked for.
  void finish();

 private:
  void optional(const Key& key, std::optional<std::uint64_t>& value,
                const std::function<void(std::uint64_t&)>& use) override;
  const text::Value* take(const char* key);
  /// The number that stands at `at`, or a complaint and none.
  std::optional<std::uint64_t> scaled(const text::Value& at, const std::string& path,
                                      const Scaled& form);
  void refuse(const char* key, const std::string& what, const std::string& remedy) override;
  void complain(const text::Value& at, const std::string& path, const Error& odd) {
    complain(at, path, odd.what, odd.remedy);
  }
  void complain(const text::Value& at, const std::string& path, const std::string& what,
                const std::string& remedy = {});
  std::string path_of(const std::string& key) const;
  std::vector<NodeId> read_nodes(const text::Value& list, const std::string& path,
                                 const Members& members);
  std::vector<NodeId> read_count(const text::Value& object, const std::string& path,
                                 const Members& members);

  const text::Value& object_;
  std::string path_;
  text::Place place_;
  Complaints& complaints_;
  std::vector<std::string> asked_;
  bool sound_ = true;
  bool tolerant_ = false;
};

/// "the text \"x\"", "4.7", "a list": how a wrong value is called.
std::string called(const text::Value& value);

}  // namespace thresher::sim
