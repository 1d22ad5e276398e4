// A proof from a running node: one question over a link of its own.
#include <optional>

#include "thresher/net/codec.hpp"
#include "thresher/net/log_proof.hpp"

namespace thresher::net {
namespace {

class Question {
 public:
  Question(const Genesis& genesis, NodeId node, std::uint64_t position)
      : n_(static_cast<std::uint32_t>(genesis.nodes.size())),
        position_(position),
        link_(loop_, genesis.context().chain, genesis.nodes[node.value],
              {[this](ConnectionId, const Frame& f) { frame(f); },
               [this](ConnectionId, bool up) { linked(up); },
               [this](const std::string& why) { end(why); }}) {}

  Result<LogProof, std::string> ask(std::uint64_t patience_us) {
    loop_.call_after(patience_us, [this] { end(std::string("no answer in time")); });
    link_.connect();
    loop_.run();
    return *answer_;
  }

 private:
  void linked(bool up) {
    if (!up) return end(std::string("the link ended"));
    (void)link_.send({kProve, Bytes::from(Writer().u64(position_).take()), {}});
  }
  void frame(const Frame& f) {
    if (f.kind != kProof) return;
    Reader in(f.control.view());
    if (in.u64() != position_) return;
    const bool proven = in.u8() != 0;
    const ByteView rest = in.bytes(in.remaining());
    if (!proven) return end(std::string(as_text(rest)));
    auto proof = decode_log_proof(rest, n_);
    if (!proof) return end(std::string("the node's answer cannot be decoded"));
    end(std::move(*proof));
  }
  void end(Result<LogProof, std::string> answer) {
    if (!answer_) answer_.emplace(std::move(answer));
    loop_.stop();
  }

  std::uint32_t n_;
  std::uint64_t position_;
  Loop loop_;
  std::optional<Result<LogProof, std::string>> answer_;
  ClientLink link_;
};

}  // namespace

Result<LogProof, std::string> fetch_log_proof(const Genesis& genesis, NodeId node,
                                              std::uint64_t position, std::uint64_t patience_us) {
  return Question(genesis, node, position).ask(patience_us);
}

}  // namespace thresher::net
