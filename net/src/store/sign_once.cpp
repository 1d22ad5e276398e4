#include "store/sign_once.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <sstream>

#include "files/advice.hpp"
#include "files/whole_file.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/net/synced_file.hpp"

namespace thresher::net {
namespace {

constexpr const char* kTitle = "thresher sign-once record 2";
/// Without the last start that signed: there it is the last one.
constexpr const char* kTitle1 = "thresher sign-once record 1";
/// Between two notes of one start.
constexpr std::chrono::seconds kNoteWait{5};
constexpr std::size_t kMostBytes = 4096;

std::string text_of(const std::optional<Incarnation>& i) {
  return i ? std::to_string(i->count) + " " + to_hex(i->nonce) : "-";
}

// "-" or a count and a nonce; false when it is neither.
bool read_incarnation(std::istream& in, std::optional<Incarnation>& out) {
  std::string first;
  if (!(in >> first)) return false;
  if (first == "-") return true;
  std::string nonce;
  Incarnation i;
  in >> nonce;
  const auto bytes = from_hex(nonce);
  if (first.size() > 19 || first.find_first_not_of("0123456789") != first.npos || !bytes ||
      bytes->size() != i.nonce.size()) {
    return false;
  }
  i.count = std::stoull(first);
  std::copy(bytes->begin(), bytes->end(), i.nonce.begin());
  out = i;
  return true;
}

std::string never_twice() {
  return " " + std::string(kKeyMayNotSign);
}

}  // namespace

std::string sign_once_path(const std::string& key_path, const Digest& chain) {
  return key_path + ".signed-" + to_hex(ByteView(chain.bytes).first(4));
}

bool has_signed(const std::string& key_path, const Digest& chain) {
  const auto text = read_whole(sign_once_path(key_path, chain));
  return text && text->find("\nused yes\n") != std::string::npos;
}

SignOnce::SignOnce(std::string key_path, const PublicKey& key, const Digest& chain,
                   std::string protocol)
    : key_path_(std::move(key_path)),
      path_(sign_once_path(key_path_, chain)),
      key_(key),
      chain_(chain),
      protocol_(std::move(protocol)) {}

SignOnce::~SignOnce() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

// Lines of names and values; the last is the digest of those before.
std::string SignOnce::encode() const {
  std::ostringstream out;
  out << kTitle << "\nkey " << to_hex(key_) << "\nchain " << to_hex(chain_.bytes) << "\nprotocol "
      << protocol_ << "\nused " << (content_.used ? "yes" : "no") << "\nlast "
      << text_of(content_.last) << "\nnext " << text_of(content_.next) << "\nsigned "
      << text_of(content_.signed_last) << "\nat-least " << content_.at_least.round << " "
      << content_.at_least.vote << "\n";
  return out.str() + "check " + to_hex(hash(as_view(out.str())).bytes) + "\n";
}

std::optional<SignOnce::Content> SignOnce::decode(const std::string& text) const {
  const std::size_t tail = text.rfind("check ");
  if (tail == text.npos || text.size() > kMostBytes) return std::nullopt;
  const std::string body = text.substr(0, tail);
  if (text.substr(tail) != "check " + to_hex(hash(as_view(body)).bytes) + "\n") return std::nullopt;
  std::istringstream in(body);
  std::string title, key, chain, protocol, used, name;
  Content out;
  std::getline(in, title);
  const auto field = [&](const char* expected) { return (in >> name) && name == expected; };
  const auto last_signer = [&] {
    if (title == kTitle) return field("signed") && read_incarnation(in, out.signed_last);
    if (used == "yes") out.signed_last = out.last;
    return title == kTitle1;
  };
  const bool good = field("key") && (in >> key) && field("chain") && (in >> chain) &&
                    field("protocol") && (in >> protocol) && field("used") && (in >> used) &&
                    field("last") && read_incarnation(in, out.last) && field("next") &&
                    read_incarnation(in, out.next) && last_signer() && field("at-least") &&
                    (in >> out.at_least.round >> out.at_least.vote);
  if (!good || key != to_hex(key_) || chain != to_hex(chain_.bytes) || protocol != protocol_) {
    return std::nullopt;
  }
  out.used = used == "yes";
  return out;
}

std::optional<SignOnce::Content> SignOnce::read(std::string& problem) const {
  const auto text = read_whole(path_);
  if (!text) {
    if (text.error().code != ErrorCode::kMissing) problem = text.error().text();
    return std::nullopt;
  }
  auto content = decode(*text);
  if (!content) {
    problem = "'" + path_ +
              "', which says what was signed with the key, is damaged or of another key or "
              "protocol; put back the file that belongs to this key. Without it nobody knows "
              "whether the data are the newest. " +
              std::string(kKeyMayNotSign);
  }
  return content;
}

// Programs up to store version 3 wrote the key alone, of whatever ledger.
bool SignOnce::used_by_older_program(std::string& problem) const {
  const auto noted = read_whole(key_path_ + ".used");
  // A note that cannot be read may say that the key has signed.
  if (!noted && noted.error().code != ErrorCode::kMissing) problem = noted.error().text();
  return noted && as_view(*noted).size() >= key_.size() &&
         std::ranges::equal(as_view(*noted).first(key_.size()), key_);
}

std::string SignOnce::open(const Data& data, std::string& warning) {
  std::string problem;
  auto content = read(problem);
  if (!problem.empty()) return problem;
  if (content) {
    content_ = *content;
    problem = compare(data);
  } else if (used_by_older_program(problem) && !data.owned) {
    content_.used = true;
    problem = compare(data);
  } else if (data.last) {
    warning = "'" + path_ + "', which says what was signed with the key, is gone: only the peers " +
              "can tell whether the data in '" + data.path + "' are the newest";
    content_.signed_last = data.last;
  }
  for (const auto& known : {content_.last, content_.next, data.last}) {
    if (known) next_.count = std::max(next_.count, known->count);
  }
  ++next_.count;
  next_.nonce = random_nonce();
  content_.last = data.last;
  return problem;
}

std::string SignOnce::compare(const Data& data) const {
  const auto names = [&](const std::optional<Incarnation>& start) {
    return start && data.last && start->same_start(*data.last);
  };
  if (!content_.used) {
    // Nothing was signed, so nothing can be missing; but data of another start are another's.
    if (!data.last || names(content_.last) || names(content_.next)) return {};
  } else if (!data.last) {
    if (data.path.empty()) {
      return "the key '" + key_path_ +
             "' has signed, and this node's store is memory, which is empty at every start. " +
             std::string(kKeyMayNotSign);
    }
    return "blocks were signed with the key '" + key_path_ + "', but the data in '" + data.path +
           "' are gone." + never_twice();
  } else if (names(content_.last) || names(content_.next)) {
    const Pledge& least = content_.at_least;
    if (data.pledge.round >= least.round && data.pledge.vote >= least.vote) return {};
    return "the data in '" + data.path + "' end with what was signed in round " +
           std::to_string(data.pledge.round) + ", but the key '" + key_path_ +
           "' has signed in round " + std::to_string(least.round) +
           ": they are an old copy, or have lost their end." + never_twice();
  }
  return "the data in '" + data.path + "' are of start " + std::to_string(data.last->count) +
         " of this node, but the key '" + key_path_ + "' was used last in start " +
         std::to_string(content_.last ? content_.last->count : 0) +
         ": they are an old copy, or those of another copy of this node." + never_twice();
}

std::string SignOnce::write() {
  if (replace_synced(path_, as_view(encode()))) return {};
  return "cannot write '" + path_ + "': " + std::strerror(errno) +
         "; free space or allow it, then restart the node";
}

std::string SignOnce::begin() {
  content_.next = next_;
  return write();
}

std::string SignOnce::sign() {
  content_.used = true;
  content_.last = std::exchange(content_.next, std::nullopt);
  content_.signed_last = content_.last;
  std::string problem = write();
  if (problem.empty()) thread_ = std::thread([this] { work(); });
  return problem;
}

void SignOnce::note(const Pledge& pledge) {
  {
    const std::lock_guard lock(mutex_);
    noted_ = pledge;
  }
  wake_.notify_one();
}

void SignOnce::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return stop_ || noted_; });
    if (const auto pledge = std::exchange(noted_, std::nullopt)) {
      content_.at_least.round = std::max(content_.at_least.round, pledge->round);
      content_.at_least.vote = std::max(content_.at_least.vote, pledge->vote);
      lock.unlock();
      (void)write();  // the record stays behind a little more: it is a lower bound
      lock.lock();
    }
    if (stop_ && !noted_) return;
    wake_.wait_for(lock, kNoteWait, [&] { return stop_; });
  }
}

}  // namespace thresher::net
