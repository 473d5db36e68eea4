#include "engine/run/raw/profile.h"

#include "engine/trace/clock.h"

namespace hypatia::cuda {

namespace {

/// The nodes of one launch and what its steps are, in the order in which they run.
class Records {
 public:
  explicit Records(const LaunchFacts& facts) : facts_(facts) {
    function.name = facts.kernel;
    function.origin = facts.at;
    function.device = facts.device;
    add_copies_in();
    add_kernel();
    add_copies_out();
    for (std::uint32_t i = 0; i < plan.steps.size(); ++i)
      plan.steps[i].nodes = {{i, 1}};
    plan.dims = shapes(false);
    plan.sources = {facts.text};
  }

  FunctionRecord function;
  PlanRecord plan;

 private:
  std::string parameter_name(std::size_t i) const {
    const std::string& name = facts_.parameters[i].name;
    return name.empty() ? "argument " + std::to_string(i + 1) : name;
  }

  std::string shapes(bool written) const {
    std::string text;
    for (const Argument& a : facts_.arguments) {
      if (a.is_number() || (a.kind() == Argument::Kind::out) != written) continue;
      text += (text.empty() ? "" : " ") + to_text(a.array().dims());
    }
    return text;
  }

  void add(NodeRecord node, const std::string& step, double bytes, const std::string& sizes) {
    node.origin = facts_.at;
    StepRecord record;
    record.name = step;
    record.side = node.side;
    record.bytes = bytes;
    record.shapes = sizes;
    plan.steps.push_back(record);
    function.nodes.push_back(std::move(node));
  }

  void add_copy(std::size_t i, bool in, std::int32_t from) {
    const Array& array = facts_.arguments[i].array();
    const char* word = facts_.arguments[i].kind() == Argument::Kind::in_out ? "InOut("
                       : in                                                 ? "In("
                                                                            : "Out(";
    NodeRecord node;
    node.name = in ? "GpuFromHost<None>" : "HostFromGpu(gpuarray)";
    node.op = "transfer";
    node.op_class = in ? "GpuFromHost" : "HostFromGpu";
    node.label = parameter_name(i);
    node.side = Side::transfer;
    const Type type = array.type();
    const Type there = type.with_place(Place{0});
    const std::string leaf = in ? parameter_name(i) : "GpuKernel{" + facts_.kernel + "}";
    const auto output = static_cast<std::int32_t>(i);
    node.inputs.push_back({from, in ? 0 : output, leaf, to_text(in ? type : there)});
    node.output_types.push_back(to_text(in ? there : type));
    node.reason = word + parameter_name(i) + ")";
    const std::string dims = to_text(array.dims());
    const std::string step = in ? "GpuFromHost" : "HostFromGpu";
    add(std::move(node), step, static_cast<double>(array.bytes()), dims + " -> " + dims);
  }

  void add_copies_in() {
    for (std::size_t i = 0; i < facts_.arguments.size(); ++i) {
      node_of_.push_back(-1);
      if (!facts_.arguments[i].goes_in()) continue;
      node_of_.back() = static_cast<std::int32_t>(function.nodes.size());
      add_copy(i, true, -1);
    }
  }

  void add_kernel() {
    NodeRecord node;
    node.name = "GpuKernel{" + facts_.kernel + "}";
    node.op = facts_.kernel;
    node.op_class = "GpuKernel";
    node.side = Side::gpu;
    double bytes = 0;
    for (std::size_t i = 0; i < facts_.arguments.size(); ++i) {
      const Argument& a = facts_.arguments[i];
      const std::string type =
          a.is_number() ? facts_.parameters[i].text : to_text(a.array().type().with_place({0}));
      node.inputs.push_back({node_of_[i], 0, parameter_name(i), type});
      if (a.is_number()) continue;
      node.output_types.push_back(type);
      bytes += static_cast<double>(a.array().bytes());
    }
    add(std::move(node), facts_.kernel, bytes, shapes(false) + " -> " + shapes(true));
    plan.steps.back().source = 0;
  }

  void add_copies_out() {
    const auto kernel = static_cast<std::int32_t>(function.nodes.size()) - 1;
    for (std::size_t i = 0; i < facts_.arguments.size(); ++i) {
      if (facts_.arguments[i].comes_out()) add_copy(i, false, kernel);
    }
  }

  const LaunchFacts& facts_;
  std::vector<std::int32_t> node_of_;  // which brings each argument
};

std::string key_of(const LaunchFacts& facts) {
  std::string key;
  for (const Argument& a : facts.arguments) {
    key += std::to_string(static_cast<int>(a.kind()));
    if (!a.is_number()) key += brief(a.array().type());
    key += ";";
  }
  return key + std::to_string(facts.at.line);
}

}  // namespace

LaunchProfile::Plan LaunchProfile::plan_for(const LaunchFacts& facts) {
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = plans_.try_emplace(key_of(facts));
  if (!is_new) return at->second;
  Records records(facts);
  at->second.function = observer_.add_function(records.function);
  records.plan.function = at->second.function;
  at->second.first_step = observer_.add_plan(records.plan);
  return at->second;
}

HeardLaunch::HeardLaunch(LaunchProfile* profile, const LaunchFacts& facts)
    : profile_(profile), outer_(current_step()) {
  if (!profile_) return;
  plan_ = profile_->plan_for(facts);
  begin_ = now();
  call_ = profile_->observer().begin_call(plan_.function);
  step_ = plan_.first_step;
}

void HeardLaunch::end_step() {
  if (step_begin_ == 0) return;
  profile_->observer().end_step(call_, step_, step_begin_);
  ++step_;
  step_begin_ = 0;
}

void HeardLaunch::next_step() {
  if (!profile_) return;
  end_step();
  step_begin_ = now();
  current_step() = {&profile_->observer(), call_, step_};
  profile_->observer().begin_step(call_, step_);
}

HeardLaunch::~HeardLaunch() {
  if (!profile_) return;
  end_step();
  current_step() = outer_;
  profile_->observer().end_call(plan_.function, call_, begin_);
}

}  // namespace hypatia::cuda
