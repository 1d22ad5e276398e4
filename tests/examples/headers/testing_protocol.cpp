// The examples of testing's headers that stand on a protocol, compiled (held_test.py says how they
// are found).
#include <gtest/gtest.h>

#include "thresher/protocols/dag/dag.hpp"
#include "thresher/protocols/dag/turns.hpp"
#include "thresher/testing/arena.hpp"
#include "thresher/testing/check.hpp"
#include "thresher/testing/delayed.hpp"
#include "thresher/testing/subject.hpp"

namespace thresher {

struct MyProtocol {
  struct Message {
    Bytes payload;
  };
  struct Output {
    std::uint64_t slot = 0;
    Bytes payload;
  };
  struct Request {
    Bytes payload;
  };
  using Fx = EffectsOf<MyProtocol>;
  Committee committee;
  NodeId self;
  void on(const Received<Message>&, Fx&);
  void on(const Requested<Request>&, Fx&);
};

// <thresher/testing/subject.hpp>
struct MySubject : thresher::testing::SubjectBase<MyProtocol> {
  using SubjectBase::facts_of;
  using SubjectBase::SubjectBase;
  sim::OutputFacts facts_of(const MyProtocol::Output& o) const {
    return {.key = o.slot, .digest = hash(o.payload.view())};
  }
};
template <>
struct thresher::testing::SubjectOf<MyProtocol> {
  using type = MySubject;
};
// </>

// <thresher/testing/check.hpp>
TEST(MyProtocol, SurvivesItsAdversaries) {
  using namespace thresher::testing;
  check_protocol<MyProtocol>({agreement(), prefix_order(), validity(), bounded_liveness()},
                             {.runs = 5000});
}
// </>

// <thresher/testing/arena.hpp>
class Mine : thresher::testing::ArenaOf<Mine, MyProtocol> {
  using Arena = thresher::testing::ArenaOf<Mine, MyProtocol>;
  friend Arena;
  using Arena::emit;
  MyProtocol fresh(std::uint16_t i);
  void lie();
  void submit();
  void taste();
  void emit(std::uint16_t i, const Deliver<MyProtocol::Output>& e, Todo&);
  void emit(std::uint16_t i, const Broadcast<Message>& e, Todo&) { put_to_all(i, e.message); }
  bool forgets(const Restored&);
  void begins(std::uint16_t i);
  void post(std::uint16_t from, std::uint16_t to, const Message&);
  void violated(const std::string& lemma, const std::string& why);
  void sees(std::uint16_t i, const Input&);

 public:
  Mine() : Arena(4, Prng(1), 100) { create_nodes(); }
  void run() {
    for (std::uint16_t i = 0; i < 4; ++i) feed(i, Start{});
    for (int step = 0; step < 1000; ++step) act();
  }
};
// </>

namespace {

using testing::Held;

void delayed_example(std::uint32_t n, std::uint64_t seed) {
  // <thresher/testing/delayed.hpp>
  struct Traits {
    using Protocol = dag::Dag;
    Protocol make(const Committee&, NodeId) const;
    std::optional<Round> proposes(const dag::Message&) const;
    std::optional<NodeId> leader(Round, const Committee&) const;
    Digest decided(const dag::Committed&) const;
  } traits;
  thresher::testing::Delayed<Traits> run(traits, n, seed, Held::kLeader);
  run.run(60, 60'000);
  run.shortest_log();
  run.agree();
  // </>
}

}  // namespace
}  // namespace thresher
