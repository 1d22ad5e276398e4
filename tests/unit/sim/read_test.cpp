#include "thresher/sim/read.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

#include "thresher/text/json.hpp"

namespace thresher::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Protocols of the test's own: the reader is told of them, and knows none itself.
const std::vector<ProtocolInfo>& known() {
  static const ProtocolInfo coin = [] {
    ProtocolInfo info{"coin", "", "", 3, {}, {}};
    info.unjudged = {"included_within"};
    return info;
  }();
  static const std::vector<ProtocolInfo> kKnown{
      {"pbft",
       "",
       "",
       3,
       {{"checkpoint", std::int64_t{10}, 1, 1000, "slots between checkpoints"},
        {"batching", true, 0, 0, ""},
        {"mode", std::string("plain"), 0, 0, ""},
        {"scale", 1.5, 0, 9, ""}},
       {"digest", "view"}},
      {"raft", "", "", 2, {{"value_bytes", std::int64_t{4096}, 1, 1 << 24, ""}}, {}},
      {"thresher", "", "", 3, {}, {"parents"}},
      coin};
  return kKnown;
}

std::vector<Cell> cells(const std::string& content, std::vector<Override> overrides = {}) {
  auto out = read_experiments(content, {"exp.json", std::move(overrides), known()});
  if (!out) {
    for (const Error& error : out.error()) ADD_FAILURE() << error;
    return {};
  }
  return *out;
}

// The first line of a file, which names a protocol unless `members` do.
std::string head(const std::string& members) {
  const bool named = members.find("\"protocol") != std::string::npos;
  return named ? "{\"schema\": 1" : R"({"schema": 1, "protocol": {"name": "thresher"})";
}

Experiment one(const std::string& members, std::vector<Override> overrides = {}) {
  const auto out =
      cells(head(members) + (members.empty() ? "" : ",\n" + members) + "}", std::move(overrides));
  EXPECT_EQ(out.size(), 1U);
  return out.empty() ? Experiment{} : out.front().experiment;
}

// "exp.json:2:17: seed: ..." with its column taken out: "exp.json:2: seed: ...".
std::string without_column(const std::string& complaint) {
  return std::regex_replace(complaint, std::regex("^([a-z.]+:[0-9]+):[0-9]+: "), "$1: ");
}

// The members stand from line 2 on.
std::vector<std::string> complaints(const std::string& members,
                                    std::vector<Override> overrides = {}) {
  const auto out = read_experiments(head(members) + ",\n" + members + "\n}",
                                    {"exp.json", std::move(overrides), known()});
  EXPECT_FALSE(out) << members;
  std::vector<std::string> lines;
  if (!out) {
    for (const Error& error : out.error()) lines.push_back(without_column(error.text()));
  }
  return lines;
}

TEST(ReadExperiment, FillsInEveryDefault) {
  const Experiment e = one("");
  EXPECT_EQ(e.protocol, "thresher");
  EXPECT_EQ(e.n, 4U);
  EXPECT_EQ(e.f, 1U);
  EXPECT_EQ(e.engine, Engine::kRounds);
  EXPECT_EQ(e.stop.rounds, 100U);
  EXPECT_EQ(e.network.delay.mean, kUnit);
  EXPECT_EQ(e.network.delta, 2 * kUnit);
  EXPECT_EQ(e.seed, 1U);
}

