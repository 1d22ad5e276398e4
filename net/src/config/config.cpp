#include "thresher/net/config.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <optional>
#include <sstream>

#include "files/newer_schema.hpp"
#include "files/whole_file.hpp"
#include "http/loopback_address.hpp"
#include "thresher/core/names.hpp"
#include "thresher/crypto/verifier.hpp"
#include "thresher/protocols/payload_limit.hpp"

namespace thresher::net {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSchema = 1;

/// One key: where it lives, what it may be, where it goes.
struct Key {
  const char* table;  // "" is the top
  const char* name;
  std::string comment;
  std::variant<std::string NodeOptions::*, std::string NodeConfig::*, std::uint64_t NodeOptions::*,
               std::vector<std::uint64_t> NodeOptions::*>
      target;
  std::uint64_t least = 0, most = 0;
  std::vector<std::string> choices{};  // empty: any text
};

/// The backends that a node may hand signatures to. Whether this machine has one is found when the
/// node starts: a file is read on other machines too.
std::vector<std::string> accelerators() {
  return crypto::verifier_names([](const crypto::VerifierInfo& info) { return info.accelerator; });
}

std::vector<std::string> none_or(std::vector<std::string> names) {
  names.insert(names.begin(), "");
  return names;
}

/// What a node does around the protocol.
std::vector<Key> service_keys() {
  using O = NodeOptions;
  using C = NodeConfig;
  return {
      {"verify",
       "deadline_us",
       "how long signatures wait for others to be verified with",
       &O::verify_deadline_us,
       0,
       100'000,
       {}},
      {"verify",
       "gather_us",
       "how long certificates that complete a round wait for the rest of it; at most Delta",
       &O::gather_us,
       0,
       100'000,
       {}},
      {"verify", "accelerator",
       "verifies the signatures of catch-up: " + name_list(accelerators()) + ", or empty for none",
       &O::accelerator, 0, 0, none_or(accelerators())},
      {"metrics",
       "listen",
       "loopback address of /metrics, /healthz, /readyz; empty: none",
       &O::metrics_listen,
       0,
       0,
       {}},
      {"gateway",
       "address",
       "loopback address of the HTTP gateway; empty: none",
       &O::gateway_address,
       0,
       0,
       {}},
      {"journal",
       "bytes",
       "of a journal of the protocol's inputs that each start begins in journal/; 0: none",
       &O::journal_bytes,
       0,
       std::uint64_t{1} << 40,
       {}},
      {"log",
       "level",
       "debug, info, warning or error",
       &C::log_level,
       0,
       0,
       {"debug", "info", "warning", "error"}},
      {"log", "format", "text or json", &C::log_format, 0, 0, {"text", "json"}},
  };
}

/// What it keeps beside its log, and how much of that.
std::vector<Key> life_keys() {
  using O = NodeOptions;
  return {
      {"snapshots",
       "checkpoints",
       "so many checkpoints from one snapshot of the running application to the next; 0: none",
       &O::snapshot_checkpoints,
       0,
       1'000'000,
       {}},
      {"retention",
       "positions",
       "transactions of the log that are kept at least; with snapshots 0 too: all",
       &O::keep_positions,
       0,
       std::uint64_t{1} << 62,
       {}},
      {"retention",
       "snapshots",
       "the log is kept back to the so many-th newest snapshot; with positions 0 too: all of it",
       &O::keep_snapshots,
       0,
       1'000,
       {}},
      {"retention",
       "segment_bytes",
       "of a file of the write-ahead log where it is pruned, in whole MiB: what is freed at a time",
       &O::segment_bytes,
       1u << 20,
       1u << 30,
       {}},
      {"retention",
       "hold_bytes",
       "so much more log at most is kept for nodes that take their state from here; 0: none",
       &O::hold_bytes,
       0,
       std::uint64_t{1} << 62,
       {}},
  };
}

std::vector<Key> network_keys() {
  using O = NodeOptions;
  return {
      {"network",
       "delta_us",
       "Delta: the delay that links keep, in microseconds",
       &O::delta_us,
       1'000,
       60'000'000,
       {}},
      {"network",
       "link_delay_us",
       "added to every frame to a node, for experiments",
       &O::link_delay_us,
       0,
       60'000'000,
       {}},
      {"network",
       "link_delays_us",
       "the same for each node, by its number, in place of link_delay_us; []: that one for all",
       &O::link_delays_us,
       0,
       60'000'000,
       {}},
      {"network",
       "pace_us",
       "least time between two own blocks while several small transactions wait; at most Delta",
       &O::pace_us,
       0,
       60'000'000,
       {}},
  };
}

std::vector<Key> limit_keys() {
  using O = NodeOptions;
  return {
      {"limits",
       "block_bytes",
       "payload of one block",
       &O::block_bytes,
       1u << 12,
       kMostPayloadBytes,
       {}},
      {"limits",
       "pool_bytes",
       "transactions that wait; when it is full, clients with the most give way",
       &O::pool_bytes,
       1u << 16,
       1u << 30,
       {}},
      {"limits",
       "transaction_bytes",
       "largest transaction",
       &O::transaction_bytes,
       1,
       kMostTransaction,
       {}},
      {"limits",
       "gc_rounds",
       "rounds kept after delivery; the same at all nodes, and for good",
       &O::gc_rounds,
       16,
       1'000'000,
       {}},
      {"limits",
       "sync_rounds",
       "this far behind, the log is fetched from peers",
       &O::sync_rounds,
       8,
       1'000'000,
       {}},
  };
}

std::vector<Key> make_keys() {
  using O = NodeOptions;
  std::vector<Key> all{
      {"", "genesis", "who takes part; the same file at every node", &O::genesis, 0, 0, {}},
      {"", "key", "the node's secret key, mode 0600", &O::key, 0, 0, {}},
      {"", "data", "folder of the store", &O::data, 0, 0, {}},
      {"", "coin", "the node's share of the coin, mode 0600, if it tosses", &O::coin, 0, 0, {}},
      {"",
       "threads",
       "the loop's and those that encrypt, decrypt and hash large frames for it",
       &O::threads,
       1,
       64,
       {}},
  };
  for (const Key& key : network_keys()) all.push_back(key);
  for (const Key& key : limit_keys()) all.push_back(key);
  for (const Key& key : life_keys()) all.push_back(key);
  for (const Key& key : service_keys()) all.push_back(key);
  return all;
}

const std::vector<Key>& keys() {
  static const std::vector<Key> all = make_keys();
  return all;
}

/// A number that does not fit into 64 bits ends the parser, and what else is wrong in the file
/// would not be told. The largest that fits stands for it: no key takes that one either.
std::string within_64_bits(const std::string& line) {
  const std::size_t equals = line.find('=');
  const std::size_t begin = line.find_first_not_of(" \t+-", equals + 1);
  if (equals == line.npos || begin == line.npos) return line;
  const std::size_t end = std::min(line.find_first_not_of("0123456789_", begin), line.size());
  std::string digits = line.substr(begin, end - begin);
  std::erase(digits, '_');
  const std::size_t behind = std::min(line.find_first_not_of(" \t\r", end), line.size());
  const bool ends = behind == line.size() || line[behind] == '#';
  std::int64_t value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (!ends || read.ec != std::errc::result_out_of_range) return line;
  return line.substr(0, begin) + std::to_string(std::numeric_limits<std::int64_t>::max()) +
         line.substr(end);
}

/// What is wrong with a file that is no TOML, in words for who wrote it. The library's own words
/// name its grammar and its functions; of those only what it was reading is used, and the name of a
/// key or table that stands there twice.
std::string why_no_toml(std::string_view said) {
  if (said.find("redefine") != said.npos) {
    const std::size_t open = said.find('\'');
    const std::size_t close = said.rfind('\'');
    const bool named = open != said.npos && close > open;
    return (named ? "`" + std::string(said.substr(open + 1, close - open - 1)) + "`" : "this") +
           " stands there twice; keep one of them";
  }
  constexpr std::pair<std::string_view, const char*> kReading[] = {
      {"key-value pair", "a key, `=` and its value have to stand here, such as delta_us = 40000"},
      {"root table", "a key has to stand here, made of letters, digits, `_` and `-`"},
      {"key", "a key has to stand here, made of letters, digits, `_` and `-`"},
      {"table header", "the name of a table stands in brackets, alone in its line: [limits]"},
      {"comment", "there is a character in this comment that no text file may hold"},
      {"string",
       "this text does not end, or has a character or a `\\` in it that must not be there"},
      {"literal string", "this text does not end, or has a character in it that must not be there"},
      {"unicode scalar sequence", "the digits after `\\u` are no character"},
      {"array", "this list does not end, or a comma is missing in it: [20000, 0, 35000]"},
      {"inline table", "keys in braces stand in one line, with commas between them"},
  };
  constexpr std::string_view kPrefix = "Error while parsing ";
  if (said.rfind(kPrefix, 0) == 0) {
    const std::string_view scope = said.substr(kPrefix.size(), said.find(':') - kPrefix.size());
    for (const auto& [name, words] : kReading) {
      if (scope == name) return words;
    }
  }
  return "this is no value; write a text in quotes, a whole number, or a list in brackets";
}

std::string list_text(const std::vector<std::uint64_t>& numbers) {
  std::string out;
  for (const std::uint64_t number : numbers)
    out += (out.empty() ? "" : ", ") + std::to_string(number);
  return "[" + out + "]";
}

std::string numbers(const Key& key) {
  return "a whole number from " + std::to_string(key.least) + " to " + std::to_string(key.most);
}

class Loader {
 public:
  explicit Loader(const fs::path& file) : file_(file) {
    config_.options.home = fs::absolute(file).parent_path().string();
  }

