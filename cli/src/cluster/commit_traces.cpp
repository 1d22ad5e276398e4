#include "commit_traces.hpp"

#include <algorithm>

namespace thresher::cli {
namespace {

double quantile(const std::vector<std::uint64_t>& sorted, double q) {
  const auto last = static_cast<double>(sorted.size() - 1);
  return static_cast<double>(sorted[static_cast<std::size_t>(q * last)]);
}

// Pre: not empty.
Spread spread_of(std::vector<std::uint64_t> us) {
  std::sort(us.begin(), us.end());
  double sum = 0;
  for (const std::uint64_t v : us) sum += static_cast<double>(v);
  return {quantile(us, 0.5) / 1e3, quantile(us, 0.99) / 1e3,
          sum / 1e3 / static_cast<double>(us.size())};
}

void fill(TraceTable& table, const std::vector<CommitPath>& paths) {
  if (paths.empty()) return;
  std::vector<std::uint64_t> column;
  for (std::size_t s = 0; s < kSteps; ++s) {
    column.clear();
    for (const CommitPath& p : paths) column.push_back(p.us[s]);
    table.steps[s] = spread_of(column);
  }
  column.clear();
  std::vector<std::uint64_t> blocks;
  for (const CommitPath& p : paths) {
    std::uint64_t sum = 0;
    for (const std::uint64_t us : p.us) sum += us;
    column.push_back(sum);
    blocks.push_back(p.blocks);
  }
  table.latency = spread_of(column);
  std::sort(blocks.begin(), blocks.end());
  table.blocks_p50 = quantile(blocks, 0.5);
  table.blocks_p99 = quantile(blocks, 0.99);
}

std::vector<TraceTable::Use> used(const std::vector<NodeTrace>& nodes, std::uint64_t begin,
                                  std::uint64_t end) {
  std::vector<TraceTable::Use> out;
  for (const char* duty : net::kDutyNames) out.push_back({duty, 0, 0});
  for (const NodeTrace& node : nodes) {
    const NodeTrace::Duties spent = node.spent(begin, end);
    for (std::size_t d = 0; d < spent.size() && d < out.size(); ++d) {
      out[d].us += static_cast<double>(spent[d].ns) / 1e3;
      out[d].turns += static_cast<double>(spent[d].turns);
    }
  }
  return out;
}

}  // namespace

std::vector<std::string> CommitTraces::verb(std::size_t node) {
  auto& of_node = files_[node];
  const std::string start = of_node.empty() ? "" : "-" + std::to_string(of_node.size());
  of_node.push_back(home_ + "/node" + std::to_string(node) + "/trace" + start);
  return {"node", "run", "--trace-commits", of_node.back()};
}

void CommitTraces::answered(const TracedTransaction& t) {
  if (seen_++ % every_ != 0) return;
  transactions_.push_back(t);
  if (transactions_.size() < kMost) return;
  for (std::size_t i = 0; 2 * i < kMost; ++i) transactions_[i] = transactions_[2 * i];
  transactions_.resize(kMost / 2);
  every_ *= 2;
}

Result<TraceTable, Error> CommitTraces::table(std::uint64_t begin_us, std::uint64_t end_us) const {
  std::vector<NodeTrace> nodes(files_.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const std::string& file : files_[i]) {
      const auto records = net::read_commit_trace(file);
      if (!records) return records.error();
      nodes[i].add(*records);
    }
  }
  TraceTable out;
  std::vector<CommitPath> paths;
  for (const TracedTransaction& t : transactions_) {
    if (const auto path = path_of(nodes, t)) paths.push_back(*path);
  }
  out.transactions = paths.size();
  out.left_out = transactions_.size() - paths.size();
  fill(out, paths);
  out.cpu = used(nodes, begin_us, end_us);
  return out;
}

}  // namespace thresher::cli
