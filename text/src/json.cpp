#include "thresher/text/json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>

namespace thresher::text {
namespace {

constexpr std::size_t kMostProblems = 100;

// The line of the last character read. A number ends only with the character after it, which may
// be the line's end: so a line end counts for the character that follows it.
struct Place {
  std::uint32_t line = 1;
  bool after_end = false;
};

class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, Place* place) : at_(at), place_(place) {}
  const char& operator*() const { return *at_; }
  CountingIterator& operator++() {
    if (place_->after_end) ++place_->line;
    place_->after_end = *at_ == '\n';
    ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator old = *this;
    ++*this;
    return old;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) {
    return a.at_ == b.at_;
  }
  friend bool operator!=(const CountingIterator& a, const CountingIterator& b) { return !(a == b); }

 private:
  const char* at_;
  Place* place_;
};

// Comment lines become blank: the other lines keep their numbers.
std::string without_comments(std::string_view content) {
  std::string out(content);
  std::size_t begin = 0;
  while (begin < out.size()) {
    const std::size_t end = std::min(out.find('\n', begin), out.size());
    const std::size_t first = out.find_first_not_of(" \t", begin);
    if (first < end && out.compare(first, 2, "//") == 0) {
      std::fill(out.begin() + static_cast<std::ptrdiff_t>(first),
                out.begin() + static_cast<std::ptrdiff_t>(end), ' ');
    }
    begin = end + 1;
  }
  return out;
}

// Builds the tree from what the scanner reports.
class Builder {
 public:
  using Strings = std::string&;
  Builder(const Place& place, std::uint32_t depth) : place_(place), depth_(depth) {}

  bool null() { return add(Value()); }
  bool boolean(bool truth) { return add(Value(truth)); }
  bool number_integer(std::int64_t number) { return add(Value(number)); }
  bool number_unsigned(std::uint64_t number) { return add(Value(number)); }
  bool number_float(double number, const std::string&) { return add(Value(number)); }
  bool string(Strings text) { return add(Value(std::move(text))); }
  bool binary(std::vector<std::uint8_t>&) { return false; }
  bool start_object(std::size_t) { return open(Value::object()); }
  bool start_array(std::size_t) { return open(Value::list()); }
  bool key(Strings name) {
    keys_.push_back({std::move(name), Value(), place_.line});
    return true;
  }
  bool end_object() {
    report_twins(open_.back());
    return close();
  }
  bool end_array() { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) {
    std::string what = error.what();
    // The scanner puts its own tag and position in front; the line is said already.
    if (const auto at = what.find(": "); at != std::string::npos) what.erase(0, at + 2);
    problems_.push_back({place_.line, "this is no JSON: " + what});
    return false;
  }

  Value take() { return std::move(root_); }
  std::vector<Problem>& problems() { return problems_; }

 private:
  bool open(Value value) {
    if (open_.size() == depth_) {
      problems_.push_back(
          {place_.line, "the nesting is deeper than " + std::to_string(depth_) + " levels"});
      return false;
    }
    open_.push_back(std::move(value.at_line(place_.line)));
    return true;
  }
  bool close() {
    Value done = std::move(open_.back());
    open_.pop_back();
    const std::uint32_t line = done.line();
    return add(std::move(done), line);
  }
  bool add(Value value) { return add(std::move(value), place_.line); }
  bool add(Value value, std::uint32_t line) {
    value.at_line(line);
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().is_list()) {
      open_.back().push(std::move(value));
    } else {
      Member member = std::move(keys_.back());
      keys_.pop_back();
      member.value = std::move(value);
      open_.back().append(std::move(member));
    }
    return true;
  }
  void report_twins(const Value& object) {
    std::vector<const Member*> sorted;
    for (const Member& member : object.members()) sorted.push_back(&member);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Member* a, const Member* b) { return a->key < b->key; });
    for (std::size_t i = 1; i < sorted.size() && problems_.size() < kMostProblems; ++i) {
      if (sorted[i]->key != sorted[i - 1]->key) continue;
      problems_.push_back({sorted[i]->line, "the key " + text::quoted(sorted[i]->key) +
                                                " stands twice, first in line " +
                                                std::to_string(sorted[i - 1]->line) +
                                                "; remove one of them"});
    }
  }

  const Place& place_;
  std::uint32_t depth_;
  std::vector<Value> open_;
  std::vector<Member> keys_;
  std::vector<Problem> problems_;
  Value root_;
};

void write_real(double number, std::string& out) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number);
  const std::string_view shortest(digits, static_cast<std::size_t>(end - digits));
  out += shortest;
  if (shortest.find_first_of(".e") == std::string_view::npos) out += ".0";
}

class Printer {
 public:
  explicit Printer(int indent) : indent_(indent) {}

  void print(const Value& v) {
    if (v.is_list()) return block('[', ']', v.items(), [&](const Value& item) { print(item); });
    if (v.is_object()) {
      return block('{', '}', v.members(), [&](const Member& member) {
        out_ += text::quoted(member.key);
        out_ += indent_ < 0 ? ":" : ": ";
        print(member.value);
      });
    }
    if (const auto truth = v.as_truth()) {
      out_ += *truth ? "true" : "false";
    } else if (const auto whole = v.as_unsigned()) {
      out_ += std::to_string(*whole);
    } else if (const auto negative = v.as_signed()) {
      out_ += std::to_string(*negative);
    } else if (const auto real = v.as_real()) {
      write_real(*real, out_);
    } else if (const std::string* text = v.as_text()) {
      out_ += text::quoted(*text);
    } else {
      out_ += "null";
    }
  }
  std::string take() { return std::move(out_); }

 private:
  template <class Rows, class Print>
  void block(char open, char close, const Rows& rows, Print print_row) {
    out_ += open;
    ++depth_;
    bool first = true;
    for (const auto& row : rows) {
      if (!first) out_ += ',';
      first = false;
      new_line();
      print_row(row);
    }
    --depth_;
    if (!rows.empty()) new_line();
    out_ += close;
  }
  void new_line() {
    if (indent_ < 0) return;
    out_ += '\n';
    out_.append(static_cast<std::size_t>(indent_) * depth_, ' ');
  }

  int indent_;
  std::size_t depth_ = 0;
  std::string out_;
};

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

}  // namespace

Result<Value, std::vector<Problem>> parse(std::string_view content, const Limits& limits) {
  if (content.size() > limits.bytes) {
    return std::vector<Problem>{{0, std::to_string(content.size()) + " bytes are more than the " +
                                        std::to_string(limits.bytes) + " that are read"}};
  }
  const std::string clean = without_comments(content);
  Place place;
  Builder builder(place, limits.depth);
  const CountingIterator first(clean.data(), &place);
  const CountingIterator last(clean.data() + clean.size(), &place);
  const bool whole = nlohmann::json::sax_parse(first, last, &builder);
  if (!whole && builder.problems().empty()) {
    builder.problems().push_back({place.line, "this is no JSON"});
  }
  if (!builder.problems().empty()) return std::move(builder.problems());
  return builder.take();
}

std::string write(const Value& value, int indent) {
  Printer printer(indent);
  printer.print(value);
  return printer.take();
}

std::string quoted(std::string_view text) {
  if (is_plain(text)) return '"' + std::string(text) + '"';
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace thresher::text
