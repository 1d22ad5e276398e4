// Questions of a client for the application.
#include <algorithm>
#include <utility>

#include "client/client_impl.hpp"

namespace thresher::net {
namespace {

/// Until nodes whose answers differ are asked again: their states move. Unit: microseconds.
constexpr std::uint64_t kAskAgain = 50'000;

Answer no_answer(const std::string& why) {
  return {true, Bytes::copy_of(as_view(why)), 0};
}

}  // namespace

void Client::Impl::take(Question question) {
  if (question.text.size() > kMostQuestion) {
    return question.done(no_answer("the question has " + std::to_string(question.text.size()) +
                                   " bytes, and no node takes more than " +
                                   std::to_string(kMostQuestion)));
  }
  if (question.words == Words::kQuorum && options.node) {
    return question.done(
        no_answer("this client speaks to one node alone, and the words of f+1 were asked for: open "
                  "it without ClientOptions::node"));
  }
  if (question.words == Words::kProof) {
    return question.done(
        no_answer("an application's answer to a question has no proof: ask for the words of f+1"));
  }
  if (question.words == Words::kQuorum) want_all();
  const std::uint64_t id = next_question++;
  const Question& kept = questions.emplace(id, std::move(question)).first->second;
  for (std::size_t to = 0; to < links.size(); ++to) {
    if (links[to].welcome) send(to, id, kept);
  }
}

void Client::Impl::send_questions(std::size_t to) {
  for (const auto& [id, question] : questions) {
    if (!question.said.contains(to)) send(to, id, question);
  }
}

void Client::Impl::send(std::size_t to, std::uint64_t id, const Question& question) {
  if (question.words == Words::kOne && to != node) return;
  (void)send(to, {kQuery, wire::encode(wire::Query{id, question.length}), question.text});
}

void Client::Impl::answered(std::size_t from, const Frame& f) {
  const auto in = wire::decode<wire::QueryReply>(f.control.view());
  if (!in) return;
  const auto it = questions.find(in->id);
  if (it == questions.end() || (in->length < it->second.length && !in->failed)) return;
  Question& question = it->second;
  const Answer answer{in->failed, f.payload, in->length};
  const auto end_with = [&](const Answer& a) {
    const auto done = questions.extract(it);
    done.mapped().done(a);
  };
  if (question.words == Words::kOne) return end_with(answer);
  question.said[from] = answer;
  std::size_t same = 0;
  Answer agreed = answer;
  for (const auto& [node_id, other] : question.said) {
    if (other.failed != answer.failed || !(other.bytes == answer.bytes)) continue;
    ++same;
    agreed.length = std::min(agreed.length, other.length);
  }
  if (same >= quorum_of_words()) return end_with(agreed);
  // Not until all have answered: f of them may be silent for ever.
  const auto up = static_cast<std::size_t>(
      std::count_if(links.begin(), links.end(), [](const Link& l) { return l.welcome; }));
  if (question.said.size() >= std::min(up, links.size() - genesis.f)) ask_again(it);
}

// A round of its own: what nodes still answer to the one before does not count in it.
void Client::Impl::ask_again(Questions::iterator it) {
  loop.call_after(kAskAgain, [this, id = it->first] {
    auto before = questions.extract(id);
    if (!before) return;
    before.mapped().said.clear();
    before.key() = next_question++;
    const auto now = questions.insert(std::move(before)).position;
    for (std::size_t to = 0; to < links.size(); ++to) {
      if (links[to].welcome) send(to, now->first, now->second);
    }
  });
}

void Client::Impl::tick_questions(std::uint64_t now) {
  for (auto it = questions.begin(); it != questions.end();) {
    const auto late = it++;
    if (late->second.deadline_us > now) continue;
    std::string why = "no answer in time";
    if (!late->second.said.empty()) {
      why += ": " + std::to_string(late->second.said.size()) + " nodes answered, and no " +
             std::to_string(quorum_of_words()) + " of them alike";
    } else if (!problem.empty()) {
      why += " (" + problem + ")";
    }
    const auto done = questions.extract(late);
    done.mapped().done(no_answer(why));
  }
}

}  // namespace thresher::net
