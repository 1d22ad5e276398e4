// TACO's subset of TLA+: what is written is read again, and what is wrong is named with its place.
#include <gmock/gmock.h>

#include "bracha.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/protocols/agreement/tables.hpp"
#include "thresher/protocols/broadcast/bracha.hpp"
#include "thresher/verify/checker.hpp"
#include "thresher/verify/export.hpp"
#include "thresher/verify/text.hpp"

namespace thresher::verify {
namespace {

using testing::HasSubstr;

constexpr const char* kModule = R"(---------------- MODULE echo ----------------
EXTENDS Integers, FiniteSets \* what counting needs
CONSTANTS Processes, NbOfCorrProc, N, T, F
ASSUME NbOfCorrProc = N - F
    /\ N > 3 * T /\ T >= F
ASSUME F >= 0
VARIABLES ProcessesLocations, sent, seen
--------------------------------------------
TypeOk == sent \in Nat /\ seen \in Nat
    /\ ProcessesLocations \in [Processes -> {"idle", "busy", "done"}]
Init == ProcessesLocations \in [Processes -> {"idle"}] /\ sent = 0 /\ seen = 0
Enough == N - T - F
Rule0(p) == ProcessesLocations[p] = "idle"
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "busy"]
    /\ sent' = sent + 1 /\ UNCHANGED <<seen>>
(* a reset, and a guard of two parts *)
Rule7(q) == ProcessesLocations[q] = "busy"
    /\ sent >= Enough
    /\ (seen < 1 \/ sent # 2)
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![q] = "done"]
    /\ sent' = 0 /\ seen' = seen + 1
Next == \E p \in Processes : Rule0(p) \/ Rule7(p)
Spec == Init /\ [][Next]_<< ProcessesLocations, sent, seen >>
NumDone == Cardinality({p \in Processes : ProcessesLocations[p] = "done"})
NumOpen == Cardinality({p \in Processes : ProcessesLocations[p] = "idle" \/ ProcessesLocations[p] = "busy"})
open == [](NumDone = 0) \/ <>(NumOpen /= 0)
counted == [](~(NumDone > 0 /\ seen = 0))
=============================================
)";

std::string changed(std::string_view from, std::string_view to) {
  std::string text = kModule;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  return text;
}
std::string error_of(const std::string& text) {
  const auto ta = parse_tla(text, "echo.tla");
  return ta ? std::string() : ta.error().text();
}

TEST(Tla, AModuleIsTheSameAsATaFile) {
  const auto tla = parse_tla(kModule, "echo.tla");
  ASSERT_TRUE(tla) << tla.error();
  const auto ta = parse_automaton(
      "skel echo { shared sent, seen; parameters N, T, F; define M == N - T - F;\n"
      "assumptions (0) { N > 3 * T; T >= F; F >= 0; } locations (0) { idle; busy; done; }\n"
      "inits (0) { idle == N - F; busy == 0; done == 0; sent == 0; seen == 0; }\n"
      "rules (0) { 0: idle -> busy when (true) do { sent' == sent + 1; };\n"
      " 7: busy -> done when (sent >= M && (seen < 1 || sent != 2)) do { sent' == 0; seen' == seen "
      "+ 1; }; }\n"
      "specifications (0) { open: [](done == 0) || <>(idle + busy != 0);\n"
      " counted: [](!(done > 0 && seen == 0)); } }",
      "echo.ta");
  ASSERT_TRUE(ta) << ta.error();
  EXPECT_EQ(*tla, *ta);
}

TEST(Tla, WhatIsExportedIsReadAgain) {
  std::vector<Automaton> all{export_broadcast(bracha::kTable), *parse_tla(kModule, "echo.tla")};
  int expressed = 0;
  for (const VoteTable* table : agreement::kTables) all.push_back(export_votes(*table));
  for (Automaton& ta : all) {
    const auto text = export_tla(ta);
    if (!text) continue;
    // No formula of TLA+ here speaks of two futures: a comment stands in their place.
    std::erase_if(ta.properties, [](const Property& p) { return p.fork.has_value(); });
    const auto read = parse_tla(text->text, ta.name + ".tla");
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(*read, ta) << ta.name;
    ++expressed;
  }
  EXPECT_GE(expressed, 5);
}