TEST(ReadExperiment, ReadsTheWholeShape) {
  const Experiment e = one(R"("protocol": {"name": "pbft", "checkpoint": 5, "batching": false},
    "committee": {"n": 10}, "engine": "events",
    "network": {"delay": {"law": "normal", "mean": 20, "deviation": 2.5, "min": 10, "max": 50},
      "links": [{"from": [0], "to": [1, 2], "delay": {"min": 1, "max": 3}}],
      "loss": 0.01, "duplicate": 0.5, "reorder": 1,
      "partitions": [{"groups": [[0, 1], [2, 3]], "from": 5, "to": 7.5}],
      "nic": {"mbit_per_s": 0.5}, "gst": 100, "scheduler": "rushing"},
    "costs": {"sign_us": 20, "verify_us": 67.5},
    "workload": {"kind": "open", "interval": 0.25, "bytes": 100},
    "faults": [{"who": [3], "what": "equivocate", "field": "digest", "from": 1, "to": 2,
                "probability": 0.25, "group": [1, 2]},
               {"who": {"count": "f"}, "what": "delay", "delay": 3}],
    "oracles": {"totality": false, "liveness_within": 12}, "beyond_f": true,
    "stop": {"time": 1000, "decisions": 7}, "seed": 18446744073709551615)");
  EXPECT_EQ(std::get<std::int64_t>(e.parameters.at("checkpoint")), 5);
  EXPECT_FALSE(std::get<bool>(e.parameters.at("batching")));
  EXPECT_EQ(std::get<std::string>(e.parameters.at("mode")), "plain");
  EXPECT_EQ(e.f, 3U);
  EXPECT_EQ(e.network.delay.kind, DelayLaw::Kind::kNormal);
  EXPECT_EQ(e.network.delay.deviation, 2500U);
  EXPECT_EQ(e.network.links.at(0).delay.kind, DelayLaw::Kind::kUniform);
  EXPECT_EQ(e.network.links.at(0).delay.mean, 2000U);
  EXPECT_EQ(e.network.loss_ppm, 10'000U);
  EXPECT_EQ(e.network.partitions.at(0).to, 7500U);
  EXPECT_EQ(e.network.nic_bits_per_s, 500'000U);
  EXPECT_EQ(e.network.delta, 100 * kUnit);
  EXPECT_EQ(e.network.scheduler, Network::Scheduler::kRushing);
  EXPECT_EQ(e.costs.verify_ns, 67'500U);
  EXPECT_EQ(e.workload.interval, 250U);
  ASSERT_EQ(e.faults.size(), 2U);
  EXPECT_EQ(e.faults[0].probability_ppm, 250'000U);
  EXPECT_EQ(e.faults[0].to, Ticks{2000});
  EXPECT_THAT(e.faults[1].who, ElementsAre(NodeId{0}, NodeId{4}, NodeId{7}));
  EXPECT_EQ(e.faults[1].amount, 3000U);
  EXPECT_FALSE(e.oracles.totality);
  EXPECT_EQ(e.oracles.liveness, Ticks{12'000});
  EXPECT_EQ(e.stop.rounds, std::nullopt);
  EXPECT_EQ(e.seed, 18446744073709551615U);
}

TEST(ReadExperiment, WhatIsWrittenReadsBackEqual) {
  for (const char* members :
       {"", R"("protocol": {"name": "pbft", "scale": 2.5}, "committee": {"n": 31, "f": 9})",
        R"("engine": "events", "network": {"delay": {"law": "exponential", "mean": 0.5},
           "wan": "ibm", "nic": {"mbit_per_s": 25}}, "stop": {"time": 0.125})",
        R"("committee": {"n": 6}, "network": {"topology": "grid", "width": 2, "height": 3,
           "delay": {"min": 1, "max": 4}, "links": [{"to": [1], "delay": 2}]},
           "faults": [{"who": [0], "what": "crash", "from": 3, "to": 9},
                      {"who": [0], "what": "flood", "copies": 3},
                      {"what": "starve"}], "oracles": {"liveness": false})",
        R"("committee": {"n": 3, "f": 0}, "network": {"topology": "list",
           "neighbours": [[1], [2], []]}, "workload": {"one_at_a_time": true})",
        R"("engine": "events", "network": {"matrix": {"source": "a guess", "regions": ["a", "b"],
           "rtt": [[0.5, 80], [90.25, 0.5]], "jitter": 0.03, "loss": 0.001},
           "links": [{"to": [1], "delay": 2, "loss": 0.01}]})"}) {
    const std::string page = write_experiment(one(members));
    const auto again = cells(page);
    ASSERT_EQ(again.size(), 1U);
    EXPECT_EQ(write_experiment(again.front().experiment), page);
    const auto noted = cells(annotate_experiment(one(members), "a title", known()));
    ASSERT_EQ(noted.size(), 1U);
    EXPECT_EQ(write_experiment(noted.front().experiment), page);
  }
}

struct Bad {
  const char* members;
  const char* path;  ///< with the line before it
  const char* what;
};

class BadFile : public testing::TestWithParam<Bad> {};

TEST_P(BadFile, IsOneComplaintWithPathAndLine) {
  const auto found = complaints(GetParam().members);
  ASSERT_EQ(found.size(), 1U) << testing::PrintToString(found);
  EXPECT_THAT(found.front(), HasSubstr(std::string("exp.json:") + GetParam().path + ": "));
  EXPECT_THAT(found.front(), HasSubstr(GetParam().what));
}

