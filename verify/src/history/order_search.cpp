#include "order_search.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace thresher::history {

OrderSearch::OrderSearch(const History& history, std::vector<Operation> chosen,
                         Precedence precedence, std::uint64_t states)
    : ops_(std::move(chosen)),
      precedence_(precedence),
      most_states_(states),
      is_placed_(ops_.size()),
      holds_(history.keys.size()),
      waiting_(history.values.size()),
      coming_(history.values.size()) {
  std::iota(holds_.begin(), holds_.end(), 0);  // version k is nothing under key k
  std::map<std::uint32_t, std::size_t> chain_of;
  for (std::uint32_t i = 0; i < ops_.size(); ++i) {
    const auto [it, fresh] = chain_of.emplace(ops_[i].client, chains_.size());
    if (fresh) chains_.emplace_back();
    chains_[it->second].push_back(i);
    ++(ops_[i].kind == Kind::kGet ? waiting_ : coming_)[ops_[i].version];
  }
  at_.assign(chains_.size(), 0);
  for (std::uint32_t c = 0; c < chains_.size(); ++c) ends_.emplace(head(c)->end, c);
}

Holds OrderSearch::run() {
  std::vector<Frame> frames(1);
  place_free_gets();
  open_frame(frames.back());
  while (!frames.empty()) {
    if (path_.size() == ops_.size()) return Holds::kYes;
    if (seen_.size() > most_states_) return Holds::kUnknown;
    Frame& frame = frames.back();
    if (frame.next_turn == frame.candidates.size()) {
      undo(frame.path);
      frames.pop_back();
      continue;
    }
    Frame next{.path = path_.size()};
    place(frame.candidates[frame.next_turn++]);
    place_free_gets();
    if (!seen_.insert(print_).second) {
      undo(next.path);
      continue;
    }
    open_frame(next);
    frames.push_back(std::move(next));
  }
  return Holds::kNo;
}

const Operation* OrderSearch::head(std::size_t chain) const {
  return at_[chain] == chains_[chain].size() ? nullptr : &ops_[chains_[chain][at_[chain]]];
}

// A chain's later operations end after its head does, so heads stand for all that is not placed.
bool OrderSearch::free(const Operation& op, std::uint32_t chain) const {
  const auto placed = [&](std::uint32_t other) { return is_placed_[other] != 0; };
  if (!std::all_of(op.after.begin(), op.after.end(), placed)) return false;
  if (precedence_ == Precedence::kSession) return true;
  auto first = ends_.begin();
  if (first != ends_.end() && first->second == chain) ++first;
  return first == ends_.end() || first->first >= op.begin;
}

bool OrderSearch::loses(const Operation& put) const {
  const std::uint32_t held = holds_[put.key];
  return held != put.version && waiting_[held] > 0 && coming_[held] == 0;
}

void OrderSearch::toggle(std::uint64_t what, std::uint64_t value) {
  print_.a ^= mix64(what ^ mix64(value));
  print_.b ^= mix64(value ^ mix64(~what));
}

void OrderSearch::advance(std::uint32_t chain, std::size_t to) {
  constexpr std::uint64_t kChain = std::uint64_t{1} << 40;
  toggle(kChain + chain, at_[chain]);
  toggle(kChain + chain, to);
  if (const Operation* op = head(chain)) ends_.erase({op->end, chain});
  at_[chain] = to;
  if (const Operation* op = head(chain)) ends_.emplace(op->end, chain);
}

void OrderSearch::hold(std::uint32_t key, std::uint32_t version) {
  toggle(key, holds_[key]);
  toggle(key, version);
  holds_[key] = version;
}

void OrderSearch::place(std::uint32_t chain) {
  const std::uint32_t index = chains_[chain][at_[chain]];
  const Operation& op = ops_[index];
  path_.push_back({index, chain, holds_[op.key]});
  is_placed_[index] = 1;
  advance(chain, at_[chain] + 1);
  --(op.kind == Kind::kGet ? waiting_ : coming_)[op.version];
  if (op.kind == Kind::kPut) hold(op.key, op.version);
}

void OrderSearch::undo(std::size_t length) {
  for (; path_.size() > length; path_.pop_back()) {
    const Placed& last = path_.back();
    const Operation& op = ops_[last.op];
    is_placed_[last.op] = 0;
    advance(last.chain, at_[last.chain] - 1);
    ++(op.kind == Kind::kGet ? waiting_ : coming_)[op.version];
    if (op.kind == Kind::kPut) hold(op.key, last.held);
  }
}

void OrderSearch::place_free_gets() {
  for (bool any = true; any;) {
    any = false;
    for (std::uint32_t chain = 0; chain < chains_.size(); ++chain) {
      for (const Operation* op = head(chain); op != nullptr && op->kind == Kind::kGet &&
                                              holds_[op->key] == op->version && free(*op, chain);
           op = head(chain)) {
        place(chain);
        any = true;
      }
    }
  }
}

// The operation that ended first is tried first: it is the likeliest to have come first.
void OrderSearch::open_frame(Frame& frame) {
  for (std::uint32_t chain = 0; chain < chains_.size(); ++chain) {
    const Operation* op = head(chain);
    if (op == nullptr || op->kind == Kind::kGet || loses(*op) || !free(*op, chain)) continue;
    frame.candidates.push_back(chain);
  }
  std::stable_sort(frame.candidates.begin(), frame.candidates.end(),
                   [&](auto a, auto b) { return head(a)->end < head(b)->end; });
}

}  // namespace thresher::history
