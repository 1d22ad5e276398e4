#include "thresher/sim/read.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "axes.hpp"
#include "checks.hpp"
#include "field_reader.hpp"
#include "wide_area.hpp"

namespace thresher::sim {
namespace {

constexpr std::size_t kMostComplaints = 50;
constexpr std::uint64_t kSchema = 1;

text::Value without_places(const text::Value& value) {
  if (value.is_list()) {
    text::Value out = text::Value::list();
    for (const text::Value& item : value.items()) out.push(without_places(item));
    return out;
  }
  if (value.is_object()) {
    text::Value out = text::Value::object();
    for (const text::Member& m : value.members()) out.append({m.key, without_places(m.value)});
    return out;
  }
  return text::Value(value).at({});
}

// A value that was set from outside has no line in the file.
text::Value override_value(const std::string& content) {
  const auto parsed = text::parse(content);
  return parsed ? without_places(*parsed) : text::Value(content);
}

// `--set D=50` says `protocol.D`: what some protocol calls its parameter is never a key of the
// file.
std::vector<Override> with_whole_paths(const ReadOptions& options) {
  std::vector<Override> out = options.overrides;
  for (Override& change : out) {
    const auto has_it = [&](const ProtocolInfo& info) {
      return std::any_of(info.parameters.begin(), info.parameters.end(),
                         [&](const ParameterInfo& p) { return p.name == change.path; });
    };
    if (std::any_of(options.protocols.begin(), options.protocols.end(), has_it))
      change.path.insert(0, "protocol.");
  }
  return out;
}

class Reading {
 public:
  explicit Reading(const ReadOptions& options)
      : options_(options), overrides_(with_whole_paths(options)) {}

  Result<std::vector<Cell>, Errors> read(std::string_view content) {
    auto tree = text::parse(content);
    if (!tree) {
      for (const text::Problem& p : tree.error()) complaints_.push_back({p.place, "", p.what});
      return lines();
    }
    if (!tree->is_object()) {
      complaints_.push_back({tree->place(), "", "must be one object, not " + called(*tree)});
      return lines();
    }
    if (const text::Value* schema = tree->find("schema");
        schema != nullptr && schema->as_unsigned().value_or(0) > kSchema) {
      complaints_.push_back(
          {schema->place(), "schema",
           text::write(*schema) + " is newer than " + std::to_string(kSchema) +
               ", which this program reads",
           "use a newer thresher, or write the file for schema " + std::to_string(kSchema),
           ErrorCode::kUnsupported});
      return lines();
    }
    for (const Override& change : overrides_) {
      const auto done = set_path(*tree, change.path, override_value(change.value));
      if (!done) complaints_.push_back({{}, change.path, done.error().what, done.error().remedy});
    }
    std::vector<Axis> axes;
    if (const text::Value* sweep = tree->find("sweep")) axes = read_axes(*sweep, complaints_);
    refuse_hidden(axes);
    const std::size_t count = cells_of(axes);
    // The file itself is read in any case, so that all its problems show.
    if (count == 0 || !complaints_.empty()) {
      Draft draft;
      read_cell(with_first_values(*tree, axes), draft);
      return lines();
    }
    std::vector<Cell> out;
    for (std::size_t i = 0; i < count; ++i) read_cells(*tree, axes, i, out);
    if (!complaints_.empty()) return lines();
    return out;
  }

 private:
  // 0 when there are too many, which is then said.
  std::size_t cells_of(const std::vector<Axis>& axes) {
    std::size_t count = 1;
    for (const Axis& axis : axes) {
      count *= axis.rows.size();
      if (count > kMostCells) {
        complaints_.push_back(
            {{}, "sweep", "has more than " + std::to_string(kMostCells) + " cells", "split it"});
        return 0;
      }
    }
    return count;
  }

  // So that what only the sweep gives is not taken for missing.
  static text::Value with_first_values(const text::Value& tree, const std::vector<Axis>& axes) {
    text::Value out = tree;
    for (const Axis& axis : axes) {
      for (std::size_t k = 0; k < axis.keys.size() && !axis.rows.empty(); ++k)
        (void)set_path(out, axis.keys[k], axis.rows.front()[k]);
    }
    return out;
  }

  // A value set from outside would vanish under a swept one.
  void refuse_hidden(const std::vector<Axis>& axes) {
    for (const Override& change : overrides_) {
      for (const Axis& axis : axes) {
        for (const std::string& key : axis.keys) {
          if (!is_within(change.path, key)) continue;
          complaints_.push_back(
              {{},
               change.path,
               "the sweep gives `" + key + "` its values, so this would change nothing",
               "take it out of `sweep`, or choose a run with --cell"});
        }
      }
    }
  }