INSTANTIATE_TEST_SUITE_P(
    Every, BadFile,
    testing::Values(
        Bad{R"("committe": {"n": 4})", "2: committe", "did you mean `committee`?"},
        Bad{R"("network": {"dely": 1})", "2: network.dely", "did you mean `delay`?"},
        Bad{R"("stop": {"rounds": "30"})", "2: stop.rounds", "not the string \"30\""},
        Bad{R"("stop": {"rounds": -5})", "2: stop.rounds", "not -5"},
        Bad{R"("stop": 30)", "2: stop", "must be an object, not 30"},
        Bad{R"("engine": "sockts")", "2: engine", "did you mean `sockets`?"},
        Bad{R"("committee": {"n": 4.7})", "2: committee.n", "not 4.7"},
        Bad{R"("committee": {"n": 0}, "faults": [{"who": [9], "what": "silent"}])",
            "2: committee.n", "from 1 to 4096"},
        Bad{R"("committee": {"n": 6, "f": 2})", "2: committee.f", "needs n >= 3f+1"},
        Bad{R"("protocol": {"name": "raft"}, "committee": {"n": 4, "f": 2})", "2: committee.f",
            "needs n >= 2f+1"},
        Bad{R"("protocol": {"name": "pbtf", "anything": 1})", "2: protocol.name",
            "did you mean `pbft`?"},
        Bad{R"("protocol": {"name": "pbft", "checkpiont": 1})", "2: protocol.checkpiont",
            "did you mean `checkpoint`?"},
        Bad{R"("protocol": {"name": "pbft", "checkpoint": 0})", "2: protocol.checkpoint",
            "from 1 to 1000"},
        Bad{R"("network": {"delay": 0})", "2: network.delay.mean", "from 0.001"},
        Bad{R"("network": {"delay": {"min": 5, "max": 2}})", "2: network.delay.min",
            "5 is more than the `max`, 2"},
        Bad{R"("network": {"delay": {"law": "poisson", "mean": 1}})", "2: network.delay.law",
            "known: constant"},
        Bad{R"("network": {"delay": {"law": "uniform"}})", "2: network.delay",
            "needs `min` and `max`"},
        Bad{R"("network": {"delay": 1.0001})", "2: network.delay.mean", "finer"},
        Bad{R"("network": {"loss": 2})", "2: network.loss", "from 0 to 1, not 2"},
        Bad{R"("network": {"loss": "0.5"})", "2: network.loss", "not the string"},
        // It did nothing.
        Bad{R"("network": {"cut": 0.5})", "2: network.cut", "give `gst` a time above 0"},
        Bad{R"("network": {"cut": 0.5, "gst": 0})", "2: network.cut", "or leave `cut` out"},
        Bad{R"("network": {"topology": "mesh"})", "2: network.topology", "known: complete"},
        Bad{R"("network": {"topology": "grid", "width": 5, "height": 5})", "2: network.topology",
            "25 places for 4 nodes"},
        Bad{R"("network": {"topology": "list", "neighbours": [[1], [2], [3], [99]]})",
            "2: network.neighbours[3]", "there is no node 99"},
        Bad{R"("network": {"topology": "list", "neighbours": [[1]]})", "2: network.neighbours",
            "one list for each"},
        Bad{R"("network": {"topology": "random", "degree": 4})", "2: network.topology", "2 to 3"},
        Bad{R"("network": {"width": 2})", "2: network.width", "grid or torus"},
        Bad{R"("committee": {"n": 2}, "network": {"topology": "ring"})", "2: network.topology",
            "at least 3 nodes"},
        Bad{R"("network": {"wan": "aws"})", "2: network.wan", "use \"engine\": \"events\""},
        Bad{R"("engine": "events", "network": {"wan": "asw"})", "2: network.wan",
            "did you mean `aws`?"},
        Bad{R"("engine": "events", "network": {"wan": "aws", "regions": ["irland"]})",
            "2: network.regions", "did you mean `ireland`?"},
        Bad{R"("protocol": {"name": "raft"}, "workload": {"bytes": 4097})", "2: workload.bytes",
            "4097 are more than `raft` takes: its `value_bytes` is 4096"},
        Bad{R"("protocol": {"name": "raft"}, "workload": {"block_bytes": 5000})",
            "2: workload.block_bytes", "5000 are more than `raft` takes"},
        // No request of such a protocol is ever delivered.
        Bad{R"("protocol": {"name": "coin"}, "oracles": {"included_within": 9})",
            "2: oracles.included_within", "means nothing for `coin`"},
        Bad{R"("protocol": {"name": "raft", "value_bytes": 9}, "workload": {"bytes": 16})",
            "2: workload.bytes", "its `value_bytes` is 9"},
        Bad{R"("costs": {"sign_us": 3})", "2: costs", "need milliseconds"},
        Bad{R"("network": {"partitions": [{"groups": [[0], [0, 1]], "from": 1, "to": 2}]})",
            "2: network.partitions[0].groups", "two groups"},
        Bad{R"("network": {"partitions": [{"groups": [[0], [1]], "from": 2, "to": 2}]})",
            "2: network.partitions[0].to", "not after it begins"},
        Bad{R"("faults": [{"who": [7], "what": "silent"}])", "2: faults[0].who",
            "no node 7 in a committee of 4"},
        Bad{R"("faults": [{"who": [1, 1], "what": "silent"}])", "2: faults[0].who", "twice"},
        Bad{R"("faults": [{"who": [], "what": "silent"}])", "2: faults[0].who", "names nobody"},
        // They were taken, and the fault was about all nodes and all messages.
        Bad{R"("faults": [{"who": [1], "what": "drop", "group": [0]}])", "2: faults[0].group",
            "goes with equivocate, twins, selective, forge, starve, deny, deaf or mimic"},
        Bad{R"("faults": [{"who": [1], "what": "crash", "group": [0]}])", "2: faults[0].group",
            "goes with"},
        Bad{R"("faults": [{"who": [1], "what": "deaf", "numbers": [3]}])", "2: faults[0].numbers",
            "means nothing for a deaf fault"},
        Bad{R"("faults": [{"who": [1], "what": "restart", "to": 4, "numbers": [3]}])",
            "2: faults[0].numbers", "means nothing for a restart fault"},
        Bad{R"("faults": [{"who": [1], "what": "silnt"}])", "2: faults[0].what",
            "did you mean `silent`?"},
        Bad{R"("faults": [{"what": "silent"}])", "2: faults[0]", "`who` is missing"},
        Bad{R"("faults": [{"who": [1]}])", "2: faults[0]", "`what` is missing"},
        Bad{R"("faults": [{"who": [1], "what": "silent", "probability": 2}])",
            "2: faults[0].probability", "from 0 to 1"},
        Bad{R"("faults": [{"who": [1], "what": "silent", "from": 3, "to": 2}])", "2: faults[0].to",
            "not after it begins"},
        Bad{R"("faults": [{"who": [1], "what": "silent", "copies": 2}])", "2: faults[0].copies",
            "flood"},
        Bad{R"("faults": [{"who": [1], "what": "selective"}])", "2: faults[0]", "needs a `group`"},
        Bad{R"("protocol": {"name": "pbft"},
               "faults": [{"who": [1], "what": "mutate", "field": "vew"}])",
            "3: faults[0].field", "did you mean `view`?"},
        Bad{R"("protocol": {"name": "pbft"}, "faults": [{"who": [1], "what": "forge"}])",
            "2: faults[0].what", "no forged proposals"},
        Bad{R"("faults": [{"who": [1], "what": "silent", "delay": 2}])", "2: faults[0].delay",
            "starve"},
        Bad{R"("faults": [{"who": [1, 2], "what": "silent"}])", "2: faults", "f is 1"},
        Bad{R"("faults": [{"who": {"count": 5}, "what": "silent"}])", "2: faults[0].who.count",
            "from 0 to 4"},
        Bad{R"("seed": -1)", "2: seed", "whole number"},
        Bad{R"("repeats": 0)", "2: repeats", "from 1"},
        Bad{R"("sweep": {"committee.n": []})", "2: sweep.committee.n", "no values"},
        Bad{R"("sweep": {"seed": {"from": 9, "to": 1}})", "2: sweep.seed", "range is empty"},
        Bad{R"("sweep": {"seed": {"from": 1, "to": 9, "step": 0}})", "2: sweep.seed", "above 0"},
        Bad{R"("sweep": {"seed": {"from": 1, "too": 9}})", "2: sweep.seed.too", "did you mean"},
        Bad{R"("sweep": {"seed": 3})", "2: sweep.seed", "must be a list"},
        Bad{R"("sweep": [{"seed": [1, 2], "committee.n": [4]}])", "2: sweep[0].committee.n",
            "as many"},
        Bad{R"("sweep": {"committee.m": [4, 7]})", "2: committee.m", "did you mean"},
        Bad{R"("sweep": {"seed.x": [1]}, "seed": 4)", "2: sweep.seed.x", "there is 4"},
        Bad{R"("sweep": {"committee.f": [1, 2]})", "2: committee.f",
            "in the sweep, first at committee.f = 2"}));

