#include "thresher/verify/text.hpp"

namespace thresher::verify {
namespace {

using Kind = Formula::Kind;

std::string linear(const Automaton& ta, const Linear& form) {
  std::string out;
  const auto add = [&](std::int64_t value, const std::string& name) {
    const std::int64_t size = value < 0 ? -value : value;
    if (out.empty()) {
      out += value < 0 ? "-" : "";
    } else {
      out += value < 0 ? " - " : " + ";
    }
    if (name.empty()) {
      out += std::to_string(size);
    } else {
      out += (size == 1 ? "" : std::to_string(size) + " * ") + name;
    }
  };
  for (const auto& [symbol, coefficient] : form.terms) add(coefficient, ta.name_of(symbol));
  if (form.constant != 0 || out.empty()) add(form.constant, "");
  return out;
}

// form OP 0, with the negative terms on the right side.
std::string comparison(const Automaton& ta, const Linear& form, const char* op) {
  Linear left;
  Linear right;
  for (const auto& [symbol, coefficient] : form.terms) {
    (coefficient > 0 ? left : right).terms[symbol] = coefficient > 0 ? coefficient : -coefficient;
  }
  (form.constant > 0 ? left : right).constant = form.constant > 0 ? form.constant : -form.constant;
  return linear(ta, left) + op + linear(ta, right);
}

std::string joined(const Automaton& ta, const Formula& f, const char* op) {
  std::string out = "(";
  for (std::size_t i = 0; i < f.children.size(); ++i) {
    out += (i == 0 ? "" : op) + print_formula(ta, f.children[i]);
  }
  return out + ")";
}

std::string names(const char* section, const std::vector<std::string>& all) {
  if (all.empty()) return {};
  std::string out = std::string("  ") + section + " ";
  for (std::size_t i = 0; i < all.size(); ++i) out += (i == 0 ? "" : ", ") + all[i];
  return out + ";\n";
}

std::string constraints(const Automaton& ta, const char* section, const std::vector<Formula>& all) {
  std::string out = std::string("  ") + section + " (" + std::to_string(all.size()) + ") {\n";
  for (const Formula& f : all) out += "    " + print_formula(ta, f) + ";\n";
  return out + "  }\n";
}

std::string rule_text(const Automaton& ta, const Rule& rule) {
  std::string out = "    " + std::to_string(rule.id) + ": " + ta.locations[rule.from] + " -> " +
                    ta.locations[rule.to] + "\n      when (" + print_formula(ta, rule.guard) +
                    ")\n      do {";
  for (const Update& u : rule.updates) {
    const std::string& name = ta.shared[u.shared];
    out += " " + name + "' == ";
    if (!u.reset) out += name + (u.amount < 0 ? " - " : " + ");
    out += std::to_string(u.amount < 0 ? -u.amount : u.amount) + ";";
  }
  return out + " };\n";
}

}  // namespace

std::string print_formula(const Automaton& ta, const Formula& f) {
  switch (f.kind) {
    case Kind::kTrue:
      return "true";
    case Kind::kFalse:
      return "false";
    case Kind::kAtLeast:
      return comparison(ta, f.form, " >= ");
    case Kind::kEqual:
      return comparison(ta, f.form, " == ");
    case Kind::kNot:
      return "!(" + print_formula(ta, f.children.front()) + ")";
    case Kind::kAnd:
      return joined(ta, f, " && ");
    case Kind::kOr:
      return joined(ta, f, " || ");
    case Kind::kEventually:
      return "<>(" + print_formula(ta, f.children.front()) + ")";
    case Kind::kAlways:
      break;
  }
  return "[](" + print_formula(ta, f.children.front()) + ")";
}

std::string print_property(const Automaton& ta, const Property& p) {
  if (!p.fork) return print_formula(ta, p.formula);
  return "after (" + print_formula(ta, p.fork->when) + ") not (" +
         print_formula(ta, p.fork->first) + ") and (" + print_formula(ta, p.fork->second) + ")";
}

std::string print_automaton(const Automaton& ta) {
  std::string out = "skel " + ta.name + " {\n" + names("shared", ta.shared) +
                    names("parameters", ta.parameters) +
                    constraints(ta, "assumptions", ta.resilience);
  out += "  locations (" + std::to_string(ta.locations.size()) + ") {\n";
  for (std::size_t i = 0; i < ta.locations.size(); ++i) {
    out += "    " + ta.locations[i] + ": [" + std::to_string(i) + "];\n";
  }
  out += "  }\n" + constraints(ta, "inits", ta.initial);
  out += "  rules (" + std::to_string(ta.rules.size()) + ") {\n";
  for (const Rule& r : ta.rules) out += rule_text(ta, r);
  out += "  }\n  specifications (" + std::to_string(ta.properties.size()) + ") {\n";
  for (const Property& p : ta.properties) {
    out += p.fork ? "    /*@ two_futures " + p.name + ": " + print_property(ta, p) + "; @*/\n"
                  : "    " + p.name + ": " + print_property(ta, p) + ";\n";
  }
  return out + "  }\n}\n";
}

}  // namespace thresher::verify
