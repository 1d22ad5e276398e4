#include <algorithm>
#include <map>
#include <optional>
#include <queue>

#include "thresher/core/names.hpp"
#include "thresher/text/json.hpp"
#include "thresher/verify/history/history.hpp"

namespace thresher::history {
namespace {

constexpr std::size_t kMostProblems = 20;

/// One line, before names have numbers.
struct Line {
  std::uint32_t number = 0;
  // Where in it the members begin of which a complaint may be; columns count from 1.
  std::uint32_t id_column = 1;
  std::uint32_t begin_column = 1;
  std::uint32_t end_column = 1;
  std::uint32_t after_column = 1;
  Kind kind = Kind::kGet;
  std::string client, key, id;
  std::string value;  ///< as JSON writes it
  std::uint64_t begin = 0;
  std::uint64_t end = kNever;
  std::vector<std::string> after;

  bool returned() const { return end != kNever; }
};

class FileReader {
 public:
  explicit FileReader(const std::string& file) : file_(file) {}

  Result<History, Errors> read(std::string_view content) {
    std::uint32_t number = 0;
    while (!content.empty() && problems_.size() < kMostProblems) {
      const auto end = std::min(content.find('\n'), content.size());
      std::string_view row = content.substr(0, end);
      content.remove_prefix(std::min(end + 1, content.size()));
      ++number;
      if (!row.empty() && row.back() == '\r') row.remove_suffix(1);
      if (row.find_first_not_of(" \t") == std::string_view::npos) continue;
      read_line(row, number);
    }
    if (problems_.empty() && lines_.empty()) {
      problems_.push_back({ErrorCode::kMalformed, "'" + file_ + "' holds no operation", file_,
                           std::string("give one a line, like ") + kSample});
    }
    if (problems_.empty()) check_sessions();
    if (problems_.empty()) check_dependencies();
    if (!problems_.empty()) return std::move(problems_);
    return numbered();
  }

 private:
  static constexpr const char* kSample =
      R"({"client":"c0","op":"put","key":"x","value":"1","begin":10,"end":25})";

  void complain(std::uint32_t line, std::uint32_t column, const std::string& what,
                const std::string& remedy = {}) {
    if (problems_.size() == kMostProblems) return;
    const std::string place = ":" + text::to_string({line, column});
    problems_.push_back(
        {ErrorCode::kMalformed, "'" + file_ + "'" + place + ": " + what, file_ + place, remedy});
  }

  void read_line(std::string_view row, std::uint32_t number) {
    const auto tree = text::parse(row);
    if (!tree) {
      const text::Problem& first = tree.error().front();
      return complain(number, first.place.column, first.what);
    }
    const std::uint32_t column = tree->place().column;
    if (!tree->is_object()) {
      return complain(number, column, std::string("an operation is an object, like ") + kSample);
    }
    const std::size_t before = problems_.size();
    Line line;
    line.number = number;
    for (const text::Member& m : tree->members()) read_member(m, line);
    require(*tree, line);
    if (problems_.size() != before) return;
    if (line.kind == Kind::kGet && !line.returned()) line.value = "null";
    if (!line.id.empty() && !by_id_.emplace(line.id, lines_.size()).second) {
      return complain(number, line.id_column,
                      "the id '" + line.id + "' stands at line " +
                          std::to_string(lines_[by_id_[line.id]].number) + " already");
    }
    lines_.push_back(std::move(line));
  }

