#include "engine/run/raw/launch_watch.h"

namespace hypatia::cuda {

namespace {

thread_local LaunchWatch* innermost_launches = nullptr;

Array on_host(const Argument& argument) {
  argument.array().sync();
  return asarray(argument.array()).copy();
}

}  // namespace

LaunchWatch::LaunchWatch() : outer_(innermost_launches) {
  innermost_launches = this;
}

LaunchWatch::~LaunchWatch() {
  innermost_launches = outer_;
}

LaunchWatch* LaunchWatch::current() {
  return innermost_launches;
}

void LaunchWatch::begins(const std::string& kernel, std::span<const Argument> arguments) {
  SeenLaunch launch{.kernel = kernel, .read = {}, .written = {}};
  for (const Argument& argument : arguments) {
    if (!argument.is_number() && argument.kind() != Argument::Kind::out)
      launch.read.push_back(on_host(argument));
  }
  seen_.push_back(std::move(launch));
}

void LaunchWatch::ends(std::span<const Argument> arguments) {
  SeenLaunch& launch = seen_.back();
  launch.done = true;
  for (const Argument& argument : arguments) {
    if (!argument.is_number() && argument.kind() != Argument::Kind::in)
      launch.written.push_back(on_host(argument));
  }
}

}  // namespace hypatia::cuda
