// One description of experiment files, used three ways: to read them, to write them and to make
// their JSON Schema. describe.cpp walks an experiment's fields; an implementation of `Fields`
// decides what happens at each.
//
//   fields.object({"network", "links and their faults"}, [&](Fields& network) {
//     network.decimal({"loss", "share of messages that vanish"}, e.network.loss_ppm, kShare);
//   });
//
// Guarantees: what the reader accepts, the writer prints and the schema lists is one set of keys.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "thresher/core/error.hpp"
#include "thresher/sim/names.hpp"
#include "thresher/sim/outcome.hpp"

namespace thresher::sim {

struct Key {
  const char* name;
  const char* help;
  bool quiet = false;    ///< not written while it is zero or empty
  bool derived = false;  ///< has the value that follows from other keys when it is left out
};

struct Range {
  std::uint64_t min = 0;
  std::uint64_t max = 0;
};

/// A number with decimals in the file, kept as a multiple of 1/scale. Bounds are kept multiples.
struct Scaled {
  std::uint64_t scale = 1;
  Range range;
};

/// Which nodes a list may name; n = 0: not known, nothing is checked. With `count` the file may
/// also say {"count": 3} or {"count": "f"}: that many of those that are not `taken`, spread over
/// the committee.
struct Members {
  std::uint32_t n = 0;
  std::uint32_t f = 0;
  bool count = false;
  std::set<NodeId> taken{};
};

class Fields {
 public:
  using Inner = std::function<void(Fields&)>;

  virtual ~Fields() = default;
  virtual void truth(const Key& key, bool& value) = 0;
  virtual void whole(const Key& key, std::uint64_t& value, Range range) = 0;
  virtual void decimal(const Key& key, std::uint64_t& value, const Scaled& form) = 0;
  virtual void words(const Key& key, std::string& value) = 0;
  /// `value` is an index of `names`.
  virtual void choice(const Key& key, std::size_t& value, std::span<const Name> names) = 0;
  /// True: the file counts them, and counts none. That is nobody, and not whoever an absent key
  /// means.
  virtual bool nodes(const Key& key, std::vector<NodeId>& value, const Members& members) = 0;
  virtual void node_lists(const Key& key, std::vector<std::vector<NodeId>>& value,
                          const Members& members) = 0;
  virtual void numbers(const Key& key, std::vector<std::uint64_t>& value) = 0;
  virtual void texts(const Key& key, std::vector<std::string>& value) = 0;
  /// A list of lists of numbers with decimals.
  virtual void tables(const Key& key, std::vector<std::vector<std::uint64_t>>& value,
                      const Scaled& form) = 0;
  virtual void parameter(const ParameterInfo& info, Parameter& value) = 0;
  /// A number in the object's place counts as its member `shorthand`.
  virtual void object(const Key& key, const Inner& inner, const char* shorthand = nullptr) = 0;
  /// Calls `inner` for each index; first `resize` with how many there are.
  virtual void list(const Key& key, std::size_t size,
                    const std::function<void(std::size_t)>& resize,
                    const std::function<void(Fields&, std::size_t)>& inner) = 0;
  /// A key that others read (the sweep).
  virtual void elsewhere(const Key& key) = 0;

  /// Unknown keys of this object are no error: what they should be is not known.
  virtual void tolerate() = 0;

  /// Was the key in the file? Always so when writing.
  virtual bool given(const char* key) const = 0;
  /// Something is wrong with the key's value (with the object itself if it is empty).
  void wrong(const char* key, const std::string& what, const std::string& remedy = {}) {
    refuse(key, what, remedy);
  }
  void wrong(const char* key, const Error& error) { refuse(key, error.what, error.remedy); }
  /// False once one of this object's own keys was wrong: checks that build on it would only echo.
  virtual bool sound() const = 0;

  /// As whole and decimal; null or absence means no value.
  void whole(const Key& key, std::optional<std::uint64_t>& value, Range range) {
    optional(key, value, [&](std::uint64_t& v) { whole(key, v, range); });
  }
  void decimal(const Key& key, std::optional<std::uint64_t>& value, const Scaled& form) {
    optional(key, value, [&](std::uint64_t& v) { decimal(key, v, form); });
  }

 protected:
  virtual void refuse(const char* key, const std::string& what, const std::string& remedy) = 0;
  /// Calls `use` when there is a value to read or write; always for the schema.
  virtual void optional(const Key& key, std::optional<std::uint64_t>& value,
                        const std::function<void(std::uint64_t&)>& use) = 0;
};

template <class Enum>
void choose(Fields& fields, const Key& key, Enum& value) {
  auto index = static_cast<std::size_t>(value);
  fields.choice(key, index, names_of<Enum>());
  value = static_cast<Enum>(index);
}

template <class Small>
void small(Fields& fields, const Key& key, Small& value, Range range) {
  std::uint64_t wide = value;
  fields.whole(key, wide, range);
  value = static_cast<Small>(wide);
}

/// What an experiment file says: the experiment, and what only files have.
struct Draft {
  Experiment experiment;
  std::uint64_t repeats = 1;
  bool delta_follows = false;  ///< the file leaves Delta to the rest of it
};

/// Walks every key of a file. Derived defaults are filled in where a key is not given.
void describe(Fields& fields, Draft& draft, std::span<const ProtocolInfo> protocols);

}  // namespace thresher::sim
