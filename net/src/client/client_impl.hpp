// What a client holds, and its duties: links, submissions (client_submissions.cpp), their proofs
// (client_proofs.cpp), questions (client_queries.cpp). Private to net/.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "thresher/net/client.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/net/wire.hpp"
#include "wire/transactions.hpp"

namespace thresher::net {

struct Client::Impl {
  using StopCallback = std::stop_callback<std::function<void()>>;

  /// What one node says of a committed transaction.
  struct Word {
    std::uint64_t position = 0;
    std::optional<ApplyResult> result{};
    friend bool operator==(const Word&, const Word&) = default;
  };
  /// A submission on its way.
  struct Flight {
    Bytes data;
    OnCommitStatus done;
    std::uint64_t deadline_us = 0;
    Words words = Words::kOne;
    std::unique_ptr<StopCallback> on_cancel{};
    Validity valid{};        // of its first sending, and of all
    std::uint32_t sent = 0;  // by the node at hand and those before it: on so many links
    bool declined = false;   // by a node that observes, which has not counted as sent
    bool renewed = false;    // its first slots were over, as it was told: it has later ones
    std::uint64_t taken_us = 0;
    std::uint64_t sent_us = 0;           // to the node at hand, for the first time
    int put_off = 0;                     // so often by the node at hand
    std::map<std::size_t, Word> said{};  // by node; with Words::kProof: of the node at hand alone
    // With Words::kQuorum: the nodes it was sent to, and what each said last against it.
    std::set<std::size_t> asked{};
    std::map<std::size_t, wire::Refused> against{};
    std::uint64_t said_us = 0;  // of a word that has to be proved
    bool proof_asked = false;   // and not answered
    std::uint64_t proof_asked_us = 0;
  };
  using Flights = std::map<std::uint64_t, Flight>;  // by sequence

  /// A question on its way.
  struct Question {
    Bytes text;
    std::function<void(Answer)> done;
    std::uint64_t deadline_us = 0;
    std::uint64_t length = 0;
    Words words = Words::kOne;
    std::map<std::size_t, Answer> said{};  // by node, of this round
  };
  using Questions = std::map<std::uint64_t, Question>;  // by the id of its round

  /// A node's status that somebody waits for.
  struct StatusAsked {
    std::promise<NodeStatus> promise;
    std::uint64_t deadline_us = 0;
  };

  struct Link {
    std::unique_ptr<ClientLink> link{};
    bool wanted = false;          // it is connected again when it ends
    bool welcome = false;         // it is up and the node has said in which slot it is
    std::uint64_t up_us = 0;      // since when it is up; 0: it is down
    std::optional<Round> slot{};  // the last that the node named
  };

  Impl(Genesis g, ClientOptions o);
  ~Impl();

  // client.cpp: links
  void connect(std::size_t node);
  void want(std::size_t node);
  void want_all();
  void failed(std::size_t node, const std::string& why);
  void linked(std::size_t node, bool up);
  void move_on();
  void at_hand();
  void welcomed(std::size_t node, const wire::Welcome& in);
  void frame(std::size_t node, const Frame& f);
  void saw(std::size_t node, Round at);
  void tick();
  void tick_status(std::uint64_t now);
  bool send(std::size_t node, const Frame& frame);
  void ask_log();
  void log(const Frame& f);
  std::size_t quorum_of_words() const;

  // client_submissions.cpp
  void take(Flight flight, const std::stop_token& cancel);
  void send_all(std::size_t node);
  void send(std::size_t node, std::uint64_t sequence, Flight& flight);
  void submit(std::size_t node, const Validity& valid, std::vector<std::byte> entries);
  void send_held();
  std::optional<Round> slot_for(const Flight& flight) const;
  bool can_send(const Flight& flight) const;
  void stamp(std::size_t node, Flight& flight);
  void acknowledged(std::size_t node, const Frame& f);
  void results(std::size_t node, const Frame& f);
  void said(std::size_t node, std::uint64_t sequence, Word word);
  void refusals(std::size_t node, const Frame& f);
  void refusal(Flights::iterator it, const wire::Refused& answer);
  void compare(std::size_t node, Flights::iterator it, const wire::Refused& answer);
  static bool of_earlier_slots(const Flight& flight, const wire::Refused& answer);
  bool ends(const Flight& flight, Refusal reason) const;
  void too_late(Flights::iterator it);
  void ask_others(std::size_t node, std::uint64_t sequence, Flight& flight);
  void observes(std::size_t node, const wire::Refused& answer, ByteView sequences);
  bool may_move_on() const;
  void again_later(std::size_t node, std::uint64_t sequence);
  void put_off(Flights::iterator it);
  void resolve(Flights::iterator it, const CommitStatus& outcome);
  void give_up(Flights::iterator it, const std::string& why);
  CommitStatus given_up(const Flight& flight, const std::string& why) const;
  std::string contradictions(const Flight& flight) const;
  void cancel(std::uint64_t sequence);
  void tick_submissions(std::uint64_t now);
  bool is_silent(std::uint64_t now) const;

  // client_proofs.cpp
  void to_prove(std::uint64_t sequence, Flight& flight, Word word);
  void ask_proof(std::uint64_t position, Flight& flight);
  void ask_proofs(std::uint64_t now);
  void proof(std::size_t node, const Frame& f);
  void distrust(const std::string& why);
  void forget_unproven();
  std::string unproven(const Flight& flight) const;
  void tick_proofs(std::uint64_t now);

  // client_queries.cpp
  void take(Question question);
  void send_questions(std::size_t node);
  void send(std::size_t node, std::uint64_t id, const Question& question);
  void answered(std::size_t node, const Frame& f);
  void ask_again(Questions::iterator it);
  void tick_questions(std::uint64_t now);

  Genesis genesis;
  ClientOptions options;
  crypto::SigningKey key;
  std::size_t node;              // at hand
  std::uint64_t at_hand_us = 0;  // since when
  Loop loop;
  std::vector<Link> links;  // by node
  bool closed = false;
  std::string problem;  // the last one of a link
  Round slot{0};        // the last that the node at hand named
  Flights flying;
  std::uint64_t next_sequence;
  std::map<std::uint64_t, std::uint64_t> proving;  // position, as the node at hand says: sequence
  std::uint64_t certified = 0;  // length of the log that a proof of the node at hand has shown
  std::string no_proof;         // what it said last in the place of one
  Questions questions;
  std::uint64_t next_question = 0;
  std::vector<StatusAsked> asking;
  std::function<void(const Transaction&)> visit;
  std::function<void(std::uint64_t)> pruned;
  std::uint64_t log_position = 0;
  std::thread thread;
};

}  // namespace thresher::net
