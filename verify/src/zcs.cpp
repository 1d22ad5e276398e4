// Exploration with locations that are empty or not, as binary decision diagrams.
//
// BuDDy has one table of nodes for the whole process and no locks: a Session holds a mutex while
// its diagrams live, starts the library and ends it. Copies out what the search for runs needs
// afterwards, so that the next check may begin.
#include <bdd.h>
#include <fdd.h>

#include <atomic>
#include <map>
#include <mutex>

#include "backward.hpp"

namespace thresher::verify {
namespace {

constexpr int kFirstNodes = 1 << 17;
constexpr int kCache = 1 << 15;
constexpr int kMostNodes = 10'000'000;  // 20 bytes each

std::timed_mutex& library_mutex() {
  static std::timed_mutex mutex;
  return mutex;
}
std::atomic<int> library_error{0};

/// BuDDy, running and nobody else's.
class Session {
 public:
  explicit Session(const Budget& budget) : lock_(library_mutex(), std::defer_lock) {
    while (!lock_.owns_lock() && !budget.over()) {
      (void)lock_.try_lock_for(std::chrono::milliseconds(20));
    }
    if (!lock_.owns_lock()) return;
    library_error = 0;
    bdd_init(kFirstNodes, kCache);
    bdd_error_hook([](int code) { library_error = code; });
    bdd_gbc_hook(nullptr);
    bdd_setmaxnodenum(kMostNodes);
    bdd_setmaxincrease(kMostNodes / 20);
    bdd_setcacheratio(8);
  }
  ~Session() {
    if (lock_.owns_lock()) bdd_done();
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  bool running() const { return lock_.owns_lock(); }

 private:
  std::unique_lock<std::timed_mutex> lock_;
};

/// A diagram over cells, copied out of the library.
class CellDiagram : public Guide {
 public:
  /// Pre: `set` speaks of variables of `places` only.
  CellDiagram(const bdd& set, std::map<int, std::pair<std::size_t, int>> places)
      : places_(std::move(places)) {
    root_ = copy(set);
  }

  bool hopeful(const Context& context) const override {
    std::size_t at = root_;
    while (at > 1) {
      const Node& node = nodes_[at - 2];
      at = (context[node.form] >> node.bit & 1) != 0 ? node.high : node.low;
    }
    return at == 1;
  }
  std::vector<std::vector<std::int64_t>> needed(const Context&) const override { return {}; }

 private:
  struct Node {
    std::size_t form = 0;
    int bit = 0;
    std::size_t low = 0;
    std::size_t high = 0;
  };
  // 0 and 1 are the constants.
  std::size_t copy(const bdd& set) {
    if (set == bddfalse) return 0;
    if (set == bddtrue) return 1;
    if (const auto it = copied_.find(set.id()); it != copied_.end()) return it->second;
    const auto [form, bit] = places_.at(bdd_var(set));
    const std::size_t low = copy(bdd_low(set));
    const std::size_t high = copy(bdd_high(set));
    nodes_.push_back({form, bit, low, high});
    return copied_[set.id()] = nodes_.size() + 1;
  }

  std::map<int, std::pair<std::size_t, int>> places_;
  std::map<int, std::size_t> copied_;
  std::vector<Node> nodes_;
  std::size_t root_ = 0;
};

/// A move as a relation over the domains that it changes.
struct Relation {
  bdd steps;
  bdd before;                   // the unprimed variables that change
  bdd after;                    // the same primed
  bddPair* forward = nullptr;   // primed to unprimed
  bddPair* backward = nullptr;  // and back
};

/// Pre: a Session runs.
class Diagrams {
 public:
  Diagrams(const Automaton& ta, const Cells& cells, const Budget& budget)
      : ta_(ta), cells_(cells), budget_(budget) {
    fdd_clearall();
    for (std::size_t l = 0; l < ta_.locations.size(); ++l) add_domain(2);
    for (const Form& f : cells_.forms) add_domain(static_cast<int>(f.cells.size()));
    for (const AbstractMove& move : cells_.moves) {
      if (trouble()) return;  // run() says so
      relations_.push_back(relation(move));
    }
  }
  ~Diagrams() {
    for (const Relation& r : relations_) {
      bdd_freepair(r.forward);
      bdd_freepair(r.backward);
    }
  }
  Diagrams(const Diagrams&) = delete;
  Diagrams& operator=(const Diagrams&) = delete;

  MaybeGuide run() {
    if (const auto problem = trouble()) return *problem;
    const bdd reached = closure(start(), bddtrue, true);
    const bdd hit = reached & target();
    if (const auto problem = trouble()) return *problem;
    if (hit == bddfalse) return std::unique_ptr<Guide>();
    bdd leading = closure(hit, reached, false);
    bdd locations = bddtrue;
    for (std::size_t l = 0; l < ta_.locations.size(); ++l) locations &= fdd_ithsetpp(location(l));
    leading = bdd_exist(leading, locations);
    if (const auto problem = trouble()) return *problem;
    std::map<int, std::pair<std::size_t, int>> places;
    for (std::size_t i = 0; i < cells_.forms.size(); ++i) {
      const int* variables = fdd_vars(form(i));
      for (int b = 0; b < fdd_varnum(form(i)); ++b) places[variables[b]] = {i, b};
    }
    return std::unique_ptr<Guide>(std::make_unique<CellDiagram>(leading, std::move(places)));
  }