TEST(Tla, WhatTlaCannotSayIsNotExported) {
  Automaton ta = *parse_tla(kModule, "echo.tla");
  const Linear busy{{{{Symbol::Kind::kLocation, 1}, 1}}, -1};
  ta.initial[1] = compare(Formula::Kind::kAtLeast, busy);
  EXPECT_EQ(export_tla(ta).error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(export_tla(ta).error().text(), HasSubstr("nothing counts them"));
  ta = *parse_tla(kModule, "echo.tla");
  ta.shared[0] = "Numidle";
  EXPECT_THAT(export_tla(ta).error().text(), HasSubstr("'Numidle' would stand for two things"));
  ta = *parse_tla(kModule, "echo.tla");
  ta.initial.erase(ta.initial.begin());
  EXPECT_THAT(export_tla(ta).error().text(), HasSubstr("how many correct processes"));
}

TEST(Tla, VerdictsAreThoseOfTheTaFile) {
  const Automaton ta = export_broadcast(bracha::kTable);
  const auto read = parse_tla(export_tla(ta)->text, "bracha.tla");
  ASSERT_TRUE(read) << read.error();
  for (const CheckResult& o : check_all(*read, {})) EXPECT_EQ(o.verdict, Safety::kSafe) << o.why;
}

TEST(Tla, ARuleThatNextDoesNotNameIsNoRule) {
  const auto ta = parse_tla(changed("Rule0(p) \\/ Rule7(p)", "Rule7(p)"), "echo.tla");
  ASSERT_TRUE(ta) << ta.error();
  ASSERT_EQ(ta->rules.size(), 1u);
  EXPECT_EQ(ta->rules[0].id, 7u);
}

// In a list of TLA+ an item ends where the layout says. Read without layout, `=>` joined all items
// before it: the property below became weaker, and was called safe although a run breaks it.
TEST(Tla, AnImplicationInAListNeedsBrackets) {
  const auto of = [](const std::string& formula) {
    return changed("counted == [](~(NumDone > 0 /\\ seen = 0))", "counted == " + formula);
  };
  for (const char* list : {"/\\ [](NumDone = 0)\n  /\\ sent >= 1 => [](NumOpen = 0)",
                           "\\/ [](NumDone = 0)\n  \\/ sent >= 1 => [](NumOpen = 0)",
                           "/\\ sent >= 1 => [](NumDone = 0)",
                           "[](NumDone = 0) => /\\ sent >= 1\n /\\ seen >= 1 => [](NumOpen = 0)",
                           "[](NumDone = 0) \\/ /\\ sent >= 1 => [](NumOpen = 0)"}) {
    EXPECT_THAT(error_of(of(list)), HasSubstr("bracket what '=>' joins in this list")) << list;
  }
  const auto listed =
      parse_tla(of("/\\ [](NumDone = 0)\n  /\\ (sent >= 1 => [](NumOpen = 0))"), "echo.tla");
  const auto inlined =
      parse_tla(of("([](NumDone = 0)) /\\ (sent >= 1 => [](NumOpen = 0))"), "echo.tla");
  ASSERT_TRUE(listed) << listed.error();
  ASSERT_TRUE(inlined) << inlined.error();
  EXPECT_EQ(*listed, *inlined);
  // Without an operator in front nothing is a list, and `=>` binds least.
  EXPECT_EQ(error_of(of("sent >= 1 /\\ seen >= 1 => [](NumOpen = 0)")), "");
}

// People write notes where TLA+ does not look: an ASSUME there once left out instances.
TEST(Tla, WhatFollowsTheEndOfTheModuleIsNoneOfIt) {
  const std::string text = std::string(kModule) + "ASSUME N = 1000\nold: Rule0(p) == (* ...\n";
  const auto ta = parse_tla(text, "echo.tla");
  ASSERT_TRUE(ta) << ta.error();
  EXPECT_EQ(*ta, *parse_tla(kModule, "echo.tla"));
}

TEST(Tla, ErrorsNameThePlaceAndTheNearestName) {
  const std::pair<std::string, std::string> cases[] = {
      {changed("sent >= Enough", "sentt >= Enough"),
       "echo.tla:18:8: this name is not declared; did you mean 'sent'?; found 'sentt'"},
      {changed("![q] = \"done\"", "![q] = \"dome\""), "did you mean 'done'?; found '\"dome\"'"},
      {changed("VARIABLES", "VARIABLS"), "did you mean 'VARIABLES'"},
      {changed("sent' = 0 /\\ seen' = seen + 1", "sent' = 0"), "becomes of 'seen'"},
      {changed("seen' = seen + 1", "seen' = seen + sent"), "grow or shrink by a number"},
      {changed("NbOfCorrProc = N - F\n    /\\ ", ""), "what NbOfCorrProc equals"},
      {changed("seen' = seen + 1", "seen' = seen + 1 /\\ UNCHANGED <<ProcessesLocations>>"),
       "says twice where the process goes"},
      {changed("Rule7(q)", "Step7(q)"), "'Rule' and a number"},
      {changed("\\/ Rule7(p)", "\\/ Rule8(p)"), "no rule of this number"},
      {changed("Rule7(q)", "Rule0(q)"), "two rules"},
      {changed("(seen < 1 \\/ sent # 2)", "(seen < 1 \\/ sent # 2 /\\ sent > 1)"),
       "layout is not read"},
      {changed("(seen < 1 \\/ sent # 2)", "seen < 1 \\/ sent # 2"), "layout is not read"},
      {changed("(seen < 1 \\/ sent # 2)", "NumDone > 0"), "not declared"},
      {changed("(* a reset", "( a reset"), "echo.tla:16:"},
      {changed("two parts *)", "two parts"), "comment is not closed"},
      {changed("sent # 2", "sent * seen # 2"), "not linear"},
      {changed("MODULE echo", "MODULE 5"), "the module's name"},
      {"", "'MODULE' is expected here; found the end of the file"},
  };
  for (const auto& [text, message] : cases) EXPECT_THAT(error_of(text), HasSubstr(message)) << text;
}

TEST(Tla, ManyLocationsAreReadWithinTheTime) {
  std::string many;
  for (int i = 0; i < 2'000; ++i) many += "\"l" + std::to_string(i) + "\", ";
  const std::string text = changed("\"idle\",", many + "\"idle\",");
  EXPECT_TRUE(parse_tla(text, "echo.tla"));
  const auto late = parse_tla(text, "echo.tla", 0);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kRejected);
}

TEST(Tla, SurvivesDamage) {
  Prng random(11);
  std::uint64_t refused = 0;
  for (int k = 0; k < 2000; ++k) {
    std::string text = kModule;
    for (std::uint64_t edits = 1 + random.below(4); edits > 0; --edits) {
      const std::size_t at = random.below(text.size());
      switch (random.below(3)) {
        case 0:
          text.erase(at, 1 + random.below(20));
          break;
        case 1:
          text.insert(at, text.substr(random.below(text.size()), random.below(40)));
          break;
        default:
          text[at] = "()[]{}<>\\/~=#'\"_!-+*0aE\n"[random.below(25)];
      }
    }
    const auto ta = parse_tla(text, "damaged.tla");
    if (!ta) {
      ++refused;
      EXPECT_EQ(ta.error().where.rfind("damaged.tla:", 0), 0u) << ta.error();
    } else if (const auto printed = export_tla(*ta)) {
      const auto again = parse_tla(printed->text, "again.tla");
      ASSERT_TRUE(again) << again.error() << printed->text;
      EXPECT_EQ(export_tla(*again)->text, printed->text);
    }
  }
  EXPECT_GT(refused, 800u);
}

TEST(Tla, DeepNestingIsRefused) {
  EXPECT_THAT(error_of(changed("NumDone = 0)", std::string(5000, '(') + "NumDone = 0)")),
              HasSubstr("nested too deeply"));
}

}  // namespace
}  // namespace thresher::verify
