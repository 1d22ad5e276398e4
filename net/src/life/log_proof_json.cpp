// Proofs as text: what `thresher log prove` prints and `thresher verify-proof` reads.
#include <algorithm>

#include "thresher/core/base64.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/net/log_proof.hpp"
#include "thresher/text/json.hpp"

namespace thresher::net {
namespace {

/// Larger texts are not a proof. Unit: bytes.
constexpr std::size_t kMostText = std::size_t{1} << 20;

// Reads members of an object; the first that is missing or wrong stands in `problem`.
struct Reading {
  const text::Value* object;
  std::string& problem;

  std::uint64_t number(const char* key) const {
    const text::Value* found = object->find(key);
    const auto value = found != nullptr ? found->as_unsigned() : std::nullopt;
    if (!value) complain(key, "a whole number");
    return value.value_or(0);
  }
  std::vector<std::byte> bytes(const char* key) const {
    const text::Value* found = object->find(key);
    const std::string* words = found != nullptr ? found->as_text() : nullptr;
    auto value = words != nullptr ? from_base64(*words) : std::nullopt;
    if (!value) complain(key, "Base64 without padding");
    return value ? std::move(*value) : std::vector<std::byte>();
  }
  Digest digest(const char* key) const {
    const auto value = bytes(key);
    Digest out;
    if (value.size() != out.bytes.size()) {
      complain(key, "a hash of 32 bytes in Base64");
    } else {
      std::ranges::copy(value, out.bytes.begin());
    }
    return out;
  }
  Reading inner(const char* key) const {
    static const text::Value kNothing = text::Value::object();
    const text::Value* found = object->find(key);
    if (found == nullptr || !found->is_object()) complain(key, "an object");
    return {found != nullptr ? found : &kNothing, problem};
  }
  void complain(const char* key, const std::string& wanted) const {
    if (problem.empty()) problem = "`" + std::string(key) + "` must be there and be " + wanted;
  }
};

std::string base64(const Digest& digest) {
  return to_base64(digest.bytes);
}

// One after another: the sequence (u64), the hash of the data, and client and result where a byte
// in front says that they are others than those of the proof.
enum Differs : std::uint8_t { kClient = 1, kResult = 2 };

std::string write_beside(const LogProof& p) {
  Writer out;
  for (const LeafContent& c : p.beside) {
    const bool client = c.client != p.content.client;
    const bool result = c.result != p.content.result;
    out.u8(static_cast<std::uint8_t>((client ? kClient : 0) | (result ? kResult : 0)));
    out.u64(c.sequence).bytes(c.payload.bytes);
    if (client) out.bytes(c.client.bytes);
    if (result) out.bytes(c.result.bytes);
  }
  return to_base64(out.view());
}

void read_beside(const Reading& in, LogProof& out) {
  const auto bytes = in.bytes("beside");
  Reader all(bytes);
  bool good = true;
  while (good && all.remaining() > 0 && out.beside.size() < kLeafPositions) {
    const std::uint8_t differs = all.u8();
    LeafContent& c = out.beside.emplace_back(out.content);
    c.sequence = all.u64();
    c.payload = all.digest();
    if ((differs & kClient) != 0) all.fill(c.client.bytes);
    if ((differs & kResult) != 0) c.result = all.digest();
    good = all.ok() && differs <= (kClient | kResult);
    // One spelling for one proof.
    good = good && ((differs & kClient) != 0) == (c.client != out.content.client);
    good = good && ((differs & kResult) != 0) == (c.result != out.content.result);
  }
  if (!good || out.beside.size() >= kLeafPositions)
    in.complain("beside",
                "what stands at the other positions of the leaf, three at most, in Base64");
}

void read_content(const Reading& in, LogProof& out) {
  out.position = in.number("position");
  out.content.sequence = in.number("sequence");
  out.content.payload = in.digest("payload");
  out.content.result = in.digest("result");
  const text::Value* client = in.object->find("client");
  const std::string* digits = client != nullptr ? client->as_text() : nullptr;
  const auto id = digits != nullptr ? from_hex(*digits) : std::nullopt;
  if (!id || id->size() != out.content.client.bytes.size()) {
    in.complain("client", "32 hexadecimal digits");
  } else {
    std::ranges::copy(*id, out.content.client.bytes.begin());
  }
  read_beside(in, out);
  const auto path = in.bytes("path");
  if (path.size() % sizeof(Digest::bytes) != 0) in.complain("path", "hashes of 32 bytes in Base64");
  Reader steps(path);
  while (steps.remaining() >= sizeof(Digest::bytes)) out.path.push_back(steps.digest());
}

// Nodes by their number, rising, as a certificate has them.
void read_signatures(const Reading& in, SignatureList& out) {
  std::uint32_t least = 0;
  for (const text::Member& member : in.object->members()) {
    const auto signature = in.bytes(member.key.c_str());
    std::uint32_t node = 0;
    for (const char c : member.key)
      node = c >= '0' && c <= '9' && node < least + 0x10000
                 ? node * 10 + static_cast<unsigned>(c - '0')
                 : 0x10000;
    Signature s{};
    // One spelling for one proof.
    const bool spelled = member.key == std::to_string(node);
    if (!spelled || node > 0xffff || node < least || signature.size() != s.size()) {
      return in.complain("signatures",
                         "nodes in rising order, each with a signature of 64 bytes in Base64");
    }
    std::ranges::copy(signature, s.begin());
    least = node + 1;
    out.signers.insert(NodeId{static_cast<std::uint16_t>(node)});
    out.signatures.push_back(s);
  }
}

}  // namespace

std::string write_log_proof(const LogProof& p) {
  const Checkpoint& c = p.certificate.checkpoint;
  text::Value checkpoint;
  checkpoint.set("slot", c.slot.value).set("length", c.length).set("log", base64(c.log_hash));
  checkpoint.set("root", base64(c.root)).set("state", base64(c.state));
  text::Value signatures = text::Value::object();
  p.certificate.signatures.for_each([&](NodeId signer, const Signature& s) {
    signatures.set(std::to_string(signer.value), to_base64(s));
  });
  Writer path;
  for (const Digest& step : p.path) path.bytes(step.bytes);
  text::Value out;
  out.set("schema", 2).set("position", p.position).set("client", to_hex(p.content.client.bytes));
  out.set("sequence", p.content.sequence).set("payload", base64(p.content.payload));
  out.set("result", base64(p.content.result)).set("beside", write_beside(p));
  out.set("path", to_base64(path.view()));
  out.set("checkpoint", std::move(checkpoint)).set("signatures", std::move(signatures));
  return text::write(out);
}

Result<LogProof, Error> parse_log_proof(const std::string& json) {
  text::Limits limits;
  limits.bytes = kMostText;
  const auto tree = text::parse(json, limits);
  if (!tree) {
    const text::Problem& first = tree.error().front();
    const std::string place = "line " + std::to_string(first.place.line) + ", column " +
                              std::to_string(first.place.column);
    return Error{ErrorCode::kMalformed, place + ": " + first.what, place};
  }
  if (!tree->is_object()) return Error{ErrorCode::kMalformed, "must hold one object"};
  std::string problem;
  const Reading in{&*tree, problem};
  if (in.number("schema") != 2 && problem.empty()) {
    return Error{ErrorCode::kUnsupported, "schema must be 2: use the release that made it"};
  }
  LogProof out;
  read_content(in, out);
  const Reading c = in.inner("checkpoint");
  Checkpoint& checkpoint = out.certificate.checkpoint;
  checkpoint = {Round{c.number("slot")}, c.number("length"), c.digest("log"), c.digest("root"),
                c.digest("state")};
  read_signatures(in.inner("signatures"), out.certificate.signatures);
  if (!problem.empty()) return Error{ErrorCode::kMalformed, std::move(problem)};
  return out;
}

}  // namespace thresher::net