  void read_member(const text::Member& m, Line& line) {
    const std::uint32_t column = m.value.place().column;
    const auto name = [&](std::string& out) {
      const std::string* text = m.value.as_text();
      if (text == nullptr || text->empty()) {
        return complain(line.number, column, "'" + m.key + "' must be a string that is not empty");
      }
      out = *text;
    };
    const auto time = [&](std::uint64_t& out) {
      const auto at = m.value.as_unsigned();
      if (!at || *at == kNever) {
        return complain(line.number, column,
                        "'" + m.key + "' is a whole number that is not negative");
      }
      out = *at;
    };
    if (m.key == "client") return name(line.client);
    if (m.key == "key") return name(line.key);
    if (m.key == "id") line.id_column = column;
    if (m.key == "begin") line.begin_column = column;
    if (m.key == "end") line.end_column = column;
    if (m.key == "after") line.after_column = column;
    if (m.key == "id") return name(line.id);
    if (m.key == "begin") return time(line.begin);
    if (m.key == "end") return m.value.is_null() ? void() : time(line.end);
    if (m.key == "op") return read_op(m.value, line);
    if (m.key == "after") return read_after(m.value, line);
    if (m.key != "value") {
      const Error odd =
          unknown("key", m.key, {"client", "op", "key", "value", "begin", "end", "id", "after"});
      return complain(line.number, m.place.column, odd.what, odd.remedy);
    }
    if (m.value.is_list() || m.value.is_object()) {
      return complain(line.number, column,
                      "'value' must be a string, a number, true, false or null");
    }
    // Two that round to the same would be one value, and 1e2 another than 100.
    if (m.value.is_number() && !m.value.as_unsigned() && !m.value.as_signed()) {
      return complain(
          line.number, column,
          "'value' is a number that cannot be compared exactly: only whole numbers from "
          "-2^63 to 2^64-1 without point and exponent can",
          "write it as a string, in quotes");
    }
    line.value = text::write(m.value);
  }

  void read_op(const text::Value& value, Line& line) {
    const std::string* op = value.as_text();
    if (op == nullptr || (*op != "put" && *op != "get")) {
      return complain(line.number, value.place().column, "'op' is \"put\" or \"get\"");
    }
    line.kind = *op == "put" ? Kind::kPut : Kind::kGet;
  }

  void read_after(const text::Value& value, Line& line) {
    bool names = value.is_list();
    for (const text::Value& item : value.items()) {
      names = names && item.as_text() != nullptr;
      if (names) line.after.push_back(*item.as_text());
    }
    if (!names) complain(line.number, value.place().column, "'after' is a list of ids");
  }

  void require(const text::Value& tree, const Line& line) {
    const std::uint32_t column = tree.place().column;
    for (const char* key : {"client", "op", "key", "begin"}) {
      if (tree.find(key) == nullptr)
        complain(line.number, column, std::string("'") + key + "' is missing");
    }
    if (tree.find("value") == nullptr && (line.kind == Kind::kPut || line.returned())) {
      complain(line.number, column, "'value' is missing", "null stands for nothing");
    }
    if (line.end < line.begin) {
      complain(line.number, line.end_column,
               "it ends at " + std::to_string(line.end) + ", before it begins at " +
                   std::to_string(line.begin));
    }
  }

