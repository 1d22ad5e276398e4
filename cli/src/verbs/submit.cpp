#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "../asking.hpp"
#include "../transaction_lines.hpp"
#include "thresher/net/log_proof.hpp"
#include "thresher/text/json.hpp"

namespace thresher::cli {
namespace {

/// Lines on their way at once, and their bytes: a node has room for so much of one client.
constexpr std::size_t kInFlight = 1024;
constexpr std::size_t kBytesInFlight = 4u << 20;
/// More than any node can be configured to take: limits.transaction_bytes. Unit: bytes.
constexpr std::size_t kLargestTransaction = 1u << 20;

struct Args {
  Asking whom;
  OptionalText data;
  std::string file;
  bool proved = false;
  bool json = false;

  net::Words words() const { return proved ? net::Words::kProof : whom.words(); }
};

// What keeps links from coming up, each reason once; lines come from the client's thread.
std::function<void(const std::string&)> tell_problems(const std::string& timeout) {
  return [timeout, told = std::set<std::string>()](const std::string& problem) mutable {
    if (!told.insert(problem).second) return;
    std::fprintf(stderr, "thresher: %s; trying again for %s at most\n", problem.c_str(),
                 timeout.c_str());
  };
}

/// Submits lines and prints what became of each, in their order, on a thread of its own: a user who
/// types lines sees the outcome of each before the next.
class Submitter {
 public:
  Submitter(net::Client& client, const Args& args, std::uint32_t members)
      : client_(client),
        members_(members),
        patience_us_(args.whom.patience_us()),
        words_(args.words()),
        timeout_(args.whom.timeout),
        json_(args.json),
        printer_([this] { print_all(); }) {}
  Submitter(const Submitter&) = delete;
  Submitter& operator=(const Submitter&) = delete;
  ~Submitter() { end(); }

  /// Waits while too much is on its way.
  void submit(const std::string& line) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
      return lines_ == 0 || (lines_ < kInFlight && bytes_ + line.size() <= kBytesInFlight);
    });
    ++lines_;
    bytes_ += line.size();
    flying_.push_back(
        {client_.submit(as_view(line), {.patience_us = patience_us_, .words = words_}),
         line.size()});
    changed_.notify_all();
  }
  /// Waits for all of them; what the program ends with.
  int finish() {
    end();
    if (committed_ == done_) return kDone;
    (void)std::fflush(stdout);
    std::string sum = std::to_string(committed_) + " of " + std::to_string(done_) + " committed";
    if (refused_ > 0) {
      sum += ", " + std::to_string(refused_) + " refused";
      if (words_ != net::Words::kQuorum && said_) sum += " and, as the node says, not in the log";
    }
    if (unknown_ > 0) {
      sum +=
          ", of " + std::to_string(unknown_) +
          " it is not known; are enough nodes up? ask each with: thresher node status --home DIR";
    }
    return fail(refused_ > 0 ? kFailed : kNoProgress, sum);
  }

  /// Lines of which the outcome was printed. Pre: after finish().
  std::uint64_t done() const { return done_; }

 private:
  struct Flight {
    std::future<net::CommitStatus> outcome;
    std::size_t bytes = 0;
  };

  void end() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    if (printer_.joinable()) printer_.join();
  }

  void print_all() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return ended_ || !flying_.empty(); });
      if (flying_.empty()) return;
      Flight next = std::move(flying_.front());
      flying_.pop_front();
      lock.unlock();
      print_outcome(next.outcome);
      lock.lock();
      --lines_;
      bytes_ -= next.bytes;
      changed_.notify_all();
      if (flying_.empty()) (void)std::fflush(stdout);
    }
  }

  // A reader of the output sees what is known before more is waited for.
  void print_outcome(std::future<net::CommitStatus>& outcome) {
    if (outcome.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
      (void)std::fflush(stdout);
    if (committed_ == 0 && !told_ &&
        outcome.wait_for(std::chrono::seconds(3)) != std::future_status::ready) {
      told_ = true;
      std::fprintf(stderr, "nothing committed yet; waiting for %s at most\n", timeout_.c_str());
    }
    const net::CommitStatus out = outcome.get();
    ++done_;
    const bool refused = out.kind == net::CommitStatus::Kind::kRefused;
    said_ = said_ || (refused && out.refusal != net::Refusal::kUnreachable);
    ++(out.committed() ? committed_ : refused ? refused_ : unknown_);
    print(out, refused);
    if (out.committed()) return;
    if (std::exchange(last_why_, out.why) == out.why) return;  // the next line has it, too
    (void)std::fflush(stdout);
    std::fprintf(stderr, "thresher: line %llu: %s\n", static_cast<unsigned long long>(done_),
                 escaped_words(out.why).c_str());
  }

  void print(const net::CommitStatus& out, bool refused) const {
    const char* what = out.committed() ? "committed" : refused ? "refused" : "unknown";
    if (json_) {
      text::Value row;
      row.set("line", done_).set("outcome", what);
      if (out.committed()) row.set("position", out.receipt.position);
      if (out.committed() && out.receipt.result) {
        row.set("failed", out.receipt.result->failed);
        row.set("result", escaped(as_text(out.receipt.result->bytes.view())));
      }
      if (out.committed() && words_ == net::Words::kProof) set_proof(out, row);
      if (!out.committed()) row.set("why", out.why);
      std::puts(text::write(row).c_str());
    } else if (out.committed()) {
      std::printf("%llu\n", static_cast<unsigned long long>(out.receipt.position));
    } else {
      std::puts(what);
    }
  }

  // The client has checked it; it is shown as `thresher log prove` shows one.
  void set_proof(const net::CommitStatus& out, text::Value& row) const {
    const auto proof = net::decode_log_proof(out.receipt.log_proof.view(), members_);
    if (!proof) return;
    if (auto shown = text::parse(net::write_log_proof(*proof))) row.set("proof", std::move(*shown));
  }

  net::Client& client_;
  std::uint32_t members_;
  std::uint64_t patience_us_;
  net::Words words_;
  std::string timeout_;  // the same as it was written
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Flight> flying_;  // that are not being printed
  std::size_t lines_ = 0;      // of which the outcome was not printed
  std::size_t bytes_ = 0;      // of these
  // Used by the printer, and by finish() behind it.
  std::uint64_t done_ = 0;
  std::uint64_t committed_ = 0;
  std::uint64_t refused_ = 0;
  bool said_ = false;  ///< a node refused one
  std::uint64_t unknown_ = 0;
  std::string last_why_;
  bool told_ = false;  // that nothing is committed yet
  bool json_;
  bool ended_ = false;  // under mutex_: no more lines come
  std::thread printer_;
};

