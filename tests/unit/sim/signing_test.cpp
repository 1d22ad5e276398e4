// Real signatures in the simulator: what they accept and refuse, and that runs decide the same.
#include "thresher/sim/signing.hpp"

#include <gtest/gtest.h>

#include <set>

#include "thresher/core/committee.hpp"
#include "thresher/core/hash.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/sim/read.hpp"
#include "thresher/sim/run.hpp"

namespace thresher::sim {
namespace {

Digest digest_of(std::uint64_t number) {
  Writer w;
  w.u64(number);
  return hash(w.view());
}

Experiment of_four(Signatures signatures) {
  Experiment e;
  e.signatures = signatures;
  e.seed = 11;
  return e;
}

double measure(const Outcome& o, std::string_view name) {
  for (const Measure& m : o.measures) {
    if (m.name == name) return m.value;
  }
  return -1;
}

TEST(Signing, AMockBindsSignerAndDigest) {
  const Signer signer(of_four(Signatures::kMock));
  EXPECT_FALSE(signer.real());
  EXPECT_EQ(signer.sign(NodeId{1}, digest_of(1)), mock_signature(NodeId{1}, digest_of(1)));
  EXPECT_NE(signer.sign(NodeId{1}, digest_of(1)), signer.sign(NodeId{2}, digest_of(1)));
  EXPECT_NE(signer.sign(NodeId{1}, digest_of(1)), signer.sign(NodeId{1}, digest_of(2)));
}

TEST(Signing, OnlyTheSignersKeyMakesItsSignatures) {
  const Signer signer(of_four(Signatures::kReal));
  ASSERT_TRUE(signer.real());
  SignatureChecks checks(signer);
  const NodeId one{1};
  const Digest said = digest_of(1);
  const Signature good = signer.sign(one, said);
  Signature bent = good;
  bent[63] ^= std::byte{1};
  Experiment other_seed = of_four(Signatures::kReal);
  other_seed.seed = 12;
  const std::vector<std::pair<Verify, bool>> questions{
      {{Ticket{1}, one, said, good}, true},
      {{Ticket{2}, one, digest_of(2), good}, false},
      {{Ticket{3}, NodeId{2}, said, good}, false},
      {{Ticket{4}, one, said, bent}, false},
      {{Ticket{5}, one, said, mock_signature(one, said)}, false},
      {{Ticket{6}, one, said, Signer(other_seed).sign(one, said)}, false},
      {{Ticket{7}, NodeId{99}, said, good}, false},
      {{Ticket{8}, NodeId{3}, said, signer.sign(NodeId{3}, said)}, true},
  };
  for (const std::uint32_t face : {0U, 5U}) {
    for (const auto& [question, ok] : questions) checks.ask(face, question);
  }
  for (const std::uint32_t face : {5U, 0U}) {
    for (const auto& [question, ok] : questions)
      EXPECT_EQ(checks.verdict(face, question.ticket), ok) << question.ticket.local;
  }
}

TEST(Signing, MoreThanABatchAndMoreThanAQuotaAreAllAnswered) {
  constexpr std::uint64_t kMany = 5000;  // of one signer: over the batcher's quota of a sender
  const Signer signer(of_four(Signatures::kReal));
  SignatureChecks checks(signer);
  const Signature good = signer.sign(NodeId{2}, digest_of(7));
  for (std::uint64_t i = 0; i < kMany; ++i)
    checks.ask(1, {Ticket{i}, NodeId{2}, digest_of(i % 100 == 0 ? 8 : 7), good});
  for (std::uint64_t i = kMany; i-- > 0;)
    EXPECT_EQ(checks.verdict(1, Ticket{i}), i % 100 != 0) << i;
  EXPECT_EQ(checks.measures().front().value, kMany);
}

TEST(Signing, ANodeThatRestartsMayUseItsTicketsAgain) {
  const Signer signer(of_four(Signatures::kReal));
  SignatureChecks checks(signer);
  const Signature good = signer.sign(NodeId{2}, digest_of(7));
  checks.ask(1, {Ticket{1}, NodeId{2}, digest_of(8), good});
  checks.ask(2, {Ticket{1}, NodeId{2}, digest_of(7), good});
  checks.forget(1);
  EXPECT_THROW(checks.verdict(1, Ticket{1}), std::logic_error);
  checks.ask(1, {Ticket{1}, NodeId{2}, digest_of(7), good});
  EXPECT_TRUE(checks.verdict(1, Ticket{1}));
  EXPECT_TRUE(checks.verdict(2, Ticket{1}));
}

SignatureList list_of(const Digest& digest, std::uint16_t signers) {
  SignatureList list;
  for (std::uint16_t i = 0; i < signers; ++i) {
    list.signers.insert(NodeId{i});
    list.signatures.push_back(mock_signature(NodeId{i}, digest));
  }
  return list;
}

TEST(MockLists, LookThroughAListOnceForEachDigest) {
  MockLists lists;
  const auto good = std::make_shared<const SignatureList>(list_of(digest_of(1), 5));
  SignatureList bent = *good;
  bent.signatures[4][33] ^= std::byte{1};
  const auto forged = std::make_shared<const SignatureList>(bent);
  for (int asks = 0; asks < 3; ++asks) {
    EXPECT_TRUE(lists.good(digest_of(1), good));
    EXPECT_FALSE(lists.good(digest_of(1), forged));
  }
  EXPECT_EQ(lists.looked_through(), 2U);
  EXPECT_FALSE(lists.good(digest_of(2), good));
  EXPECT_TRUE(lists.good(digest_of(1), good));
  bent.signatures.pop_back();
  EXPECT_FALSE(lists.good(digest_of(1), std::make_shared<const SignatureList>(bent)));
}

// The verdict is of the object and not of the address: what lies there later is another list.
TEST(MockLists, AnAddressThatIsUsedAgainGetsNoOldVerdict) {
  MockLists lists;
  SignatureList place = list_of(digest_of(1), 4);
  const auto owned_anew = [&] {
    return std::shared_ptr<const SignatureList>(std::make_shared<int>(), &place);
  };
  EXPECT_TRUE(lists.good(digest_of(1), owned_anew()));
  place.signatures[2][0] ^= std::byte{1};
  EXPECT_FALSE(lists.good(digest_of(1), owned_anew()));
  place.signatures[2][0] ^= std::byte{1};
  EXPECT_TRUE(lists.good(digest_of(1), owned_anew()));
  // Nobody owns these: no verdict on them is remembered.
  const std::shared_ptr<const SignatureList> bare(std::shared_ptr<int>(), &place);
  EXPECT_TRUE(lists.good(digest_of(1), bare));
  place.signatures[2][0] ^= std::byte{1};
  EXPECT_FALSE(lists.good(digest_of(1), bare));
  for (int i = 0; i < 1000; ++i) {  // freed at once: the allocator gives the same places again
    SignatureList list = list_of(digest_of(1), 3);
    if (i % 2 == 0) list.signatures[1][5] ^= std::byte{1};
    EXPECT_EQ(lists.good(digest_of(1), std::make_shared<const SignatureList>(std::move(list))),
              i % 2 != 0);
  }
}

TEST(MockLists, RememberSoManyAndStayRight) {
  MockLists lists;
  const auto first = std::make_shared<const SignatureList>(list_of(digest_of(0), 1));
  std::vector<std::shared_ptr<const SignatureList>> all;
  for (std::size_t i = 0; i < MockLists::kMost + 10; ++i) {
    all.push_back(std::make_shared<const SignatureList>(list_of(digest_of(i), 1)));
    ASSERT_TRUE(lists.good(digest_of(i), all.back()));
    ASSERT_LE(lists.remembered(), MockLists::kMost);
  }
  EXPECT_FALSE(lists.good(digest_of(1), all.front()));
  EXPECT_TRUE(lists.good(digest_of(0), all.front()));
}

TEST(Signing, AListHasOneVerdict) {
  const Signer signer(of_four(Signatures::kReal));
  SignatureChecks checks(signer);
  const Digest said = digest_of(1);
  const auto make = [&](std::vector<std::uint16_t> signers) {
    auto list = std::make_shared<SignatureList>();
    for (const std::uint16_t id : signers) {
      list->signers.insert(NodeId{id});
      list->signatures.push_back(signer.sign(NodeId{id}, said));
    }
    return list;
  };
  const auto good = make({0, 2, 3});
  std::vector<std::shared_ptr<SignatureList>> bad;
  for (std::size_t i = 0; i < 3; ++i) {
    bad.push_back(make({0, 2, 3}));
    bad.back()->signatures[i] = mock_signature(NodeId{0}, said);
  }
  bad.push_back(make({0, 2, 3}));
  std::swap(bad.back()->signatures[0], bad.back()->signatures[1]);
  bad.push_back(make({1, 2}));
  bad.back()->signers.insert(NodeId{9});  // no member
  bad.back()->signatures.push_back(bad.back()->signatures[0]);
  bad.push_back(make({0, 2, 3}));
  bad.back()->signatures.pop_back();
  bad.push_back(make({}));
  checks.ask(1, VerifyAll{Ticket{100}, said, good});
  checks.ask(1, VerifyAll{Ticket{101}, digest_of(2), good});
  checks.ask(1, Verify{Ticket{1}, NodeId{2}, said, good->signatures[1]});
  for (std::size_t i = 0; i < bad.size(); ++i) checks.ask(2, VerifyAll{Ticket{i}, said, bad[i]});
  EXPECT_TRUE(checks.verdict(1, Ticket{1}));
  EXPECT_FALSE(checks.verdict(1, Ticket{101}));
  EXPECT_TRUE(checks.verdict(1, Ticket{100}));
  for (std::size_t i = 0; i < bad.size(); ++i) EXPECT_FALSE(checks.verdict(2, Ticket{i})) << i;
}

// More lists than a signer has room for in the batcher, and a face that forgets what it asked.
TEST(Signing, ManyListsAreAllAnsweredAndARestartForgetsThem) {
  const Signer signer(of_four(Signatures::kReal));
  SignatureChecks checks(signer);
  const Digest said = digest_of(3);
  auto list = std::make_shared<SignatureList>();
  for (const std::uint16_t id : std::vector<std::uint16_t>{0, 1, 3}) {
    list->signers.insert(NodeId{id});
    list->signatures.push_back(signer.sign(NodeId{id}, said));
  }
  constexpr std::uint64_t kMany = 4200;  // over the batcher's quota of a sender
  for (std::uint64_t i = 0; i < kMany; ++i)
    checks.ask(7, VerifyAll{Ticket{i}, i % 50 == 0 ? digest_of(4) : said, list});
  for (std::uint64_t i = 0; i < kMany; ++i) EXPECT_EQ(checks.verdict(7, Ticket{i}), i % 50 != 0);
  checks.ask(7, VerifyAll{Ticket{1}, digest_of(4), list});
  checks.ask(8, VerifyAll{Ticket{1}, said, list});
  checks.forget(7);
  EXPECT_THROW(checks.verdict(7, Ticket{1}), std::logic_error);
  checks.ask(7, VerifyAll{Ticket{1}, said, list});
  EXPECT_TRUE(checks.verdict(7, Ticket{1}));
  EXPECT_TRUE(checks.verdict(8, Ticket{1}));
}

// Delivers each signed text with its signer, once the signature is verified.
struct Notary {
  struct Message {
    NodeId author;
    std::uint64_t number = 0;
    Bytes payload;
    Signature signature{};
  };
  struct Output {
    Message said;
  };
  struct Request {
    Bytes payload;
  };
  using Fx = EffectsOf<Notary>;

