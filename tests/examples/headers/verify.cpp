// The examples of verify's and text's headers, compiled (held_test.py says how they are found).
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/core/rule_trace.hpp"
#include "thresher/protocols/agreement/round.hpp"
#include "thresher/protocols/broadcast/bracha.hpp"
#include "thresher/text/json.hpp"
#include "thresher/text/xml.hpp"
#include "thresher/verify/automaton.hpp"
#include "thresher/verify/checker.hpp"
#include "thresher/verify/conformance.hpp"
#include "thresher/verify/cross_check.hpp"
#include "thresher/verify/draw.hpp"
#include "thresher/verify/export.hpp"
#include "thresher/verify/history/levels.hpp"
#include "thresher/verify/replay.hpp"
#include "thresher/verify/schedule.hpp"
#include "thresher/verify/text.hpp"
#include "thresher/verify/vote_conformance.hpp"

namespace thresher {
namespace {

int complain(const std::vector<text::Problem>& problems);
int json_example(std::string_view content) {
  // <thresher/text/json.hpp>
  auto tree = text::parse(content);
  if (!tree) return complain(tree.error());
  const text::Value* n = tree->find("n");
  text::Value out = text::Value::object();
  out.set("verdict", "Pass").set("nodes", 4u);
  puts(text::write(out).c_str());
  // </>
  return 0;
}

void xml_example(std::string& out, const std::string& name) {
  // <thresher/text/xml.hpp>
  out += "<title>" + text::xml_escaped(name) + "</title>";
  // </>
}

namespace histories {
using namespace history;  // NOLINT(google-build-using-namespace): as the header's reader is
int complain(const Errors& problems);
int history_example(std::string_view content) {
  // <thresher/verify/history/history.hpp>
  const auto history = history::read(content, "run.ndjson");
  if (!history) return complain(history.error());
  // </>
  return 0;
}
void levels_example(const Result<History, Errors>& history) {
  // <thresher/verify/history/levels.hpp>
  const Report report = history::judge(*history, {});
  std::cout << name_of(report.level);
  std::cout << report.of(Level::kLinearizable).why;
  // </>
}
}  // namespace histories

}  // namespace

namespace verify {
namespace {

void note(const Property& p);
void automaton_example(std::string_view text) {
  // <thresher/verify/automaton.hpp>
  auto ta = verify::parse_automaton(text, "bracha.ta");
  for (const verify::Property& p : ta->properties) note(p);
  // </>
}

void checker_example(const Automaton& ta) {
  // <thresher/verify/checker.hpp>
  const auto verdicts = verify::check_all(ta, {.seconds = 60});
  // </>
}

Result<Unit, Error> conformance_example(const Committee& committee, const NodeSet& faulty,
                                        const RuleLog& log) {
  // <thresher/verify/conformance.hpp>
  verify::Conformance check(bracha::kTable, committee, faulty);
  for (const RuleEvent& e : log.events)
    if (auto taken = check.add(e); !taken) return taken.error();
  auto steps = check.finish(Conformance::End::kSettled);
  // </>
  return Unit{};
}

void report(const SecondOpinion& second);
void cross_check_example(const Automaton& ta) {
  // <thresher/verify/cross_check.hpp>
  CheckOptions options;
  options.keep_proofs = true;
  for (const CheckResult& o : check_all(ta, options)) {
    if (o.verdict == Safety::kSafe) report(verify::cross_check(o, 10));
  }
  // </>
}

void draw_example(const Automaton& ta, const Execution& run) {
  // <thresher/verify/draw.hpp>
  std::cout << verify::draw_dot(ta);
  std::cout << verify::draw_svg(ta, {{"agreement", run}});
  // </>
}

void export_example() {
  // <thresher/verify/export.hpp>
  auto ta = verify::export_broadcast(bracha::kTable);
  std::cout << verify::print_automaton(ta);
  // </>
}

void alarm();
void replay_example(const Automaton& ta, const std::vector<std::int64_t>& values,
                    const Configuration& start, std::uint32_t rule, const Formula& property) {
  // <thresher/verify/replay.hpp>
  Execution run{values, start, {{rule, 3}}};
  auto configurations = verify::replay(ta, run);
  if (!verify::holds(property, values, *configurations)) alarm();
  // </>
}

void schedule_example(std::string_view text, const Automaton& ta, const Execution& run) {
  // <thresher/verify/schedule.hpp>
  std::ofstream("run.json") << verify::print_schedule(ta, {{"agreement", run}});
  auto runs = verify::parse_schedule(text, "run.json", ta);
  for (const auto& r : *runs) auto configurations = verify::replay(ta, r.run);
  // </>
}

void text_example(std::string_view text) {
  // <thresher/verify/text.hpp>
  auto ta = verify::parse_automaton(text, "bracha.ta");
  if (!ta) std::cerr << ta.error();
  std::cout << verify::print_automaton(*ta);
  // </>
}

Result<Unit, Error> vote_conformance_example(const VoteLog& log, const Committee& committee,
                                             const NodeSet& faulty) {
  // <thresher/verify/vote_conformance.hpp>
  verify::VoteConformance check(agreement::kBcaRounds, committee, faulty);
  for (const VoteEvent& e : log.events)
    if (auto taken = check.add(e); !taken) return taken.error();
  auto steps = check.finish();
  // </>
  return Unit{};
}

}  // namespace
}  // namespace verify
}  // namespace thresher
