// The questions of one kind that a member asked, and their answers. Private to net/.
//
//   Answers<bool> bits(32);
//   if (std::string problem = bits.problem(question); !problem.empty()) return problem;
//   std::future<bool> answer = bits.ask(question);
//   bits.take(question, true);                      // the agreement decided
//   bits.floor();                                   // below, nothing is kept
//
// Guarantees: an answer is given once, whether it came before the question or after. At most
// `window` answers are kept. Not for several threads.
#pragma once

#include <cstdint>
#include <future>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace thresher::net {

/// Numbers of questions lie below. An agreement numbers what it decides by question and member, and
/// its coins by that and the round: beyond 64 bits one question would get the coins of another.
inline constexpr std::uint64_t kQuestions = std::uint64_t{1} << 40;

/// Why no question has this number; empty: one may.
inline std::string no_question(std::uint64_t number) {
  if (number < kQuestions) return {};
  return "question " + std::to_string(number) +
         " can never be decided: numbers lie below 2^40 = " + std::to_string(kQuestions) +
         ", since coins are numbered by question, member and round together. Number questions from "
         "0 without gaps; a channel of another name, with another folder, begins at 0 again";
}

template <class Answer>
class Answers {
 public:
  explicit Answers(std::uint64_t window) : half_(window / 2) {}

  /// Why the question cannot be asked now; empty: it can.
  std::string problem(std::uint64_t question) const {
    if (std::string never = no_question(question); !never.empty()) return never;
    const std::string name = "question " + std::to_string(question);
    if (question < first_ && !answers_.contains(question))
      return name + " is over and its answer kept no more; the next one is " +
             std::to_string(first_);
    if (question >= first_ + half_)
      return name + " is too far ahead: " + std::to_string(first_) +
             " has no answer yet. Wait for that, or join with a larger window at every member";
    if (waiting_.contains(question) || given_.contains(question))
      return name + " was asked before; keep its future";
    return {};
  }
  /// Pre: problem(question) is empty.
  std::future<Answer> ask(std::uint64_t question) {
    std::promise<Answer> promise;
    auto out = promise.get_future();
    const auto known = answers_.find(question);
    if (known != answers_.end()) {
      promise.set_value(known->second);
      given_.insert(question);
    } else {
      waiting_.emplace(question, std::move(promise));
    }
    return out;
  }
  void take(std::uint64_t question, Answer answer) {
    if (question < floor() || answers_.contains(question)) return;
    if (auto asked = waiting_.extract(question)) {
      asked.mapped().set_value(answer);
      given_.insert(question);
    }
    answers_.emplace(question, std::move(answer));
    ++count_;
    while (answers_.contains(first_)) ++first_;
    forget();
  }
  /// Questions below have answers or matter no more.
  void begin_at(std::uint64_t question) {
    if (question <= first_) return;
    first_ = question;
    while (answers_.contains(first_)) ++first_;
    waiting_.erase(waiting_.begin(), waiting_.lower_bound(question));
    forget();
  }
  /// Nothing below is kept.
  std::uint64_t floor() const { return first_ > half_ ? first_ - half_ : 0; }
  std::uint64_t count() const { return count_; }

 private:
  void forget() {
    answers_.erase(answers_.begin(), answers_.lower_bound(floor()));
    given_.erase(given_.begin(), given_.lower_bound(floor()));
  }

  std::uint64_t half_;
  std::uint64_t first_ = 0;  // without an answer
  std::uint64_t count_ = 0;
  std::map<std::uint64_t, Answer> answers_;
  std::map<std::uint64_t, std::promise<Answer>> waiting_;
  std::set<std::uint64_t> given_;  // whose future has its answer
};

}  // namespace thresher::net
