// Sums events by step. A step's host event contains its launches and waits, which are taken out of
// its own time. Waits may be reported twice, by the executor and by the driver: the larger counts.

#include "profiler/analyze/steps.h"

#include <algorithm>
#include <tuple>

namespace hypatia {

namespace {

bool on_device(EventKind kind) {
  return kind == EventKind::kernel || kind == EventKind::copy_in || kind == EventKind::copy_out ||
         kind == EventKind::copy_on || kind == EventKind::fill;
}

Part device_part(EventKind kind) {
  switch (kind) {
    case EventKind::copy_in:
      return Part::copy_in;
    case EventKind::copy_out:
      return Part::copy_out;
    case EventKind::copy_on:
      return Part::copy_on;
    default:
      return Part::kernel;
  }
}

/// Nanoseconds of work that a call added to a step.
struct Contribution {
  std::uint32_t call;
  double nanoseconds;
  bool by_host;  // some of it is the step itself, not a device's work
};

/// What each call added to a step. Tracks are walked one after the other, each in order of calls,
/// so that a call's place is the next one as a rule.
class CallTimes {
 public:
  void add(std::uint32_t call, double nanoseconds, bool by_host) {
    if (list_.empty() || list_.back().call < call) {
      at_ = list_.size();
      list_.push_back({call, nanoseconds, by_host});
    } else if (seek(call)) {
      list_[at_].nanoseconds += nanoseconds;
      list_[at_].by_host |= by_host;
    } else {
      late_.push_back({call, nanoseconds, by_host});
    }
  }

  /// The sum of each call once, none below 0; what was collected is given away. Counts the calls
  /// that replayed the step: it has no host part there.
  std::vector<double> take(std::int64_t& replayed) {
    list_.insert(list_.end(), late_.begin(), late_.end());
    if (!late_.empty()) {
      std::stable_sort(
          list_.begin(), list_.end(), [](const auto& a, const auto& b) { return a.call < b.call; });
    }
    std::vector<double> sums;
    for (std::size_t i = 0; i < list_.size();) {
      double sum = 0;
      bool by_host = false;
      const std::uint32_t call = list_[i].call;
      for (; i < list_.size() && list_[i].call == call; ++i) {
        sum += list_[i].nanoseconds;
        by_host |= list_[i].by_host;
      }
      sums.push_back(std::max(0.0, sum));
      if (!by_host) ++replayed;
    }
    *this = CallTimes();
    return sums;
  }

 private:
  bool seek(std::uint32_t call) {
    if (list_[at_].call == call) return true;
    if (at_ + 1 < list_.size() && list_[at_ + 1].call == call) {
      ++at_;
      return true;
    }
    const auto found =
        std::lower_bound(list_.begin(), list_.end(), call, [](const Contribution& c, auto number) {
          return c.call < number;
        });
    if (found == list_.end() || found->call != call) return false;
    at_ = static_cast<std::size_t>(found - list_.begin());
    return true;
  }