TEST(ReadExperiment, ComplainsOfEverythingAtOnce) {
  const auto found = complaints(R"("committee": {"n": 7, "k": 3},
"network": {"loss": 2, "delay": {"min": 3, "max": 1}},
"faults": [{"who": [8], "what": "slient"}],
"stpo": {})");
  EXPECT_THAT(
      found, ElementsAre(
                 HasSubstr("exp.json:2: committee.k"), HasSubstr("exp.json:3: network.loss"),
                 HasSubstr("exp.json:3: network.delay.min"), HasSubstr("exp.json:4: faults[0].who"),
                 HasSubstr("exp.json:4: faults[0].what"), HasSubstr("exp.json:5: stpo")));
}

TEST(ReadExperiment, SaysWhatIsNoExperimentAtAll) {
  const ReadOptions options{"exp.json", {}, known()};
  for (const auto& [content, what] :
       {std::pair{"", "exp.json:1:1: invalid JSON: there is nothing in it"},
        {"// only a comment\n", "there is nothing but a comment in it"},
        {"{\"schema\": 1,\n", "exp.json:1:14: invalid JSON: the text ends before"},
        {"[]", "exp.json:1:1: must be one object"},
        {"{\"protocol\": {\"name\": \"pbft\"}}", "exp.json:1:1: \"schema\": 1 is missing"},
        {"{\"schema\": 2, \"protokoll\": []}",
         "exp.json:1:12: schema: 2 is newer than 1, which this program reads; use a newer"},
        {"{\"schema\": 0, \"protocol\": {\"name\": \"pbft\"}}",
         "exp.json:1:12: schema: must be a whole number that is 1, not 0"},
        {"{\"schema\": 1}", "exp.json:1:1: protocol: is missing"},
        {"{\"schema\": 1, \"protocol\": {}}", "exp.json:1:27: protocol: has no `name`; write "},
        {"{\"schema\": 1, \"seed\": 1,\n\"seed\": 2}",
         "exp.json:2:1: the key \"seed\" stands twice"}}) {
    const auto out = read_experiments(content, options);
    ASSERT_FALSE(out) << content;
    ASSERT_EQ(out.error().size(), 1U) << content;
    EXPECT_THAT(out.error().front().text(), HasSubstr(what));
  }
}

