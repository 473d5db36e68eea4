// How an application is called in printed graphs, profiles and errors.
#include "engine/expr/op.h"

namespace hypatia {

namespace {

bool on_gpu(const Apply& node) {
  return !node.op().is_transfer() && node.outputs() > 0 && !node.type(0).place().on_host();
}

}  // namespace

std::string print_name(const Apply& node) {
  const std::string prefix = on_gpu(node) ? "Gpu" : "";
  if (node.op().print_name) return prefix + node.op().print_name(node);
  const std::string attrs = node.attrs().text();
  return prefix + std::string(node.op().name) + (attrs.empty() ? "" : "{" + attrs + "}");
}

std::string class_name(const Apply& node) {
  const std::string name = print_name(node);
  return name.substr(0, name.find_first_of("{<("));
}

}  // namespace hypatia
