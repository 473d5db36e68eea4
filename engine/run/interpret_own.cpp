// Ops with kernel text of their own, where there is no compiler: by their reference evaluation.
#include <algorithm>

#include "engine/emit/emit.h"
#include "engine/run/interpret.h"

namespace hypatia {

void interpret_own(const KernelWork& work, std::span<void* const> addresses) {
  const std::vector<int> buffers = parameters(work);
  const auto array = [&](const Located& at) {
    const auto found = std::find(buffers.begin(), buffers.end(), at.buffer);
    void* base = addresses[static_cast<std::size_t>(found - buffers.begin())];
    Dims strides = at.layout.strides;
    for (std::int64_t& s : strides)
      s *= size_of(at.dtype);
    // The bytes are the plan's; how many there are nobody asks.
    return Array(
        borrow_host(base, 0),
        at.dtype,
        at.layout.dims,
        strides,
        at.layout.offset * size_of(at.dtype));
  };
  const OwnText& own = *work.own;
  std::vector<Array> in;
  for (const Located& at : work.nest.loads)
    in.push_back(array(at));
  const Op& op = own.node->op();
  const std::vector<Array> out = op.eval(EvalCall{op, own.node->attrs(), in, own.out});
  for (std::size_t i = 0; i < out.size(); ++i)
    copy_elements(out[i], array(work.nest.stores[i].to));
}

}  // namespace hypatia
