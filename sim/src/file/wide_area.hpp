// The wide area of an experiment file: a shipped table by name, a table of its own, or a file with
// one that lies beside it.
//
//   take_in_wan_file(tree, "sweeps/exp.json", complaints);   // puts the file's table in its place
//   describe_wan(fields, network, engine, members);
//
// Guarantees: after both, a network that names a wide area has a table and a region for each node,
// or there is a complaint. The file's content stands in the experiment from then on, so a resolved
// experiment needs no other file. Reads no file but the one named.
#pragma once

#include "field_reader.hpp"

namespace thresher::sim {

/// If `network.wan` of `tree` names a file (it ends with ".json"), puts the table in there in its
/// place, as `network.matrix`. Its name counts from the folder of `experiment`. Errors in the file
/// are reported at the place of `wan`, with the place in that file.
void take_in_wan_file(text::Value& tree, const std::string& experiment, Complaints& complaints);

/// Reads, writes or lists `wan`, `matrix` and `regions`; deals the regions out to the nodes.
void describe_wan(Fields& fields, Network& net, Engine engine, const Members& all);

}  // namespace thresher::sim