  Result<NodeConfig, Errors> load() {
    toml::table root;
    const auto all = read_whole(file_.string());
    if (!all) return Errors{all.error()};
    std::istringstream in(*all);
    std::stringstream content;
    for (std::string line; std::getline(in, line);) content << within_64_bits(line) << '\n';
    try {
      root = toml::parse(content, file_.string());
    } catch (const toml::parse_error& e) {
      return Errors{error_at(ErrorCode::kMalformed, at(e.source()), why_no_toml(e.description()),
                             "docs/operations.md has a whole file")};
    }
    if (const auto newer = newer_than_this(root)) return Errors{*newer};
    for (const auto& [name, node] : root) {
      const std::string key(name.str());
      if (node.is_table() && is_table(key)) {
        for (const auto& [inner, value] : *node.as_table()) take(key, std::string(inner), value);
      } else {
        take("", key, node);
      }
    }
    if (!root.contains("schema")) {
      problem("schema is missing", "write: schema = 1");
    }
    check_together();
    if (!problems_.empty()) return problems_;
    for (std::string* path : {&config_.options.genesis, &config_.options.key, &config_.options.data,
                              &config_.options.coin}) {
      if (!path->empty() && fs::path(*path).is_relative()) {
        *path = (fs::path(config_.options.home) / *path).lexically_normal().string();
      }
    }
    return config_;
  }

