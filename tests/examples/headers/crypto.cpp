// The examples of crypto's and coding's headers, compiled (held_test.py says how they are found).
#include <sodium.h>

#include <array>
#include <iostream>
#include <string>

#include "thresher/coding/merkle.hpp"
#include "thresher/coding/merkle_range.hpp"
#include "thresher/coding/reed_solomon.hpp"
#include "thresher/core/committee.hpp"
#include "thresher/core/signature_list.hpp"
#include "thresher/crypto/batcher.hpp"
#include "thresher/crypto/beacon_proof.hpp"
#include "thresher/crypto/bivariate_sharing.hpp"
#include "thresher/crypto/coin_file.hpp"
#include "thresher/crypto/coin_scheme.hpp"
#include "thresher/crypto/contribution.hpp"
#include "thresher/crypto/crc32c.hpp"
#include "thresher/crypto/dkg.hpp"
#include "thresher/crypto/dkg_scheme.hpp"
#include "thresher/crypto/dleq.hpp"
#include "thresher/crypto/dleq_group.hpp"
#include "thresher/crypto/encryption_scheme.hpp"
#include "thresher/crypto/hash_many.hpp"
#include "thresher/crypto/key_file.hpp"
#include "thresher/crypto/list_checks.hpp"
#include "thresher/crypto/ristretto_sum.hpp"
#include "thresher/crypto/secret.hpp"
#include "thresher/crypto/sha256.hpp"
#include "thresher/crypto/sha512.hpp"
#include "thresher/crypto/sharing_scheme.hpp"
#include "thresher/crypto/signing_key.hpp"
#include "thresher/crypto/threshold_coin.hpp"
#include "thresher/crypto/threshold_encryption.hpp"
#include "thresher/crypto/verifier.hpp"
#include "thresher/crypto/vrf.hpp"
#include "thresher/crypto/vrf_scheme.hpp"

namespace thresher::coding {
namespace {

void merkle_example(const std::vector<Digest>& leaf_hashes, ByteView shard) {
  // <thresher/coding/merkle.hpp>
  MerkleTree tree(leaf_hashes);
  auto proof = tree.inclusion(3);
  bool ok = merkle_included(merkle_leaf(shard), 3, tree.size(), proof, tree.root());
  // </>
}

void merkle_range_example(ByteView entry, std::uint64_t index, const Digest& leaf,
                          const std::function<void(const MerkleNode&)>& store,
                          const std::function<Digest(MerklePlace)>& load) {
  // <thresher/coding/merkle_range.hpp>
  MerkleRange range;
  range.append(merkle_leaf(entry), [&](const MerkleNode& node) { store(node); });
  Digest root = range.root();  // the root that MerkleTree has for the list
  auto path = merkle_path(index, range.size(), [&](MerklePlace place) { return load(place); });
  bool ok = merkle_included(leaf, index, range.size(), path, root);
  // </>
}

void reed_solomon_example(std::uint32_t f, std::uint32_t n, const Bytes& payload,
                          const std::vector<Bytes>& received) {
  // <thresher/coding/reed_solomon.hpp>
  auto code = ReedSolomon::make(f + 1, n);
  std::vector<Bytes> shards = code->encode(payload.view());
  Result<Bytes> back = code->decode(received, payload.size());
  Result<Corrected> mended = code->correct(received, payload.size(), 1);
  // </>
}

}  // namespace
}  // namespace thresher::coding

