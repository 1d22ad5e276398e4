// A proof from a running node: one question over a link of its own.
#include <optional>
#include <string>
#include <utility>

#include "thresher/net/codec.hpp"
#include "thresher/net/log_proof.hpp"

namespace thresher::net {
namespace {

class Question {
 public:
  Question(const Genesis& genesis, NodeId node, std::uint64_t position)
      : n_(static_cast<std::uint32_t>(genesis.nodes.size())),
        position_(position),
        where_("node " + std::to_string(node.value)),
        link_(loop_, genesis.context().chain, genesis.nodes[node.value],
              {[this](ConnectionId, const Frame& f) { frame(f); },
               [this](ConnectionId, bool up) { linked(up); },
               [this](const std::string& why) { fail(ErrorCode::kIo, why); }}) {}

  Result<LogProof, Error> ask(std::uint64_t patience_us) {
    loop_.call_after(patience_us, [this] { fail(ErrorCode::kIo, "no answer in time"); });
    link_.connect();
    loop_.run();
    return *answer_;
  }

 private:
  void linked(bool up) {
    if (!up) return fail(ErrorCode::kIo, "the link ended");
    (void)link_.send({kProve, Bytes::from(Writer().u64(position_).take()), {}});
  }
  void frame(const Frame& f) {
    if (f.kind != kProof) return;
    Reader in(f.control.view());
    if (in.u64() != position_) return;
    const bool proven = in.u8() != 0;
    const ByteView rest = in.bytes(in.remaining());
    if (!proven) return fail(ErrorCode::kRejected, std::string(as_text(rest)));
    auto proof = decode_log_proof(rest, n_);
    if (!proof) return fail(ErrorCode::kMalformed, "the node's answer cannot be decoded");
    end(std::move(*proof));
  }
  void fail(ErrorCode code, std::string why) { end(Error{code, std::move(why), where_}); }
  void end(Result<LogProof, Error> answer) {
    if (!answer_) answer_.emplace(std::move(answer));
    loop_.stop();
  }

  std::uint32_t n_;
  std::uint64_t position_;
  std::string where_;
  Loop loop_;
  std::optional<Result<LogProof, Error>> answer_;
  ClientLink link_;
};

}  // namespace

Result<LogProof, Error> fetch_log_proof(const Genesis& genesis, NodeId node, std::uint64_t position,
                                        std::uint64_t patience_us) {
  return Question(genesis, node, position).ask(patience_us);
}

}  // namespace thresher::net