 private:
  static bool is_table(const std::string& name) {
    return std::any_of(keys().begin(), keys().end(), [&](const Key& k) { return k.table == name; });
  }
  std::string at(const toml::source_region& where) const {
    return file_.string() + ":" + std::to_string(where.begin.line) + ":" +
           std::to_string(where.begin.column);
  }
  // A file of a later schema has keys that are not known here: nothing else is said of it.
  std::optional<Error> newer_than_this(const toml::table& root) const {
    const toml::node* schema = root.get("schema");
    const auto number =
        schema != nullptr && schema->is_integer() ? schema->value<std::int64_t>() : std::nullopt;
    if (!number || *number <= kSchema) return std::nullopt;
    const Error said = newer_schema(static_cast<std::uint64_t>(*number), kSchema);
    return error_at(said.code, at(schema->source()), said.what, said.remedy);
  }
  void problem(const toml::node& node, const std::string& what, const std::string& remedy = {}) {
    problems_.push_back(error_at(ErrorCode::kMalformed, at(node.source()), what, remedy));
  }
  // Of the file as a whole.
  void problem(const std::string& what, const std::string& remedy) {
    problems_.push_back(error_at(ErrorCode::kMalformed, file_.string(), what, remedy));
  }

  void take(const std::string& table, const std::string& name, const toml::node& node) {
    const std::string path = table.empty() ? name : table + "." + name;
    if (path == "schema") {
      if (!node.is_integer() || node.value<std::int64_t>() != kSchema)
        problem(node, "schema must be " + std::to_string(kSchema));
      return;
    }
    if (path == "storage") return take_storage(node);
    for (const Key& key : keys()) {
      if (key.table == table && key.name == name) {
        std::visit([&](auto target) { assign(key, path, node, target); }, key.target);
        return;
      }
    }
    const auto is_table = [&](const Key& k) { return k.table == path; };
    if (std::any_of(keys().begin(), keys().end(), is_table)) {
      return problem(node, "`" + path + "` is a table: write [" + path + "] and its keys below");
    }
    std::vector<std::string> known{"schema", "storage"};
    for (const Key& k : keys()) {
      known.push_back(*k.table == 0 ? std::string(k.name) : std::string(k.table) + "." + k.name);
      if (*k.table != 0 && std::find(known.begin(), known.end(), k.table) == known.end())
        known.emplace_back(k.table);
    }
    const Error odd = unknown("key", path, known);
    for (const Key& k : keys()) {
      if (k.name != name) continue;
      const std::string table_of_it = k.table;
      return problem(node, odd.what,
                     table_of_it.empty() ? "`" + name + "` stands in front of all tables"
                                         : "`" + name + "` stands in [" + table_of_it + "]");
    }
    problem(node, odd.what, odd.remedy);
  }

