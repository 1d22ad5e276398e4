#include "channels/kept_seed.hpp"

#include <cerrno>
#include <filesystem>
#include <sstream>

#include "files/disk_problem.hpp"
#include "files/whole_file.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/crypto/key_file.hpp"
#include "thresher/net/synced_file.hpp"

namespace thresher::net {
namespace {

using Seed = crypto::Secret<crypto::SigningKey::Seed>;
using Kept = Result<Seed, Error>;

bool is_there(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

Result<Unit, Error> write_mark(const std::string& path, const crypto::SigningKey& seed,
                               const SeedUse& use) {
  const std::string mark = to_hex(seed.public_key()) + "\n" + use.purpose + "\n";
  if (write_synced(path, as_view(mark))) return Unit{};
  return disk_error("cannot write '" + path + "'", errno, path);
}

Kept seed_that_is_there(const std::string& folder, const std::string& path, const SeedUse& use) {
  const auto kept = crypto::load_key(path);
  if (!kept)
    return Error{kept.error().code, kept.error().text() + ". " + use.lost, kept.error().where};
  const auto beside = read_whole(path + ".pub");
  const bool lacks = !beside && beside.error().code == ErrorCode::kMissing;
  if (!beside && !lacks) return beside.error();
  if (lacks && use.may_lack_mark) {
    if (const auto written = write_mark(path + ".pub", *kept, use); !written)
      return written.error();
    return Seed(kept->seed());
  }
  std::istringstream file(beside ? *beside : "");
  std::string mark;
  std::string began_for;
  if (!std::getline(file, mark) || mark != to_hex(kept->public_key()))
    return Error{ErrorCode::kMismatch,
                 "'" + path + "' is not the seed that this run began with. " + use.lost, path};
  if (!std::getline(file, began_for)) began_for = use.without_purpose;
  if (began_for == use.purpose) return Seed(kept->seed());
  return Error{ErrorCode::kMismatch,
               "'" + folder + "' is of a run that " + began_for +
                   ", and now it is to be one that " + use.purpose + ". " + use.other_purpose,
               folder, use.if_none};
}

}  // namespace

Kept kept_seed(const std::string& folder, const SeedUse& use, bool began) {
  const std::string path = folder + "/seed.key";
  if (is_there(path)) return seed_that_is_there(folder, path, use);
  // Under its name it is whole: a kill in the middle leaves a part that nothing was said from yet.
  // The mark alone is of a seed that was there.
  const std::string part = path + ".new";
  const std::string mark = path + ".pub";
  const bool marked = is_there(mark) && !is_there(part);
  if (marked || began)
    return Error{ErrorCode::kMissing,
                 "'" + path + "' is gone, the seed that this run began with: '" +
                     (marked ? mark : folder + "/data") + "' is there. " + use.lost,
                 path};
  std::error_code error;
  std::filesystem::remove(mark, error);
  std::filesystem::remove(part, error);
  const auto fresh = crypto::SigningKey::generate();
  if (const auto saved = crypto::save_key(fresh, part); !saved) return saved.error();
  if (const auto written = write_mark(mark, fresh, use); !written) return written.error();
  std::filesystem::rename(part, path, error);
  if (!error && sync_folder(folder) && sync_folder_of(folder)) return Seed(fresh.seed());
  return Error{ErrorCode::kIo, "cannot sync '" + folder + "'", folder, "check the disk"};
}

}  // namespace thresher::net