TEST(ReadExperiment, SaysTheColumnOfTheValueThatIsWrong) {
  const ReadOptions options{"exp.json", {}, known()};
  for (const auto& [member, place] :
       {std::pair{R"("committee": {"n": -4})", "exp.json:2:20: committee.n"},
        {R"("committee": {"f": 0, "m": 4})", "exp.json:2:23: committee.m"},
        {R"("stop": {"rounds" :  "a\"b"})", "exp.json:2:22: stop.rounds"},
        {R"("faults": [ {"who": [1, 9], "what": "silent"}])", "exp.json:2:25: faults[0].who"},
        {R"("faults": [ {"who": [1]}])", "exp.json:2:13: faults[0]: `what` is missing"},
        {R"("network": {"loss": true})", "exp.json:2:21: network.loss"}}) {
    const auto out = read_experiments(head("") + ",\n" + member + "}", options);
    ASSERT_FALSE(out) << member;
    EXPECT_THAT(texts_of(out.error()), ElementsAre(HasSubstr(place)));
  }
}

// Which run it would be nobody has said: none is guessed.
TEST(ReadExperiment, AProtocolAndAnEndMustBeSaid) {
  EXPECT_THAT(complaints(R"("stop": {})"), ElementsAre(HasSubstr("2: stop: names no end")));
  EXPECT_THAT(complaints(R"("stop": {"rounds": null})"), ElementsAre(HasSubstr("names no end")));
  EXPECT_EQ(one(R"("stop": {}, "sweep": {"stop.rounds": [7]})").stop.rounds, 7U);
  EXPECT_EQ(one("", {{"stop", "{}"}, {"stop.rounds", "7"}}).stop.rounds, 7U);
  const auto named = cells(R"({"schema": 1, "sweep": {"protocol.name": ["pbft", "raft"]}})");
  ASSERT_EQ(named.size(), 2U);
  EXPECT_EQ(named[1].experiment.protocol, "raft");
  // Where something else is wrong, what the sweep gives is not called missing.
  EXPECT_THAT(complaints(R"("sweep": {"protocol.name": ["pbft"], "seed": []})"),
              ElementsAre(HasSubstr("sweep.seed: has no values")));
}