  // What each may be, and not beside the other.
  void check_together() {
    const NodeOptions& o = config_.options;
    constexpr std::uint64_t kUnit = 1u << 20;
    if (o.segment_bytes % kUnit != 0) {
      problem("retention.segment_bytes is " + std::to_string(o.segment_bytes) +
                  ", which is not in whole MiB",
              "write " + std::to_string(o.segment_bytes / kUnit * kUnit) + " or " +
                  std::to_string((o.segment_bytes / kUnit + 1) * kUnit));
    }
    if (!o.metrics_listen.empty() && o.metrics_listen == o.gateway_address) {
      problem("metrics.listen and gateway.address are both '" + o.gateway_address + "'",
              "each needs a port of its own");
    }
  }

  void take_storage(const toml::node& node) {
    const auto text = node.value<std::string>();
    // "rocksdb" is what "disk" was called before a store of one's own could be given.
    if (text == "disk" || text == "rocksdb" || text == "memory") {
      config_.options.store = *text == "memory" ? StoreKind::kMemory : StoreKind::kDisk;
    } else if (text) {
      const Error odd = unknown("storage", *text, {"disk", "memory"});
      problem(node, odd.what, odd.remedy);
    } else {
      problem(node, "storage must be \"disk\" or \"memory\"");
    }
  }

  template <class Owner>
  void assign(const Key& key, const std::string& path, const toml::node& node,
              std::string Owner::*target) {
    const auto text = node.value<std::string>();
    if (!node.is_string()) return problem(node, path + " must be a string in quotes");
    if (text->find('\0') != text->npos)
      return problem(node, path + " has a zero byte in it, which no name of a file may have");
    const auto& choices = key.choices;
    if (!choices.empty() && std::find(choices.begin(), choices.end(), *text) == choices.end()) {
      const auto named = choices.begin() + (choices.front().empty() ? 1 : 0);
      const Error odd = unknown(path, *text, {named, choices.end()});
      return problem(node, odd.what,
                     odd.remedy + (named == choices.begin() ? "" : "; \"\" is none"));
    }
    if constexpr (std::is_same_v<Owner, NodeOptions>) {
      const bool listens =
          target == &NodeOptions::metrics_listen || target == &NodeOptions::gateway_address;
      if (listens && !text->empty() && !loopback_address(*text)) {
        return problem(node,
                       path + " is '" + *text +
                           "', which is no address on loopback with a port from 1 to 65535",
                       "write it as \"127.0.0.1:9464\", or \"\" for none");
      }
      config_.options.*target = *text;
    } else {
      config_.*target = *text;
    }
  }
  void assign(const Key& key, const std::string& path, const toml::node& node,
              std::uint64_t NodeOptions::*target) {
    const auto number = number_of(key, node);
    if (!number) return problem(node, path + " must be " + numbers(key));
    config_.options.*target = *number;
  }
  void assign(const Key& key, const std::string& path, const toml::node& node,
              std::vector<std::uint64_t> NodeOptions::*target) {
    const toml::array* list = node.as_array();
    if (list == nullptr)
      return problem(node, path + " must be a list, like [20000, 0, 35000]",
                     "each is " + numbers(key));
    std::vector<std::uint64_t> out;
    for (const toml::node& element : *list) {
      const auto number = number_of(key, element);
      if (!number) return problem(element, "each of " + path + " must be " + numbers(key));
      out.push_back(*number);
    }
    config_.options.*target = std::move(out);
  }
  static std::optional<std::uint64_t> number_of(const Key& key, const toml::node& node) {
    const auto value = node.value<std::int64_t>();
    if (!node.is_integer() || *value < 0) return std::nullopt;
    const auto number = static_cast<std::uint64_t>(*value);
    if (number < key.least || number > key.most) return std::nullopt;
    return number;
  }

