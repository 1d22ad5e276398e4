#include "thresher/net/replay.hpp"

#include <utility>

#include "journal/replay_run.hpp"
#include "thresher/net/coin.hpp"
#include "thresher/net/genesis.hpp"

namespace thresher::net {
namespace {

Error of_another_ledger(const std::string& journal, const std::string& genesis) {
  return Error{ErrorCode::kMismatch,
               "the journal '" + journal + "' is not of the ledger of '" + genesis + "'", journal,
               "give the genesis file that its node had"};
}

Error without_head(const std::string& path, journal::JournalReader& reader) {
  const auto* first = reader.peek();
  const bool full = first != nullptr && first->kind == journal::EntryKind::kDisk;
  if (!full && (first != nullptr || !reader.damage().empty())) {
    const std::string how = first == nullptr ? reader.damage() : "its first entry is another's";
    return {ErrorCode::kMalformed, "the journal '" + path + "' is damaged: " + how, path,
            "take another journal"};
  }
  const std::string why =
      full ? "its disk took no more (" + journal::disk_failure(first->body) + ")"
           : "its node was killed when it had just begun to write, or the file was cut since";
  return {ErrorCode::kMalformed, "the journal '" + path + "' says not what was recorded", path,
          why + "; take another journal"};
}

Result<EngineSettings, Error> settings_of(const std::string& journal, const journal::Head& head,
                                          const ReplayOptions& options) {
  const auto genesis = load_genesis(options.genesis);
  if (!genesis) return genesis.error();
  const auto members = static_cast<std::uint16_t>(genesis->nodes.size());
  const auto committee = Committee::make(members, genesis->f);
  if (genesis->context().chain != head.chain || genesis->protocol != head.protocol ||
      head.self.value >= members || !committee)
    return of_another_ledger(journal, options.genesis);
  auto coin = open_coin(*genesis, options.coin, head.self);
  if (!coin) return coin.error();
  auto encryption = open_encryption(*genesis, options.coin, head.self);
  if (!encryption) return encryption.error();
  return EngineSettings{head.protocol,      *committee,  head.self,
                        genesis->context(), head.tuning, {std::move(*coin), std::move(*encryption)},
                        genesis->parameters};
}

}  // namespace

Result<std::string, Error> newest_journal(const std::string& home) {
  const std::string folder = home + "/journal";
  const std::vector<std::string> all = journal::journals_in(folder);
  if (all.empty()) {
    return Error{ErrorCode::kMissing, "there is no journal in '" + folder + "'", folder,
                 "`thresher node run --journal` writes one"};
  }
  return all.back();
}

Result<Replayed, Error> replay_journal(const std::string& path, const ReplayOptions& options) {
  auto reader = journal::JournalReader::open(path);
  if (!reader) return reader.error();
  const auto* first = reader->peek();
  const auto head = first != nullptr && first->kind == journal::EntryKind::kHead
                        ? journal::decode_head(first->body)
                        : std::nullopt;
  if (!head) return without_head(path, *reader);
  (void)reader->take();
  const auto settings = settings_of(path, *head, options);
  if (!settings) return settings.error();
  Replayed out;
  out.program = head->program;
  out.protocol = head->protocol;
  out.self = head->self;
  replay([&](EngineHost& host) { return make_engine(*settings, host); }, *reader, options.on_entry,
         out);
  return out;
}

}  // namespace thresher::net
