// A proof from the folder of a node that does not run.
#include "engines/ordering_protocols.hpp"
#include "life/log_tree.hpp"
#include "life/resting_store.hpp"

namespace thresher::net {

Result<LogProof, Error> read_log_proof(const NodeOptions& given, std::uint64_t position) {
  const NodeOptions options = with_paths(given);
  const auto genesis = load_genesis(options.genesis);
  if (!genesis) return genesis.error();
  const auto n = static_cast<std::uint32_t>(genesis->nodes.size());
  RestingStore store;
  if (const auto opened = store.open(options, genesis->context().chain); !opened)
    return opened.error();
  const LogReader reader(store, log_form_of(*genesis));
  std::optional<Certificate> newest;
  (void)store.scan(kCertificateTable, {}, [&](ByteView, ByteView value) {
    if (auto c = decode_certificate(value, n)) newest = std::move(c);
    return true;
  });
  if (!newest || position >= newest->checkpoint.length) {
    return Error{ErrorCode::kMissing,
                 "position " + std::to_string(position) + " has no certificate in '" +
                     options.home + "', whose certificates cover " +
                     std::to_string(newest ? newest->checkpoint.length : 0) + " transactions",
                 options.home};
  }
  auto own = load_own_checkpoint(store, newest->checkpoint.slot, n);
  if (!own)
    return Error{ErrorCode::kMissing,
                 "'" + options.home + "' has not computed the certified checkpoint itself",
                 options.home};
  TreeReader tree(store, reader, std::move(*own));
  auto proof = proof_of(tree, position, *newest, certificate_quorum(*genesis));
  if (!proof)
    return Error{ErrorCode::kMissing, proof.error().what, options.home, proof.error().remedy};
  return std::move(*proof);
}

}  // namespace thresher::net
