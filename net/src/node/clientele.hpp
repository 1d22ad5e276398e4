// What a node does for its clients: it takes what they submit and tells what became of it, answers
// queries, hands out the log and proofs of it; for clients on links, for the process around it, and
// for those of the HTTP gateway. Private to net/.
//
//   Clientele clients(node, {status, level, certificate, differs});
//   clients.arrives(link);  clients.frame(link, f);  clients.leaves(link);
//   clients.ordered(t, of, commit, result);         // each transaction of the log, as it is
//   applied clients.log_grew();  clients.tell();
//
// Guarantees: those of its parts (submissions.hpp, replies.hpp, queries.hpp, subscribers.hpp,
// own_client.hpp), which bound what each client takes. Nothing is told of a transaction before the
// log has it, and nothing at all once the application's results differ from those of peers.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "http/gateway.hpp"
#include "http/page_queue.hpp"
#include "ledger/kept_results.hpp"
#include "life/proof_service.hpp"
#include "links/piece_work.hpp"
#include "node/base.hpp"
#include "node/order_watch.hpp"
#include "service/older_clients.hpp"
#include "service/own_client.hpp"
#include "service/own_questions.hpp"
#include "service/query_service.hpp"
#include "service/replies.hpp"
#include "service/submissions.hpp"
#include "service/subscribers.hpp"
#include "service/visitors.hpp"

namespace thresher::net {

class Clientele {
 public:
  struct Hooks {
    std::function<NodeStatus()> status;
    /// Whether the node has come to the end that the log had when it started.
    std::function<bool()> level;
    std::function<const std::optional<Certificate>&()> newest_certificate;
    /// Whether the application's results differ from those of peers.
    std::function<bool()> differs;
  };
  Clientele(NodeBase& node, Hooks hooks);

  // Clients on links.
  void arrives(ConnectionId id);
  void leaves(ConnectionId id);
  void frame(ConnectionId from, const Frame& f);
  /// Who gives way to a client that comes when all places are taken.
  std::optional<ConnectionId> gives_way();
  /// Frames that no client should have sent.
  std::uint64_t malformed() const { return malformed_; }

  // The process around the node.
  /// From any thread.
  void submit(Bytes data, SubmitOptions how, OnCommitStatus done);
  /// Takes what was submitted so. Before the node has begun it stays where it is.
  void take_own();
  void query(const Queries::Query& query);
  OwnQuestions& own_questions() { return own_questions_; }
  /// From any thread: nobody would answer what the process has asked, or asks from now on.
  void close_own(const std::string& why);

  // The log.
  /// Empty result: the application has not got it. Who waits hears of it with tell().
  void ordered(const Transaction& t, const NewTransaction& of, const Commit& commit,
               const std::optional<ApplyResult>& result);
  /// The application has it.
  void applied(std::uint64_t position, const ApplyResult& result) {
    results_.add(position, result);
  }
  /// What it answered there; null: not known any more. Valid until the next applied().
  const ApplyResult* result_at(std::uint64_t position) const { return results_.of(position); }
  /// The application was given a state of which this is the length.
  void restored(std::uint64_t length) { results_.begin_at(length); }
  /// Tells those who wait where their transactions are.
  void tell();
  /// More can be read, and may be asked about: whoever waits for that gets it.
  void log_grew();
  /// The log begins later from here on.
  void log_begins() { proofs_.forget(); }
  /// The node has come level, for which questions without a length wait.
  void answer_queries() { answering_.at_once(); }

  // The node's life.
  Result<Unit, Error> open_gateway();
  /// Looks every second, from now on, for what can be ordered no more.
  void watch();
  void close_gateway() { gateway_.reset(); }
  /// Those who asked are told why.
  void close_queries() { queries_.close("the node has stopped"); }

  Submissions& submissions() { return submissions_; }
  const Submissions& submissions() const { return submissions_; }
  /// Why it seems that nothing is ordered though transactions wait; empty: it is.
  std::string stands_still() const;

 private:
  // clientele.cpp: what is submitted, and what is told of it
  void take(ConnectionId from, const Frame& f);
  void trace_taken(const ClientId& client, ByteView entries);
  void rest(ConnectionId from, std::size_t bytes);
  void refuse(ConnectionId to, Refusal why, const std::vector<std::uint64_t>& sequences,
              const std::string& text = {});
  void refuse_later(const std::vector<Submission>& waiting, Refusal why);
  void own_ordered(std::uint64_t sequence, const Transaction& t, const NewTransaction& of,
                   const Commit& commit, const ApplyResult& result);
  std::optional<std::string> check(const ClientId& client, ByteView data);
  OwnClient::Hooks own_hooks();
  Replies::Hooks reply_hooks();

  // clients_read.cpp: the log, proofs, queries
  void subscribe(ConnectionId from, const Frame& f);
  Subscribers::Hooks subscriber_hooks();
  bool send_log(ConnectionId to, std::uint64_t end, std::uint32_t count,
                std::vector<std::byte> log);
  void tell_pruned(ConnectionId to);
  void cannot_serve(ConnectionId to, Round slot);
  void ask_proof(ConnectionId from, const Frame& f);
  void tell_proof(const ProofQueue::Question& of, const Result<LogProof, Error>& proof);
  /// The same for the gateway.
  void ask_proof(std::uint64_t position, std::function<void(ProofAnswer)> done);
  void tell_proof(std::uint64_t position, const Result<LogProof, Error>& proof);
  ProofService::Hooks proof_hooks();
  void query(ConnectionId from, const Frame& f);
  void reply(const Queries::Query& query, bool failed, ByteView answer);
  QueryService::Hooks query_hooks();

  // gateway.cpp
  LogPage read_page(std::uint64_t from, std::size_t most);

  NodeBase& node_;
  Hooks hooks_;

  // From clients to the log.
  Submissions submissions_;
  OrderWatch order_watch_;
  std::uint64_t malformed_ = 0;

  // Who they are, and what they are told.
  Visitors visitors_;
  OlderClients older_clients_;
  KeptResults results_;
  Replies replies_;
  PieceWork telling_;
  QueryService queries_;
  PieceWork answering_;
  Subscribers subscribers_;
  PieceWork feeding_subscribers_;
  ProofService proofs_;
  PieceWork proving_;

  // The gateway's.
  std::unique_ptr<Gateway> gateway_;  // null: not asked for
  std::multimap<std::uint64_t, std::function<void(ProofAnswer)>> gateway_proofs_;  // by position
  PageQueue pages_;
  PieceWork serving_pages_;

  // The process around the node, as a client of its own.
  OwnClient own_client_;
  PieceWork watching_own_;
  OwnQuestions own_questions_;
};

}  // namespace thresher::net
