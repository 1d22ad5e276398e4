#include "member_liar.hpp"

#include <chrono>

#include "thresher/core/node_ids.hpp"

namespace thresher::cli {
namespace {

using digraph::Phase;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::system_clock;

constexpr milliseconds kLook(10);
/// Approximate agreement has no start: a member that is not there then is not waited for.
constexpr seconds kForLinks(10);

bool exact(const net::GraphAgreementOptions& o) {
  return o.halvings == 0;
}

}  // namespace

std::optional<Lie> lie_named(std::string_view name) {
  for (const Lie lie : {Lie::kSplit, Lie::kGarbage}) {
    if (name == name_of(lie)) return lie;
  }
  return std::nullopt;
}

std::string name_of(Lie lie) {
  return lie == Lie::kSplit ? "split" : "garbage";
}

MemberLiar::MemberLiar(net::GraphAgreementOptions options, std::uint16_t self, Lie lie,
                       std::int64_t low, std::int64_t high)
    : options_(std::move(options)), lie_(lie), low_(low), high_(high), liar_(options_, self) {
  const NodeId own{self};
  for (const NodeId i : node_ids(options_.graph.size())) {
    const bool hears = options_.graph.has(own, i);
    if (hears) neighbours_.push_back(i.value);
    links_ += hears || options_.graph.has(i, own) ? 1 : 0;
  }
  if (!problem()) thread_ = std::thread([this] { this->lie(); });
}

MemberLiar::~MemberLiar() {
  ends_ = true;
  if (thread_.joinable()) thread_.join();
}

bool MemberLiar::wait_until(system_clock::time_point when) const {
  while (!ends_ && system_clock::now() < when) std::this_thread::sleep_for(kLook);
  return !ends_;
}

void MemberLiar::await_links() {
  const auto enough = exact(options_) ? options_.starts : system_clock::now() + kForLinks;
  while (!ends_ && liar_.links() < links_ && system_clock::now() < enough)
    std::this_thread::sleep_for(kLook);
}

void MemberLiar::lie() {
  await_links();
  if (ends_) return;
  if (lie_ == Lie::kGarbage) return send_garbage();
  if (!exact(options_)) return split_values();
  // A quarter of Delta into a round it is begun at all, and nothing is late.
  const microseconds begun(options_.delta_us / 4);
  if (!wait_until(options_.starts + begun)) return;
  split_inputs();
  const std::uint64_t rounds = options_.graph.size() - 1;
  const microseconds inputs(rounds * 2 * options_.delta_us);
  if (wait_until(options_.starts + inputs + begun)) split_statements();
}

void MemberLiar::send_garbage() {
  for (const std::uint16_t to : neighbours_)
    liar_.send(to, {net::kProtocol, Bytes::copy_of(as_view("no message")), {}});
}

void MemberLiar::split_inputs() {
  const auto input = static_cast<digraph::Value>(options_.value);
  for (std::size_t i = 0; i < neighbours_.size(); ++i)
    liar_.tell(neighbours_[i], liar_.relay(Phase::kInputs, digraph::content_of(input + i % 2)));
}

// To some that it heard nobody, and to the rest that it heard the same from all.
void MemberLiar::split_statements() {
  const std::uint32_t n = options_.graph.size();
  const digraph::Inputs none(n);
  const digraph::Inputs same(
      n, {digraph::Heard::Count::kOne, static_cast<digraph::Value>(options_.value) + 1});
  for (std::size_t i = 0; i < neighbours_.size(); ++i)
    liar_.tell(neighbours_[i],
               liar_.relay(Phase::kStatements, digraph::content_of(i % 2 == 0 ? none : same)));
}

// In every round, with its own support of both values for everybody.
void MemberLiar::split_values() {
  for (std::uint32_t round = 1; round <= options_.halvings && !ends_; ++round) {
    for (std::size_t i = 0; i < neighbours_.size(); ++i) {
      const std::int64_t value = i % 2 == 0 ? low_ - 1 : high_ + 1;
      liar_.tell(neighbours_[i], liar_.value(round, value));
      for (const NodeId origin : node_ids(options_.graph.size()))
        liar_.tell(neighbours_[i], liar_.support(origin.value, round, value));
    }
  }
}

}  // namespace thresher::cli