namespace thresher::crypto {
namespace {

void drop();

void batcher_example(std::function<std::uint64_t()> now_us, std::function<void()> wake,
                     std::uint32_t instance, Ticket ticket, std::uint32_t peer,
                     const PublicKey& key, const Digest& digest, const Signature& signature) {
  // <thresher/crypto/batcher.hpp>
  Batcher batcher({}, *Batcher::backends("avx512", "rlc", "cuda"), now_us, wake);
  if (!batcher.add({instance, ticket, peer, Purpose::kQuorum, key, digest, signature})) drop();
  for (const VerifyAnswer& a : batcher.run()) drop();
  // </>
}

void bivariate_sharing_example(const ChainContext& chain, const Committee& c, NodeId id,
                               const BivariateSharing::Seed& seed) {
  // <thresher/crypto/bivariate_sharing.hpp>
  BivariateSharing scheme({.chain = chain, .committee = c, .self = id, .seed = seed});
  // </>
}

void contribution_example(const Bytes& bytes) {
  // <thresher/crypto/contribution.hpp>
  std::vector<Contribution> points{{NodeId{2}, bytes}};
  // </>
}

void send(NodeId to, const Bytes& what);

void sharing_scheme_example(const SharingScheme& scheme, NodeId to, NodeId dealer,
                            ByteView commitment, ByteView row,
                            const std::vector<Contribution>& shares) {
  // <thresher/crypto/sharing_scheme.hpp>
  Bytes all = *scheme.commitment(7);
  send(to, scheme.row(7, to));
  auto sharing = scheme.open(7, dealer, commitment);
  if (sharing->check_row(row)) send(to, sharing->point(row, to));
  Digest secret = *sharing->secret(shares);
  // </>
}

void coin_file_example(const CoinDeal& deal) {
  // <thresher/crypto/coin_file.hpp>
  auto saved = crypto::save_coin_share(deal.secrets[2], "node2/coin.key");
  auto secret = crypto::load_coin_share("node2/coin.key");
  // </>
}

void coin_scheme_example(const CoinScheme& scheme, std::uint64_t round,
                         std::span<const CoinClaim> claims, std::span<std::uint8_t> verdicts,
                         std::span<const CoinClaim> good_shares) {
  // <thresher/crypto/coin_scheme.hpp>
  std::optional<CoinShare> mine = scheme.share(round);
  scheme.verify(round, claims, verdicts);
  std::optional<Digest> value = scheme.combine(round, good_shares);
  // </>
}

void crc32c_example() {
  // <thresher/crypto/crc32c.hpp>
  const std::uint32_t sum = crypto::crc32c(as_view("123456789"));
  // </>
}

void dleq_example(const RistrettoScalar& secret, const RistrettoPoint& round_point) {
  // <thresher/crypto/dleq.hpp>
  auto made = prove_dleq(as_view("my protocol"), secret, round_point);
  bool good = verify_dleq(as_view("my protocol"), made->statement, made->proof);
  // </>
}

void dleq_group_example(std::span<const std::byte, 64> hash_of_round,
                        const RistrettoScalar& secret) {
  // <thresher/crypto/dleq_group.hpp>
  auto point = ristretto_map(hash_of_round);
  auto share = ristretto_multiply(secret, *point);
  // </>
}

void key_file_example() {
  // <thresher/crypto/key_file.hpp>
  auto key = crypto::load_key("node0/node.key");
  if (!key) std::cerr << key.error().text();
  // </>
}

PublicKey key_of(NodeId signer);
void list_checks_example(ListChecks& lists, Batcher& batcher, const VerifyRequest& asked,
                         const SignatureList& list) {
  // <thresher/crypto/list_checks.hpp>
  VerifyRequest request = lists.open(asked, list.signatures.size());
  list.for_each([&](NodeId signer, const Signature& s) {
    request.key = key_of(signer);
    request.signature = s;
    (void)batcher.add(request);
  });
  for (const VerifyAnswer& a : batcher.run())
    if (const auto whole = lists.settle(a)) drop();
  // </>
}

using Seed = std::array<unsigned char, 32>;
void secret_example() {
  // <thresher/crypto/secret.hpp>
  Secret<Seed> seed;
  randombytes_buf(seed->data(), seed->size());
  Secret<Seed> same = seed;
  // </>
}

void sha256_example(const Bytes& payload) {
  // <thresher/crypto/sha256.hpp>
  Digest root = crypto::sha256(payload.view());
  // </>
}

void sha512_example(ByteView message) {
  // <thresher/crypto/sha512.hpp>
  Sha512 h = crypto::sha512(message);
  // </>
}

void signing_key_example(const Digest& digest) {
  // <thresher/crypto/signing_key.hpp>
  auto key = crypto::SigningKey::generate();
  Signature s = key.sign(digest.bytes);
  // </>
}

void threshold_coin_example(const Committee& committee, const std::array<std::byte, 32>& seed,
                            const ChainContext& chain, std::uint64_t round) {
  // <thresher/crypto/threshold_coin.hpp>
  CoinDeal deal = *deal_coin(committee.size(), committee.at_least(kValidity), seed);
  ThresholdCoin coin(chain, deal.keys, NodeId{2}, deal.secrets[2]);
  auto mine = coin.share(round);
  // </>
}

void send(const DecryptionShare& share);

void encryption_scheme_example(const EncryptionScheme& scheme, ByteView label, ByteView plain,
                               std::span<const DecryptionClaim> claims,
                               std::span<std::uint8_t> verdicts,
                               std::span<const DecryptionClaim> good_shares) {
  // <thresher/crypto/encryption_scheme.hpp>
  Bytes sealed = *scheme.encrypt(label, plain);
  if (scheme.valid(label, sealed.view())) send(*scheme.share(label, sealed.view()));
  scheme.verify(label, sealed.view(), claims, verdicts);
  std::optional<Bytes> text = scheme.combine(label, sealed.view(), good_shares);
  // </>
}

void threshold_encryption_example(const ChainContext& chain, const CoinDeal& deal, ByteView text) {
  // <thresher/crypto/threshold_encryption.hpp>
  ThresholdEncryption scheme(chain, deal.keys, NodeId{2}, deal.secrets[2]);
  Bytes sealed = *scheme.encrypt(as_view("bid 17"), text);
  // </>
}

void verifier_example(std::span<const SignatureJob> jobs, std::span<SignatureStatus> verdicts) {
  // <thresher/crypto/verifier.hpp>
  auto verifier = crypto::make_verifier("portable");
  verifier->verify(jobs, verdicts);
  // </>
}

void vrf_example(const VrfSeed& seed, ByteView round_bytes) {
  // <thresher/crypto/vrf.hpp>
  auto made = prove_vrf(seed, round_bytes);
  auto output = verify_vrf(vrf_public_key(seed), round_bytes, made->proof);
  // </>
}

void vrf_scheme_example(const VrfScheme& scheme, std::uint64_t round, NodeId from,
                        const VrfProof& proof) {
  // <thresher/crypto/vrf_scheme.hpp>
  std::optional<VrfProof> mine = scheme.draw(round);
  std::optional<Digest> value = scheme.check(round, from, proof);  // empty: not its ticket
  // </>
}

void beacon_proof_example(const CoinKeys& keys, std::span<const CoinClaim> shares,
                          const RistrettoPoint& group, std::uint64_t round) {
  // <thresher/crypto/beacon_proof.hpp>
  auto proof = make_beacon_proof(keys, shares);
  std::optional<Digest> value = check_beacon_proof(group, round, proof->view());
  // </>
}

void dkg_example(const ChainContext& chain, const Committee& c, NodeId self,
                 std::span<const PublicKey> identities, const SigningKey& signing_key,
                 Secret<DealtKey::Seed> seed) {
  // <thresher/crypto/dkg.hpp>
  DkgSetup setup{.chain = chain,
                 .committee = c,
                 .threshold = c.at_least(kAvailability),
                 .keys = *dkg_keys_of(identities)};
  DealtKey scheme(setup, self, dkg_secret_of(signing_key), seed);
  // </>
}

void send(const Bytes& complaint);
void dkg_scheme_example(const DkgScheme& scheme, NodeId dealer, NodeId to, ByteView dealing,
                        std::span<const ChosenDealing> chosen,
                        std::span<const Contribution> points) {
  // <thresher/crypto/dkg_scheme.hpp>
  Bytes mine = *scheme.deal();
  if (scheme.check(dealer, dealing) == Dealt::kBadForMe) send(scheme.complain(dealer, dealing));
  auto key = scheme.settle(chosen);
  send(to, key->point_for(to));
  key->finish(points);
  // </>
}

void hash_many_example(const std::vector<ByteView>& messages) {
  // <thresher/crypto/hash_many.hpp>
  std::vector<Digest> out(messages.size());
  hash_many(messages, out);
  // </>
}

void ristretto_sum_example(std::span<const RistrettoScalar> lagrange_weights,
                           std::span<const RistrettoPoint> public_keys) {
  // <thresher/crypto/ristretto_sum.hpp>
  auto key = ristretto_sum(lagrange_weights, public_keys);
  // </>
}

}  // namespace
}  // namespace thresher::crypto
