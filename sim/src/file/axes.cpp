#include "axes.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "checks.hpp"
#include "thresher/core/names.hpp"
#include "thresher/sim/read.hpp"

namespace thresher::sim {
namespace {

using text::Value;

std::vector<std::string> split_path(const std::string& path) {
  if (path.starts_with("sweep.")) return {"sweep", path.substr(6)};
  std::vector<std::string> out{""};
  for (const char c : path) {
    if (c == '.' || c == '[') {
      out.emplace_back();
    } else if (c != ']') {
      out.back() += c;
    }
  }
  return out;
}

class AxisReader {
 public:
  explicit AxisReader(Complaints& complaints) : complaints_(complaints) {}

  std::vector<Value> values(const Value& from, const std::string& path) {
    std::vector<Value> out;
    if (from.is_list()) {
      out = from.items();
    } else if (from.is_object()) {
      out = range(from, path);
    } else {
      complain(from, path, "must be a list or {\"from\": 1, \"to\": 9}, not " + called(from));
      return out;
    }
    if (out.empty() && sound_) complain(from, path, "has no values", "give it one at least");
    for (Value& value : out) value.at(value.place().line == 0 ? from.place() : value.place());
    return out;
  }

  bool sound() const { return sound_; }
  void complain(const Value& at, const std::string& path, const std::string& what,
                const std::string& remedy = {}) {
    complaints_.push_back({at.place(), path, what, remedy});
    sound_ = false;
  }

 private:
  std::vector<Value> range(const Value& from, const std::string& path) {
    static const std::vector<std::string> kKeys{"from", "to", "step", "factor"};
    double bounds[4] = {0, 0, 1, 0};
    bool given[4] = {};
    for (const text::Member& member : from.members()) {
      const auto key = std::find(kKeys.begin(), kKeys.end(), member.key);
      if (key == kKeys.end()) {
        const Error odd = unknown("key", member.key, kKeys);
        complain(member.value, path + "." + member.key, odd.what, odd.remedy);
        continue;
      }
      const auto number = member.value.as_real();
      if (!number) {
        complain(member.value, path + "." + member.key,
                 "must be a number, not " + called(member.value));
      }
      given[key - kKeys.begin()] = true;
      bounds[key - kKeys.begin()] = number.value_or(0);
    }
    if (!sound_) return {};
    if (!given[0] || !given[1] || (given[2] && given[3])) {
      complain(from, path, "a range needs `from`, `to` and at most one of `step` and `factor`");
      return {};
    }
    return walk(from, path, bounds, given[3]);
  }

  // 0.1 + 2 * 0.1 is 0.3; a whole number has no noise, and may be larger than 1e9 times it fits.
  static double without_noise(double x) {
    return x == std::floor(x) ? x : std::round(x * 1e9) / 1e9;
  }
  std::vector<Value> walk(const Value& at, const std::string& path, const double (&bounds)[4],
                          bool geometric) {
    const auto [low, high, step, factor] = bounds;
    if (geometric ? !(factor > 1 && low > 0) : !(step > 0)) {
      complain(
          at, path,
          geometric ? "needs a `factor` above 1 and a `from` above 0" : "needs a `step` above 0");
      return {};
    }
    if (low > high) {
      complain(at, path, "the range is empty: `from` is more than `to`", "swap them");
      return {};
    }
    std::vector<Value> out;
    for (double x = low; x <= high + std::abs(high) * 1e-12;) {
      if (out.size() == kMostCells) {
        complain(at, path, "has more than " + std::to_string(kMostCells) + " values");
        return {};
      }
      const bool whole = x == std::floor(x) && std::abs(x) < 9e15;
      out.push_back(whole ? Value(static_cast<std::int64_t>(x)) : Value(x));
      const auto steps = static_cast<double>(out.size());
      // From the start each time: a running sum would gather rounding errors.
      x = geometric ? low * std::pow(factor, steps) : without_noise(low + step * steps);
    }
    return out;
  }