  Notary(const Committee&, NodeId id) : self(id) {}
  static Digest digest(const Message& m) {
    Writer w;
    w.u16(m.author.value).u64(m.number).bytes(m.payload.view());
    return hash(w.view());
  }
  void on(const Requested<Request>& r, Fx& fx) {
    open.push_back({self, ++said, r.request.payload, {}});
    fx.push(Endorse{Ticket{said}, digest(open.back())});
  }
  void on(const Endorsed& e, Fx& fx) {
    Message& m = open.at(e.ticket.local - 1);
    m.signature = e.signature;
    fx.broadcast(m);
    fx.deliver({m});
  }
  void on(const Received<Message>& m, Fx& fx) {
    heard.push_back(m.message);
    fx.push(Verify{Ticket{heard.size()}, m.message.author, digest(m.message), m.message.signature});
  }
  void on(const Verified& v, Fx& fx) {
    if (v.ok) {
      fx.deliver({heard.at(v.ticket.local - 1)});
    } else {
      ++refused;
    }
  }

  NodeId self;
  std::uint64_t said = 0;
  std::uint64_t refused = 0;
  std::vector<Message> open;
  std::vector<Message> heard;
};

// Node 0 speaks in node 1's name, with the best forgery that it can make.
struct ForgingSubject {
  using Node = Notary;
  static constexpr bool kOrdered = false;
  Experiment experiment;
  bool with_its_own_key = false;

