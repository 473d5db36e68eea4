// Function::save: the program as the user wrote it, op by op, and the values that it holds. The
// format is docs/reference/saved-function.md.
#include <unordered_map>

#include "engine/core/error.h"
#include "engine/core/npy_format.h"
#include "engine/core/zip.h"
#include "engine/expr/leaves.h"
#include "engine/expr/shared_guard.h"
#include "engine/loop/scan_op.h"
#include "engine/ops/registry.h"
#include "engine/run/function_impl.h"
#include "engine/run/saved_attrs.h"
#include "engine/run/saved_function.h"

namespace hypatia {

namespace {

/// The steps of loops that are written already, with their numbers.
using Bodies = std::unordered_map<const ScanBody*, std::int64_t>;

/// Numbers the nodes in the order in which they are written.
class ProgramWriter {
 public:
  ProgramWriter(SavedWriter* writer, Bodies* bodies) : out(*writer), bodies_(*bodies) {}

  void nodes(const Vars& inputs, const Vars& roots) {
    for (const Variable& v : inputs)
      leaf(v);
    for (const Variable& v : leaves_of(roots))
      leaf(v);
    for (const Apply* node : topological_order(roots))
      application(*node);
  }

  void leaf(const Variable& v) {
    if (!number(v.node())) return;
    const Type& type = v.type();
    out.word(is_input(v) ? "input" : is_shared(v) ? "shared" : "constant");
    out.put(type.dtype());
    out.put(type.broadcastable());
    if (is_input(v)) {
      out.put(type.dims());
      out.put(v.node().attrs().as<InputAttrs>().keep_on_host);
    } else if (is_shared(v)) {
      SharedBox& box = shared_box(v);
      const std::lock_guard lock(box.guard().mutex);
      out.put(box.value);
      out.put(box.guard().acceptance.strict);
      out.put(static_cast<int>(box.guard().acceptance.downcast));
    } else {
      out.put(*constant_value(v));
    }
    out.put(v.name());
    origin(v.node().origin());
    out.end_line();
  }

  void variable(const Variable& v) {
    out.put(static_cast<std::int64_t>(numbers_.at(&v.node())));
    out.put(v.index());
  }

  void origin(const Origin& at) {
    out.put(std::string(at.file));
    out.put(std::string(at.function));
    out.put(static_cast<std::int64_t>(at.line));
  }

  SavedWriter& out;

 private:
  /// False for a node that has its number already.
  bool number(const Apply& node) { return numbers_.emplace(&node, numbers_.size()).second; }

  void application(const Apply& node) {
    if (!number(node)) return;
    const std::string op(node.op().name);
    const auto* scan = node.attrs().get_if<ScanAttrs>();
    if (scan) body(*scan->body);
    if (!scan && find_op(op) != &node.op()) {
      throw Error(
          Error::Kind::graph,
          "the op " + op + " can't be saved: it is not one of the engine's own",
          "save the values by save_npz, and build the function anew")
          .at(node.origin());
    }
    out.word("apply");
    out.put(op);
    scan ? scan_attrs(*scan) : save_attrs(node.attrs(), op, &out);
    out.put(static_cast<std::int64_t>(node.inputs().size()));
    for (const Variable& v : node.inputs())
      variable(v);
    std::vector<std::string> names;
    for (int i = 0; i < node.outputs(); ++i)
      names.push_back(node.name(i));
    out.put(names);
    origin(node.origin());
    out.end_line();
  }

  /// The step of a loop: a program of its own, whose nodes count from 0.
  void body(const ScanBody& step) {
    if (bodies_.contains(&step)) return;
    out.word("body");
    out.end_line();
    ProgramWriter inner(&out, &bodies_);
    inner.nodes(step.graph.inputs(), step.graph.outputs());
    for (const auto& [word, list] :
         {std::pair{"takes", &step.graph.inputs()}, {"gives", &step.graph.outputs()}}) {
      for (const Variable& v : *list) {
        out.word(word);
        inner.variable(v);
        out.end_line();
      }
    }
    out.word("end_body");
    out.end_line();
    const auto number = static_cast<std::int64_t>(bodies_.size());
    bodies_.emplace(&step, number);
  }

  void scan_attrs(const ScanAttrs& attrs) {
    out.word("scan");
    out.put(bodies_.at(attrs.body.get()));
    out.put(attrs.sequences);
    out.put(attrs.taps);
    out.put(attrs.states);
    out.put(attrs.maps);
    out.put(attrs.until);
    out.put(attrs.kept);
    out.put(attrs.truncate_gradient);
    out.put(attrs.name);
  }

  std::unordered_map<const Apply*, std::size_t> numbers_;
  Bodies& bodies_;
};

void write_input(const Variable& v, const InOptions& options, ProgramWriter* program) {
  SavedWriter& out = program->out;
  out.word("argument");
  program->variable(v);
  out.put(options.name);
  out.put(options.strict);
  out.put(static_cast<int>(options.allow_downcast));
  out.put(options.value.given);
  if (options.value.given) out.put(options.value.value);
  out.end_line();
}

void check_size(const std::string& path, const SavedWriter& out) {
  std::uint64_t total = out.text().size();
  for (const Array& a : out.arrays())
    total += a.bytes() + 4096;
  if (total < 0xffffffffU && out.arrays().size() < 0xfff0) return;
  throw Error(
      Error::Kind::file,
      path + " would have more than 4 GB, the most for a saved function",
      "save the values by save_npy, and build the function anew");
}

}  // namespace

void FunctionImpl::save(const std::string& path) {
  const std::lock_guard lock(mutex_);
  SavedWriter out;
  Bodies bodies;
  ProgramWriter program(&out, &bodies);
  out.word(saved_function_mark);
  out.put(saved_function_version);
  out.end_line();
  out.word("function");
  for (const std::string& text : {name_, asked_.name, asked_.linker, asked_.optimizer})
    out.put(text);
  for (const auto* names : {&asked_.included, &asked_.excluded, &asked_.required})
    out.put(*names);
  program.origin(origin_);
  out.end_line();
  Vars roots = source_.outputs;
  for (const Update& u : source_.updates) {
    roots.push_back(u.target);
    roots.push_back(u.value);
  }
  program.nodes(graph_.inputs(), roots);
  for (std::size_t i = 0; i < in_.size(); ++i)
    write_input(graph_.inputs()[i], in_[i], &program);
  for (std::size_t i = 0; i < source_.outputs.size(); ++i) {
    const bool visible = i < visible_outputs_;
    out.word(visible ? "result" : "state");
    program.variable(source_.outputs[i]);
    if (visible) {
      out.put(i < output_names_.size() ? output_names_[i] : std::string());
    } else {
      out.put(static_cast<std::int64_t>(state_[i - visible_outputs_]));
    }
    out.end_line();
  }
  for (const Update& u : source_.updates) {
    out.word("update");
    program.variable(u.target);
    program.variable(u.value);
    out.end_line();
  }
  out.word("end");
  out.end_line();
  check_size(path, out);
  ZipWriter zip(path);
  zip.add("function.txt", out.text(), true);
  for (std::size_t i = 0; i < out.arrays().size(); ++i)
    zip.add(std::to_string(i) + ".npy", npy_text(out.arrays()[i]), false);
  zip.commit();
}

}  // namespace hypatia
