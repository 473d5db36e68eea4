// fn(n_calls=N): calls one after another, many of them as one submission to a GPU. Only the last
// call's results are anybody's: memory of the results before them is used again at once, so that
// batches repeat to the address and one captured graph serves them all.
#include <algorithm>

#include "engine/core/error.h"
#include "engine/expr/shared_guard.h"
#include "engine/run/function_impl.h"
#include "engine/run/observed_step.h"
#include "engine/run/shared_locks.h"
#include "engine/trace/clock.h"

namespace hypatia {

int FunctionImpl::note_calls(int most, std::int64_t* begin, std::uint32_t* call) {
  int noted = 0;
  for (; noted < most && !sizes_changed(); ++noted) {
    if (heard_by(observer_)) {
      if (*call) observer_->end_call(function_id_, *call, *begin);
      *begin = now();
      *call = observer_->begin_call(function_id_);
    }
    last_->run(inputs_, shared_, shifts_, *call);
    take_updates(*last_);
  }
  return noted;
}

int FunctionImpl::run_batch(int most) {
  if (!last_ || !in_.empty() || data_sizes_) return 0;
  const SharedLocks locks(locks_);
  if (sizes_changed() || last_->longest_batch() == 0) return 0;
  Specialised& ready = *last_;
  // What the first calls read must not be given to others before it is read.
  std::vector<Array> held;
  for (const SharedBox* box : boxes_) {
    if (!ready.keeps(*box->value.storage())) held.push_back(box->value);
  }
  std::int64_t begin = 0;
  std::uint32_t call = 0;
  int done = 0;
  ready.begin_batch();
  try {
    done = note_calls(std::min(most, ready.longest_batch()), &begin, &call);
  } catch (Error& error) {
    // The calls before it have given their new values away already.
    ready.end_batch();
    if (error.kind() == Error::Kind::memory) tell_memory(&error);
    throw;
  }
  // The last call submits them all.
  ready.end_batch();
  if (call) observer_->end_call(function_id_, call, begin);
  return done;
}

Results FunctionImpl::call_times(int n_calls) {
  if (n_calls < 1) {
    throw Error(
        Error::Kind::value,
        "fn: n_calls is " + std::to_string(n_calls) + ", and at least one call makes a result");
  }
  const std::lock_guard lock(mutex_);
  for (int done = 0; done < n_calls - 1;) {
    const int together = run_batch(n_calls - 1 - done);
    if (together == 0) run_call({});
    done += std::max(1, together);
  }
  return run_call({});
}

}  // namespace hypatia
