// Evidence against members: kept, ordered, and given to the application.
#include "thresher/net/evidence.hpp"

#include <sys/stat.h>

#include <utility>

#include "node/impl.hpp"
#include "thresher/net/synced_file.hpp"

namespace thresher::net {

void Node::Impl::accuse(const Accuse& a) {
  if (a.who == self) {
    return halt(words.never_twice("blocks signed with the key of '" + options.home +
                                  "' are about that this disk does not have"));
  }
  conduct.convict(a.who);
  const std::string kept = keep_evidence(a.evidence);
  say(Level::kWarning,
      "node " + std::to_string(a.who.value) +
          " signed two blocks for one round (evidence: " + std::to_string(a.evidence.size()) +
          " bytes" + (kept.empty() ? "" : ", in '" + kept + "'") + ")");
  order_evidence(a.who, a.evidence);
}

// Where it is; empty: nowhere. What another start kept of the same stays.
std::string Node::Impl::keep_evidence(const Bytes& bytes) {
  if (options.store == StoreKind::kMemory) return {};
  const auto found = verify_evidence(genesis, bytes.view());
  if (!found) return {};
  const std::string folder = evidence_folder(options.data);
  (void)::mkdir(folder.c_str(), 0755);
  const std::string path = folder + "/node" + std::to_string(found->author.value) + "-round" +
                           std::to_string(found->round.value) + ".json";
  const std::string text = evidence_text(genesis, *found, bytes.view());
  if (replace_synced(path, as_view(text), kForAll)) return path;
  say(Level::kWarning, "cannot keep evidence in '" + path + "'; free space there");
  return {};
}

// As a transaction of nobody's. All who have the same evidence submit the same transaction, which
// is ordered once.
void Node::Impl::order_evidence(NodeId who, const Bytes& bytes) {
  std::vector<std::byte> entry;
  append_entry(who.value, bytes.view(), entry);
  const RunHead head{kEvidenceClient, {ledger.slot(), Round{ledger.slot().value + kLongestLife}}};
  (void)clients.submissions().submit(head, Bytes::from(std::move(entry)), ledger, kNobody);
}

ApplyResult Node::Impl::apply_evidence(const Transaction& t, NodeId author) {
  const auto found = evidence_gate.look(genesis, t, author);
  if (!found) return {true, Bytes::copy_of(as_view(found.error().text()))};
  app.convict(*found, t);
  return {};
}

}  // namespace thresher::net
