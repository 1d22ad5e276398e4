// The sign-once record: beside the key, apart from the data, and by it an old copy of the data is
// noticed. Private to net/.
//
//   SignOnce record(path, key, chain, "thresher");
//   std::string problem = record.open(of_data, bound);       // an old copy is refused here
//   problem = record.begin();                                // then the data get incarnation()
//   problem = record.sign();                                 // before the first signature
//   record.note(bound);                                      // now and then: costs the caller
//   nothing
//
// The record and the data both name the last start of the node (see incarnation.hpp). A start is
// written to the record as the `next` one, then to the data, then to the record as the one that
// signs; nothing is signed before. So data that name neither the record's last start nor the next
// one are not the newest. Within one start the record follows with a lower bound of what was
// signed.
//
// Guarantees: data older than the last start that signed are refused, and data of that start whose
// last signature is more than some seconds older than the newest; no crash at any point makes
// newest data look old. Records are of one key, ledger and protocol. Does not notice that record
// and data are old copies of one age, or what was signed in the last seconds before a crash: for
// that the peers are asked (start_question.hpp).
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "engines/order_engine.hpp"
#include "thresher/net/incarnation.hpp"

namespace thresher::net {

/// Where the record for the key file `key_path` and a ledger stands.
std::string sign_once_path(const std::string& key_path, const Digest& chain);
/// Whether that record says that the key has signed. For who has the file's name alone.
bool has_signed(const std::string& key_path, const Digest& chain);

class SignOnce {
 public:
  SignOnce(std::string key_path, const PublicKey& key, const Digest& chain, std::string protocol);
  ~SignOnce();
  SignOnce(const SignOnce&) = delete;
  SignOnce& operator=(const SignOnce&) = delete;

  /// What the data folder says of itself.
  struct Data {
    std::string path;                 ///< empty: memory, which holds nothing from before
    std::optional<Incarnation> last;  ///< the start that used it last
    bool owned = false;  ///< it names a key as its owner, or has the protocol's records
    Pledge pledge;       ///< what was signed, by those records
  };
  /// Compares. Empty, or what is wrong and what to do. `warning` gets what an operator should know
  /// though the node may start.
  std::string open(const Data& data, std::string& warning);
  /// The start that follows. Pre: open() found nothing wrong.
  const Incarnation& incarnation() const { return next_; }
  /// The last start that signed, which is the last one that peers may have heard of; count 0: none
  /// did. Starts that were refused, or ended before they signed, are none of them, however many
  /// there were.
  Incarnation signed_last() const { return content_.signed_last.value_or(Incarnation{}); }
  /// Durable: the start is about to be written to the data. Empty, or what is wrong.
  std::string begin();
  /// Durable: this start signs from now on. Empty, or what is wrong.
  std::string sign();
  /// Notes what has been signed and is durable in the data. Written by a thread of the record's
  /// own; the last one at the latest when the record goes.
  void note(const Pledge& pledge);

 private:
  struct Content {
    bool used = false;                // something may have been signed
    std::optional<Incarnation> last;  // the start that the data name
    std::optional<Incarnation> next;  // or this one, which has signed nothing
    std::optional<Incarnation> signed_last;
    Pledge at_least;  // of what was signed
  };
  std::optional<Content> read(std::string& problem) const;
  std::string compare(const Data& data) const;
  std::string encode() const;
  std::optional<Content> decode(const std::string& text) const;
  bool used_by_older_program(std::string& problem) const;
  std::string write();
  void work();

  std::string key_path_;
  std::string path_;
  PublicKey key_;
  Digest chain_;
  std::string protocol_;
  Incarnation next_;
  Content content_;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::optional<Pledge> noted_;  // waits for the thread
  bool stop_ = false;
  std::thread thread_;  // from sign() on
};

}  // namespace thresher::net
