// The part of PlanBuilder for convolutions that a GPU's library runs.
#include <algorithm>

#include "engine/core/error.h"
#include "engine/expr/variable.h"
#include "engine/ops/conv.h"
#include "engine/plan/builder.h"

namespace hypatia {

namespace {

std::array<std::int64_t, 4> sizes(const Type& type) {
  std::array<std::int64_t, 4> out{};
  std::copy_n(type.dims().begin(), out.size(), out.begin());
  return out;
}

bool has_elements(const std::array<std::int64_t, 4>& of) {
  return std::all_of(of.begin(), of.end(), [](std::int64_t size) { return size > 0; });
}

/// What the node asks for, if it is a convolution that libraries know: of elements of one dtype.
std::optional<Convolution> wanted(
    const Apply& node, const Type& first, const Type& second, const Type& made) {
  using Makes = Convolution::Makes;
  Convolution c;
  c.dtype = made.dtype();
  if (&node.op() == &conv2d_op) {
    c.images = sizes(first);
    c.filters = sizes(second);
    c.results = sizes(made);
  } else if (&node.op() == &conv2d_images_op) {
    c.makes = Makes::images;
    c.images = sizes(made);
    c.filters = sizes(first);
    c.results = sizes(second);
  } else {
    c.makes = Makes::filters;
    c.images = sizes(first);
    c.filters = sizes(made);
    c.results = sizes(second);
  }
  if (first.dtype() != made.dtype() || second.dtype() != made.dtype()) return std::nullopt;
  if (!has_elements(c.images) || !has_elements(c.filters) || !has_elements(c.results))
    return std::nullopt;
  const auto& attrs = node.attrs().as<ConvAttrs>();
  c.stride = {attrs.row_stride, attrs.column_stride};
  for (std::size_t axis : {0U, 1U})
    c.padding[axis] = padding(attrs.border_mode, c.filters[2 + axis]);
  return c;
}

bool is_convolution(const Op& op) {
  return &op == &conv2d_op || &op == &conv2d_images_op || &op == &conv2d_filters_op;
}

}  // namespace

bool PlanBuilder::add_convolution(int n) {
  const Apply& at = node(n);
  const Place place = at.type(0).place();
  if (!options_.convolution || place.on_host() || !is_convolution(at.op())) return false;
  const Types in{concrete_.type(at.input(0)), concrete_.type(at.input(1))};
  const Types out{concrete_.type(output_of(n))};
  const std::optional<Convolution> asked = wanted(at, in[0], in[1], out[0]);
  if (!asked) return false;
  const Cost cost = at.op().cost(CostCall{at.op(), at.attrs(), in, out});
  if (options_.worth_a_library && !options_.worth_a_library(*asked, cost.flops / 2)) return false;
  const FoundConvolution found = options_.convolution(*asked, place);
  if (!found.how) {
    if (!options_.library_required || found.reason.empty()) return false;
    throw Error(
        Error::Kind::device,
        "dnn.enabled=True, and cuDNN does not run this " + std::string(at.op().name) + ": " +
            found.reason,
        "set dnn.enabled=auto, which runs it by a kernel of the op's own")
        .at(at.origin());
  }
  ConvolutionWork work;
  work.node = &at;
  work.how = found.how;
  work.first = contiguous(locate(at.input(0), place), n, place);
  work.second = contiguous(locate(at.input(1), place), n, place);
  work.made = make(output_of(n), &at);
  if (const std::size_t bytes = found.how->workspace(); bytes > 0) {
    const Type space = Type(DType::uint8, Dims{static_cast<std::int64_t>(bytes)});
    work.workspace = add_buffer(BufferKind::temporary, -1, space.with_place(place), nullptr);
  }
  Step step;
  step.name = std::string(at.op().name) + " by " + found.how->name();
  step.place = place;
  step.side = Side::gpu;
  step.shares = {{static_cast<std::uint32_t>(n), 1.0}};
  step.flops = cost.flops;
  step.bytes = cost.bytes;
  step.work = std::move(work);
  add_step(std::move(step));
  return true;
}

}  // namespace hypatia
