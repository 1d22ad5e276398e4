// Views of a hostile run for the proved rule: what an observer may hold and accept of all blocks
// that were ever signed, once as the committer's store and once as text for the oracle made from
// the proof.
//
//   ViewsOf views(blocks, committee, rules, Prng(seed));
//   const View view = views.draw();               // a window of rounds, some blocks held, some
//   accepted in << view.text;  view.decisions              // what dag::decide says, as the oracle
//   prints it
//
// Guarantees: held blocks were signed in the run; the accepted ones are closed under edges above
// the window's floor and their claims have evidence among the held ones, so the view is one of the
// theorem's (Model.v, valid_view). Does not judge blocks: whatever the arena signed may be held.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "committer.hpp"
#include "schedule.hpp"
#include "store.hpp"
#include "thresher/core/prng.hpp"

namespace thresher {

struct View {
  std::string text;       ///< a case of verify/proofs/oracle.ml
  std::string decisions;  ///< of dag::decide, in the oracle's words
};

class ViewsOf {
 public:
  /// `rules` are those of the committer under test; the oracle gets the thresholds of `lawful`.
  ViewsOf(std::vector<dag::BlockPtr> blocks, const Committee& committee, const dag::Rules& rules,
          const dag::Rules& lawful, Prng random)
      : blocks_(std::move(blocks)),
        committee_(committee),
        rules_(rules),
        lawful_(lawful),
        random_(random) {
    std::stable_sort(blocks_.begin(), blocks_.end(), [](const auto& a, const auto& b) {
      return std::pair(a->round(), a->author()) < std::pair(b->round(), b->author());
    });
  }

  View draw() {
    choose();
    dag::Store store(committee_, rules_);
    store.raise_floor(floor_, [](const dag::Entry&) {});
    for (const dag::BlockPtr& b : window_) {
      const dag::Header& h = b->header;
      if (held_.contains(b->digest)) {
        store.insert(b, h.vote ? std::optional(dag::voted(h, committee_)) : std::nullopt);
      }
    }
    accept(store);
    View view;
    view.decisions = decisions(store);
    view.text = text(store);
    return view;
  }

 private:
  static constexpr std::uint64_t kWindow = 14;  // rounds: long enough for chains of undecided slots

  // A window of rounds, and which of its blocks are held: all but some, or what a few tips refer
  // to.
  void choose() {
    const std::uint64_t top = blocks_.back()->round().value;
    const std::uint64_t last = top > 6 ? 6 + random_.below(top - 5) : top;
    floor_ = Round{last > kWindow ? last - kWindow : 0};
    window_.clear();
    number_.clear();
    held_.clear();
    const std::uint64_t kept_of_16 = 8 + random_.below(9);
    const bool by_history = random_.below(2) == 0;
    for (const dag::BlockPtr& b : blocks_) {
      if (b->round() <= floor_ || b->round().value > last) continue;
      number_[b->digest] = window_.size();
      window_.push_back(b);
      if (!by_history && random_.below(16) < kept_of_16) held_.insert(b->digest);
    }
    if (by_history) hold_histories(last);
  }

  void hold_histories(std::uint64_t last) {
    std::vector<const dag::Block*> todo;
    for (const dag::BlockPtr& b : window_) {
      if (b->round().value + 2 >= last && random_.below(2) == 0) todo.push_back(b.get());
    }
    while (!todo.empty()) {
      const dag::Block* b = todo.back();
      todo.pop_back();
      if (!held_.insert(b->digest).second) continue;
      dag::each_edge(*b, committee_, [&](const dag::Edge& e) {
        if (const auto it = number_.find(e.digest); it != number_.end()) {
          todo.push_back(window_[it->second].get());
        }
        return true;
      });
    }
  }

  // From the lowest round up; now and then a block that could be accepted is not yet.
  void accept(dag::Store& store) {
    const std::uint64_t late_of_16 = random_.below(3) == 0 ? random_.below(4) : 0;
    for (const dag::BlockPtr& b : window_) {
      if (!held_.contains(b->digest)) continue;
      dag::Entry& entry = *store.find({b->author(), b->round(), b->digest});
      if (store.first_unsettled(entry) || random_.below(16) < late_of_16) continue;
      if (b->header.claim) {
        const dag::Edge claim = dag::claimed(b->header, committee_);
        if (claim.round > floor_ && !store.has_evidence(claim.round, claim.digest)) continue;
      }
      store.accept(entry, std::nullopt);
    }
  }

  std::string decisions(const dag::Store& store) const {
    std::string out;
    const dag::Schedule schedule(committee_, rules_);
    for (const dag::Decision& d :
         dag::decide(store, committee_, schedule, rules_, Round{floor_.value + 1})) {
      if (!out.empty()) out += ' ';
      if (d.ruling == dag::Ruling::kUndecided) out += 'U';
      if (d.ruling == dag::Ruling::kSkip) out += 'S';
      if (d.ruling == dag::Ruling::kCommit) {
        out += 'C' + std::to_string(number_.at(d.leader.digest));
      }
    }
    return out;
  }

  std::string number(const std::optional<Digest>& digest) const {
    const auto it = digest ? number_.find(*digest) : number_.end();
    return it == number_.end() ? "-1" : std::to_string(it->second);
  }

  std::string text(const dag::Store& store) const {
    const auto at_least = [&](Threshold t) { return ' ' + std::to_string(committee_.at_least(t)); };
    std::string out = "case " + std::to_string(committee_.size()) + ' ' +
                      std::to_string(committee_.faults()) + at_least(lawful_.certify) +
                      at_least(lawful_.skip) + at_least(lawful_.commit) + at_least(lawful_.dense) +
                      at_least(lawful_.amplify) + ' ' + std::to_string(lawful_.anchor_distance) +
                      "\nslots " + std::to_string(floor_.value + 1) + ' ' +
                      std::to_string(store.top().value) + "\nleaders";
    const dag::Schedule schedule(committee_, rules_);
    for (std::uint64_t r = floor_.value + 1; r <= store.top().value; ++r) {
      out += ' ' + std::to_string(schedule.leader(Round{r}).value);
    }
    for (const dag::BlockPtr& b : window_) {
      const dag::Header& h = b->header;
      const dag::Entry* entry = store.find({b->author(), b->round(), b->digest});
      const char* state = entry == nullptr ? " 0" : entry->accepted ? " 2" : " 1";
      out += "\nblock " + std::to_string(h.author.value) + ' ' + std::to_string(h.round.value) +
             ' ' + number(h.self.digest) + ' ' + number(h.vote) + ' ' + number(h.claim) + state;
      for (const dag::Edge& e : h.refs) {
        if (number_.contains(e.digest)) out += ' ' + number(e.digest);
      }
    }
    return out + "\nend\n";
  }

  std::vector<dag::BlockPtr> blocks_;  // by round
  Committee committee_;
  dag::Rules rules_;
  dag::Rules lawful_;
  Prng random_;
  Round floor_{0};
  std::vector<dag::BlockPtr> window_;
  std::map<Digest, std::size_t> number_;  // in the window
  std::set<Digest> held_;
};

}  // namespace thresher