  fs::path file_;
  NodeConfig config_;
  Errors problems_;
};

}  // namespace

Result<NodeConfig, Errors> load_config(const std::string& home_or_file) {
  std::error_code error;
  const bool folder = fs::is_directory(home_or_file, error);
  const fs::path file = folder ? fs::path(home_or_file) / "node.toml" : fs::path(home_or_file);
  // One of which the system does not say whether it is there may not be looked at: reading says so.
  if (fs::exists(file, error) || error) return Loader(file).load();
  if (!folder) {
    return Errors{{ErrorCode::kMissing,
                   "'" + home_or_file + "' is neither a node's folder nor a configuration file",
                   home_or_file, "make one with: thresher testnet init"}};
  }
  // Defaults in place of what the operator set would go unnoticed.
  return Errors{{ErrorCode::kMissing, "'" + file.string() + "' is missing", file.string(),
                 "put it back, or write one with the line: schema = 1, and with limits.gc_rounds "
                 "if the other nodes have not the default, because it is the same at all nodes for "
                 "good (all else is then as by default; docs/operations.md has a whole file)"}};
}

Result<Unit, Error> check_ranges(const NodeOptions& options) {
  for (const Key& key : keys()) {
    std::vector<std::uint64_t> given;
    if (const auto* one = std::get_if<std::uint64_t NodeOptions::*>(&key.target))
      given = {options.**one};
    if (const auto* list = std::get_if<std::vector<std::uint64_t> NodeOptions::*>(&key.target))
      given = options.**list;
    for (const std::uint64_t number : given) {
      if (number >= key.least && number <= key.most) continue;
      const std::string path = *key.table == 0 ? key.name : key.table + std::string(".") + key.name;
      return Error{
          ErrorCode::kMalformed,
          "the option " + path + " is " + std::to_string(number) + ", which is not " + numbers(key),
          path};
    }
  }
  return Unit{};
}

Result<Unit, Error> check_delays(const NodeOptions& options, std::size_t nodes) {
  const std::size_t given = options.link_delays_us.size();
  if (given == 0 || given == nodes) return Unit{};
  const std::string where = "network.link_delays_us";
  return Error{ErrorCode::kMalformed,
               where + " has " + std::to_string(given) + " numbers and the genesis file " +
                   std::to_string(nodes) + " nodes",
               where, "give one for each node (0 for this one), or []"};
}

std::string config_text(const NodeConfig& config) {
  const NodeOptions& o = config.options;
  std::string out =
      "# A node of a Thresher network. Every key with its value and what it is for.\n";
  out += "schema = 1\nstorage = \"";
  out += o.store == StoreKind::kMemory ? "memory" : "disk";
  out += "\"  # disk, or memory for measurements (a node must not come back after it)\n";
  std::string table;
  for (const Key& k : keys()) {
    if (table != k.table) {
      table = k.table;
      out += "\n[" + table + "]\n";
    }
    const std::string value = std::visit(
        [&](auto target) -> std::string {
          using Target = decltype(target);
          if constexpr (std::is_same_v<Target, std::string NodeConfig::*>) {
            return "\"" + config.*target + "\"";
          } else if constexpr (std::is_same_v<Target, std::string NodeOptions::*>) {
            return "\"" + o.*target + "\"";
          } else if constexpr (std::is_same_v<Target, std::uint64_t NodeOptions::*>) {
            return std::to_string(o.*target);
          } else {
            return list_text(o.*target);
          }
        },
        k.target);
    out += std::string(k.name) + " = " + value + "  # " + k.comment + "\n";
  }
  return out;
}

}  // namespace thresher::net
