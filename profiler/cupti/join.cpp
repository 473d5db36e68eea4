// Two passes over what has arrived: driver calls and external ids are noted as they are read, work
// is handed on in resolve().

#include "profiler/cupti/join.h"

#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>

namespace hypatia::cupti {

namespace {

constexpr std::uint32_t patience = 20;  // rounds that work waits for its driver call

std::string demangled(const char* name) {
  if (!name) return "kernel";
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string result = status == 0 && text ? text : name;
  std::free(text);
  return result;
}

EventKind copy_kind(std::uint8_t kind) {
  constexpr std::uint8_t host_to_device = 1, device_to_host = 2, host_to_array = 3,
                         array_to_host = 4;
  if (kind == host_to_device || kind == host_to_array) return EventKind::copy_in;
  if (kind == device_to_host || kind == array_to_host) return EventKind::copy_out;
  return EventKind::copy_on;
}

const char* overhead_name(std::uint32_t kind) {
  switch (kind) {
    case 1:
      return "driver compiles a kernel";
    case 1u << 16:
      return "profiling buffers are flushed";
    case 2u << 16:
      return "kernels are instrumented";
    case 3u << 16:
      return "profiling resources are made";
    case 4u << 16:
      return "a module is loaded";
    case 5u << 16:
      return "a function is loaded";
    case 6u << 16:
      return "the command buffer is full";
    default:
      return "profiling overhead";
  }
}

/// What the host waited for.
const char* wait_name(std::uint32_t type) {
  switch (type) {
    case 1:
      return "wait for an event";
    case 3:
      return "wait for a stream";
    case 4:
      return "wait for the device";
    default:
      return "wait";
  }
}

const char* memory_name(std::uint32_t kind) {
  switch (kind) {
    case 2:
      return "page-locked memory";
    case 3:
      return "device memory";
    case 5:
      return "managed memory";
    default:
      return "memory";
  }
}

bool is_memory(EventKind kind) {
  return kind == EventKind::allocate || kind == EventKind::release;
}

bool is_compile(std::uint32_t overhead) {
  return overhead == 1 || overhead == 4u << 16 || overhead == 5u << 16;
}

template <typename Record>
const Record& as(const std::uint8_t* record) {
  return *reinterpret_cast<const Record*>(record);
}

}  // namespace

void Join::add_step(std::uint64_t thread, const Event& step) {
  std::vector<Event>& list = steps_[thread];
  // A thread's steps end in order; nested ones begin before.
  auto place = list.end();
  while (place != list.begin() && (place - 1)->begin > step.begin)
    --place;
  list.insert(place, step);
}

void Join::add(const std::uint8_t* record) {
  switch (as<ApiRecord>(record).kind) {
    case Kind::driver:
    case Kind::runtime:
      return add_api(as<ApiRecord>(record));
    case Kind::external_correlation: {
      const auto& external = as<ExternalRecord>(record);
      if (external.external_kind != external_kind) return;
      ApiCall& call = calls_[external.correlation];
      call.external = external.external;
      call.has_external = true;
      call.round = round_;
      return;
    }
    case Kind::kernel:
      return add_work(EventKind::kernel, as<KernelRecord>(record));
    case Kind::memcpy:
    case Kind::memcpy_peer:
      return add_copy(as<CopyRecord>(record));
    case Kind::memset:
      return add_fill(as<FillRecord>(record));
    case Kind::synchronization:
      return add_wait(as<SyncRecord>(record));
    case Kind::memory:
      return add_memory(as<MemoryRecord>(record));
    case Kind::overhead:
      overheads_.push_back(as<OverheadRecord>(record));
      return;
  }
}

/// A runtime call and the driver call inside it may share an id: the outer one counts.
void Join::add_api(const ApiRecord& record) {
  ApiCall& call = calls_[record.correlation];
  call.round = round_;
  if (call.has_api && record.start >= call.start) return;
  call.has_api = true;
  call.start = record.start;
  call.end = record.end;
  call.thread = record.thread;
  call.function = record.function;
  call.domain = record.kind;
}

void Join::add_work(EventKind kind, const KernelRecord& record) {
  DetailRecord detail;
  detail.name = demangled(record.name);
  std::copy(std::begin(record.grid), std::end(record.grid), detail.grid);
  std::copy(std::begin(record.block), std::end(record.block), detail.block);
  detail.registers = record.registers;
  detail.static_shared = record.static_shared;
  detail.dynamic_shared = record.dynamic_shared;
  waiting_.push_back(
      {kind,
       record.start,
       record.end,
       record.graph_node,
       record.device,
       record.stream,
       record.correlation,
       round_,
       std::move(detail)});
}

void Join::add_copy(const CopyRecord& record) {
  DetailRecord detail;
  const EventKind kind = copy_kind(record.copy_kind);
  detail.name = kind == EventKind::copy_in    ? "copy in"
                : kind == EventKind::copy_out ? "copy out"
                                              : "copy";
  detail.bytes = static_cast<std::int64_t>(record.bytes);
  detail.source_memory = record.source;
  detail.target_memory = record.target;
  waiting_.push_back(
      {kind,
       record.start,
       record.end,
       record.graph_node,
       record.device,
       record.stream,
       record.correlation,
       round_,
       std::move(detail)});
}

void Join::add_fill(const FillRecord& record) {
  DetailRecord detail;
  detail.name = "fill";
  detail.bytes = static_cast<std::int64_t>(record.bytes);
  waiting_.push_back(
      {EventKind::fill,
       record.start,
       record.end,
       record.graph_node,
       record.device,
       record.stream,
       record.correlation,
       round_,
       std::move(detail)});
}

/// One that makes a stream wait for an event is no wait of the host's.
void Join::add_wait(const SyncRecord& record) {
  constexpr std::uint32_t of_stream_for_event = 2;
  if (record.type == of_stream_for_event) return;
  DetailRecord detail;
  detail.name = wait_name(record.type);
  waiting_.push_back(
      {EventKind::sync,
       record.start,
       record.end,
       0,
       0,
       record.stream,
       record.correlation,
       round_,
       std::move(detail)});
}

void Join::add_memory(const MemoryRecord& record) {
  constexpr std::uint32_t allocation = 1;
  DetailRecord detail;
  detail.name = (record.operation == allocation ? "allocation of " : "release of ") +
                std::string(memory_name(record.memory));
  detail.bytes = static_cast<std::int64_t>(record.bytes);
  waiting_.push_back(
      {record.operation == allocation ? EventKind::allocate : EventKind::release,
       record.time,
       record.time,
       0,
       record.device,
       record.stream,
       record.correlation,
       round_,
       std::move(detail)});
}

const Event* Join::step_at(std::uint64_t thread, std::int64_t time) const {
  const auto list = steps_.find(thread);
  if (list == steps_.end()) return nullptr;
  auto place = std::upper_bound(
      list->second.begin(), list->second.end(), time, [](std::int64_t t, const Event& step) {
        return t < step.begin;
      });
  // Of nested steps the innermost: the last to begin that has not ended.
  for (int looked_at = 0; place != list->second.begin() && looked_at < 64; ++looked_at) {
    --place;
    if (time <= place->end) return &*place;
  }
  return nullptr;
}

/// By the id that was pushed around the driver's call, else by the step that the calling thread was
/// in. Where both give an answer they are compared.
Join::Owner Join::owner_of(const Work& work, const ApiCall* call, const Round& round) const {
  Owner owner;
  if (work.graph_node) owner.flags |= event_flag::in_graph;
  if (call && call->has_external) {
    owner.call = static_cast<std::uint32_t>(call->external >> 32);
    owner.step = static_cast<std::uint32_t>(call->external);
  }
  if (owner.call == owners_call) {
    const std::vector<std::string>& owners = round.notes.owners;
    if (owner.step - 1u < owners.size()) owner.outside = &owners[owner.step - 1u];
    owner.call = owner.step = 0;
    return owner;
  }
  const Event* by_time = nullptr;
  if (call && call->has_api) {
    const auto thread = round.notes.threads.find(call->thread);
    if (thread != round.notes.threads.end()) {
      by_time = step_at(thread->second, round.clock.to_host(call->start));
    }
  }
  if (owner.step && by_time && by_time->step != owner.step) ++round.sink.counts().disagreements;
  if (!owner.step && by_time) {
    owner.call = by_time->call;
    owner.step = by_time->step;
    owner.flags |= event_flag::by_interval;
  }
  return owner;
}

void Join::find_node(
    Owner& owner, const Work& work, const GraphNode* by_order, const Round& round) const {
  const auto found = round.notes.graph_nodes.find(work.graph_node);
  const GraphNode* by_id = found == round.notes.graph_nodes.end() ? nullptr : &found->second;
  if (by_id && by_order && *by_id != *by_order) ++round.sink.counts().disagreements;
  const GraphNode* node = by_id ? by_id : by_order;
  if (!node) {
    // Of its submission it is known, of no step: that is no node's time.
    ++round.sink.counts().unattributed;
    return;
  }
  owner.call += static_cast<std::uint32_t>(node->calls_later);
  owner.step = node->step;
  if (!by_id) owner.flags |= event_flag::by_interval;
}

std::uint16_t Join::lane_of(const ApiCall& call, const Round& round) const {
  const auto known = round.notes.threads.find(call.thread);
  const std::uint64_t thread = known != round.notes.threads.end() ? known->second : call.thread;
  return round.sink.lane(LaneRecord::Kind::api, "", thread);
}

std::uint16_t Join::lane_of(const Work& work, const Round& round) const {
  LaneRecord::Kind kind = LaneRecord::Kind::stream;
  if (work.kind == EventKind::copy_in) kind = LaneRecord::Kind::copy_in;
  if (work.kind == EventKind::copy_out) kind = LaneRecord::Kind::copy_out;
  if (work.kind == EventKind::sync) kind = LaneRecord::Kind::sync;
  const std::uint64_t number = kind == LaneRecord::Kind::stream ? work.stream : 0;
  return round.sink.lane(kind, "cuda" + std::to_string(work.device), number);
}

void Join::show_call(
    ApiCall& call, const Owner& owner, const DetailRecord& detail, const Round& round) {
  call.shown = true;
  // The call that launches a graph is not one node's.
  const bool graph = owner.flags & event_flag::in_graph;
  round.sink.event(
      {round.clock.to_host(call.start),
       round.clock.to_host(call.end),
       owner.call,
       owner.step,
       graph ? 0 : round.sink.detail(detail),
       lane_of(call, round),
       EventKind::launch,
       owner.flags});
}

void Join::hand_on(const Work& work, const Round& round, const GraphNode* by_order) {
  const auto found = calls_.find(work.correlation);
  ApiCall* call = found == calls_.end() ? nullptr : &found->second;
  Owner owner = owner_of(work, call, round);
  const Owner submitter = owner;
  if (work.graph_node) {
    find_node(owner, work, by_order, round);
  } else if (
      !owner.step && !owner.outside && work.kind != EventKind::sync && !is_memory(work.kind)) {
    ++round.sink.counts().unattributed;
  }
  if (work.start == 0 || work.end == 0) {
    ++round.sink.counts().without_time;
    return;
  }
  const bool owned = owner.outside && work.kind != EventKind::sync;
  const DetailRecord what = owned ? owned_detail(work.detail, *owner.outside) : work.detail;
  const std::uint32_t detail = round.sink.detail(what);
  if (is_memory(work.kind)) {
    // The record has one moment, and its call the time that it took.
    if (!call || !call->has_api) return;
    round.sink.event(
        {round.clock.to_host(call->start),
         round.clock.to_host(call->end),
         owner.call,
         owner.step,
         detail,
         lane_of(*call, round),
         work.kind,
         owner.flags});
    return;
  }
  if (call && call->has_api && work.kind != EventKind::sync) {
    if (work.start < call->start) ++round.sink.counts().unordered;
    if (!call->shown) show_call(*call, submitter, what, round);
  }
  round.sink.event(
      {round.clock.to_host(work.start),
       round.clock.to_host(work.end),
       owner.call,
       owner.step,
       detail,
       lane_of(work, round),
       work.kind,
       owner.flags});
}

void Join::hand_on_overheads(const Round& round) {
  for (const OverheadRecord& record : overheads_) {
    DetailRecord detail;
    detail.name = overhead_name(record.overhead);
    const EventKind kind = is_compile(record.overhead) ? EventKind::compile : EventKind::overhead;
    round.sink.event(
        {round.clock.to_host(record.start),
         round.clock.to_host(record.end),
         0,
         0,
         round.sink.detail(detail),
         round.sink.lane(LaneRecord::Kind::overhead, "cuda", 0),
         kind,
         0});
  }
  overheads_.clear();
}

bool Join::hand_on_graph(std::vector<Work>& works, const Round& round, bool last) {
  const auto call = calls_.find(works.front().correlation);
  const bool known = call != calls_.end() && call->second.has_api && call->second.has_external;
  const std::vector<GraphNode>* order = nullptr;
  if (known) {
    const auto step = static_cast<std::uint32_t>(call->second.external);
    const auto capture = round.notes.captures.find(step);
    if (capture != round.notes.captures.end()) order = &capture->second;
  }
  const bool complete = order && works.size() == order->size();
  if (!complete && !last && round_ - works.front().round <= patience) return false;
  std::sort(
      works.begin(), works.end(), [](const Work& a, const Work& b) { return a.start < b.start; });
  const bool timed = works.front().start != 0;
  for (std::size_t i = 0; i < works.size(); ++i)
    hand_on(works[i], round, complete && timed ? &(*order)[i] : nullptr);
  return true;
}

void Join::hand_on_graphs(const Round& round, bool last) {
  for (auto graph = graphs_.begin(); graph != graphs_.end();)
    graph = hand_on_graph(graph->second, round, last) ? graphs_.erase(graph) : std::next(graph);
}

void Join::resolve(DeviceSink& sink, const ClockMap& clock, const Notes& notes, bool last) {
  const Round round{sink, clock, notes};
  std::vector<Work> later;
  for (Work& work : waiting_) {
    if (work.graph_node) {
      graphs_[work.correlation].push_back(std::move(work));
      continue;
    }
    const auto call = calls_.find(work.correlation);
    const bool known = call != calls_.end() && call->second.has_api && call->second.has_external;
    if (known || last || round_ - work.round > patience) {
      hand_on(work, round);
    } else {
      later.push_back(std::move(work));
    }
  }
  waiting_ = std::move(later);
  hand_on_graphs(round, last);
  hand_on_overheads(round);
  ++round_;
  forget_old();
}

/// What nothing has asked for since long ago; device work rarely lags its call by seconds.
void Join::forget_old() {
  constexpr std::size_t many = 1 << 16;
  if (calls_.size() > many) {
    std::erase_if(
        calls_, [&](const auto& entry) { return round_ - entry.second.round > 5 * patience; });
  }
  for (auto& [thread, list] : steps_) {
    if (list.size() > 16 * many) {
      list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(list.size() / 2));
    }
  }
}

}  // namespace hypatia::cupti