  Notary make(NodeId id) const { return {*Committee::of(4), id}; }
  Notary::Request request(const Bytes& payload) const { return {payload}; }
  MessageFacts facts_of(const Notary::Message& m) const { return {"note", m.number, 100}; }
  OutputFacts facts_of(const Notary::Output& o) const {
    return {.key = o.said.number * 4 + o.said.author.value, .digest = Notary::digest(o.said)};
  }
  template <class F>
  void payloads(const Notary::Output& o, std::optional<NodeId>, F visit) const {
    visit(o.said.payload.view(), std::nullopt);
  }
  bool mutate(Notary::Message& m, NodeId id, std::string_view, std::uint64_t) const {
    m.author = NodeId{1};
    m.number += 1000;
    const Digest digest = Notary::digest(m);
    m.signature =
        with_its_own_key ? Signer(experiment).sign(id, digest) : mock_signature(NodeId{1}, digest);
    return true;
  }
  std::uint64_t round(const Notary&) const { return 0; }
  std::uint64_t refused(const Notary& node) const { return node.refused; }
};

Outcome forge(Signatures signatures, bool with_its_own_key) {
  Experiment e = of_four(signatures);
  e.oracles.totality = false;
  e.stop.time = 6 * kUnit;
  e.faults = {{.who = {NodeId{0}}, .what = FaultKind::kMutate}};
  return run(ForgingSubject{e, with_its_own_key}, e, {});
}
std::uint64_t refused_by_correct(const Outcome& o) {
  std::uint64_t sum = 0;
  for (const NodeMeasures& m : o.nodes) sum += m.faulty ? 0 : m.refused;
  return sum;
}

TEST(Signing, AForgedSignatureIsRefused) {
  // A mock can be forged on purpose, a signature cannot.
  EXPECT_EQ(refused_by_correct(forge(Signatures::kMock, false)), 0U);
  for (const bool own : {false, true}) {
    const Outcome o = forge(Signatures::kReal, own);
    EXPECT_GT(refused_by_correct(o), 0U);
    EXPECT_EQ(measure(o, "signatures_refused"), refused_by_correct(o));
    EXPECT_GT(measure(o, "signatures_verified"), 2 * measure(o, "signatures_refused"));
  }
  EXPECT_GT(refused_by_correct(forge(Signatures::kMock, true)), 0U);
}

Experiment read(const std::string& text) {
  const auto cells = read_experiments(text, {"e", {}, simulated_protocols()});
  if (!cells) throw std::runtime_error(cells.error().front().text());
  return cells->front().experiment;
}

struct Case {
  const char* name;
  const char* text;
};

class EitherKind : public testing::TestWithParam<Case> {};

TEST_P(EitherKind, DecidesTheSame) {
  Experiment e = read(GetParam().text);
  const Outcome mock = simulate(e, {});
  e.signatures = Signatures::kReal;
  const Outcome real = simulate(e, {});
  EXPECT_EQ(mock.verdict, Verdict::kPass) << mock.why;
  EXPECT_EQ(real.verdict, Verdict::kPass) << real.why;
  EXPECT_EQ(real.trace_hash, mock.trace_hash);
  EXPECT_EQ(real.decisions, mock.decisions);
  EXPECT_GT(real.decisions, 0U);
  EXPECT_EQ(real.latencies, mock.latencies);
  EXPECT_EQ(refused_by_correct(real), refused_by_correct(mock));
  EXPECT_EQ(measure(mock, "signatures_verified"), -1);
  EXPECT_GT(measure(real, "signatures_verified"), 0);
}

constexpr Case kCases[] = {
    {"Thresher", R"({"schema":1,"protocol":{"name":"thresher"},"stop":{"rounds":20}})"},
    {"ThresherEquivocates", R"({"schema":1,"protocol":{"name":"thresher"},"committee":{"n":7},
      "stop":{"rounds":20},"faults":[{"who":[2],"what":"equivocate"},{"who":[4],"what":"twins"}]})"},
    {"MysticetiRestarts", R"({"schema":1,"protocol":{"name":"mysticeti"},"stop":{"rounds":20},
      "faults":[{"who":[1],"what":"crash","from":4,"to":9}]})"},
    {"ThresherCosts", R"({"schema":1,"protocol":{"name":"thresher"},"engine":"events",
      "committee":{"n":7},"costs":{"sign_us":20,"verify_us":50},"stop":{"rounds":20}})"},
    {"BullsharkCosts", R"({"schema":1,"protocol":{"name":"bullshark"},"engine":"events",
      "network":{"delay":{"min":5,"max":20}},"costs":{"verify_us":40},"stop":{"rounds":12}})"},
    {"BullsharkForges", R"({"schema":1,"protocol":{"name":"bullshark"},"stop":{"rounds":12},
      "faults":[{"who":[3],"what":"mutate","field":"certificate"}]})"},
    {"BullsharkForgesAndCosts", R"({"schema":1,"protocol":{"name":"bullshark"},"engine":"events",
      "network":{"delay":{"min":5,"max":20}},"costs":{"verify_us":40},"stop":{"rounds":12},
      "faults":[{"who":[3],"what":"mutate","field":"certificate"}]})"},
    {"AnchoredEquivocates", R"({"schema":1,"protocol":{"name":"anchored-bullshark"},
      "committee":{"n":7},"stop":{"rounds":12},"faults":[{"who":[0,5],"what":"equivocate"}]})"},
};
INSTANTIATE_TEST_SUITE_P(Runs, EitherKind, testing::ValuesIn(kCases),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(Signing, ACertificateWithAForgedSignatureIsRefused) {
  const Experiment e = read(
      R"({"schema":1,"protocol":{"name":"bullshark"},"costs":{"signatures":"real"},
      "stop":{"rounds":12},"faults":[{"who":[3],"what":"mutate","field":"certificate"}]})");
  EXPECT_EQ(e.signatures, Signatures::kReal);
  const Outcome o = simulate(e, {});
  EXPECT_EQ(o.verdict, Verdict::kPass) << o.why;
  EXPECT_GT(measure(o, "signatures_refused"), 0);
}

