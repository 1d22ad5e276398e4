#include "node/commit_tracer.hpp"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "thresher/net/transport.hpp"
#include "thresher/protocols/dag/dag.hpp"

namespace thresher::net {
namespace {

/// Waiting for the disk and for verdicts; more is a node that stands still, and not worth a trace.
constexpr std::size_t kMostOnTheirWay = 4096;
constexpr std::size_t kBufferBytes = 1u << 20;
/// Size of the key of a block's record: round, author, digest (dag::block_key).
constexpr std::size_t kKeyBytes = sizeof(std::uint64_t) + sizeof(std::uint16_t) + sizeof(Digest);

// What this thread has used of a processor.
std::uint64_t thread_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(t.tv_nsec);
}

struct BlockName {
  std::uint64_t round = 0;
  std::uint16_t author = 0;
  std::uint64_t id = 0;
};

BlockName name_of(ByteView key) {
  BlockName out;
  const auto byte = [&](std::size_t i) { return std::to_integer<std::uint64_t>(key[i]); };
  for (std::size_t i = 0; i < 8; ++i) out.round = out.round << 8 | byte(i);
  out.author = static_cast<std::uint16_t>(byte(8) << 8 | byte(9));
  Digest digest;
  std::memcpy(digest.bytes.data(), key.data() + 10, digest.bytes.size());
  out.id = digest.prefix();
  return out;
}

}  // namespace

CommitTracer::Scope::Scope(CommitTracer* tracer, Duty duty) : tracer_(tracer) {
  if (tracer_ == nullptr) return;
  before_ = tracer_->turn_to(duty);
  ++tracer_->turns_[static_cast<std::size_t>(duty)];
}

CommitTracer::Scope::~Scope() {
  if (tracer_ != nullptr) (void)tracer_->turn_to(before_);
}

// The time since the last turn counts for the duty that was on.
Duty CommitTracer::turn_to(Duty duty) {
  const std::uint64_t now = thread_ns();
  if (now > since_ns_) spent_ns_[static_cast<std::size_t>(duty_)] += now - since_ns_;
  since_ns_ = now;
  return std::exchange(duty_, duty);
}

Result<Unit, Error> CommitTracer::open(const std::string& path) {
  file_.reset(std::fopen(path.c_str(), "wbe"));
  if (!file_) {
    return Error{code_of_errno(errno),
                 "cannot write the trace '" + path + "': " + std::strerror(errno), path,
                 "give --trace-commits a file in a folder that is there and may be written"};
  }
  (void)std::setvbuf(file_.get(), nullptr, _IOFBF, kBufferBytes);
  return Unit{};
}

void CommitTracer::put(const TraceRecord& r) {
  if (!file_) return;
  const std::vector<std::byte> bytes = encode_trace(r);
  if (std::fwrite(bytes.data(), bytes.size(), 1, file_.get()) != 1) file_.reset();
}

void CommitTracer::taken(const ClientId& client, std::uint64_t first, std::uint64_t last) {
  std::uint64_t id = 0;
  std::memcpy(&id, client.bytes.data(), sizeof id);
  put({TraceMark::kTaken, 0, Loop::now_us(), id, first, last});
}

void CommitTracer::packed() {
  put({TraceMark::kPacked, 0, Loop::now_us(), 0, 0, 0});
}

void CommitTracer::composed(const Digest& block, Round round) {
  put({TraceMark::kComposed, 0, Loop::now_us(), block.prefix(), round.value, 0});
}

void CommitTracer::signed_now(const Digest& block) {
  put({TraceMark::kSigned, 0, Loop::now_us(), block.prefix(), 0, 0});
}

// A record of another's block is written when the protocol accepts it, and that of an own one holds
// everything back until it is durable.
void CommitTracer::persisting(std::span<const Persist> records, std::uint64_t barrier) {
  for (const Persist& r : records) {
    if (r.key.size() != kKeyBytes || r.value.empty()) continue;
    const BlockName name = name_of(r.key.view());
    if (r.table == dag::kBlock) {
      put({TraceMark::kAccepted, name.author, Loop::now_us(), name.id, name.round, 0});
    } else if (r.table == dag::kOwn && barrier != 0) {
      if (own_.size() == kMostOnTheirWay) own_.pop_front();
      own_.push_back({name.id, barrier});
    }
  }
}

void CommitTracer::wrote() {
  writer_ns_ = thread_ns();
  ++writes_;
}

void CommitTracer::durable(std::uint64_t barrier, std::uint64_t began_us, std::uint64_t ended_us) {
  const std::uint64_t now = Loop::now_us();
  for (; !own_.empty() && own_.front().barrier <= barrier; own_.pop_front()) {
    to_send_ = own_.front().id;
    put({TraceMark::kSynced, 0, ended_us, to_send_, began_us, 0});
    put({TraceMark::kWoken, 0, now, to_send_, 0, 0});
  }
}

void CommitTracer::sent() {
  if (to_send_ == 0) return;
  put({TraceMark::kSent, 0, Loop::now_us(), std::exchange(to_send_, 0), 0, 0});
}

void CommitTracer::frame_came() {
  frame_us_ = Loop::now_us();
}

void CommitTracer::asked(const Verify& v) {
  if (asked_.size() == kMostOnTheirWay) asked_.erase(asked_.begin());
  const std::uint64_t id = v.digest.prefix();
  asked_.emplace(v.ticket.local, id);
  put({TraceMark::kReceived, v.signer.value, frame_us_, id, 0, 0});
  put({TraceMark::kAsked, v.signer.value, Loop::now_us(), id, 0, 0});
}

void CommitTracer::verified(const Ticket& ticket) {
  const auto it = asked_.find(ticket.local);
  if (it == asked_.end()) return;
  put({TraceMark::kVerified, 0, Loop::now_us(), it->second, 0, 0});
  asked_.erase(it);
}

void CommitTracer::ordered(const Commit& commit) {
  const std::uint64_t now = Loop::now_us();
  placed_.clear();
  for (const OrderedBlockPtr& b : commit.blocks) {
    if (b->payload.empty()) continue;
    put({TraceMark::kOrdered, b->author.value, now, b->id.prefix(), commit.slot.value, 0});
  }
}

void CommitTracer::placed(const Digest& block, std::uint64_t position) {
  if (placed_.empty() || placed_.back().block != block) placed_.push_back({block, position, 0});
  ++placed_.back().count;
}

void CommitTracer::answered() {
  const std::uint64_t now = Loop::now_us();
  for (const Placed& p : placed_)
    put({TraceMark::kAnswered, 0, now, p.block.prefix(), p.first, p.count});
}

void CommitTracer::tick() {
  (void)turn_to(duty_);
  spent_ns_[static_cast<std::size_t>(Duty::kWrite)] = writer_ns_;
  turns_[static_cast<std::size_t>(Duty::kWrite)] = writes_;
  const std::uint64_t now = Loop::now_us();
  for (std::uint16_t d = 0; d < kDuties; ++d)
    put({TraceMark::kSpent, d, now, 0, spent_ns_[d], turns_[d]});
  if (file_ && std::fflush(file_.get()) != 0) file_.reset();
}

}  // namespace thresher::net
