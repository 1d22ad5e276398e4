#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>

#include "../crypto/backends.hpp"
#include "../crypto/signature_lines.hpp"
#include "../json.hpp"
#include "../text.hpp"

namespace thresher::cli {
namespace {

struct Args {
  std::string in;
  std::string backend = "all";
  bool json = false;
};

/// Signatures that are verified together; bounds the memory.
constexpr std::size_t kBatch = 1024;

class Session {
 public:
  Session(Backends backends, bool json) : backends_(std::move(backends)), json_(json) {}

  void take(SignatureLine line) {
    lines_.push_back(std::move(line));
    if (lines_.size() == kBatch) flush();
  }

  void flush() {
    std::vector<crypto::SignatureJob> jobs;
    for (const SignatureLine& line : lines_) {
      if (!line.well_sized()) continue;
      crypto::SignatureJob& job = jobs.emplace_back();
      std::copy(line.key.begin(), line.key.end(), job.key.begin());
      std::copy(line.signature.begin(), line.signature.end(), job.signature.begin());
      job.message = line.message;
    }
    std::vector<std::vector<crypto::SignatureStatus>> verdicts;
    verdicts.reserve(backends_.here.size());
    for (auto& backend : backends_.here) {
      verdicts.emplace_back(jobs.size(), crypto::SignatureStatus::kUnavailable);
      backend->verify(jobs, verdicts.back());
    }
    std::size_t at = 0;
    for (const SignatureLine& line : lines_) {
      std::vector<std::optional<bool>> answers;
      for (const auto& of_backend : verdicts) {
        const bool lost =
            line.well_sized() && of_backend[at] == crypto::SignatureStatus::kUnavailable;
        const bool valid = line.well_sized() && of_backend[at] == crypto::SignatureStatus::kValid;
        answers.push_back(lost ? std::nullopt : std::optional(valid));
      }
      at += line.well_sized() ? 1 : 0;
      report(line, answers);
    }
    lines_.clear();
  }

  /// A line for each backend that stopped answering, and how many signatures got no verdict at all.
  std::uint64_t unanswered() const {
    for (const auto& backend : backends_.here) {
      const auto problem = backend->problem();
      if (!problem) continue;
      (void)std::fprintf(stderr, "note: backend %s stopped answering: %s\n", problem->where.c_str(),
                         problem->text().c_str());
    }
    return unanswered_;
  }
  std::uint64_t disagreements() const { return disagreements_; }
  std::uint64_t wrong() const { return wrong_; }

 private:
  // A backend without a verdict takes no part.
  void report(const SignatureLine& line, const std::vector<std::optional<bool>>& answers) {
    bool same = true;
    std::optional<bool> first;
    for (const auto& a : answers) {
      if (a && !first) first = a;
      same = same && (!a || a == first);
    }
    disagreements_ += same ? 0 : 1;
    unanswered_ += first ? 0 : 1;
    wrong_ += same && first && line.valid && line.valid != first ? 1 : 0;
    if (json_) {
      Json verdicts;
      for (std::size_t i = 0; i < answers.size(); ++i) {
        if (answers[i]) verdicts.set(std::string(backends_.here[i]->name()), *answers[i]);
      }
      Json out;
      out.set("id", line.id).set("verdicts", verdicts);
      std::cout << out.line() << '\n';
      return;
    }
    std::cout << escaped(line.id);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      std::cout << ' ' << backends_.here[i]->name() << '='
                << (!answers[i]   ? "unavailable"
                    : *answers[i] ? "valid"
                                  : "invalid");
    }
    std::cout << '\n';
  }

  Backends backends_;
  bool json_;
  std::vector<SignatureLine> lines_;
  std::uint64_t disagreements_ = 0;
  std::uint64_t wrong_ = 0;
  std::uint64_t unanswered_ = 0;
};

int run(const Args& a) {
  auto backends = backends_of(a.backend);
  if (!backends) return fail(kUsage, backends.error());
  for (const Missing& m : backends->missing) {
    (void)std::fprintf(stderr, "note: backend %s is left out: %s\n", m.name.c_str(), m.why.c_str());
  }
  if (const std::string why = none_here(*backends, a.backend); !why.empty())
    return fail(kResourceMissing, why);
  std::ifstream file;
  if (a.in != "-") {
    std::error_code none;
    if (std::filesystem::is_directory(a.in, none)) {
      return fail(kUsage, "'" + a.in + "' is a folder; give a file of JSON lines or -");
    }
    file.open(a.in, std::ios::binary);
    if (!file) return fail(kUsage, "cannot read '" + a.in + "'; give a file of JSON lines or -");
  }
  std::ios::sync_with_stdio(false);
  SignatureLines lines(a.in == "-" ? std::cin : file, a.in == "-" ? "standard input" : a.in);
  Session session(std::move(*backends), a.json);
  while (auto line = lines.next()) session.take(std::move(*line));
  session.flush();
  std::cout.flush();
  if (!lines.problem().empty()) return fail(kUsage, lines.problem());
  if (lines.lines() <= 1) return fail(kUsage, "'" + a.in + "' holds no signature");
  const std::uint64_t unanswered = session.unanswered();
  if (session.disagreements() > 0) {
    return fail(kSafetyViolated, "backends disagree on " + std::to_string(session.disagreements()) +
                                     " signatures: report this");
  }
  if (session.wrong() > 0) {
    return fail(kFailed, std::to_string(session.wrong()) + " verdicts differ from \"valid\"");
  }
  if (unanswered > 0) {
    return fail(kResourceMissing, std::to_string(unanswered) +
                                      " signatures got no verdict; verify them with --backend all");
  }
  return kDone;
}

}  // namespace

Verb make_crypto_verify() {
  auto a = std::make_shared<Args>();
  return {{"crypto", "verify"},
          "Verify Ed25519 signatures by ZIP-215 with every backend and compare. Example: thresher "
          "crypto verify --in signatures.jsonl",
          {{"--in",
            "a file of {\"id\",\"key\",\"msg\",\"sig\"} lines in hex, with \"valid\" if it is "
            "known; - reads "
            "standard input",
            &a->in, true},
           {"--backend", backend_help(), &a->backend},
           {"--json", "one object a line", &a->json}},
          [a] { return run(*a); }};
}

}  // namespace thresher::cli
