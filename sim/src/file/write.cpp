#include <algorithm>

#include "field_schema.hpp"
#include "field_writer.hpp"
#include "thresher/sim/read.hpp"

namespace thresher::sim {
namespace {

FieldWriter written(const Experiment& experiment, std::span<const ProtocolInfo> protocols,
                    bool as_template) {
  Draft draft{experiment, 1};
  FieldWriter writer(as_template);
  describe(writer, draft, protocols);
  return writer;
}

std::string one_line(const text::Value& value) {
  std::string out;
  bool quoted = false;
  char before = 0;
  for (const char c : text::write(value)) {
    if (c == '"' && before != '\\') quoted = !quoted;
    before = before == '\\' ? '\0' : c;
    out += c;
    if (!quoted && (c == ',' || c == ':')) out += ' ';
  }
  return out;
}

bool short_object(const text::Value& value) {
  return value.is_object() && one_line(value).size() < 60;
}

// Every key under a comment that says what it is; keys that are left out stand as comments only.
void print_annotated(const text::Value& object, const std::vector<Note>& notes, std::size_t depth,
                     std::string& out) {
  const std::string margin(2 * depth, ' ');
  std::size_t left = object.members().size();
  for (const Note& note : notes) {
    if (!note.written) {
      out.append(margin).append("// (not given) ").append(note.key);
      out.append(": ").append(note.help).append("\n");
      continue;
    }
    const text::Value& value = *object.find(note.key);
    out.append(margin).append("// ").append(note.help).append("\n");
    out.append(margin).append(text::quoted(note.key)).append(": ");
    const bool telling = std::any_of(note.inner.begin(), note.inner.end(),
                                     [](const Note& inner) { return inner.telling; });
    if (note.inner.empty() || (short_object(value) && !telling)) {
      out += one_line(value);
    } else {
      out += "{\n";
      print_annotated(value, note.inner, depth + 1, out);
      out += margin + "}";
    }
    out += --left == 0 ? "\n" : ",\n";
  }
}

}  // namespace

std::string write_experiment(const Experiment& experiment, int indent) {
  return text::write(written(experiment, {}, false).take(), indent);
}

std::string annotate_experiment(const Experiment& experiment, const std::string& title,
                                std::span<const ProtocolInfo> protocols) {
  FieldWriter writer = written(experiment, protocols, true);
  const text::Value tree = writer.take();
  std::string out = "// " + title + "\n{\n";
  print_annotated(tree, writer.take_notes(), 1, out);
  return out + "}\n";
}

std::string experiment_schema() {
  Draft draft;
  FieldSchema fields;
  describe(fields, draft, {});
  text::Value tree;
  tree.set("$schema", "https://json-schema.org/draft/2020-12/schema");
  tree.set("title", "Thresher experiment, schema 1");
  const text::Value object = fields.take();
  for (const text::Member& member : object.members()) tree.set(member.key, member.value);
  tree.set("required", text::Value::list({"schema", "protocol"}));
  tree.find("properties")->find("protocol")->set("required", text::Value::list({"name"}));
  return text::write(tree, 2) + "\n";
}

}  // namespace thresher::sim
