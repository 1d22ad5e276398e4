// Rule tables of binary agreement, one round, and of one slot of `thresher`: proved for every n.
//
//   verify::export_votes(agreement::kCobalt);      // thresher verify --protocol cobalt
//
// What they are: the steps that the agreement protocols take (round.hpp runs them), and their proof
// obligations. bca, mmr14 and cobalt stand on bv-broadcast: a value is in a node's set only if a
// correct node said it (bv's `justification`), the rest of bv is left open, which only adds runs.
// C0 and C1 are "one value alone", CB is "both" or none, and there the common coin of the round is
// read: D decides, E carries a value on. That the coin finds the outcome fixed (`binding`, a
// property of two futures) holds for bca, fails for mmr14 and is what cobalt's CONF exchange is
// for. ben_or throws a coin in each node and stands alone; it needs n > 5f. The slot has its
// thresholds from dag::Rules. It ends with direct decisions and with what a later leader's parents
// must show of them (`survival`); that anchors of anchors decide alike is proved on paper
// (docs/protocols/thresher.md). Sources: Abraham, Ben-David, Yandamuri, "Efficient and adaptively
// secure asynchronous binary agreement via binding crusader agreement" (PODC 2022); Mostefaoui,
// Moumen, Raynal, "Signature-free asynchronous Byzantine consensus" (PODC 2014), figures 1 and 2;
// MacBrough, "Cobalt: BFT governance in open networks" (2018), section 4; Ben-Or, "Another
// advantage of free choice" (PODC 1983), protocol B.
#pragma once

#include "thresher/core/rule_votes.hpp"
#include "thresher/protocols/agreement/table_parts.hpp"
#include "thresher/protocols/dag/rules.hpp"

