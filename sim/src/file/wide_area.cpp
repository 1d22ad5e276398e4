#include "wide_area.hpp"

#include <filesystem>
#include <set>

#include "checks.hpp"
#include "thresher/core/names.hpp"
#include "thresher/sim/results.hpp"
#include "thresher/sim/wan.hpp"

namespace thresher::sim {
namespace {

constexpr std::uint64_t kMillion = 1'000'000;
constexpr std::size_t kMostRegions = 100;  // every two that have nodes are a rule of links
constexpr std::uint64_t kLongestTrip = 3'600'000 * kUnit;
// Half of it has to be a microsecond at least.
constexpr Scaled kRoundTrip{kUnit, {2, kLongestTrip}};
constexpr Scaled kShare{kMillion, {0, kMillion}};

std::vector<std::string> names_of_tables() {
  std::vector<std::string> out;
  for (const WanTable& table : wan_tables()) out.push_back(table.name);
  return out;
}

void check_matrix(Fields& fields, const std::vector<std::string>& regions,
                  const std::vector<std::vector<std::uint64_t>>& rows) {
  const std::string count = std::to_string(regions.size());
  if (regions.empty()) return fields.wrong("", "needs `regions`, a list of their names");
  if (regions.size() > kMostRegions) {
    return fields.wrong("regions", "names " + count + " regions",
                        std::to_string(kMostRegions) + " at most");
  }
  if (std::set<std::string>(regions.begin(), regions.end()).size() != regions.size()) {
    return fields.wrong("regions", "names a region twice", "give each its own name");
  }
  if (rows.size() != regions.size()) {
    return fields.wrong(
        fields.given("rtt") ? "rtt" : "",
        "needs a row of `rtt` for each region, " + count + ", not " + std::to_string(rows.size()));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() == regions.size()) continue;
    fields.wrong(
        "rtt",
        "the row of `" + regions[i] + "` has " + std::to_string(rows[i].size()) + " round trips",
        "give " + count + ", the one inside the region among them");
  }
}

void describe_table(Fields& fields, WanTable& table) {
  std::vector<std::vector<std::uint64_t>> rows;
  for (std::size_t a = 0; a < table.regions.size(); ++a) {
    const auto row = table.rtt_us.begin() + static_cast<std::ptrdiff_t>(a * table.regions.size());
    rows.emplace_back(row, row + static_cast<std::ptrdiff_t>(table.regions.size()));
  }
  fields.words({"source", "where the figures come from", true}, table.help);
  fields.texts({"regions", "their names", true}, table.regions);
  fields.tables({"rtt",
                 "round trips in milliseconds, a row for each region in that order: to every "
                 "region, inside it too",
                 true},
                rows, kRoundTrip);
  fields.decimal({"jitter", "a message takes so much of its way longer or shorter at most", true},
                 table.jitter_ppm, kShare);
  fields.decimal({"loss", "share of messages between two regions that vanish", true},
                 table.loss_ppm, kShare);
  if (!fields.sound()) return;
  check_matrix(fields, table.regions, rows);
  table.rtt_us.clear();
  for (const auto& row : rows) table.rtt_us.insert(table.rtt_us.end(), row.begin(), row.end());
}

// Deals the regions out to `n` nodes (0: not known).
void settle_wan(Fields& fields, Network& net, Engine engine, std::uint32_t n) {
  const char* key = net.matrix.empty() ? "wan" : "matrix";
  if (!net.matrix.empty() && !net.wan.empty()) {
    return fields.wrong("wan", "stands beside a `matrix`", "give one of the two");
  }
  const WanTable* table = table_of(net);
  if (table == nullptr && !net.wan.empty()) {
    const Error odd = unknown("table", net.wan, names_of_tables());
    return fields.wrong("wan", odd.what, odd.remedy + "; the name of a file ends with .json");
  }
  if (table == nullptr) {
    if (!net.regions.empty()) {
      fields.wrong("regions", "goes with `wan` or `matrix`, a table of regions");
    }
    return;
  }
  if (engine == Engine::kRounds) {
    fields.wrong(key, "the table is in milliseconds", "use \"engine\": \"events\"");
  }
  for (const std::string& region : net.regions) {
    if (table->index_of(region)) continue;
    fields.wrong("regions", unknown("region", region, table->regions));
  }
  if (n == 0) return;
  if (net.regions.size() > n) {
    fields.wrong("regions",
                 "names " + std::to_string(net.regions.size()) + " places for " +
                     std::to_string(n) + (n == 1 ? " node" : " nodes"),
                 "give at most one a node");
  }
  const std::vector<std::string> dealt = net.regions.empty() ? table->regions : net.regions;
  net.regions.clear();
  for (std::uint32_t i = 0; i < n; ++i) net.regions.push_back(dealt[i % dealt.size()]);
}

text::Value without_places(const text::Value& value) {
  if (value.is_list()) {
    text::Value out = text::Value::list();
    for (const text::Value& item : value.items()) out.push(without_places(item));
    return out;
  }
  return text::Value(value).at({});
}

// What is wrong with the table in `content`; nothing: `out` holds it.
Complaints read_table(const std::string& content, text::Value& out) {
  Complaints complaints;
  auto tree = text::parse(content);
  if (!tree) {
    for (const text::Problem& p : tree.error()) complaints.push_back({p.place, "", p.what});
    return complaints;
  }
  if (!tree->is_object()) {
    return {{{}, "", "must be one object with `regions` and `rtt`, not " + called(*tree)}};
  }
  FieldReader reader(*tree, "", tree->place(), complaints);
  WanTable table;
  describe_table(reader, table);
  reader.finish();
  out = std::move(*tree);
  return complaints;
}

}  // namespace

