// load_function: a saved program, built again node by node and compiled.
#include <mutex>
#include <set>

#include "engine/core/error.h"
#include "engine/core/npy_format.h"
#include "engine/core/zip.h"
#include "engine/expr/leaves.h"
#include "engine/loop/scan_op.h"
#include "engine/ops/registry.h"
#include "engine/run/function_impl.h"
#include "engine/run/saved_attrs.h"
#include "engine/run/saved_function.h"

namespace hypatia {

namespace {

/// A text that lives as long as the process: origins point at theirs.
const char* for_ever(const std::string& text) {
  static std::mutex mutex;
  static auto& texts = *new std::set<std::string>;
  const std::lock_guard lock(mutex);
  return texts.insert(text).first->c_str();
}

/// Takes the lines of a saved program in their order.
class ProgramReader {
 public:
  ProgramReader(std::string path, std::string text, std::vector<Array> arrays)
      : path_(path), in_(std::move(path), std::move(text), std::move(arrays)) {}

  Program read() {
    head();
    while (true) {
      const std::string word = in_.word();
      if (word == "end") break;
      line(word);
      in_.end_line();
    }
    in_.end_line();
    for (Variable& v : states_)
      results_.push_back(std::move(v));
    program_.graph = Graph(std::move(arguments_), std::move(results_), std::move(updates_));
    return std::move(program_);
  }

  const FunctionOptions& options() const { return options_; }

  const Origin& origin() const { return origin_; }

 private:
  void head() {
    in_.expect(saved_function_mark);
    std::int64_t version = 0;
    in_.take(&version);
    if (version != saved_function_version) {
      throw Error(
          Error::Kind::file,
          path_ + " is a saved function of format " + std::to_string(version) +
              ", and this version reads format " + std::to_string(saved_function_version),
          version > saved_function_version
              ? "use the version of Hypatia that wrote it, or a newer one"
              : "write it again, by Function::save");
    }
    in_.end_line();
    in_.expect("function");
    in_.take(&options_.name);
    Mode& mode = options_.mode;
    for (std::string* text : {&mode.name, &mode.linker, &mode.optimizer})
      in_.take(text);
    for (auto* names : {&mode.included, &mode.excluded, &mode.required})
      in_.take(names);
    origin_ = origin_here();
    in_.end_line();
  }

  void line(const std::string& word) {
    if (word == "input") return input_line();
    if (word == "shared") return shared_line();
    if (word == "constant") return constant_line();
    if (word == "apply") return apply_line();
    if (word == "body") return body();
    if (word == "argument") return argument_line();
    if (word == "result") return result_line();
    if (word == "state") return state_line();
    if (word == "update") return update_line();
    in_.fail("begins with '" + word + "', which is no part of a function");
  }

  Origin origin_here() {
    std::string file, function;
    std::int64_t number = 0;
    in_.take(&file);
    in_.take(&function);
    in_.take(&number);
    return {for_ever(file), for_ever(function), static_cast<std::uint32_t>(number)};
  }

  Variable variable() {
    const Ref<const Apply>& node = nodes_[in_.index(nodes_.size())];
    const std::size_t output = in_.index(static_cast<std::size_t>(node->outputs()));
    return Variable(node, static_cast<std::uint32_t>(output));
  }

  Downcast downcast() { return static_cast<Downcast>(in_.index(3)); }

  struct Head {
    DType dtype = DType::float64;
    std::vector<bool> pattern;
  };

  Head leaf_head() {
    Head head;
    in_.take(&head.dtype);
    std::vector<bool> pattern;
    for (std::size_t n = in_.count(); n > 0; --n) {
      bool one = false;
      in_.take(&one);
      pattern.push_back(one);
    }
    if (pattern.size() > static_cast<std::size_t>(max_rank)) in_.fail("has too many axes");
    head.pattern = std::move(pattern);
    return head;
  }

  void add(const Variable& leaf, const std::string& name) {
    leaf.set_name(name);
    nodes_.push_back(leaf.ref());
  }

  void input_line() {
    const Head head = leaf_head();
    Dims dims;
    bool on_host = false;
    std::string name;
    in_.take(&dims);
    in_.take(&on_host);
    in_.take(&name);
    if (static_cast<std::size_t>(dims.rank()) != head.pattern.size()) in_.fail("has wrong sizes");
    Type type(head.dtype, 0);
    for (int i = 0; i < dims.rank(); ++i)
      type.push_axis(dims[i], head.pattern[static_cast<std::size_t>(i)]);
    const Variable v = input(type, name, origin_here());
    add(on_host ? keep_on_host(v) : v, name);
  }

  void shared_line() {
    const Head head = leaf_head();
    Array value;
    SharedOptions options;
    std::string name;
    in_.take(&value);
    in_.take(&options.strict);
    options.allow_downcast = downcast();
    in_.take(&name);
    check(value, head);
    options.broadcastable = head.pattern;
    add(shared(value, name, options, origin_here()), name);
  }