TEST(ReadExperiment, CountedNodesAreOthersThanThoseOfTheFaultsBefore) {
  const auto who = [](const std::string& faults, std::size_t i) {
    return one("\"committee\": {\"n\": 10}, \"beyond_f\": true, \"faults\": [" + faults + "]")
        .faults.at(i)
        .who;
  };
  const std::string two = R"({"who": {"count": 2}, "what": "silent"},)";
  EXPECT_THAT(who(two + R"({"who": {"count": 1}, "what": "twins"})", 0),
              ElementsAre(NodeId{0}, NodeId{5}));
  EXPECT_THAT(who(two + R"({"who": {"count": 1}, "what": "twins"})", 1), ElementsAre(NodeId{1}));
  EXPECT_THAT(who(two + R"({"who": {"count": 2}, "what": "twins"})", 1),
              ElementsAre(NodeId{1}, NodeId{6}));
  EXPECT_THAT(
      who(R"({"who": [1, 0], "what": "silent"}, {"who": {"count": 1}, "what": "twins"})", 1),
      ElementsAre(NodeId{2}));
  EXPECT_THAT(
      complaints(R"("faults": [{"who": {"count": 3}, "what": "silent"},
      {"who": {"count": 2}, "what": "twins"}], "beyond_f": true)"),
      ElementsAre(HasSubstr("3: faults[1].who.count: must be \"f\" or a whole number from 0 "
                            "to 1, which no fault before names, not 2")));
}

TEST(ReadExperiment, MoreThanFFaultyNeedsSayingSo) {
  const char* faults = R"("faults": [{"who": [1, 2], "what": "silent"}], "beyond_f": true)";
  EXPECT_TRUE(one(faults).beyond_f);
  EXPECT_EQ(one(R"("faults": [{"who": {"count": 0}, "what": "silent"}])").faults.size(), 0U);
}

TEST(ReadExperiment, AnOverrideMayNameAParameterOfTheProtocolAlone) {
  const Experiment e = one("", {{"protocol.name", "pbft"}, {"checkpoint", "20"}});
  EXPECT_EQ(std::get<std::int64_t>(e.parameters.at("checkpoint")), 20);
  // Its errors name the whole path.
  EXPECT_THAT(complaints("\"seed\": 1", {{"protocol.name", "pbft"}, {"checkpoint", "-1"}}),
              ElementsAre(HasSubstr("protocol.checkpoint: must be a whole number from 1 to 1000")));
  EXPECT_THAT(complaints("\"seed\": 1", {{"protocol.name", "raft"}, {"checkpoint", "5"}}),
              ElementsAre(HasSubstr("protocol.checkpoint: unknown key")));
  EXPECT_THAT(complaints("\"protocol\": {\"name\": \"pbft\"}, \"sweep\": "
                         "{\"protocol.checkpoint\": [1, 2]}",
                         {{"checkpoint", "5"}}),
              ElementsAre(HasSubstr("the sweep gives `protocol.checkpoint` its values")));
}

// Else a key of the file could not be set any more.
TEST(ReadExperiment, NoParameterIsCalledAsAKeyOfTheFile) {
  const std::string file = annotate_experiment(Experiment{}, "every key", simulated_protocols());
  for (const ProtocolInfo& info : simulated_protocols()) {
    for (const ParameterInfo& p : info.parameters) {
      EXPECT_EQ(file.find("\n  \"" + p.name + "\""), std::string::npos) << info.name << p.name;
    }
  }
}

TEST(ReadExperiment, OverridesCountBeforeChecks) {
  const Experiment e = one(R"("committee": {"n": 4}, "faults": [{"who": [5], "what": "silent"}])",
                           {{"committee.n", "7"},
                            {"protocol.name", "pbft"},
                            {"network.delay", "2.5"},
                            {"faults.0.what", "\"twins\""}});
  EXPECT_EQ(e.n, 7U);
  EXPECT_EQ(e.protocol, "pbft");
  EXPECT_EQ(e.network.delay.max, 2500U);
  EXPECT_EQ(e.faults.at(0).what, FaultKind::kTwins);
  EXPECT_THAT(complaints("\"seed\": 1", {{"committee.n", "x"}}),
              ElementsAre(HasSubstr("command line: committee.n: must be a whole number")));
  EXPECT_THAT(complaints("\"seed\": 1", {{"seed.a", "1"}}),
              ElementsAre(HasSubstr("command line: seed.a")));
  EXPECT_EQ(cells(head("") + "}", {{"sweep.committee.n", "[4, 7]"}}).size(), 2U);
}