namespace thresher::agreement {

namespace bv {

enum Location : std::uint8_t { kV0, kV1, kB0, kB1, kB01, kC0, kC1, kCB0, kCB1, kC01 };
enum Counter : std::uint8_t { kBval0, kBval1 };
inline constexpr std::string_view kLocations[] = {"V0", "V1", "B0",  "B1",  "B01",
                                                  "C0", "C1", "CB0", "CB1", "C01"};
inline constexpr std::string_view kCounters[] = {"bval0", "bval1"};
inline constexpr VoteRule kRules[] = {
    {"say 0", kV0, kB0, {}, kBval0},
    {"relay 1", kB0, kB01, {SumGuard{bits(kBval1), kValidity}}, kBval1},
    {"deliver 0", kB0, kC0, {SumGuard{bits(kBval0), kStrong}}, {}},
    {"relay 1 late", kC0, kCB0, {SumGuard{bits(kBval1), kValidity}}, kBval1},
    {"deliver 0 of both", kB01, kCB0, {SumGuard{bits(kBval0), kStrong}}, {}},
    {"deliver 1 as well", kCB0, kC01, {SumGuard{bits(kBval1), kStrong}}, {}},
    {"say 1", kV1, kB1, {}, kBval1},
    {"relay 0", kB1, kB01, {SumGuard{bits(kBval0), kValidity}}, kBval0},
    {"deliver 1", kB1, kC1, {SumGuard{bits(kBval1), kStrong}}, {}},
    {"relay 0 late", kC1, kCB1, {SumGuard{bits(kBval0), kValidity}}, kBval0},
    {"deliver 1 of both", kB01, kCB1, {SumGuard{bits(kBval1), kStrong}}, {}},
    {"deliver 0 as well", kCB1, kC01, {SumGuard{bits(kBval0), kStrong}}, {}},
};
/// Where a node has delivered the value.
inline constexpr std::array<BitSet, 2> kDelivered{bits(kC0, kCB0, kC01), bits(kC1, kCB1, kC01)};
inline constexpr Claim kClaims[] = {
    {"justification0", ClaimKind::kNever, kDelivered[0], 0, bits(kV0)},
    {"obligation0", ClaimKind::kAllEnd, kDelivered[0], 0, 0, bits(kV0), kValidity},
    {"uniformity0", ClaimKind::kSpread, kDelivered[0], kDelivered[0]},
    {"justification1", ClaimKind::kNever, kDelivered[1], 0, bits(kV1)},
    {"obligation1", ClaimKind::kAllEnd, kDelivered[1], 0, 0, bits(kV1), kValidity},
    {"uniformity1", ClaimKind::kSpread, kDelivered[1], kDelivered[1]},
    {"termination", ClaimKind::kAllEnd, bits(kC0, kC1, kCB0, kCB1, kC01)},
};

}  // namespace bv

/// Binary-value broadcast. B: said, C: delivered; CBv: said both, delivered v.
inline constexpr VoteTable kBvBroadcast{"bv_broadcast", bv::kLocations, bits(bv::kV0, bv::kV1),
                                        bv::kCounters,  bv::kRules,     bv::kClaims};
static_assert(well_formed(kBvBroadcast));

namespace bca {

enum Location : std::uint8_t {
  kV0,
  kV1,
  kM,
  kA0,
  kA1,
  kX0,
  kX1,
  kXB,
  kC0,
  kC1,
  kCB,
  kD0,
  kD1,
  kE0,
  kE1,
};
enum Counter : std::uint8_t { kBval0, kBval1, kEcho20, kEcho21, kEcho30, kEcho31, kEcho3B };
inline constexpr std::string_view kLocations[] = {"V0", "V1", "M",  "A0", "A1", "X0", "X1", "XB",
                                                  "C0", "C1", "CB", "D0", "D1", "E0", "E1"};
inline constexpr std::string_view kCounters[] = {"bval0",   "bval1",   "echo2_0", "echo2_1",
                                                 "echo3_0", "echo3_1", "echo3_B"};
using Begin = parts::Crusade<Location, Counter>;
inline constexpr SumGuard kApproved0 = Begin::kApproved0;
inline constexpr SumGuard kApproved1 = Begin::kApproved1;
using End = parts::CommonCoin<Location>;
inline constexpr auto kRules = parts::join(
    Begin::kRules,
    std::to_array<VoteRule>({
        {"only 0 from X0", kX0, kC0, {SumGuard{bits(kEcho30), kAvailability}}, {}},
        {"only 1 from X1", kX1, kC1, {SumGuard{bits(kEcho31), kAvailability}}, {}},
        {"approve 1 late", kX0, kXB, {kApproved1}, {}},
        {"approve 0 late", kX1, kXB, {kApproved0}, {}},
        {"only 0 from XB", kXB, kC0, {SumGuard{bits(kEcho30), kAvailability}}, {}},
        {"only 1 from XB", kXB, kC1, {SumGuard{bits(kEcho31), kAvailability}}, {}},
        {"none", kXB, kCB, {SumGuard{bits(kEcho30, kEcho31, kEcho3B), kAvailability}}, {}},
    }),
    End::kRules);

}  // namespace bca

/// A round on binding crusader agreement: ECHO1 is bval, "approved" is bv's delivery. Av: approved
/// v first and said ECHO2(v); X: said ECHO3, with what it approved by now; CB: the crusader's
/// bottom.
inline constexpr VoteTable kBca{
    "bca",       bca::kLocations,   bits(bca::kV0, bca::kV1), bca::kCounters,
    bca::kRules, bca::End::kClaims, bca::End::kRounds};
static_assert(well_formed(kBca));

namespace graded {

enum Location : std::uint8_t {
  kV0,
  kV1,
  kM,
  kA0,
  kA1,
  kX0,
  kX1,
  kXB,
  kY0,
  kY1,
  kYB,
  kZ0,
  kZ1,
  kZB,
  kD0,
  kD1,
  kE0,
  kE1,
  kF,
  kH0,
  kH1,
};
enum Counter : std::uint8_t {
  kBval0,
  kBval1,
  kEcho20,
  kEcho21,
  kEcho30,
  kEcho31,
  kEcho3B,
  kEcho40,
  kEcho41,
  kEcho4B,
  kEcho50,
  kEcho51,
  kEcho5B
};
inline constexpr std::string_view kLocations[] = {"V0", "V1", "M",  "A0", "A1", "X0", "X1",
                                                  "XB", "Y0", "Y1", "YB", "Z0", "Z1", "ZB",
                                                  "D0", "D1", "E0", "E1", "F",  "H0", "H1"};
inline constexpr std::string_view kCounters[] = {
    "bval0",   "bval1",   "echo2_0", "echo2_1", "echo3_0", "echo3_1", "echo3_B",
    "echo4_0", "echo4_1", "echo4_B", "echo5_0", "echo5_1", "echo5_B"};
using Begin = parts::Crusade<Location, Counter>;
inline constexpr SumGuard kApproved0 = Begin::kApproved0;
inline constexpr SumGuard kApproved1 = Begin::kApproved1;
inline constexpr auto kRules = parts::join(
    Begin::kRules,
    std::to_array<VoteRule>({
        {"crusade 0 from X0", kX0, kY0, {SumGuard{bits(kEcho30), kAvailability}}, kEcho40},
        {"approve 1 in X", kX0, kXB, {kApproved1}, {}},
        {"crusade 1 from X1", kX1, kY1, {SumGuard{bits(kEcho31), kAvailability}}, kEcho41},
        {"approve 0 in X", kX1, kXB, {kApproved0}, {}},
        {"crusade 0 from XB", kXB, kYB, {SumGuard{bits(kEcho30), kAvailability}}, kEcho40},
        {"crusade 1 from XB", kXB, kYB, {SumGuard{bits(kEcho31), kAvailability}}, kEcho41},
        {"crusade bottom",
         kXB,
         kYB,
         {SumGuard{bits(kEcho30, kEcho31, kEcho3B), kAvailability}},
         kEcho4B},
        {"grade 0 from Y0", kY0, kZ0, {SumGuard{bits(kEcho40), kAvailability}}, kEcho50},
        {"approve 1 in Y", kY0, kYB, {kApproved1}, {}},
        {"grade 1 from Y1", kY1, kZ1, {SumGuard{bits(kEcho41), kAvailability}}, kEcho51},
        {"approve 0 in Y", kY1, kYB, {kApproved0}, {}},
        {"grade 0 from YB", kYB, kZB, {SumGuard{bits(kEcho40), kAvailability}}, kEcho50},
        {"grade 1 from YB", kYB, kZB, {SumGuard{bits(kEcho41), kAvailability}}, kEcho51},
        {"grade bottom",
         kYB,
         kZB,
         {SumGuard{bits(kEcho40, kEcho41, kEcho4B), kAvailability}},
         kEcho5B},
        {"decide 0 from Z0",
         kZ0,
         kD0,
         {SumGuard{bits(kEcho50), kAvailability}, SumGuard{bits(kEcho40), kValidity}},
         {}},
        {"approve 1 in Z", kZ0, kZB, {kApproved1}, {}},
        {"decide 1 from Z1",
         kZ1,
         kD1,
         {SumGuard{bits(kEcho51), kAvailability}, SumGuard{bits(kEcho41), kValidity}},
         {}},
        {"approve 0 in Z", kZ1, kZB, {kApproved0}, {}},
        {"decide 0 from ZB",
         kZB,
         kD0,
         {SumGuard{bits(kEcho50), kAvailability}, SumGuard{bits(kEcho40), kValidity}},
         {}},
        {"decide 1 from ZB",
         kZB,
         kD1,
         {SumGuard{bits(kEcho51), kAvailability}, SumGuard{bits(kEcho41), kValidity}},
         {}},
        {"keep 0",
         kZB,
         kE0,
         {SumGuard{bits(kEcho50, kEcho5B), kAvailability}, SumGuard{bits(kEcho50), kAny},
          SumGuard{bits(kEcho40), kValidity}},
         {}},
        {"keep 1",
         kZB,
         kE1,
         {SumGuard{bits(kEcho51, kEcho5B), kAvailability}, SumGuard{bits(kEcho51), kAny},
          SumGuard{bits(kEcho41), kValidity}},
         {}},
        {"throw", kZB, kF, {SumGuard{bits(kEcho5B), kAvailability}}, {}},
        {"heads 0", kF, kH0, {}, {}},
        {"heads 1", kF, kH1, {}, {}},
    }));
inline constexpr Claim kClaims[] = {
    {"agreement", ClaimKind::kNotBoth, bits(kD0, kE0), bits(kD1, kE1)},
    {"grades0", ClaimKind::kNotBoth, bits(kD0), bits(kF)},
    {"grades1", ClaimKind::kNotBoth, bits(kD1), bits(kF)},
    {"justification0", ClaimKind::kNever, bits(kD0, kE0, kF), 0, bits(kV0)},
    {"justification1", ClaimKind::kNever, bits(kD1, kE1, kF), 0, bits(kV1)},
};
inline constexpr Rounds kRounds{{bits(kV0), bits(kV1)},
                                {bits(kD0, kE0, kH0), bits(kD1, kE1, kH1)},
                                {bits(kD0), bits(kD1)},
                                {bits(kD0, kE0), bits(kD1, kE1)}};

}  // namespace graded

/// A round on graded binding crusader agreement, for coins that may show different nodes different
/// sides: decided with grade 2 (D), kept with 1 (E), thrown for with 0 (F). Y: said ECHO4 of what
/// the crusader gave, Z: said ECHO5, each with what it approved by now.
inline constexpr VoteTable kGraded{
    "graded_bca",      graded::kLocations, bits(graded::kV0, graded::kV1),
    graded::kCounters, graded::kRules,     graded::kClaims,
    graded::kRounds};
static_assert(well_formed(kGraded));

namespace mmr14 {

enum Location : std::uint8_t {
  kV0,
  kV1,
  kM,
  kM0,
  kM1,
  kMB0,
  kMB1,
  kC0,
  kC1,
  kCB,
  kD0,
  kD1,
  kE0,
  kE1,
};
enum Counter : std::uint8_t { kBval0, kBval1, kAux0, kAux1 };
inline constexpr std::string_view kLocations[] = {"V0", "V1", "M",  "M0", "M1", "MB0", "MB1",
                                                  "C0", "C1", "CB", "D0", "D1", "E0",  "E1"};
inline constexpr std::string_view kCounters[] = {"bval0", "bval1", "aux0", "aux1"};
using Begin = parts::FirstValues<Location, Counter>;
using End = parts::CommonCoin<Location>;
inline constexpr auto kRules =
    parts::join(Begin::kRules,
                std::to_array<VoteRule>({
                    {"only 0 from M0", kM0, kC0, {SumGuard{bits(kAux0), kAvailability}}, {}},
                    {"only 1 from M1", kM1, kC1, {SumGuard{bits(kAux1), kAvailability}}, {}},
                    {"only 0 from MB0", kMB0, kC0, {SumGuard{bits(kAux0), kAvailability}}, {}},
                    {"only 1 from MB0", kMB0, kC1, {SumGuard{bits(kAux1), kAvailability}}, {}},
                    {"only 0 from MB1", kMB1, kC0, {SumGuard{bits(kAux0), kAvailability}}, {}},
                    {"only 1 from MB1", kMB1, kC1, {SumGuard{bits(kAux1), kAvailability}}, {}},
                    {"both from MB0", kMB0, kCB, {SumGuard{bits(kAux0, kAux1), kAvailability}}, {}},
                    {"both from MB1", kMB1, kCB, {SumGuard{bits(kAux0, kAux1), kAvailability}}, {}},
                }),
                End::kRules);

}  // namespace mmr14

/// A round of MMR14. Mv: v came first; MBv: then the other too.
inline constexpr VoteTable kMmr14{
    "mmr14",       mmr14::kLocations,   bits(mmr14::kV0, mmr14::kV1), mmr14::kCounters,
    mmr14::kRules, mmr14::End::kClaims, mmr14::End::kRounds};
static_assert(well_formed(kMmr14));

namespace cobalt {

enum Location : std::uint8_t {
  kV0,
  kV1,
  kM,
  kM0,
  kM1,
  kMB0,
  kMB1,
  kF0,
  kF1,
  kFB,
  kC0,
  kC1,
  kCB,
  kD0,
  kD1,
  kE0,
  kE1,
};
enum Counter : std::uint8_t { kBval0, kBval1, kAux0, kAux1, kConf0, kConf1, kConfB };
inline constexpr std::string_view kLocations[] = {"V0",  "V1", "M",  "M0", "M1", "MB0",
                                                  "MB1", "F0", "F1", "FB", "C0", "C1",
                                                  "CB",  "D0", "D1", "E0", "E1"};
inline constexpr std::string_view kCounters[] = {"bval0", "bval1", "aux0", "aux1",
                                                 "conf0", "conf1", "confB"};
using Begin = parts::FirstValues<Location, Counter>;
using End = parts::CommonCoin<Location>;
inline constexpr auto kRules = parts::join(
    Begin::kRules,
    std::to_array<VoteRule>({
        {"only 0 from M0", kM0, kF0, {SumGuard{bits(kAux0), kAvailability}}, kConf0},
        {"only 1 from M1", kM1, kF1, {SumGuard{bits(kAux1), kAvailability}}, kConf1},
        {"only 0 from MB0", kMB0, kF0, {SumGuard{bits(kAux0), kAvailability}}, kConf0},
        {"only 1 from MB0", kMB0, kF1, {SumGuard{bits(kAux1), kAvailability}}, kConf1},
        {"only 0 from MB1", kMB1, kF0, {SumGuard{bits(kAux0), kAvailability}}, kConf0},
        {"only 1 from MB1", kMB1, kF1, {SumGuard{bits(kAux1), kAvailability}}, kConf1},
        {"both from MB0", kMB0, kFB, {SumGuard{bits(kAux0, kAux1), kAvailability}}, kConfB},
        {"both from MB1", kMB1, kFB, {SumGuard{bits(kAux0, kAux1), kAvailability}}, kConfB},
        {"confirmed 0 from F0", kF0, kC0, {SumGuard{bits(kConf0), kAvailability}}, {}},
        {"confirmed 1 from F0", kF0, kC1, {SumGuard{bits(kConf1), kAvailability}}, {}},
        {"mixed from F0",
         kF0,
         kCB,
         {SumGuard{bits(kConf0, kConf1, kConfB), kAvailability},
          SumGuard{bits(kBval1), kAny, Senders::kCorrect}},
         {}},
        {"confirmed 0 from F1", kF1, kC0, {SumGuard{bits(kConf0), kAvailability}}, {}},
        {"confirmed 1 from F1", kF1, kC1, {SumGuard{bits(kConf1), kAvailability}}, {}},
        {"mixed from F1",
         kF1,
         kCB,
         {SumGuard{bits(kConf0, kConf1, kConfB), kAvailability},
          SumGuard{bits(kBval0), kAny, Senders::kCorrect}},
         {}},
        {"confirmed 0 from FB", kFB, kC0, {SumGuard{bits(kConf0), kAvailability}}, {}},
        {"confirmed 1 from FB", kFB, kC1, {SumGuard{bits(kConf1), kAvailability}}, {}},
        {"mixed from FB", kFB, kCB, {SumGuard{bits(kConf0, kConf1, kConfB), kAvailability}}, {}},
    }),
    End::kRules);

}  // namespace cobalt

/// MMR14 with the CONF exchange before the coin. F: what a node confirmed; it takes a mixed outcome
/// only with both values in its set.
inline constexpr VoteTable kCobalt{"cobalt",
                                   cobalt::kLocations,
                                   bits(cobalt::kV0, cobalt::kV1),
                                   cobalt::kCounters,
                                   cobalt::kRules,
                                   cobalt::End::kClaims,
                                   cobalt::End::kRounds};
static_assert(well_formed(kCobalt));

namespace ben_or {

/// What is left of n-f messages when one value is short of a quorum among them.
inline constexpr Threshold kDissent{1, -3, 0, 2};
/// What is left of n-f messages when at most f of them have one value.
inline constexpr Threshold kNoWitness{1, -2, 0, 1};

enum Location : std::uint8_t { kV0, kV1, kR, kP, kD0, kD1, kE0, kE1, kF, kH0, kH1 };
enum Counter : std::uint8_t { kReport0, kReport1, kPropose0, kPropose1, kProposeNone };
inline constexpr std::string_view kLocations[] = {"V0", "V1", "R", "P",  "D0", "D1",
                                                  "E0", "E1", "F", "H0", "H1"};
inline constexpr std::string_view kCounters[] = {"report0", "report1", "propose0", "propose1",
                                                 "proposeNone"};
inline constexpr SumGuard kReports{bits(kReport0, kReport1), kAvailability};
inline constexpr SumGuard kProposals{bits(kPropose0, kPropose1, kProposeNone), kAvailability};
inline constexpr VoteRule kRules[] = {
    {"report 0", kV0, kR, {}, kReport0},
    {"report 1", kV1, kR, {}, kReport1},
    {"propose 0", kR, kP, {kReports, SumGuard{bits(kReport0), kQuorum}}, kPropose0},
    {"propose 1", kR, kP, {kReports, SumGuard{bits(kReport1), kQuorum}}, kPropose1},
    {"propose none",
     kR,
     kP,
     {kReports, SumGuard{bits(kReport0), kDissent}, SumGuard{bits(kReport1), kDissent}},
     kProposeNone},
    {"decide 0", kP, kD0, {kProposals, SumGuard{bits(kPropose0), kQuorum}}, {}},
    {"decide 1", kP, kD1, {kProposals, SumGuard{bits(kPropose1), kQuorum}}, {}},
    {"lean 0",
     kP,
     kE0,
     {kProposals, SumGuard{bits(kPropose0), kValidity},
      SumGuard{bits(kPropose1, kProposeNone), kDissent}},
     {}},
    {"lean 1",
     kP,
     kE1,
     {kProposals, SumGuard{bits(kPropose1), kValidity},
      SumGuard{bits(kPropose0, kProposeNone), kDissent}},
     {}},
    {"flip",
     kP,
     kF,
     {kProposals, SumGuard{bits(kPropose0, kProposeNone), kNoWitness},
      SumGuard{bits(kPropose1, kProposeNone), kNoWitness}},
     {}},
    {"heads 0", kF, kH0, {}, {}},
    {"heads 1", kF, kH1, {}, {}},
};
inline constexpr Rounds kRounds{{bits(kV0), bits(kV1)},
                                {bits(kD0, kE0, kH0), bits(kD1, kE1, kH1)},
                                {bits(kD0), bits(kD1)},
                                {bits(kD0, kE0), bits(kD1, kE1)}};

}  // namespace ben_or

/// A round of Ben-Or's Byzantine protocol. R: reported, P: proposed, F: throws, H: what it threw.
inline constexpr VoteTable kBenOr{"ben_or",
                                  ben_or::kLocations,
                                  bits(ben_or::kV0, ben_or::kV1),
                                  ben_or::kCounters,
                                  ben_or::kRules,
                                  {},
                                  ben_or::kRounds,
                                  5};
static_assert(well_formed(kBenOr));

namespace slot {

// The thresholds are those of the DAG's own rules: to change them is to change what is proved.
inline constexpr dag::Rules kDag = dag::Rules::thresher();

enum Location : std::uint8_t { kS0, kS1, kSB, kW, kK0, kK1, kN, kD0, kD1, kX, kP0, kP1 };
enum Counter : std::uint8_t { kVote0, kVote1, kBlame, kClaim0, kClaim1, kNoClaim };
inline constexpr std::string_view kLocations[] = {"S0", "S1", "SB", "W", "K0", "K1",
                                                  "N",  "D0", "D1", "X", "P0", "P1"};
inline constexpr std::string_view kCounters[] = {"vote0",  "vote1",  "blame",
                                                 "claim0", "claim1", "noclaim"};
inline constexpr SumGuard kCommit0{bits(kClaim0), kDag.commit};
inline constexpr SumGuard kCommit1{bits(kClaim1), kDag.commit};
inline constexpr SumGuard kDead0{bits(kVote1, kBlame), kDag.skip};
inline constexpr SumGuard kDead1{bits(kVote0, kBlame), kDag.skip};
// A later leader stands on so many blocks; none of these claims the block.
inline constexpr SumGuard kPass0{bits(kClaim1, kNoClaim), kDag.dense};
inline constexpr SumGuard kPass1{bits(kClaim0, kNoClaim), kDag.dense};
inline constexpr VoteRule kRules[] = {
    {"vote 0", kS0, kW, {}, kVote0},
    {"vote 1", kS1, kW, {}, kVote1},
    {"blame", kSB, kW, {}, kBlame},
    {"claim 0", kW, kK0, {SumGuard{bits(kVote0), kDag.certify}}, kClaim0},
    {"amplify 0", kW, kK0, {SumGuard{bits(kClaim0), kDag.amplify}}, kClaim0},
    {"claim 1", kW, kK1, {SumGuard{bits(kVote1), kDag.certify}}, kClaim1},
    {"amplify 1", kW, kK1, {SumGuard{bits(kClaim1), kDag.amplify}}, kClaim1},
    {"no claim", kW, kN, {}, kNoClaim},
    {"commit 0 from K0", kK0, kD0, {kCommit0}, {}},
    {"commit 1 from K0", kK0, kD1, {kCommit1}, {}},
    {"skip from K0", kK0, kX, {kDead1, kDead0}, {}},
    {"pass 0 over from K0", kK0, kP0, {kPass0}, {}},
    {"pass 1 over from K0", kK0, kP1, {kPass1}, {}},
    {"commit 0 from K1", kK1, kD0, {kCommit0}, {}},
    {"commit 1 from K1", kK1, kD1, {kCommit1}, {}},
    {"skip from K1", kK1, kX, {kDead1, kDead0}, {}},
    {"pass 0 over from K1", kK1, kP0, {kPass0}, {}},
    {"pass 1 over from K1", kK1, kP1, {kPass1}, {}},
    {"commit 0 from N", kN, kD0, {kCommit0}, {}},
    {"commit 1 from N", kN, kD1, {kCommit1}, {}},
    {"skip from N", kN, kX, {kDead1, kDead0}, {}},
    {"pass 0 over from N", kN, kP0, {kPass0}, {}},
    {"pass 1 over from N", kN, kP1, {kPass1}, {}},
};
inline constexpr Claim kClaims[] = {
    {"one_certificate", ClaimKind::kNotBoth, bits(kK0), bits(kK1)},
    {"agreement", ClaimKind::kNotBoth, bits(kD0), bits(kD1)},
    {"skip_kills0", ClaimKind::kNotBoth, bits(kD0), bits(kX)},
    {"skip_kills1", ClaimKind::kNotBoth, bits(kD1), bits(kX)},
    {"justification0", ClaimKind::kNever, bits(kK0, kD0), 0, bits(kS0)},
    {"justification1", ClaimKind::kNever, bits(kK1, kD1), 0, bits(kS1)},
    {"survival0", ClaimKind::kNotBoth, bits(kD0), bits(kP0)},
    {"survival1", ClaimKind::kNotBoth, bits(kD1), bits(kP1)},
};

}  // namespace slot

/// One slot whose leader may show two blocks. W: voted, K: claimed, N: had no evidence in time,
/// D: committed, X: skipped, P: has seen a later leader whose parents do not claim the block, and
/// that so passes it over. A block is dead for those who vote the other one or none.
inline constexpr VoteTable kThresherSlot{
    "thresher_slot", slot::kLocations, bits(slot::kS0, slot::kS1, slot::kSB),
    slot::kCounters, slot::kRules,     slot::kClaims};
static_assert(well_formed(kThresherSlot));

inline constexpr const VoteTable* kTables[] = {&kBvBroadcast, &kBca,   &kGraded,      &kMmr14,
                                               &kCobalt,      &kBenOr, &kThresherSlot};

}  // namespace thresher::agreement