  void constant_line() {
    const Head head = leaf_head();
    Array value;
    std::string name;
    in_.take(&value);
    in_.take(&name);
    check(value, head);
    const Type type = Type::of_pattern(head.dtype, head.pattern).with_dims(value.dims());
    add(constant_of_type(value, type, origin_here()), name);
  }

  void check(const Array& value, const Head& head) const {
    const bool fits = value.dtype() == head.dtype &&
                      static_cast<std::size_t>(value.rank()) == head.pattern.size();
    if (!fits) in_.fail("has an array of another type than it says");
  }

  /// The step of a loop, from the line after "body" to "end_body": its nodes count from 0.
  void body() {
    in_.end_line();
    std::vector<Ref<const Apply>> outer;
    outer.swap(nodes_);
    Vars takes, gives;
    for (std::string word = in_.word(); word != "end_body"; word = in_.word()) {
      if (word == "takes" || word == "gives") {
        (word == "takes" ? takes : gives).push_back(variable());
      } else {
        line(word);
      }
      in_.end_line();
    }
    outer.swap(nodes_);
    bodies_.emplace_back(new ScanBody(Graph(std::move(takes), std::move(gives))));
  }

  Attrs scan_attrs() {
    ScanAttrs attrs;
    in_.expect("scan");
    attrs.body = bodies_[in_.index(bodies_.size())];
    in_.take(&attrs.sequences);
    in_.take(&attrs.taps);
    in_.take(&attrs.states);
    in_.take(&attrs.maps);
    in_.take(&attrs.until);
    in_.take(&attrs.kept);
    in_.take(&attrs.truncate_gradient);
    in_.take(&attrs.name);
    return attrs;
  }

  void apply_line() {
    const std::string name = in_.word();
    const bool is_scan = name == scan_op.name;
    const Op* op = is_scan ? &scan_op : find_op(name);
    if (!op) {
      throw Error(
          Error::Kind::file,
          path_ + " uses the op '" + name + "', which this version does not have",
          "use the version of Hypatia that wrote it, or a newer one");
    }
    Attrs attrs = is_scan ? scan_attrs() : load_attrs(&in_);
    Vars inputs;
    for (std::size_t n = in_.count(); n > 0; --n)
      inputs.push_back(variable());
    std::vector<std::string> names;
    in_.take(&names);
    const Origin at = origin_here();
    const Ref<const Apply> node = Apply::make(*op, std::move(inputs), std::move(attrs), at);
    if (static_cast<std::size_t>(node->outputs()) != names.size())
      in_.fail("names another number of results");
    for (int i = 0; i < node->outputs(); ++i)
      node->set_name(i, names[static_cast<std::size_t>(i)]);
    nodes_.push_back(node);
  }

  void argument_line() {
    In in(variable());
    in_.take(&in.options.name);
    in_.take(&in.options.strict);
    in.options.allow_downcast = downcast();
    in_.take(&in.options.value.given);
    if (in.options.value.given) in_.take(&in.options.value.value);
    if (!is_input(in.variable)) in_.fail("has an argument that is no input");
    arguments_.push_back(in.variable);
    program_.inputs.push_back(std::move(in));
  }

  void result_line() {
    results_.push_back(variable());
    std::string name;
    in_.take(&name);
    if (!name.empty()) program_.output_names.push_back(name);
  }

  void state_line() {
    states_.push_back(variable());
    program_.state.push_back(in_.index(program_.inputs.size()));
  }

  void update_line() {
    const Variable target = variable();
    updates_.push_back({target, variable()});
    if (!is_shared(target)) in_.fail("updates what is no shared variable");
  }

  std::string path_;
  SavedReader in_;
  FunctionOptions options_;
  Origin origin_;
  std::vector<Ref<const Apply>> nodes_;
  std::vector<Ref<const ScanBody>> bodies_;
  Vars arguments_, results_, states_;
  std::vector<Update> updates_;
  Program program_;
};

}  // namespace

Function load_function(const std::string& path, Origin at) {
  try {
    const ZipReader zip(path, "saved function");
    std::string text;
    std::vector<Array> arrays;
    for (const ZipMember& m : zip.members()) {
      if (m.name == "function.txt") {
        text = zip.unpack(m);
      } else if (m.name == std::to_string(arrays.size()) + ".npy") {
        arrays.push_back(npy_array(zip.unpack(m), path + ":" + m.name));
      }
    }
    if (text.empty()) {
      throw Error(
          Error::Kind::file,
          path + " is no saved function: it holds no function.txt",
          "give the path of a file that Function::save wrote");
    }
    ProgramReader reader(path, std::move(text), std::move(arrays));
    Program program = reader.read();
    return Function(
        Ref<FunctionImpl>(new FunctionImpl(std::move(program), reader.options(), reader.origin())));
  } catch (Error& error) {
    if (!error.origin()) error.at(at);
    throw;
  }
}

}  // namespace hypatia