int submit(const Args& a) {
  if (std::string why = a.whom.problem(); !why.empty()) return fail(kUsage, why);
  if (a.proved && a.whom.quorum) {
    return fail(kUsage, "a proof needs no f+1 nodes that say the same: give --quorum or --proved");
  }
  if (a.data.has_value() != a.file.empty()) {
    return fail(kUsage, "give either a text with --data or a file of lines with --file");
  }
  TransactionLines lines;
  if (!a.file.empty()) {
    if (std::string why = lines.open(a.file, kLargestTransaction); !why.empty()) {
      return fail(kUsage, why);
    }
  }
  net::ClientOptions options;
  options.on_problem = tell_problems(a.whom.timeout);
  auto client = a.whom.client(std::move(options));
  if (!client) return fail(kUsage, client.error());
  const auto network = a.whom.network();
  if (!network) return fail(kUsage, network.error());
  Submitter submitter(**client, a, static_cast<std::uint32_t>(network->nodes.size()));
  if (a.data) submitter.submit(*a.data);
  for (std::string line; !a.file.empty() && lines.next(line);) submitter.submit(line);
  const int status = submitter.finish();
  if (!lines.problem().empty()) {
    return fail(kUsage, lines.problem() + ". It and what follows was not submitted");
  }
  if (submitter.done() == 0) return fail(kUsage, "'" + a.file + "' holds no line to submit");
  return status;
}

}  // namespace

Verb make_submit() {
  auto a = std::make_shared<Args>();
  return {
      {"submit"},
      "Submit transactions and print, a line each, the position in the log, or 'refused' (not in "
      "the log, as the node says), or 'unknown'. Example: thresher submit --home mynet/node0 "
      "--data hello",
      {{"--home", "the folder of the node to use", &a->whom.home},
       {"--genesis", "the network's genesis file: any node that answers", &a->whom.genesis},
       {"--data", "one transaction", &a->data},
       {"--file", "a file of one transaction a line; - reads standard input", &a->file},
       {"--timeout", "how long to wait for each transaction, like 30s", &a->whom.timeout},
       {"--quorum", "f+1 nodes have to say the same of each", &a->whom.quorum},
       {"--proved",
        "wait until a checkpoint's certificate proves position and result of each; with --json the "
        "proof is shown, which thresher verify-proof takes",
        &a->proved},
       {"--json", "one object a transaction, with its result, a line each", &a->json}},
      [a] { return submit(*a); }};
}

}  // namespace thresher::cli