TEST(ReadSweep, ProductsZipsRangesAndRepeats) {
  const auto product =
      cells(R"({"schema": 1, "protocol": {"name": "pbft"}, "seed": 10, "repeats": 2,
    "sweep": {"committee.n": [4, 7], "network.loss": {"from": 0, "to": 0.2, "step": 0.1}}})");
  ASSERT_EQ(product.size(), 12U);
  EXPECT_EQ(product[3].at,
            (std::vector<Coordinate>{{"committee.n", "4"}, {"network.loss", "0.1"}}));
  EXPECT_EQ(product[3].experiment.seed, 11U);
  EXPECT_EQ(product[3].repeat, 1U);
  EXPECT_EQ(product[11].experiment.n, 7U);
  EXPECT_EQ(product[11].experiment.f, 2U);
  EXPECT_EQ(product[11].experiment.network.loss_ppm, 200'000U);
  const auto zip = cells(R"({"schema": 1, "protocol": {"name": "pbft"}, "sweep": [
    {"committee.n": {"from": 4, "to": 16, "factor": 2}, "faults": [[], [], []]},
    {"engine": ["rounds", "events"]}]})");
  ASSERT_EQ(zip.size(), 6U);
  EXPECT_EQ(zip[5].experiment.n, 16U);
  EXPECT_EQ(zip[5].experiment.engine, Engine::kEvents);
}

TEST(ReadSweep, RefusesMoreCellsThanItCanHold) {
  const auto found = complaints(
      R"("sweep": {"seed": {"from": 1, "to": 5000}, "network.gst": {"from": 1, "to": 5000}})");
  EXPECT_THAT(found, ElementsAre(HasSubstr("more than 1000000 cells")));
}

// It was taken, and the sweep's value ran.
TEST(ReadExperiment, WhatIsSetUnderASweepIsRefused) {
  const std::string sweep = R"("sweep": {"committee.n": [4, 7], "network.loss": [0, 0.1]})";
  const auto refused = complaints(sweep, {{"committee.n", "31"}});
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_TRUE(refused[0].starts_with("command line: committee.n: the sweep gives")) << refused[0];
  EXPECT_EQ(complaints(sweep, {{"committee[n]", "31"}}).size(), 1U);
  EXPECT_EQ(cells(head("") + ", " + sweep + "}", {{"network.duplicate", "0.5"}}).size(), 4U);
}

