// The host is a chain of pieces: work, launches, waits. Device work follows its launch, the work
// before it on its stream, and the work that made its inputs; a wait ends after the device work
// that had ended when it did.

#include "gui/model/what_if.h"

#include <algorithm>
#include <map>

namespace hypatia::gui {

namespace {

constexpr std::size_t most_pieces = 100'000;

bool runs_on_device(EventKind kind) {
  return kind == EventKind::kernel || kind == EventKind::fill || kind == EventKind::copy_on ||
         kind == EventKind::copy_in || kind == EventKind::copy_out;
}

using Makers = std::map<std::uint32_t, std::set<std::uint32_t>>;

// For each step of a function's plans, the steps of the same plan that make what its nodes read.
Makers makers_of(const Recording& recording, std::uint32_t id) {
  Makers makers;
  const FunctionRecord* function = recording.function(id);
  if (!function) return makers;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<std::uint32_t>> steps;  // plan, node
  for (const RecordedStep& step : recording.steps())
    if (step.function == id)
      for (const StepShare& share : step.record->nodes)
        steps[{step.plan, share.node}].insert(step.id);
  for (const RecordedStep& step : recording.steps()) {
    if (step.function != id) continue;
    for (const StepShare& share : step.record->nodes)
      for (const InputRecord& input : function->nodes[share.node].inputs) {
        if (input.node < 0) continue;
        const auto found = steps.find({step.plan, static_cast<std::uint32_t>(input.node)});
        if (found != steps.end())
          makers[step.id].insert(found->second.begin(), found->second.end());
      }
  }
  return makers;
}

}  // namespace

Replay::Replay(const Recording& recording, std::uint32_t number) {
  const Call* call = recording.call(number);
  if (!call) return;
  recorded_ = static_cast<double>(call->end - call->begin);
  add_host(recording, *call);
  add_device(recording, *call);
  if (pieces_.size() > most_pieces) pieces_.clear();
  std::stable_sort(pieces_.begin(), pieces_.end(), [](const Piece& a, const Piece& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  connect(recording, call->function);
}

// Launches and waits cut the call into pieces; what lies between them is the host's own work.
void Replay::add_host(const Recording& recording, const Call& call) {
  std::vector<Piece> cuts;
  std::vector<std::pair<double, std::uint32_t>> steps;  // where each step begins
  for (const Track& track : recording.tracks()) {
    for (const Event& event : track.window(call.begin, call.end)) {
      if (event.call != call.number || cuts.size() > most_pieces) continue;
      const auto begin = static_cast<double>(event.begin - call.begin);
      const auto end = static_cast<double>(std::min(event.end, call.end) - call.begin);
      if (event.kind == EventKind::step) steps.emplace_back(begin, event.step);
      if (event.kind != EventKind::launch && event.kind != EventKind::sync) continue;
      Piece piece;
      piece.kind = event.kind == EventKind::launch ? Piece::Kind::launch : Piece::Kind::sync;
      piece.step = event.step;
      piece.begin = std::max(begin, 0.0);
      piece.end = end;
      cuts.push_back(piece);
    }
  }
  std::sort(steps.begin(), steps.end());
  std::sort(
      cuts.begin(), cuts.end(), [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
  double at = 0;
  const auto work_until = [&](double end) {
    while (at < end) {
      const auto next =
          std::upper_bound(steps.begin(), steps.end(), std::pair{at, ~std::uint32_t{0}});
      const double stop = next == steps.end() ? end : std::min(end, next->first);
      Piece piece;
      piece.step = next == steps.begin() ? 0 : std::prev(next)->second;
      piece.begin = at;
      piece.end = stop;
      pieces_.push_back(piece);
      at = stop;
    }
  };
  for (Piece& cut : cuts) {
    cut.begin = std::max(cut.begin, at);
    if (cut.end <= cut.begin) continue;
    work_until(cut.begin);
    pieces_.push_back(cut);
    at = cut.end;
  }
  work_until(recorded_);
}

void Replay::add_device(const Recording& recording, const Call& call) {
  for (std::size_t t = 0; t < recording.tracks().size(); ++t) {
    const Track& track = recording.tracks()[t];
    for (const Event& event : track.window(call.begin, call.end + (call.end - call.begin))) {
      if (event.call != call.number || !runs_on_device(event.kind) || pieces_.size() > most_pieces)
        continue;
      Piece piece;
      const bool copy = event.kind == EventKind::copy_in || event.kind == EventKind::copy_out;
      piece.kind = copy ? Piece::Kind::transfer : Piece::Kind::kernel;
      piece.step = event.step;
      piece.track = t;
      piece.begin = static_cast<double>(event.begin - call.begin);
      piece.end = static_cast<double>(event.end - call.begin);
      pieces_.push_back(piece);
    }
  }
}

void Replay::connect(const Recording& recording, std::uint32_t function) {
  const Makers makers = makers_of(recording, function);
  std::ptrdiff_t last_host = -1;
  // So far, the newest of each: launch and device work of a step, device work of a track.
  std::map<std::uint32_t, std::size_t> launch_of, work_of;
  std::map<std::size_t, std::size_t> last_on;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    Piece& piece = pieces_[i];
    double ready = 0;
    const bool works = on_device(piece.kind), waits = piece.kind == Piece::Kind::sync;
    const double limit = waits ? piece.end : piece.begin;
    // What had not ended by then was not waited for, whatever the graph says.
    const auto wait_for = [&](std::size_t other) {
      if (pieces_[other].end > limit) return;
      piece.after.push_back(other);
      ready = std::max(ready, pieces_[other].end);
    };
    if (works) {
      if (const auto found = launch_of.find(piece.step); found != launch_of.end()) {
        piece.launched_by = static_cast<std::ptrdiff_t>(found->second);
        ready = pieces_[found->second].begin;
      }
      if (const auto before = last_on.find(piece.track); before != last_on.end())
        wait_for(before->second);
      if (const auto needed = makers.find(piece.step); needed != makers.end())
        for (const std::uint32_t step : needed->second)
          if (const auto made = work_of.find(step); made != work_of.end()) wait_for(made->second);
      last_on[piece.track] = work_of[piece.step] = i;
    } else {
      if (last_host >= 0) wait_for(static_cast<std::size_t>(last_host));
      last_host = static_cast<std::ptrdiff_t>(i);
      if (piece.kind == Piece::Kind::launch) launch_of[piece.step] = i;
    }
    if (waits) {
      // Work may begin after the wait began: all that had ended when the wait did.
      for (std::size_t other = 0; other < pieces_.size(); ++other)
        if (on_device(pieces_[other].kind)) wait_for(other);
      ready = std::max(ready, piece.begin);
    }
    piece.slack = std::max(0.0, limit - ready);
  }
}

double Replay::factor(const Piece& piece, const Speedups& speedups) const {
  double times = 1;
  switch (piece.kind) {
    case Piece::Kind::host:
      times = speedups.host;
      break;
    case Piece::Kind::launch:
      times = speedups.launch;
      break;
    case Piece::Kind::kernel:
      times = speedups.kernel;
      break;
    case Piece::Kind::transfer:
      times = speedups.transfer;
      break;
    case Piece::Kind::sync:
      return 1;
  }
  if (piece.step != 0 && speedups.steps.contains(piece.step)) times *= speedups.chosen;
  return times;
}

double Replay::length(const Speedups& speedups) const {
  std::vector<double> begins(pieces_.size()), ends(pieces_.size());
  double host = 0;
  const auto play = [&](std::size_t i) {
    const Piece& piece = pieces_[i];
    double ready = piece.launched_by >= 0 ? begins[static_cast<std::size_t>(piece.launched_by)] : 0;
    for (const std::size_t other : piece.after)
      ready = std::max(ready, ends[other]);
    begins[i] = ready + piece.slack;
    ends[i] = begins[i] + (piece.end - piece.begin) / factor(piece, speedups);
  };
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    if (piece.kind != Piece::Kind::sync) {
      play(i);
      if (piece.kind == Piece::Kind::host || piece.kind == Piece::Kind::launch)
        host = std::max(host, ends[i]);
      continue;
    }
    // Device work that began within the wait is played before the wait's end is known.
    for (std::size_t later = i + 1; later < pieces_.size() && pieces_[later].begin <= piece.end;
         ++later)
      if (on_device(pieces_[later].kind)) play(later);
    double ready = 0;
    for (const std::size_t other : piece.after)
      ready = std::max(ready, ends[other]);
    begins[i] = ready;
    ends[i] = ready + piece.slack;
    host = std::max(host, ends[i]);
  }
  return host;
}

}  // namespace hypatia::gui