void take_in_wan_file(text::Value& tree, const std::string& experiment, Complaints& complaints) {
  text::Value* net = tree.find("network");
  const text::Value* wan = net != nullptr ? net->find("wan") : nullptr;
  const std::string* name = wan != nullptr ? wan->as_text() : nullptr;
  if (name == nullptr || !name->ends_with(".json")) return;
  const text::Place place = wan->place();
  const auto wrong = [&](const std::string& what, const std::string& remedy = {},
                         ErrorCode code = ErrorCode::kMalformed) {
    complaints.push_back({place, "network.wan", what, remedy, code});
  };
  const auto path = std::filesystem::path(experiment).parent_path() / *name;
  if (net->find("matrix") != nullptr) {
    wrong("stands beside a `matrix`", "give one of the two");
  } else if (const auto content = load_file(path); !content) {
    wrong(content.error().what, content.error().remedy, content.error().code);
  } else {
    text::Value table;
    const Complaints problems = read_table(content->text, table);
    for (const Complaint& c : problems) {
      wrong(path.string() + ":" + (c.place.line == 0 ? "" : text::to_string(c.place) + ": ") +
                (c.path.empty() ? "" : c.path + ": ") + c.what,
            c.remedy);
    }
    text::Value matrix = text::Value::object();
    for (const text::Member& member : table.members()) {
      matrix.append({member.key, without_places(member.value)});
    }
    // A bad one is not read again: its complaints would name the experiment's file.
    if (problems.empty()) net->set("matrix", std::move(matrix)).find("matrix")->at(place);
  }
  net->erase("wan");
}

void describe_wan(Fields& fields, Network& net, Engine engine, const Members& all) {
  fields.words({"wan",
                "a table of round-trip times between regions, in place of `delay`: a name that "
                "`sim list` knows, or a file beside this one that holds a `matrix`",
                true},
               net.wan);
  bool whole = true;
  fields.object({"matrix", "such a table itself", true}, [&](Fields& inner) {
    if (!fields.given("matrix")) return;
    describe_table(inner, net.matrix);
    whole = inner.sound();
  });
  fields.texts({"regions", "of that table, dealt out to the nodes in turn", true}, net.regions);
  if (!whole) {
    net.matrix = {};
  } else if (fields.sound()) {
    settle_wan(fields, net, engine, all.n);
  }
}

}  // namespace thresher::sim