// THRESHER_UPDATE_GOLDEN=1 writes the shipped file anew.
TEST(ExperimentSchema, IsTheOneThatIsShipped) {
  if (std::getenv("THRESHER_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(EXPERIMENT_SCHEMA) << experiment_schema();
  }
  std::ostringstream shipped;
  shipped << std::ifstream(EXPERIMENT_SCHEMA).rdbuf();
  EXPECT_EQ(shipped.str(), experiment_schema())
      << "run this test with THRESHER_UPDATE_GOLDEN=1 and look at the difference";
}

void gather_keys(const text::Value& schema, const std::string& path,
                 std::vector<std::string>& out) {
  if (const text::Value* both = schema.find("oneOf"))
    return gather_keys(both->items()[1], path, out);
  if (const text::Value* items = schema.find("items"))
    return gather_keys(*items, path + "[0]", out);
  const text::Value* properties = schema.find("properties");
  if (properties == nullptr) return;
  for (const text::Member& member : properties->members()) {
    const std::string inner = path.empty() ? member.key : path + "." + member.key;
    out.push_back(inner);
    gather_keys(member.value, inner, out);
  }
}

TEST(ExperimentSchema, HasTheKeysThatTheReaderKnows) {
  std::vector<std::string> keys;
  gather_keys(*text::parse(experiment_schema()), "", keys);
  EXPECT_GT(keys.size(), 70U);
  // A value of a type that no key takes: the reader complains of the key, but does not call it
  // unknown.
  for (const std::string& key : keys) {
    if (key == "schema" || key.find("[0]") != std::string::npos) continue;
    const auto out = read_experiments(head("") + "}", {"f", {{key, "[true, [null]]"}}, known()});
    ASSERT_FALSE(out) << key;
    for (const std::string& line : texts_of(out.error()))
      EXPECT_EQ(line.find("unknown key"), line.npos) << line;
  }
}

// Every key with every shape of value: a complaint, or an experiment that can be written, read back
// and run.
TEST(ReadExperiment, EveryKeyTakesOrRefusesEveryShape) {
  std::vector<std::string> keys;
  gather_keys(*text::parse(experiment_schema()), "", keys);
  const char* shapes[] = {"null",
                          "true",
                          "-1",
                          "0",
                          "0.25",
                          "1",
                          "3",
                          "1e18",
                          "\"\"",
                          "\"grid\"",
                          "\"events\"",
                          "\"aws\"",
                          "\"twins\"",
                          "[]",
                          "[1]",
                          "[0, 2]",
                          "[[0], [1, 2]]",
                          "[\"ireland\"]",
                          "{}",
                          "{\"count\": 1}",
                          "{\"min\": 1, \"max\": 2}"};
  const std::string base =
      R"({"schema": 1, "protocol": {"name": "pbft"}, "engine": "events", "stop": {"rounds": 4},
    "network": {"links": [{"delay": 1}],
                "partitions": [{"groups": [[0], [1]], "from": 1, "to": 2}]},
    "faults": [{"who": [3], "what": "silent"}]})";
  int taken = 0, refused = 0;
  for (std::string key : keys) {
    if (key.starts_with("stop") || key == "sweep") continue;  // how long and how often it runs
    for (std::size_t at; (at = key.find("[0]")) != key.npos;) key.replace(at, 3, ".0");
    for (const char* shape : shapes) {
      const auto out = read_experiments(base, {"f", {{key, shape}}, simulated_protocols()});
      if (!out) {
        ++refused;
        ASSERT_FALSE(out.error().empty());
        continue;
      }
      ++taken;
      const Experiment& e = out->front().experiment;
      const std::string page = write_experiment(e);
      const auto again = read_experiments(page, {"f", {}, simulated_protocols()});
      ASSERT_TRUE(again) << key << " = " << shape << ": " << again.error().front();
      EXPECT_EQ(write_experiment(again->front().experiment), page) << key << " = " << shape;
      if (e.engine != Engine::kSockets) {
        EXPECT_EQ(simulate(e, {}).nodes.size(), e.n) << key << " = " << shape;
      }
    }
  }
  EXPECT_GT(taken, 120);
  EXPECT_GT(refused, 800);
}

// An oracle that means nothing for a protocol is off, and a file that asks for it is refused.
TEST(ReadExperiment, OraclesThatMeanNothingAreOff) {
  const auto read = [](const std::string& oracles) {
    return read_experiments("{\"schema\": 1, \"protocol\": {\"name\": \"bitcoin\"}" + oracles + "}",
                            {"f", {}, simulated_protocols()});
  };
  const auto quiet = read("");
  ASSERT_TRUE(quiet);
  EXPECT_FALSE(quiet->front().experiment.oracles.agreement);
  EXPECT_TRUE(quiet->front().experiment.oracles.validity);
  const auto asked = read(", \"oracles\": {\"agreement\": true}");
  ASSERT_FALSE(asked);
  EXPECT_THAT(texts_of(asked.error()), ElementsAre(HasSubstr("oracles.agreement: means nothing")));
}

TEST(ReadExperiment, ALinkNeedsTwoNodes) {
  const auto read = read_experiments(
      "{\"schema\": 1, \"protocol\": {\"name\": \"stable_link\"}, \"committee\": {\"n\": 1}}",
      {"f", {}, simulated_protocols()});
  ASSERT_FALSE(read);
  EXPECT_THAT(texts_of(read.error()), ElementsAre(HasSubstr("needs at least 2 nodes, not 1")));
}

TEST(ReadExperiment, EveryShippedExperimentIsRead) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(EXPERIMENTS)) {
    if (entry.path().extension() != ".json") continue;
    std::ostringstream content;
    content << std::ifstream(entry.path()).rdbuf();
    const auto out =
        read_experiments(content.str(), {entry.path().filename(), {}, simulated_protocols()});
    EXPECT_TRUE(out) << (out ? "" : out.error().front().text());
    ++files;
  }
  EXPECT_GE(files, 9U);
}

}  // namespace
}  // namespace thresher::sim
