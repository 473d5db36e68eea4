#pragma once
// Kernel text of a plan in a dialect: one module, one kernel or two a loop nest.

#include <string>
#include <vector>

#include "engine/device/kernel.h"
#include "engine/emit/scalar.h"
#include "engine/plan/plan.h"

namespace hypatia {

/// One entry of an emitted module and how to launch it.
struct EmittedLaunch {
  std::string entry;
  Launch launch;
};

/// What a KernelWork became: its launches, and the buffers that each takes as arguments.
struct EmittedKernel {
  std::size_t source = 0;  // which of the sources holds it
  std::vector<EmittedLaunch> launches;
  std::vector<int> buffers;
};

/// The text of all loop nests of a plan that run on one kind of device: one source, or several
/// that can be compiled side by side where the function is large.
struct EmittedModule {
  std::vector<KernelSource> sources;
  std::vector<EmittedKernel> kernels;  // by step; empty entries for steps of other kinds
};

/// `name` is the function's, for comments and file names.
EmittedModule emit_module(
    const Plan& plan, const Graph& graph, Dialect dialect, const std::string& name);

/// The text of one nest's functions, called `name`, and its launches.
struct KernelText {
  std::string text;
  std::vector<EmittedLaunch> launches;
};

KernelText emit_host(const KernelWork& work, const std::string& name, Helpers* helpers);
KernelText emit_cuda(const KernelWork& work, const std::string& name, Helpers* helpers);
/// A nest that steps through time for each element, in either dialect.
KernelText emit_recurrence(
    const KernelWork& work, const std::string& name, Dialect dialect, Helpers* helpers);

/// An op's own text, with the head that names its operands.
KernelText emit_own(
    const KernelWork& work, const std::string& name, Dialect dialect, Helpers* helpers);
/// Whichever of these a piece of work wants.
KernelText emit_kernel(
    const KernelWork& work, const std::string& name, Dialect dialect, Helpers* helpers);

/// The buffers of a nest in the order of the kernel's parameters: loads, stores, folds, scratch;
/// each once.
std::vector<int> parameters(const KernelWork& work);

}  // namespace hypatia