 private:
  static void add_domain(int size) {
    int both[2] = {size, size};  // unprimed and primed, interleaved
    fdd_extdomain(both, 2);
  }
  int location(std::size_t l) const { return static_cast<int>(2 * l); }
  int form(std::size_t i) const { return static_cast<int>(2 * (ta_.locations.size() + i)); }

  std::optional<Error> trouble() const {
    if (library_error != 0) {
      return Error{ErrorCode::kRejected, "the decision diagrams outgrew the memory they may use (" +
                                             std::string(bdd_errstring(library_error)) + ")"};
    }
    if (budget_.over())
      return Error{ErrorCode::kRejected, "the abstract exploration was not finished in time"};
    return std::nullopt;
  }

  bdd in_cells(int domain, CellSet set, int count) const {
    bdd any = bddfalse;
    for (int c = 0; c < count; ++c) {
      if ((set >> c & 1) != 0) any |= fdd_ithvarpp(domain, c);
    }
    return any;
  }
  int count_of(std::size_t i) const { return static_cast<int>(cells_.forms[i].cells.size()); }

  Relation relation(const AbstractMove& move) const {
    Relation r{bddtrue, bddtrue, bddtrue, bdd_newpair(), bdd_newpair()};
    const auto changes = [&r](int domain) {
      r.before &= fdd_ithsetpp(domain);
      r.after &= fdd_ithsetpp(domain + 1);
      fdd_setpair(r.forward, domain + 1, domain);
      fdd_setpair(r.backward, domain, domain + 1);
    };
    r.steps &= fdd_ithvarpp(location(move.from), 1);
    if (move.from != move.to) {
      changes(location(move.from));
      changes(location(move.to));
      r.steps &= fdd_ithvarpp(location(move.to) + 1, 1);
    }
    for (std::size_t i = 0; i < cells_.forms.size(); ++i) {
      if (move.steps[i].empty()) {
        r.steps &= in_cells(form(i), move.guards[i], count_of(i));
        continue;
      }
      bdd pairs = bddfalse;
      for (int c = 0; c < count_of(i); ++c) {
        if ((move.guards[i] >> c & 1) == 0) continue;
        pairs |= fdd_ithvarpp(form(i), c) &
                 in_cells(form(i) + 1, move.steps[i][static_cast<std::size_t>(c)], count_of(i));
      }
      r.steps &= pairs;
      changes(form(i));
    }
    return r;
  }

  bdd start() const {
    bdd all = bddtrue;
    for (std::size_t l = 0; l < ta_.locations.size(); ++l) {
      if (!cells_.may_be_started[l]) all &= fdd_ithvarpp(location(l), 0);
    }
    for (std::size_t i = 0; i < cells_.forms.size(); ++i) {
      all &= in_cells(form(i), cells_.start[i], count_of(i));
    }
    return all;
  }
  bdd target() const {
    bdd any = bddfalse;
    for (const AbstractTarget& t : cells_.targets) {
      bdd all = bddtrue;
      for (std::size_t i = 0; i < cells_.forms.size(); ++i) {
        all &= in_cells(form(i), t.cells[i], count_of(i));
      }
      for (const Linear& f : t.processes) all &= occupied(f);
      any |= all;
    }
    return any;
  }
  // What form >= 0 says about which locations are empty, no more than it says.
  bdd occupied(const Linear& f) const {
    const bool up =
        std::all_of(f.terms.begin(), f.terms.end(), [](const auto& t) { return t.second > 0; });
    const bool down =
        std::all_of(f.terms.begin(), f.terms.end(), [](const auto& t) { return t.second < 0; });
    bdd some = bddfalse;
    for (const auto& [s, c] : f.terms) some |= fdd_ithvarpp(location(s.index), 1);
    if (up && f.constant < 0) return some;
    if (down && f.constant < 0) return bddfalse;
    if (down && f.constant == 0) return !some;
    return bddtrue;
  }

  // Everything that steps lead to from `from`, or that leads to it, within `bound`.
  bdd closure(const bdd& from, const bdd& bound, bool forward) const {
    bdd all = from;
    bdd fresh = from;
    while (fresh != bddfalse && !trouble()) {
      bdd next = bddfalse;
      for (const Relation& r : relations_) {
        const bdd image = forward ? bdd_replace(bdd_relprod(fresh, r.steps, r.before), r.forward)
                                  : bdd_relprod(bdd_replace(fresh, r.backward), r.steps, r.after);
        next |= image & bound;
        if (trouble()) return all;
      }
      fresh = next - all;
      all |= fresh;
    }
    return all;
  }

  const Automaton& ta_;
  const Cells& cells_;
  const Budget& budget_;
  std::vector<Relation> relations_;
};

MaybeGuide explore(const Automaton& ta, const Query&, const Cells& cells, const Budget& budget) {
  const Session session(budget);
  if (!session.running())
    return Error{ErrorCode::kBusy, "the decision diagrams were in use all the time"};
  return Diagrams(ta, cells, budget).run();
}

}  // namespace

CheckResult check_zcs(const Automaton& ta, const Property& property, double seconds,
                      const CheckControl& control) {
  return check_backward("zcs", ta, property, seconds, control, explore);
}

}  // namespace thresher::verify
