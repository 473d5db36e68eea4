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
  bool by_host = false;  // not a device's work
};

struct StepSums {
  double step = 0, host_sync = 0, lane_sync = 0;
  std::int64_t step_events = 0;
  std::vector<Contribution> contributions;

  void contribute(std::uint32_t call, double nanoseconds, bool by_host = false) {
    if (!contributions.empty() && contributions.back().call == call) {
      contributions.back().nanoseconds += nanoseconds;
      contributions.back().by_host |= by_host;
    } else {
      contributions.push_back({call, nanoseconds, by_host});
    }
  }
};

void add_event(const Event& event, bool host_lane, StepAccount& account, StepSums& sums) {
  const auto length = static_cast<double>(event.end - event.begin);
  if (on_device(event.kind)) {
    account.parts[device_part(event.kind)] += length;
    ++account.device_events;
    account.detail = event.detail;
    sums.contribute(event.call, length);
    return;
  }
  switch (event.kind) {
    case EventKind::step:
      sums.step += length;
      ++sums.step_events;
      sums.contribute(event.call, length, true);
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
      sums.contribute(event.call, -length, true);
      break;
    default:
      break;
  }
}

/// Waits are taken out of the calls' work, from whichever report was chosen.
void add_wait(const Event& event, bool host_lane, StepSums& sums) {
  if (event.kind != EventKind::sync || host_lane != (sums.host_sync >= sums.lane_sync)) return;
  sums.contributions.push_back({event.call, -static_cast<double>(event.end - event.begin), true});
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
  std::vector<Contribution>& list = sums.contributions;
  std::stable_sort(list.begin(), list.end(), [](const Contribution& a, const Contribution& b) {
    return a.call < b.call;
  });
  std::vector<double> per_call;
  account.calls = sums.step_events;
  for (std::size_t i = 0; i < list.size();) {
    double sum = 0;
    bool by_host = false;
    const std::uint32_t call = list[i].call;
    for (; i < list.size() && list[i].call == call; ++i) {
      sum += list[i].nanoseconds;
      by_host |= list[i].by_host;
    }
    per_call.push_back(std::max(0.0, sum));
    if (!by_host) ++account.calls;
  }
  account.median = quantile(per_call, 0.5);
  account.p90 = quantile(std::move(per_call), 0.9);
  list = {};
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
  for (const Submission& submission : submissions(recording)) {
    if (submission.work.step) {
      accounts[submission.work.step - 1].parts[Part::queue] +=
          static_cast<double>(submission.queued);
    }
  }
  for (std::size_t i = 0; i < count; ++i)
    finish(accounts[i], sums[i]);
  return accounts;
}

std::vector<Submission> submissions(const Recording& recording) {
  struct Work {
    Event event;
    std::int64_t free_at;  // when the lane's earlier work ended
  };

  std::vector<Event> launches;
  std::vector<Work> works;
  for (const Track& track : recording.tracks()) {
    std::int64_t free_at = 0;
    for (const Event& event : track.events()) {
      if (event.kind == EventKind::launch) launches.push_back(event);
      if (!on_device(event.kind)) continue;
      if (!(event.flags & event_flag::in_graph)) works.push_back({event, free_at});
      free_at = event.end;
    }
  }
  const auto key = [](const Event& e) { return std::tie(e.call, e.step, e.detail, e.begin); };
  std::sort(launches.begin(), launches.end(), [&](const Event& a, const Event& b) {
    return key(a) < key(b);
  });
  std::sort(works.begin(), works.end(), [&](const Work& a, const Work& b) {
    return key(a.event) < key(b.event);
  });
  std::vector<Submission> pairs;
  const auto owner = [](const Event& e) { return std::tie(e.call, e.step, e.detail); };
  std::size_t next = 0;
  for (const Work& work : works) {
    while (next < launches.size() && owner(launches[next]) < owner(work.event))
      ++next;
    if (next == launches.size()) break;
    if (owner(work.event) < owner(launches[next])) continue;
    const Event& launch = launches[next++];
    const std::int64_t busy_until = std::min(work.free_at, work.event.begin);
    pairs.push_back({launch, work.event, std::max<std::int64_t>(0, busy_until - launch.end)});
  }
  return pairs;
}

}  // namespace hypatia