  // A client is one thread of control: what it begins, it has finished what it began before.
  void check_sessions() {
    std::stable_sort(lines_.begin(), lines_.end(), [](const Line& a, const Line& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    by_id_.clear();
    std::map<std::string, const Line*> last;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const Line& line = lines_[i];
      if (!line.id.empty()) by_id_[line.id] = i;
      const Line* before = std::exchange(last[line.client], &line);
      if (before == nullptr) continue;
      previous_[i] = static_cast<std::size_t>(before - lines_.data());
      if (before->end <= line.begin) continue;
      complain(line.number, line.begin_column,
               "client '" + line.client + "' begins at " + std::to_string(line.begin) +
                   " while its operation of line " + std::to_string(before->number) +
                   (before->returned() ? " is open until " + std::to_string(before->end)
                                       : " never ended"),
               "operations of one client follow each other");
    }
  }

  void check_dependencies() {
    for (const Line& line : lines_) {
      for (const std::string& id : line.after) {
        const auto it = by_id_.find(id);
        if (it == by_id_.end()) {
          complain(line.number, line.after_column,
                   "there is no operation with the id '" + id + "'");
          continue;
        }
        const Line& other = lines_[it->second];
        if (other.kind == Kind::kGet && !other.returned()) {
          complain(line.number, line.after_column,
                   "it is after '" + id + "' of line " + std::to_string(other.number) +
                       ", a get that never returned");
        } else if (line.end < other.begin) {
          complain(line.number, line.after_column,
                   "it is after '" + id + "' of line " + std::to_string(other.number) +
                       ", which began when it had ended");
        }
      }
    }
    if (problems_.empty()) check_cycles();
  }

  std::vector<std::size_t> before(std::size_t i) const {
    std::vector<std::size_t> out;
    if (const auto it = previous_.find(i); it != previous_.end()) out.push_back(it->second);
    for (const std::string& id : lines_[i].after) out.push_back(by_id_.at(id));
    return out;
  }

  // Takes away what depends on nothing, over and over: what is left stands on a cycle or after one.
  void check_cycles() {
    std::vector<std::vector<std::size_t>> next(lines_.size());
    std::vector<std::size_t> open(lines_.size());
    std::queue<std::size_t> free;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      for (const std::size_t b : before(i)) next[b].push_back(i);
      open[i] = before(i).size();
      if (open[i] == 0) free.push(i);
    }
    for (; !free.empty(); free.pop()) {
      for (const std::size_t n : next[free.front()]) {
        if (--open[n] == 0) free.push(n);
      }
    }
    const auto stuck = std::find_if(open.begin(), open.end(), [](std::size_t n) { return n > 0; });
    if (stuck == open.end()) return;
    // From one that is left backwards, each step to one that is left: it must meet itself.
    std::vector<std::size_t> way{static_cast<std::size_t>(stuck - open.begin())};
    for (;;) {
      const auto from = before(way.back());
      const std::size_t back =
          *std::find_if(from.begin(), from.end(), [&](std::size_t b) { return open[b] > 0; });
      const auto met = std::find(way.begin(), way.end(), back);
      if (met == way.end()) {
        way.push_back(back);
        continue;
      }
      std::string ring;
      for (auto it = met; it != way.end(); ++it) {
        ring += std::to_string(lines_[*it].number) + " after ";
      }
      return complain(lines_[*met].number, lines_[*met].after_column,
                      "operations depend on themselves: line " + ring + "line " +
                          std::to_string(lines_[*met].number));
    }
  }

  static std::uint32_t number_of(const std::string& name, std::map<std::string, std::uint32_t>& of,
                                 std::vector<std::string>& names) {
    const auto [it, fresh] = of.emplace(name, static_cast<std::uint32_t>(names.size()));
    if (fresh) names.push_back(name);
    return it->second;
  }

  History numbered() const {
    History out;
    std::map<std::string, std::uint32_t> clients, keys;
    for (const Line& line : lines_) number_of(line.key, keys, out.keys);
    out.values.assign(out.keys.size(), "null");
    std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> versions;
    for (std::uint32_t key = 0; key < out.keys.size(); ++key) versions[{key, "null"}] = key;
    std::map<std::size_t, std::uint32_t> place;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const Line& line = lines_[i];
      if (line.kind == Kind::kGet && !line.returned()) continue;
      place[i] = static_cast<std::uint32_t>(out.operations.size());
      Operation op;
      op.kind = line.kind;
      op.begin = line.begin;
      op.end = line.end;
      op.line = line.number;
      op.client = number_of(line.client, clients, out.clients);
      op.key = keys.at(line.key);
      const auto [it, fresh] = versions.emplace(std::pair(op.key, line.value),
                                                static_cast<std::uint32_t>(out.values.size()));
      if (fresh) out.values.push_back(line.value);
      op.version = it->second;
      out.operations.push_back(std::move(op));
    }
    for (const auto& [line, index] : place) {
      for (const std::string& id : lines_[line].after) {
        out.operations[index].after.push_back(place.at(by_id_.at(id)));
      }
    }
    return out;
  }

  const std::string& file_;
  std::vector<Line> lines_;
  std::map<std::string, std::size_t> by_id_;
  std::map<std::size_t, std::size_t> previous_;  // of the same client
  Errors problems_;
};

}  // namespace

Result<History, Errors> read(std::string_view content, const std::string& file) {
  return FileReader(file).read(content);
}

std::string show(const History& history, const Operation& op) {
  const bool put = op.kind == Kind::kPut;
  return "line " + std::to_string(op.line) + " (" + history.clients[op.client] + ": " +
         (put ? "put " : "get ") + history.keys[op.key] + (put ? " = " : " -> ") +
         history.values[op.version] + ")";
}

}  // namespace thresher::history
