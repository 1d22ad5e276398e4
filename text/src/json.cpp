#include "thresher/text/json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "plain_words.hpp"

namespace thresher::text {
namespace {

constexpr std::size_t kMostProblems = 100;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Follows the characters as the scanner reads them. It reads one character beyond a number, which
// may be the line's end: so a line end counts for the character that follows it.
class Cursor {
 public:
  void read(char c) {
    if (after_end_) last_ = {last_.line + 1, 0};
    ++last_.column;
    after_end_ = c == '\n';
    if (in_text_) {
      in_text_ = escaped_ || c != '"';
      escaped_ = !escaped_ && c == '\\';
      return;
    }
    const bool word = std::string_view(" \t\r\n{}[],:").find(c) == std::string_view::npos;
    if (word && !in_word_) scalar_ = last_;
    in_text_ = c == '"';
    in_word_ = word && !in_text_;
  }
  /// The place of the last character read; when an object or a list opens, that is its own.
  const Place& last() const { return last_; }
  /// Where the latest text, number or word began.
  const Place& scalar() const { return scalar_; }

 private:
  Place last_{1, 0};
  Place scalar_{1, 1};
  bool after_end_ = false;
  bool in_text_ = false;
  bool escaped_ = false;
  bool in_word_ = false;
};

class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, Cursor* cursor) : at_(at), cursor_(cursor) {}
  const char& operator*() const { return *at_; }
  CountingIterator& operator++() {
    cursor_->read(*at_++);
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
  Cursor* cursor_;
};

// Comment lines become blank, as does the mark of UTF-8 that some editors begin a file with: the
// other lines keep their numbers, and what stands in them its column.
std::string without_comments(std::string_view content) {
  std::string out(content);
  if (out.starts_with(kByteOrderMark)) out.replace(0, kByteOrderMark.size(), 3, ' ');
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
  Builder(const Cursor& cursor, std::uint32_t depth) : cursor_(cursor), depth_(depth) {}

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
    keys_.push_back({std::move(name), Value(), cursor_.scalar()});
    return true;
  }
  bool end_object() {
    report_twins(open_.back());
    return close();
  }
  bool end_array() { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) {
    problems_.push_back({cursor_.last(), "invalid JSON: " + in_plain_words(error.what())});
    return false;
  }

  Value take() { return std::move(root_); }
  std::vector<Problem>& problems() { return problems_; }

 private:
  bool open(Value value) {
    if (open_.size() == depth_) {
      problems_.push_back(
          {cursor_.last(), "the nesting is deeper than " + std::to_string(depth_) + " levels"});
      return false;
    }
    open_.push_back(std::move(value.at(cursor_.last())));
    return true;
  }
  bool close() {
    Value done = std::move(open_.back());
    open_.pop_back();
    const Place place = done.place();
    return add(std::move(done), place);
  }
  bool add(Value value) { return add(std::move(value), cursor_.scalar()); }
  bool add(Value value, const Place& place) {
    value.at(place);
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
      problems_.push_back({sorted[i]->place, "the key " + text::quoted(sorted[i]->key) +
                                                 " stands twice, first in line " +
                                                 std::to_string(sorted[i - 1]->place.line) +
                                                 "; remove one of them"});
    }
  }

  const Cursor& cursor_;
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

// The scanner takes a byte 0 for the end of the text and would not look at what follows.
std::optional<Problem> zero_byte(std::string_view content) {
  const std::size_t at = content.find('\0');
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view before = content.substr(0, at);
  const auto line = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n') + 1);
  const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return Problem{{line, static_cast<std::uint32_t>(at - begin + 1)},
                 "invalid JSON: found a byte 0, which no text holds; the file is damaged, "
                 "cut by a crash, or not in UTF-8"};
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

// Whether a terminal would obey it, or break the line there: DEL, U+0080 to U+009F, the marks that
// turn the direction, and the separators of lines and paragraphs.
bool acts_on_terminals(std::string_view text) {
  const auto at = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (at(i) == 0x7f || (at(i) == 0xc2 && at(i + 1) < 0xa0)) return true;
    if (at(i) != 0xe2) continue;
    const unsigned last = at(i + 2);
    if (at(i + 1) == 0x80 && (last == 0x8e || last == 0x8f || (last >= 0xa8 && last <= 0xae)))
      return true;
    if (at(i + 1) == 0x81 && last >= 0xa6 && last <= 0xa9) return true;
  }
  return false;
}

}  // namespace

Result<Value, std::vector<Problem>> parse(std::string_view content, const Limits& limits) {
  if (content.size() > limits.bytes) {
    return std::vector<Problem>{{{},
                                 std::to_string(content.size()) + " bytes are more than the " +
                                     std::to_string(limits.bytes) + " that are read"}};
  }
  if (auto zero = zero_byte(content)) return std::vector<Problem>{std::move(*zero)};
  const std::string clean = without_comments(content);
  if (is_blank(clean)) {
    const char* what = is_blank(content) ? "nothing" : "nothing but a comment";
    return std::vector<Problem>{{{1, 1}, std::string("invalid JSON: there is ") + what + " in it"}};
  }
  Cursor cursor;
  Builder builder(cursor, limits.depth);
  const CountingIterator first(clean.data(), &cursor);
  const CountingIterator last(clean.data() + clean.size(), &cursor);
  const bool whole = nlohmann::json::sax_parse(first, last, &builder);
  if (!whole && builder.problems().empty()) {
    builder.problems().push_back({cursor.last(), "invalid JSON"});
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
  return nlohmann::json(text).dump(-1, ' ', acts_on_terminals(text),
                                   nlohmann::json::error_handler_t::replace);
}

}  // namespace thresher::text