  void read_cell(text::Value tree, Draft& draft) {
    take_in_wan_file(tree, options_.file, complaints_);
    FieldReader reader(tree, "", tree.place(), complaints_);
    describe(reader, draft, options_.protocols);
    reader.finish();
  }

  void read_cells(const text::Value& tree, const std::vector<Axis>& axes, std::size_t index,
                  std::vector<Cell>& out) {
    text::Value own = tree;
    Cell cell;
    const std::size_t before = complaints_.size();
    std::vector<std::size_t> row(axes.size());
    for (std::size_t a = axes.size(); a-- > 0; index /= axes[a].rows.size()) {
      row[a] = index % axes[a].rows.size();
    }
    for (std::size_t a = 0; a < axes.size(); ++a) {
      for (std::size_t k = 0; k < axes[a].keys.size(); ++k) {
        const text::Value& value = axes[a].rows[row[a]][k];
        const std::string& key = axes[a].keys[k];
        cell.at.push_back({key, text::write(value)});
        const auto done = set_path(own, key, value);
        if (!done) {
          complaints_.push_back(
              {value.place(), "sweep." + key, done.error().what, done.error().remedy});
        }
      }
    }
    Draft draft;
    read_cell(std::move(own), draft);
    if (complaints_.size() != before) return locate(before, cell);
    if (out.size() + draft.repeats > kMostCells) {
      complaints_.push_back({{},
                             "repeats",
                             "make more than " + std::to_string(kMostCells) + " runs",
                             "split the sweep"});
      return;
    }
    if (draft.experiment.seed > std::numeric_limits<std::uint64_t>::max() - (draft.repeats - 1)) {
      const text::Value* seed = tree.find("seed");
      complaints_.push_back({seed != nullptr ? seed->place() : text::Place{}, "seed",
                             "with " + std::to_string(draft.repeats) +
                                 " repeats the last one would have a seed beyond 2^64 - 1",
                             "choose a smaller one"});
    }
    if (!complaints_.empty()) return;
    for (cell.repeat = 0; cell.repeat < draft.repeats; ++cell.repeat) {
      cell.experiment = draft.experiment;
      cell.experiment.seed += cell.repeat;
      if (cell.repeat > 0) follow_seed(draft, cell.experiment);
      out.push_back(cell);
    }
  }

  // Each repeat has a random graph of its own.
  static void follow_seed(const Draft& draft, Experiment& e) {
    if (draft.delta_follows && e.network.topology == Topology::kRandom)
      e.network.delta = delta_of(e);
  }

  // Keeps of a cell's complaints those that no cell before it had, and says where it stands.
  void locate(std::size_t before, const Cell& cell) {
    std::string where;
    for (const Coordinate& c : cell.at) {
      where += (where.empty() ? "" : ", ") + c.key + " = " + c.value;
    }
    std::vector<Complaint> own(complaints_.begin() + static_cast<std::ptrdiff_t>(before),
                               complaints_.end());
    complaints_.resize(before);
    for (Complaint& complaint : own) {
      // Values of one line of the sweep differ in their columns only.
      Complaint same = complaint;
      same.place.column = 0;
      if (!seen_.insert(same).second || complaints_.size() > kMostComplaints) continue;
      if (!where.empty()) {
        std::string& end = complaint.remedy.empty() ? complaint.what : complaint.remedy;
        end += " (in the sweep, first at " + where + ")";
      }
      complaints_.push_back(std::move(complaint));
    }
  }

  Errors lines() {
    std::stable_sort(complaints_.begin(), complaints_.end(),
                     [](const Complaint& a, const Complaint& b) { return a.place < b.place; });
    Errors out;
    std::set<std::string> told;
    for (const Complaint& c : complaints_) {
      if (out.size() == kMostComplaints) {
        out.push_back(
            error_at(ErrorCode::kMalformed, options_.file, "and more", "mend these first"));
        break;
      }
      Error error = error_of(c);
      if (told.insert(error.text()).second) out.push_back(std::move(error));
    }
    return out;
  }

  // What has no line in the file is of the whole of it, or was set from outside.
  Error error_of(const Complaint& c) const {
    const std::string what = c.path.empty() ? c.what : c.path + ": " + c.what;
    if (c.place.line != 0) {
      return error_at(c.code, options_.file + ":" + text::to_string(c.place), what, c.remedy);
    }
    if (options_.overrides.empty()) return error_at(c.code, options_.file, what, c.remedy);
    return {c.code, "command line: " + what, c.path.empty() ? options_.file : c.path, c.remedy};
  }

  const ReadOptions& options_;
  std::vector<Override> overrides_;  // a parameter's name is its whole path here
  Complaints complaints_;
  std::set<Complaint> seen_;
};

}  // namespace

Result<std::vector<Cell>, Errors> read_experiments(std::string_view content,
                                                   const ReadOptions& options) {
  return Reading(options).read(content);
}

}  // namespace thresher::sim