  Complaints& complaints_;
  bool sound_ = true;
};

void add_product(const Value& object, Complaints& complaints, std::vector<Axis>& axes) {
  for (const text::Member& member : object.members()) {
    AxisReader reader(complaints);
    Axis axis{{member.key}, {}};
    for (Value& value : reader.values(member.value, "sweep." + member.key)) {
      axis.rows.push_back({std::move(value)});
    }
    axes.push_back(std::move(axis));
  }
}

void add_zip(const Value& object, const std::string& path, Complaints& complaints,
             std::vector<Axis>& axes) {
  Axis axis;
  for (const text::Member& member : object.members()) {
    AxisReader reader(complaints);
    std::vector<Value> column = reader.values(member.value, path + "." + member.key);
    if (!reader.sound()) continue;
    if (axis.keys.empty()) axis.rows.resize(column.size());
    if (column.size() != axis.rows.size()) {
      reader.complain(member.value, path + "." + member.key,
                      "has " + std::to_string(column.size()) + " values where `" +
                          axis.keys.front() + "` has " + std::to_string(axis.rows.size()),
                      "keys that are zipped need as many");
      continue;
    }
    axis.keys.push_back(member.key);
    for (std::size_t i = 0; i < column.size(); ++i) axis.rows[i].push_back(std::move(column[i]));
  }
  if (!axis.keys.empty()) axes.push_back(std::move(axis));
}

/// Whether setting the one changes the other.
bool touch(const std::string& a, const std::string& b) {
  return is_within(a, b) || is_within(b, a);
}

// Of two keys that touch one would set what the other has set, and runs would be told under values
// that they did not have.
void refuse_overlaps(const std::vector<Axis>& axes, Complaints& complaints) {
  std::vector<std::string> before;
  for (const Axis& axis : axes) {
    for (std::size_t k = 0; k < axis.keys.size(); ++k) {
      const std::string& key = axis.keys[k];
      const text::Place place = axis.rows.empty() ? text::Place{} : axis.rows.front()[k].place();
      if (split_path(key).front() == "sweep")
        complaints.push_back({place, "sweep." + key, "a sweep cannot change itself"});
      for (const std::string& other : before) {
        if (!touch(key, other)) continue;
        complaints.push_back({place, "sweep." + key,
                              "sets what `" + other +
                                  "` sets as well, so one of them changes "
                                  "nothing",
                              "take one of the two out, or give both in one object"});
      }
      before.push_back(key);
    }
  }
}

// Two cells would be one run that counts twice.
void refuse_equal_rows(const std::vector<Axis>& axes, Complaints& complaints) {
  for (const Axis& axis : axes) {
    std::set<std::string> seen;
    for (const std::vector<Value>& row : axis.rows) {
      std::string text;
      for (const Value& value : row) text += (text.empty() ? "" : ", ") + text::write(value);
      if (seen.insert(text).second) continue;
      complaints.push_back({row.front().place(), "sweep." + axis.keys.front(),
                            "has " + text + " twice", "`repeats` runs a cell with other seeds"});
    }
  }
}

}  // namespace

std::vector<Axis> read_axes(const Value& sweep, Complaints& complaints) {
  std::vector<Axis> axes;
  if (sweep.is_object()) {
    add_product(sweep, complaints, axes);
  } else if (!sweep.is_list()) {
    complaints.push_back({sweep.place(), "sweep",
                          "must be an object of lists, or a list of such "
                          "objects, not " +
                              called(sweep)});
  }
  for (std::size_t i = 0; i < sweep.items().size(); ++i) {
    const Value& object = sweep.items()[i];
    const std::string path = "sweep[" + std::to_string(i) + "]";
    if (object.is_object() && !object.members().empty()) {
      add_zip(object, path, complaints, axes);
    } else {
      complaints.push_back({object.place(), path, "must be an object with a key at least"});
    }
  }
  refuse_overlaps(axes, complaints);
  refuse_equal_rows(axes, complaints);
  return axes;
}

bool is_within(const std::string& path, const std::string& key) {
  const std::vector<std::string> steps = split_path(path);
  const std::vector<std::string> of = split_path(key);
  return of.size() <= steps.size() && std::equal(of.begin(), of.end(), steps.begin());
}

Result<Unit, Error> set_path(Value& root, const std::string& path, Value value) {
  const auto wrong = [&](const std::string& what, const std::string& remedy = {}) {
    return Error{ErrorCode::kMalformed, what, path, remedy};
  };
  Value* at = &root;
  const std::vector<std::string> steps = split_path(path);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string& step = steps[i];
    if (step.empty()) return wrong("`" + path + "` is no path", "write for example `committee.n`");
    if (at->is_list()) {
      std::size_t index = 0;
      const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
      if (error != std::errc{} || end != step.data() + step.size() || index >= at->items().size()) {
        return wrong("`" + step + "` is no index of a list of " +
                     std::to_string(at->items().size()));
      }
      at = &at->item(index);
    } else if (at->is_null() && step.find_first_not_of("0123456789") == step.npos) {
      return wrong("there is no list in which to look for `" + step + "`", "set the whole list");
    } else if (at->is_object() || at->is_null()) {
      if (at->find(step) == nullptr) at->set(step, Value().at(value.place()));
      at = at->find(step);
    } else {
      return wrong("there is " + called(*at) + " where `" + step + "` should be looked for");
    }
  }
  *at = std::move(value);
  return Unit{};
}

}  // namespace thresher::sim
