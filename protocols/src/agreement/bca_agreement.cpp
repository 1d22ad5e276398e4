#include "thresher/protocols/agreement/bca_agreement.hpp"

#include <utility>

namespace thresher {
namespace {

BcaAgreement::Config on_own_tables(BcaAgreement::Config config) {
  if (config.tables == nullptr) config.tables = &agreement::kBcaRounds;
  return config;
}

}  // namespace

BcaAgreement::BcaAgreement(Config config) : RoundAgreement(on_own_tables(std::move(config))) {}

}  // namespace thresher