  std::vector<Contribution> list_, late_;  // by call; what found no place there
  std::size_t at_ = 0;
};

struct StepSums {
  double step = 0, host_sync = 0, lane_sync = 0;
  std::int64_t step_events = 0;
  CallTimes calls;
};

void add_event(const Event& event, bool host_lane, StepAccount& account, StepSums& sums) {
  const auto length = static_cast<double>(event.end - event.begin);
  if (on_device(event.kind)) {
    account.parts[device_part(event.kind)] += length;
    ++account.device_events;
    account.detail = event.detail;
    sums.calls.add(event.call, length, false);
    return;
  }
  switch (event.kind) {
    case EventKind::step:
      sums.step += length;
      ++sums.step_events;
      sums.calls.add(event.call, length, true);
      break;
    case EventKind::launch:
      account.parts[Part::launch] += length;
      ++account.launches;
      break;
    case EventKind::sync:
      (host_lane ? sums.host_sync : sums.lane_sync) += length;
      break;
    case EventKind::compile:
      account.parts[Part::compile] += length;
      sums.calls.add(event.call, -length, true);
      break;
    default:
      break;
  }
}

/// Waits are taken out of the calls' work, from whichever report was chosen.
void add_wait(const Event& event, bool host_lane, StepSums& sums) {
  if (event.kind != EventKind::sync || host_lane != (sums.host_sync >= sums.lane_sync)) return;
  sums.calls.add(event.call, -static_cast<double>(event.end - event.begin), true);
}

template <typename Visit>
void for_each_step_event(const Recording& recording, Visit visit) {
  for (const Track& track : recording.tracks()) {
    const bool host_lane = recording.lane(track.lane())->kind == LaneRecord::Kind::host_thread;
    for (const Event& event : track.events()) {
      if (event.step) visit(event, host_lane);
    }
  }
}

void finish(StepAccount& account, StepSums& sums) {
  Parts& parts = account.parts;
  parts[Part::sync] = std::max(sums.host_sync, sums.lane_sync);
  // A replayed step has no host part of its own: it is the submission's.
  if (sums.step_events) {
    parts[Part::own] =
        std::max(0.0, sums.step - parts[Part::launch] - parts[Part::sync] - parts[Part::compile]);
  }
  std::int64_t replayed = 0;
  std::vector<double> per_call = sums.calls.take(replayed);
  account.calls = sums.step_events + replayed;
  account.median = quantile(per_call, 0.5);
  account.p90 = quantile(std::move(per_call), 0.9);
}

struct Work {
  const Event* event;
  std::int64_t free_at;  // when the lane's earlier work ended
};

/// Sorts what was appended since `first`, which is in order as a rule, in among what was there.
template <typename Item, typename Before>
void merge_in(std::vector<Item>& items, std::size_t first, Before before) {
  const auto middle = items.begin() + static_cast<std::ptrdiff_t>(first);
  if (!std::is_sorted(middle, items.end(), before)) std::sort(middle, items.end(), before);
  std::inplace_merge(items.begin(), middle, items.end(), before);
}

/// Visits each launch with the work that it submitted, and how long that waited behind other work.
template <typename Visit>
void for_each_submission(const Recording& recording, Visit visit) {
  const auto key = [](const Event& e) { return std::tie(e.call, e.step, e.detail, e.begin); };
  const auto owner = [](const Event& e) { return std::tie(e.call, e.step, e.detail); };
  std::vector<const Event*> launches;
  std::vector<Work> works;
  for (const Track& track : recording.tracks()) {
    std::int64_t free_at = 0;
    const std::size_t launch = launches.size(), work = works.size();
    for (const Event& event : track.events()) {
      if (event.kind == EventKind::launch) launches.push_back(&event);
      if (!on_device(event.kind)) continue;
      if (!(event.flags & event_flag::in_graph)) works.push_back({&event, free_at});
      free_at = event.end;
    }
    merge_in(launches, launch, [&](const Event* a, const Event* b) { return key(*a) < key(*b); });
    merge_in(
        works, work, [&](const Work& a, const Work& b) { return key(*a.event) < key(*b.event); });
  }
  std::size_t next = 0;
  for (const Work& work : works) {
    while (next < launches.size() && owner(*launches[next]) < owner(*work.event))
      ++next;
    if (next == launches.size()) break;
    if (owner(*work.event) < owner(*launches[next])) continue;
    const Event& launch = *launches[next++];
    const std::int64_t busy_until = std::min(work.free_at, work.event->begin);
    visit(launch, *work.event, std::max<std::int64_t>(0, busy_until - launch.end));
  }
}

}  // namespace

double quantile(std::vector<double> values, double at) {
  if (values.empty()) return 0;
  const double position = at * static_cast<double>(values.size() - 1);
  const auto index = static_cast<std::size_t>(position);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(index);
  std::nth_element(values.begin(), middle, values.end());
  if (index + 1 == values.size()) return *middle;
  const double next = *std::min_element(middle + 1, values.end());
  return *middle + (position - static_cast<double>(index)) * (next - *middle);
}

std::vector<StepAccount> account_steps(const Recording& recording) {
  const std::size_t count = recording.steps().size();
  std::vector<StepAccount> accounts(count);
  std::vector<StepSums> sums(count);
  for_each_step_event(recording, [&](const Event& event, bool host_lane) {
    add_event(event, host_lane, accounts[event.step - 1], sums[event.step - 1]);
  });
  for_each_step_event(recording, [&](const Event& event, bool host_lane) {
    add_wait(event, host_lane, sums[event.step - 1]);
  });
  for_each_submission(recording, [&](const Event&, const Event& work, std::int64_t queued) {
    if (work.step) accounts[work.step - 1].parts[Part::queue] += static_cast<double>(queued);
  });
  for (std::size_t i = 0; i < count; ++i)
    finish(accounts[i], sums[i]);
  return accounts;
}

std::vector<Submission> submissions(const Recording& recording) {
  std::vector<Submission> pairs;
  for_each_submission(recording, [&](const Event& launch, const Event& work, std::int64_t queued) {
    pairs.push_back({launch, work, queued});
  });
  return pairs;
}

}  // namespace hypatia