TEST(Signing, ACertificatesSignaturesAreOneBatch) {
  const Experiment e = read(R"({"schema":1,"protocol":{"name":"bullshark"},"committee":{"n":16},
      "costs":{"signatures":"real"},"stop":{"rounds":8}})");
  const Outcome o = simulate(e, {});
  EXPECT_EQ(o.verdict, Verdict::kPass) << o.why;
  EXPECT_GE(measure(o, "largest_signature_batch"), Committee::of(16)->at_least(kQuorum) - 1);
  EXPECT_LT(2 * measure(o, "signature_batches"), measure(o, "signatures_verified"));
}

TEST(Signing, FilesSayWhichKindAndRefuseWhatCannotBeReal) {
  const Experiment e = of_four(Signatures::kReal);
  EXPECT_EQ(read(write_experiment(e)).signatures, Signatures::kReal);
  EXPECT_EQ(write_experiment(of_four(Signatures::kMock)).find("signatures"), std::string::npos);
  EXPECT_EQ(write_experiment(e).find("stop"), std::string::npos) << "an empty one is refused";
  const auto cells = read_experiments(
      R"({"schema":1,"protocol":{"name":"bullshark","certificates":"one"},
      "costs":{"signatures":"real"}})",
      {"e", {}, simulated_protocols()});
  ASSERT_FALSE(cells);
  const std::string said = cells.error().front().text();
  EXPECT_NE(said.find("costs.signatures: one signature that stands for many"), said.npos) << said;
}

}  // namespace
}  // namespace thresher::sim
