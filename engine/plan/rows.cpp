// join_rows: on the host a matrix-vector product, the loop over its rows that reads it, and the
// transposed product that reads the loop, become one step. A matrix larger than the caches is then
// read once, and what the rows share never leaves the first-level cache.
#include <algorithm>

#include "engine/core/cores.h"
#include "engine/plan/plan.h"

namespace hypatia {

namespace {

// Multiplications worth a part of its own, and the most parts.
constexpr std::int64_t work_of_part = 20'000, most_parts = 16;

// Rows that go together: a whole vector of float32 elements, or half of one where so many rows
// would not stay in a first-level cache that two threads may share.
constexpr std::int64_t most_rows = 16, least_rows = 8, block_bytes = 32'768;

/// Parts of the rows, one a thread, and no more than it takes for the largest to be as small.
std::int64_t parts_of(std::int64_t blocks, std::int64_t work) {
  const std::int64_t threads = std::min<std::int64_t>(working_threads(), most_parts);
  const std::int64_t most = std::clamp<std::int64_t>(work / work_of_part, 1, threads);
  const std::int64_t largest = (blocks + most - 1) / most;
  return (blocks + largest - 1) / largest;
}

/// Buffers that a step reads and writes; windows count as their bases.
struct Touched {
  std::vector<int> reads, writes;
};

bool meet(const std::vector<int>& a, const std::vector<int>& b) {
  return std::any_of(
      a.begin(), a.end(), [&](int x) { return std::find(b.begin(), b.end(), x) != b.end(); });
}

class Joiner {
 public:
  explicit Joiner(Plan* plan) : plan_(*plan) {
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      touched_.push_back(touched(plan_.steps[s]));
      const auto* loop = std::get_if<LoopWork>(&plan_.steps[s].work);
      if (loop) body_end_ = s + 1 + static_cast<std::size_t>(loop->steps);
      in_body_.push_back(s < body_end_);
    }
  }

