// Writes what commit_trace.hpp describes, and counts what the node's thread does with its
// processor. Private to net/.
//
//   CommitTracer tracer;
//   const auto opened = tracer.open("net/node0/trace");
//   tracer.composed(digest, round);
//   { const auto scope = CommitTracer::on(&tracer, Duty::kVerify); batcher.run(); }
//
// Guarantees: of the node's thread alone, but for wrote(). A duty inside of another counts for the
// inner one. Without a tracer (null) `on` reads no clock. Does not throw: a disk that takes no more
// ends the trace, and not the node.
#pragma once

#include <atomic>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ledger/commit.hpp"
#include "thresher/core/effects.hpp"
#include "thresher/net/client_id.hpp"
#include "thresher/net/commit_trace.hpp"

namespace thresher::net {

class CommitTracer {
 public:
  static constexpr std::size_t kDuties = std::size(kDutyNames);

  /// Counts for a duty while it lives.
  class Scope {
   public:
    Scope(CommitTracer* tracer, Duty duty);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    CommitTracer* tracer_;
    Duty before_ = Duty::kLoop;
  };
  [[nodiscard]] static Scope on(CommitTracer* tracer, Duty duty) { return {tracer, duty}; }

  /// A file that is there is written anew. Errors: the system's.
  Result<Unit, Error> open(const std::string& path);

  // In the order of a transaction's way.
  void taken(const ClientId& client, std::uint64_t first, std::uint64_t last);
  void packed();
  void composed(const Digest& block, Round round);
  void signed_now(const Digest& block);
  /// Records go to the writer; 0: nothing waits for them.
  void persisting(std::span<const Persist> records, std::uint64_t barrier);
  /// On the writer's thread, behind each write.
  void wrote();
  /// All up to a barrier is durable, by a write of these times.
  void durable(std::uint64_t barrier, std::uint64_t began_us, std::uint64_t ended_us);
  /// A frame went to everybody.
  void sent();
  /// A frame came; what it leads to came with it.
  void frame_came();
  void asked(const Verify& v);
  void verified(const Ticket& ticket);
  void ordered(const Commit& commit);
  void placed(const Digest& block, std::uint64_t position);
  void answered();
  /// To be called some times a second.
  void tick();

 private:
  struct Closed {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
  };
  struct Own {
    std::uint64_t id = 0;
    std::uint64_t barrier = 0;
  };
  struct Placed {
    Digest block{};
    std::uint64_t first = 0;
    std::uint64_t count = 0;
  };
  void put(const TraceRecord& record);
  Duty turn_to(Duty duty);

  std::unique_ptr<std::FILE, Closed> file_;
  std::uint64_t frame_us_ = 0;
  std::map<std::uint64_t, std::uint64_t> asked_;  // a block by its ticket
  std::deque<Own> own_;                           // on their way to the disk
  std::uint64_t to_send_ = 0;                     // durable, and not sent yet; 0: none
  std::vector<Placed> placed_;                    // of the commit at hand
  Duty duty_ = Duty::kLoop;
  std::uint64_t since_ns_ = 0;  // of the thread's processor time
  std::uint64_t spent_ns_[kDuties] = {};
  std::uint64_t turns_[kDuties] = {};
  std::atomic<std::uint64_t> writer_ns_{0};
  std::atomic<std::uint64_t> writes_{0};
};

}  // namespace thresher::net
