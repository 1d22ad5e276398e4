#include <memory>

#include "../text.hpp"
#include "thresher/sim/names.hpp"
#include "thresher/sim/outcome.hpp"
#include "thresher/sim/wan.hpp"
#include "thresher/text/json.hpp"

namespace thresher::cli {
namespace {

text::Value standard_of(const sim::ParameterInfo& info) {
  return std::visit([](const auto& v) { return text::Value(v); }, info.standard);
}

template <class Enum>
void print_names(const char* title) {
  std::printf("\n%s\n", title);
  for (const sim::Name& name : sim::names_of<Enum>()) {
    std::printf("  %-20s %s\n", std::string(name.name).c_str(), std::string(name.help).c_str());
  }
}

template <class Enum>
text::Value names_json() {
  text::Value out = text::Value::list();
  for (const sim::Name& name : sim::names_of<Enum>()) {
    text::Value row;
    row.set("name", name.name).set("help", name.help);
    out.push(std::move(row));
  }
  return out;
}

void print_text() {
  std::puts("protocols");
  for (const sim::ProtocolInfo& info : sim::simulated_protocols()) {
    std::printf("  %-20s %s (n >= %s)\n", info.name.c_str(), info.help.c_str(),
                info.needs().c_str());
    for (const sim::ParameterInfo& p : info.parameters) {
      std::printf("    %-18s %s (default %s)\n", p.name.c_str(), p.help.c_str(),
                  text::write(standard_of(p)).c_str());
    }
    if (!info.unjudged.empty()) {
      std::string off;
      for (const std::string& oracle : info.unjudged) off += " " + oracle;
      std::printf("    oracles that mean nothing for it and are off:%s\n", off.c_str());
    }
    if (info.fields.empty()) continue;
    std::string fields;
    for (const std::string& field : info.fields) fields += " " + field;
    std::printf("    fields that faults can change:%s\n", fields.c_str());
  }
  print_names<sim::FaultKind>("faults");
  print_names<sim::Topology>("topologies");
  print_names<sim::DelayLaw::Kind>("laws of delay");
  print_names<sim::Network::Scheduler>("schedulers");
  print_names<sim::Workload::Kind>("workloads");
  print_names<sim::Engine>("engines");
  print_names<sim::Signatures>("signatures");
  std::puts("\nwide-area tables");
  for (const sim::WanTable& table : sim::wan_tables()) {
    std::printf("  %-20s %s\n    regions:", table.name.c_str(), table.help.c_str());
    for (const std::string& region : table.regions) std::printf(" %s", region.c_str());
    std::puts("");
  }
}

text::Value protocols_json() {
  text::Value out = text::Value::list();
  for (const sim::ProtocolInfo& info : sim::simulated_protocols()) {
    text::Value parameters = text::Value::list();
    for (const sim::ParameterInfo& p : info.parameters) {
      text::Value row;
      row.set("name", p.name).set("help", p.help).set("default", standard_of(p));
      if (p.min != 0 || p.max != 0) row.set("min", p.min).set("max", p.max);
      parameters.push(std::move(row));
    }
    text::Value fields = text::Value::list();
    for (const std::string& field : info.fields) fields.push(field);
    text::Value row;
    row.set("name", info.name).set("help", info.help).set("byzantine", info.byzantine());
    text::Value unjudged = text::Value::list();
    for (const std::string& oracle : info.unjudged) unjudged.push(oracle);
    row.set("parameters", std::move(parameters)).set("fields", std::move(fields));
    row.set("unjudged", std::move(unjudged));
    out.push(std::move(row));
  }
  return out;
}

// Its members after the first two are a `matrix` of an experiment file.
text::Value table_json(const sim::WanTable& table) {
  const std::size_t n = table.regions.size();
  text::Value regions = text::Value::list();
  text::Value rows = text::Value::list();
  for (std::size_t a = 0; a < n; ++a) {
    regions.push(table.regions[a]);
    text::Value row = text::Value::list();
    for (std::size_t b = 0; b < n; ++b) row.push(table.rtt_us[a * n + b] / 1000.0);
    rows.push(std::move(row));
  }
  text::Value out;
  out.set("name", table.name).set("help", table.help);
  out.set("regions", std::move(regions)).set("rtt", std::move(rows));
  out.set("jitter", static_cast<double>(table.jitter_ppm) / 1e6);
  out.set("loss", static_cast<double>(table.loss_ppm) / 1e6);
  return out;
}

void print_json() {
  text::Value tables = text::Value::list();
  for (const sim::WanTable& table : sim::wan_tables()) tables.push(table_json(table));
  text::Value out;
  out.set("protocols", protocols_json()).set("faults", names_json<sim::FaultKind>());
  out.set("topologies", names_json<sim::Topology>());
  out.set("laws", names_json<sim::DelayLaw::Kind>());
  out.set("schedulers", names_json<sim::Network::Scheduler>());
  out.set("workloads", names_json<sim::Workload::Kind>());
  out.set("engines", names_json<sim::Engine>()).set("wan", std::move(tables));
  std::puts(text::write(out).c_str());
}

}  // namespace

Verb make_sim_list() {
  auto json = std::make_shared<bool>(false);
  return {{"sim", "list"},
          "List what experiment files can name: protocols, faults, topologies, tables. Example: "
          "thresher sim list --json",
          {{"--json", "one object on one line", json.get()}},
          [json] {
            if (*json) {
              print_json();
            } else {
              print_text();
            }
            return static_cast<int>(kDone);
          }};
}

}  // namespace thresher::cli