  void run() {
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      if (is_vector_product(s)) join(s);
    }
    std::vector<Step> left;
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      if (!gone(s)) left.push_back(std::move(plan_.steps[s]));
    }
    plan_.steps = std::move(left);
  }

 private:
  bool gone(std::size_t s) const { return gone_.size() > s && gone_[s]; }

  int base_of(int buffer) const {
    while (buffer >= 0 && plan_.buffers[static_cast<std::size_t>(buffer)].base >= 0)
      buffer = plan_.buffers[static_cast<std::size_t>(buffer)].base;
    return buffer;
  }

  Touched touched(const Step& step) const {
    Touched t;
    const auto read = [&](const Located& at) { t.reads.push_back(base_of(at.buffer)); };
    const auto write = [&](const Located& at) { t.writes.push_back(base_of(at.buffer)); };
    if (const auto* kernel = std::get_if<KernelWork>(&step.work)) {
      for (const Located& at : kernel->nest.loads)
        read(at);
      for (const auto& store : kernel->nest.stores)
        write(store.to);
      for (const auto& fold : kernel->nest.folds)
        write(fold.to);
    } else if (const auto* product = std::get_if<ProductWork>(&step.work)) {
      read(product->a);
      read(product->b);
      if (product->beta != 0) read(product->c);
      write(product->c);
    } else if (const auto* copy = std::get_if<CopyWork>(&step.work)) {
      read(copy->from);
      write(copy->to);
    } else if (const auto* work = std::get_if<HostWork>(&step.work)) {
      for (const Located& at : work->in)
        read(at);
      for (const Located& at : work->out)
        write(at);
    } else if (const auto* loop = std::get_if<LoopWork>(&step.work)) {
      for (int buffer : loop->held) {
        t.reads.push_back(base_of(buffer));
        t.writes.push_back(base_of(buffer));
      }
    }
    return t;
  }

  /// A product on the host whose c is a column without gaps.
  const ProductWork* vector_product(std::size_t s) const {
    const Step& step = plan_.steps[s];
    const auto* product = std::get_if<ProductWork>(&step.work);
    if (in_body_[s] || !product || !step.place.on_host() || product->c.layout.dims[1] != 1)
      return nullptr;
    const bool dense = product->c.layout.strides[0] == 1 && product->b.layout.strides[0] == 1;
    return dense && product->b.buffer >= 0 ? product : nullptr;
  }

  bool is_vector_product(std::size_t s) const {
    const ProductWork* product = vector_product(s);
    if (!product || gone(s)) return false;
    const Layout& a = product->a.layout;
    return a.strides[1] == 1 && a.dims[0] >= 2 * most_rows && a.dims[1] > 1;
  }

  /// A loop over the product's rows that reads it row by row.
  bool follows(const KernelWork& kernel, const ProductWork& product) const {
    const LoopNest& nest = kernel.nest;
    if (kernel.own || nest.recurrence) return false;
    if (nest.extents.rank() != 1 || nest.extents[0] != product.c.layout.dims[0]) return false;
    if (!nest.gathers.empty() || (!nest.folds.empty() && nest.reduced.size() != 1)) return false;
    return std::all_of(nest.loads.begin(), nest.loads.end(), [&](const Located& at) {
      return at.buffer != product.c.buffer ||
             (at.layout.strides[0] == 1 && at.layout.offset == product.c.layout.offset);
    });
  }

  /// The first step after `s` that reads or writes one of the buffers.
  std::size_t next_touching(std::size_t s, const std::vector<int>& buffers) const {
    for (++s; s < plan_.steps.size(); ++s) {
      if (!gone(s) && (meet(touched_[s].reads, buffers) || meet(touched_[s].writes, buffers)))
        break;
    }
    return s;
  }

  /// True if a step between the two writes what step `s` reads, or reads what it writes.
  bool something_between(std::size_t begin, std::size_t end, std::size_t s) const {
    for (std::size_t at = begin + 1; at < end; ++at) {
      if (gone(at)) continue;
      const Touched &other = touched_[at], &own = touched_[s];
      if (meet(other.writes, own.reads) || meet(other.writes, own.writes) ||
          meet(other.reads, own.writes)) {
        return true;
      }
    }
    return false;
  }

  void join(std::size_t first) {
    const ProductWork& product = std::get<ProductWork>(plan_.steps[first].work);
    const std::size_t second = next_touching(first, touched_[first].writes);
    if (second == plan_.steps.size() || something_between(first, second, first)) return;
    const auto* kernel = std::get_if<KernelWork>(&plan_.steps[second].work);
    if (!kernel || !plan_.steps[second].place.on_host() || !follows(*kernel, product)) return;
    const std::size_t third = transposed_product(second, product, *kernel);
    RowsWork work{product, *kernel, {}};
    const std::int64_t rows = product.a.layout.dims[0], columns = product.a.layout.dims[1];
    const std::int64_t row_bytes = columns * size_of(product.a.dtype);
    work.block = most_rows * row_bytes <= block_bytes ? most_rows : least_rows;
    const std::int64_t blocks = (rows + work.block - 1) / work.block;
    work.parts = parts_of(blocks, rows * columns);
    work.loop.chunk = work.block;
    if (!work.loop.nest.folds.empty()) set_chunks(&work.loop, blocks);
    Step& into = plan_.steps[second];
    std::vector<const Step*> joined{&plan_.steps[first], &into};
    if (third < plan_.steps.size()) {
      work.back = std::get<ProductWork>(plan_.steps[third].work);
      work.partials = new_buffer(Type(product.c.dtype, Dims{work.parts * columns}));
      joined.push_back(&plan_.steps[third]);
    }
    Step step = together(joined);
    if (work.back) step.bytes -= matrix_bytes(product);
    step.work = std::move(work);
    gone_.resize(plan_.steps.size(), false);
    gone_[first] = true;
    if (third < plan_.steps.size()) gone_[third] = true;
    into = std::move(step);
    merge_touched(second, first);
    if (third < plan_.steps.size()) merge_touched(second, third);
  }

  /// The product of the same matrix, transposed, with a vector that the loop writes; the number of
  /// steps if there is none that can run with the loop.
  std::size_t transposed_product(
      std::size_t loop, const ProductWork& product, const KernelWork& kernel) const {
    for (const LoopNest::Store& store : kernel.nest.stores) {
      for (std::size_t s = loop + 1; s < plan_.steps.size(); ++s) {
        if (!gone(s) && vector_product(s) && is_back(s, product, store.to) &&
            !something_between(loop, s, s)) {
          return s;
        }
      }
    }
    return plan_.steps.size();
  }

  bool is_back(std::size_t s, const ProductWork& product, const Located& made) const {
    const ProductWork& back = *vector_product(s);
    const Layout &a = product.a.layout, &other = back.a.layout;
    const bool transposed = back.a.buffer == product.a.buffer && other.offset == a.offset &&
                            other.dims == Dims{a.dims[1], a.dims[0]} &&
                            other.strides == Dims{1, a.strides[0]};
    // What the pass reads must be there until its end, but the vector of the first product, which
    // is done by then.
    const int target = base_of(back.c.buffer);
    const bool apart = target != base_of(product.a.buffer) && target != base_of(product.c.buffer);
    return transposed && apart && back.b.buffer == made.buffer && back.b.dtype == made.dtype &&
           back.b.layout.offset == made.layout.offset && made.layout.strides[0] == 1;
  }

  void set_chunks(KernelWork* loop, std::int64_t blocks) {
    loop->chunks = blocks;
    const auto folds = static_cast<std::int64_t>(loop->nest.folds.size());
    loop->scratch = new_buffer(Type(DType::float64, Dims{blocks * folds}));
  }

  int new_buffer(const Type& type) {
    Buffer buffer;
    buffer.bytes = elements(type.dims()) * size_of(type.dtype());
    buffer.place = host;
    plan_.buffers.push_back(buffer);
    return static_cast<int>(plan_.buffers.size()) - 1;
  }

  static double matrix_bytes(const ProductWork& product) {
    return static_cast<double>(elements(product.a.layout.dims)) * size_of(product.a.dtype);
  }

  /// One step of several, whose nodes share its time by the bytes that they move.
  static Step together(const std::vector<const Step*>& steps) {
    Step step;
    step.place = host;
    double total = 0;
    for (const Step* s : steps) {
      step.name += (step.name.empty() ? "" : "+") + s->name;
      step.flops += s->flops;
      step.bytes += s->bytes;
      total += s->bytes;
    }
    for (const Step* s : steps) {
      for (StepShare share : s->shares) {
        share.share *= s->bytes / total;
        step.shares.push_back(share);
      }
    }
    return step;
  }

  void merge_touched(std::size_t into, std::size_t from) {
    for (auto list : {&Touched::reads, &Touched::writes}) {
      auto& to = touched_[into].*list;
      const auto& more = touched_[from].*list;
      to.insert(to.end(), more.begin(), more.end());
    }
  }

  Plan& plan_;
  std::vector<Touched> touched_;
  std::vector<bool> gone_, in_body_;  // in_body_: part of a loop, whose steps were joined already
  std::size_t body_end_ = 0;
};

}  // namespace

void join_rows(Plan* plan) {
  Joiner(plan).run();
}

}  // namespace hypatia
