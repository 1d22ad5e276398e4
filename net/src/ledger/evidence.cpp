#include "thresher/net/evidence.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "files/odd_file.hpp"
#include "files/whole_file.hpp"
#include "ledger/evidence_gate.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/crypto/verifier.hpp"
#include "thresher/protocols/certified/vertex.hpp"
#include "thresher/protocols/dag/block.hpp"
#include "thresher/text/json.hpp"

namespace thresher::net {
namespace {

/// What a member signed, whatever its protocol calls it.
struct Statement {
  NodeId author;
  Round round;
  Digest digest{};
  Signature signature{};
};
using Pair = std::array<Statement, 2>;

/// Larger files are none of this. Unit: bytes.
constexpr std::uintmax_t kMostFile = 1u << 20;

std::optional<Statement> read_block(Reader& in, const Genesis& genesis) {
  const auto block =
      dag::decode_slim(in, genesis.context(), static_cast<std::uint32_t>(genesis.nodes.size()));
  if (!block) return std::nullopt;
  const dag::Block& b = **block;
  return Statement{b.author(), b.round(), b.digest, b.signature};
}

std::optional<Statement> read_proposal(Reader& in, const Genesis& genesis) {
  certified::Shape shape;
  shape.committee = *Committee::make(static_cast<std::uint32_t>(genesis.nodes.size()), genesis.f);
  shape.stragglers = 0xffff;  // what its protocol refuses never got so far
  const auto proposal = certified::decode_proposal(in, genesis.context(), shape);
  if (!proposal) return std::nullopt;
  const certified::Proposal& p = **proposal;
  return Statement{p.header.author, p.header.round, p.digest, p.signature};
}

template <class Read>
std::optional<Pair> read_pair(ByteView bytes, const Genesis& genesis, Read read) {
  Reader in(bytes);
  const auto first = read(in, genesis);
  const auto second = first ? read(in, genesis) : std::nullopt;
  if (!second || !in.done()) return std::nullopt;
  return Pair{*first, *second};
}

bool signed_by(const PublicKey& key, const Pair& pair) {
  const auto verifier = crypto::make_verifier("portable");
  return std::all_of(pair.begin(), pair.end(), [&](const Statement& s) {
    const crypto::SignatureJob job{key, s.digest.bytes, s.signature};
    auto verdict = crypto::SignatureStatus::kUnavailable;
    verifier->verify({&job, 1}, {&verdict, 1});
    return verdict == crypto::SignatureStatus::kValid;
  });
}

}  // namespace

namespace {

/// Two different statements of one member for one round, by their own words.
Result<Pair, Error> read_claim(const Genesis& genesis, ByteView bytes) {
  const bool certified =
      genesis.protocol.ends_with("bullshark") || genesis.protocol == "bullshark-async";
  const auto pair = certified ? read_pair(bytes, genesis, &read_proposal)
                              : read_pair(bytes, genesis, &read_block);
  if (!pair) {
    return Error{ErrorCode::kMalformed,
                 "it does not hold two statements of a member of this ledger"};
  }
  const auto rejected = [](const char* why) { return Error{ErrorCode::kRejected, why}; };
  const auto& [first, second] = *pair;
  if (first.author.value >= genesis.nodes.size()) return rejected("its author is not a member");
  if (first.author != second.author) return rejected("its statements are of two members");
  if (first.round != second.round) return rejected("its statements are of two rounds");
  if (first.digest == second.digest) return rejected("its statements are the same");
  return *pair;
}

}  // namespace

Result<Evidence, Error> verify_evidence(const Genesis& genesis, ByteView bytes,
                                        const std::function<bool()>& may_verify) {
  const auto pair = read_claim(genesis, bytes);
  if (!pair) return pair.error();
  if (!may_verify()) {
    return Error{ErrorCode::kRejected,
                 "the commit has evidence enough from this transaction's author without it"};
  }
  const auto& [first, second] = *pair;
  if (!signed_by(genesis.nodes[first.author.value].key, *pair)) {
    return Error{ErrorCode::kRejected, "a signature is not that of the member's key"};
  }
  return Evidence{first.author, first.round, first.digest, second.digest};
}

Result<Evidence, Error> verify_evidence(const Genesis& genesis, ByteView bytes) {
  return verify_evidence(genesis, bytes, [] { return true; });
}

std::string evidence_text(const Genesis& genesis, const Evidence& evidence, ByteView bytes) {
  text::Value out;
  out.set("evidence", 1u).set("chain", to_hex(genesis.context().chain.bytes));
  out.set("protocol", genesis.protocol);
  out.set("author", evidence.author.value).set("round", evidence.round.value);
  out.set("first", to_hex(evidence.first.bytes)).set("second", to_hex(evidence.second.bytes));
  out.set("bytes", to_hex(bytes));
  return text::write(out, 2) + "\n";
}

Result<Evidence, Error> load_evidence(const std::string& path, const Genesis& genesis) {
  const auto refused = [&](ErrorCode code, std::string why) {
    return Error{code, std::move(why), path};
  };
  if (std::string why = odd_file(path); !why.empty())
    return refused(ErrorCode::kMalformed, std::move(why));
  std::error_code error;
  if (std::filesystem::file_size(path, error) > kMostFile || error) {
    return refused(error ? code_of_errno(error.value()) : ErrorCode::kMalformed,
                   "cannot read '" + path + "': it is missing, or larger than evidence can be");
  }
  const auto all = read_whole(path);
  if (!all) return all.error();
  const auto tree = text::parse(*all);
  if (!tree) {
    return refused(ErrorCode::kMalformed,
                   "'" + path + "' is not JSON: " + tree.error().front().what);
  }
  const text::Value* chain = tree->find("chain");
  const text::Value* bytes = tree->find("bytes");
  if (chain == nullptr || bytes == nullptr || bytes->as_text() == nullptr ||
      chain->as_text() == nullptr) {
    return refused(ErrorCode::kMalformed,
                   "'" + path + "' is no file of evidence: `chain` and `bytes` belong in it");
  }
  if (*chain->as_text() != to_hex(genesis.context().chain.bytes)) {
    return refused(ErrorCode::kMismatch,
                   "'" + path + "' is of another ledger than the genesis file");
  }
  const auto content = from_hex(*bytes->as_text());
  if (!content) {
    return refused(ErrorCode::kMalformed,
                   "'" + path + "': `bytes` is no list of hexadecimal digits");
  }
  auto found = verify_evidence(genesis, *content);
  if (!found) {
    return refused(ErrorCode::kRejected, "'" + path + "' proves nothing: " + found.error().text());
  }
  return *found;
}

std::string evidence_folder(const std::string& data) {
  return data + "/evidence";
}

std::vector<std::string> evidence_files(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") out.push_back(entry.path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace thresher::net
