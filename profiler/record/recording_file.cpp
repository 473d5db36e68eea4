// The rows of a .hyp file. Events go into blocks per lane; the last block of a lane is rewritten
// until it is full, so that the file is complete at every commit.

#include "profiler/record/recording_file.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include "engine/core/error.h"
#include "engine/core/file.h"

#include "profiler/record/header_fields.h"
#include "profiler/record/schema.h"

namespace hypatia {

namespace {

/// Throws if something else than a recording is there.
void require_own(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return;
  char head[72]{};
  std::ifstream(path, std::ios::binary).read(head, sizeof head);
  const bool ours =
      std::memcmp(head, "SQLite format 3", 16) == 0 && !std::memcmp(head + 68, "HYPA", 4);
  if (!ours && fs::file_size(path, ignored) != 0) {
    throw Error(
        Error::Kind::file,
        "\"" + path + "\" exists and is not a recording",
        "Choose another name, or remove that file.");
  }
}

/// Removes an older recording with its log; refuses to touch anything else.
const std::string& make_room(const std::string& path) {
  require_own(path);
  std::error_code ignored;
  for (const char* part : {"", "-wal", "-shm", "-journal"})
    std::filesystem::remove(path + part, ignored);
  return path;
}

std::span<const std::byte> bytes_of(std::span<const Event> events) {
  return std::as_bytes(events);
}

std::string triple(const std::int32_t (&values)[3]) {
  return nlohmann::json(values).dump();
}

}  // namespace

RecordingFile::RecordingFile(const std::string& path)
    : database_(make_room(path), Database::Mode::create) {
  database_.run(
      "PRAGMA page_size=16384; PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;"
      "PRAGMA temp_store=MEMORY; PRAGMA wal_autocheckpoint=512");
  database_.run(("PRAGMA application_id=" + std::to_string(application_id)).c_str());
  database_.run(("PRAGMA user_version=" + std::to_string(schema_version)).c_str());
  begin();
  database_.run(schema);
  commit();
  block_ = std::make_unique<Statement>(
      database_, "INSERT OR REPLACE INTO blocks VALUES(?,?,?,?,?,?,?,?)");
}

RecordingFile::~RecordingFile() = default;

void RecordingFile::begin() {
  transaction_ = std::make_unique<Transaction>(database_);
}

void RecordingFile::commit() {
  for (auto& [lane, tail] : tails_) {
    if (tail.dirty) write_tail(lane, tail);
  }
  write_counts();
  transaction_->commit();
  transaction_.reset();
}

void RecordingFile::write(const RecordingHeader& header) {
  Statement field(database_, "INSERT OR REPLACE INTO header VALUES(?,?)");
  visit_fields(
      header, [&](const char* key, const auto& value) { field.bind(key, value).execute(); });
  database_.run("DELETE FROM messages; DELETE FROM devices");
  Statement message(database_, "INSERT INTO messages(text) VALUES(?)");
  for (const std::string& text : header.messages)
    message.bind(text).execute();
  Statement device(
      database_,
      "INSERT INTO devices(name, model, driver, simulated, capability_major, capability_minor,"
      " limits) VALUES(?,?,?,?,?,?,?)");
  for (const DeviceInfo& info : header.devices) {
    nlohmann::json limits = nlohmann::json::object();
    visit_fields(info.limits, [&](const char* key, const auto& value) { limits[key] = value; });
    device
        .bind(
            info.name,
            info.model,
            info.driver,
            info.simulated,
            info.capability_major,
            info.capability_minor,
            limits.dump())
        .execute();
  }
}

void RecordingFile::add_function(std::uint32_t id, const FunctionRecord& function) {
  Statement row(database_, "INSERT INTO functions VALUES(?,?,?,?,?,?,?,?,?,?)");
  row.bind(
         id,
         function.name,
         function.origin.file,
         function.origin.function,
         function.origin.line,
         function.device,
         function.grad_seconds,
         function.rewrite_seconds,
         function.codegen_seconds,
         function.compile_seconds)
      .execute();
  add_nodes(id, function);
}

void RecordingFile::add_nodes(std::uint32_t id, const FunctionRecord& function) {
  Statement row(database_, "INSERT INTO nodes VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)");
  Statement read(database_, "INSERT INTO inputs VALUES(?,?,?,?,?,?,?)");
  Statement inner(database_, "INSERT INTO body_ops VALUES(?,?,?,?,?,?,?)");
  for (std::size_t i = 0; i < function.nodes.size(); ++i) {
    const NodeRecord& node = function.nodes[i];
    row.bind(
           id,
           i,
           node.name,
           node.op,
           node.op_class,
           node.label,
           static_cast<int>(node.side),
           node.origin.file,
           node.origin.function,
           node.origin.line,
           node.reason,
           node.parent,
           nlohmann::json(node.output_types).dump())
        .execute();
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      const InputRecord& input = node.inputs[k];
      read.bind(id, i, k, input.node, input.output, input.name, input.type).execute();
    }
    for (std::size_t k = 0; k < node.body.size(); ++k) {
      const BodyOpRecord& op = node.body[k];
      inner.bind(id, i, k, op.op, nlohmann::json(op.inputs).dump(), op.output, op.flops).execute();
    }
  }
}

void RecordingFile::add_plan(std::uint32_t id, std::uint32_t first_step, const PlanRecord& plan) {
  Statement(database_, "INSERT INTO plans VALUES(?,?,?)")
      .bind(id, plan.function, plan.dims)
      .execute();
  Statement row(database_, "INSERT INTO steps VALUES(?,?,?,?,?,?,?,?)");
  Statement part(database_, "INSERT INTO shares VALUES(?,?,?,?)");
  for (const StepRecord& step : plan.steps) {
    row.bind(
           first_step,
           id,
           step.name,
           static_cast<int>(step.side),
           step.flops,
           step.bytes,
           step.source,
           step.shapes)
        .execute();
    for (std::size_t k = 0; k < step.nodes.size(); ++k) {
      part.bind(first_step, k, step.nodes[k].node, step.nodes[k].share).execute();
    }
    ++first_step;
  }
  Statement buffer(database_, "INSERT INTO buffers VALUES(?,?,?,?,?,?,?,?,?)");
  for (std::size_t k = 0; k < plan.buffers.size(); ++k) {
    const BufferRecord& made = plan.buffers[k];
    buffer
        .bind(
            id,
            k,
            made.node,
            made.bytes,
            made.first_step,
            made.last_step,
            made.slot,
            std::string(1, made.kind),
            made.on_device)
        .execute();
  }
  Statement source(database_, "INSERT INTO sources VALUES(?,?,?)");
  for (std::size_t k = 0; k < plan.sources.size(); ++k)
    source.bind(id, k, plan.sources[k]).execute();
}

void RecordingFile::add_lane(std::uint32_t id, const LaneRecord& lane) {
  Statement(database_, "INSERT INTO lanes VALUES(?,?,?,?,?)")
      .bind(id, static_cast<int>(lane.kind), lane.device, lane.id, lane.name)
      .execute();
}

void RecordingFile::add_detail(std::uint32_t id, const DetailRecord& detail) {
  Statement(database_, "INSERT INTO details VALUES(?,?,?,?,?,?,?,?,?,?)")
      .bind(
          id,
          detail.name,
          detail.bytes,
          triple(detail.grid),
          triple(detail.block),
          detail.registers,
          detail.static_shared,
          detail.dynamic_shared,
          detail.source_memory,
          detail.target_memory)
      .execute();
}

void RecordingFile::add_pass(std::uint32_t id, const PassStory& pass) {
  Statement(database_, "INSERT INTO passes VALUES(?,?,?,?,?,?,?)")
      .bind(
          id,
          pass.function,
          pass.name,
          pass.seconds,
          pass.nodes_before,
          pass.nodes_after,
          pass.rewrite_count)
      .execute();
  Statement row(database_, "INSERT INTO rewrites VALUES(?,?,?,?,?,?,?,?,?,?,?,?)");
  for (std::size_t k = 0; k < pass.rewrites.size(); ++k) {
    const RewriteStory& rewrite = pass.rewrites[k];
    row.bind(
           id,
           k,
           rewrite.rule,
           rewrite.before,
           rewrite.after,
           rewrite.flops_before,
           rewrite.flops_after,
           rewrite.bytes_before,
           rewrite.bytes_after,
           rewrite.origin.file,
           rewrite.origin.function,
           rewrite.origin.line)
        .execute();
  }
}

void RecordingFile::add_events(std::span<const Event> events) {
  for (const Event& event : events) {
    Tail& tail = tails_[event.lane];
    if (tail.events.size() == events_per_block) {
      if (tail.dirty) write_tail(event.lane, tail);
      tail = Tail{};
    }
    tail.events.push_back(event);
    tail.last_call = std::max(tail.last_call, event.call);
    tail.dirty = true;
    if (!event.step) continue;
    if (event.step >= counts_.size()) counts_.resize(std::size_t{event.step} + 1);
    Count& count = counts_[event.step][static_cast<std::size_t>(event.kind)];
    const std::int64_t length = event.end - event.begin;
    ++count.count;
    count.total += length;
    count.least = std::min(count.least, length);
    count.most = std::max(count.most, length);
    count.dirty = true;
  }
}

void RecordingFile::write_tail(std::uint16_t lane, Tail& tail) {
  if (!tail.block) tail.block = next_block_++;
  KindTimes sums{};
  std::int64_t first = INT64_MAX, last = INT64_MIN;
  for (const Event& event : tail.events) {
    sums[static_cast<std::size_t>(event.kind)] += event.end - event.begin;
    first = std::min(first, event.begin);
    last = std::max(last, event.end);
  }
  block_
      ->bind(
          tail.block,
          lane,
          first,
          last,
          tail.last_call,
          tail.events.size(),
          std::as_bytes(std::span<const std::int64_t>(sums)),
          bytes_of(tail.events))
      .execute();
  tail.dirty = false;
}

void RecordingFile::write_counts() {
  Statement row(database_, "INSERT OR REPLACE INTO step_stats VALUES(?,?,?,?,?,?)");
  for (std::size_t step = 0; step < counts_.size(); ++step) {
    for (std::size_t kind = 0; kind < counts_[step].size(); ++kind) {
      Count& count = counts_[step][kind];
      if (!count.dirty) continue;
      row.bind(
             step,
             name(static_cast<EventKind>(kind)),
             count.count,
             count.total,
             count.least,
             count.most)
          .execute();
      count.dirty = false;
    }
  }
}

void RecordingFile::forget_calls_before(std::uint32_t call) {
  Statement(database_, "DELETE FROM blocks WHERE last_call > 0 AND last_call < ?")
      .bind(call)
      .execute();
  for (auto& [lane, tail] : tails_) {
    if (tail.block && tail.last_call && tail.last_call < call) tail = Tail{};
  }
}

void RecordingFile::close() {
  block_.reset();
  // With a reader attached the log can't go away now; the last connection to close takes it in.
  sqlite3_exec(database_.handle(), "PRAGMA journal_mode=DELETE", nullptr, nullptr, nullptr);
}

namespace {

void write_all(const RecordingData& data, RecordingFile& file) {
  file.begin();
  file.write(data.header);
  std::uint32_t id = 0;
  for (const FunctionRecord& function : data.functions)
    file.add_function(++id, function);
  std::uint32_t step = 1;
  id = 0;
  for (const PlanRecord& plan : data.plans) {
    file.add_plan(++id, step, plan);
    step += static_cast<std::uint32_t>(plan.steps.size());
  }
  id = 0;
  for (const LaneRecord& lane : data.lanes)
    file.add_lane(++id, lane);
  id = 0;
  for (const DetailRecord& detail : data.details)
    file.add_detail(++id, detail);
  id = 0;
  for (const PassStory& pass : data.passes)
    file.add_pass(++id, pass);
  file.add_events(data.events);
  file.commit();
  file.close();
}

}  // namespace

void write_recording(const RecordingData& data, const std::string& path) {
  require_own(path);
  require_writable(path);
  const std::string partial = path + ".partial";
  try {
    RecordingFile file(partial);
    write_all(data, file);
  } catch (const Error&) {
    std::error_code ignored;
    std::filesystem::remove(partial, ignored);
    throw;
  }
  std::error_code failed;
  for (const char* part : {"-wal", "-shm", "-journal"})
    std::filesystem::remove(path + part, failed);
  std::filesystem::rename(partial, path, failed);
  if (failed) {
    throw Error(
        Error::Kind::file,
        "can't rename \"" + partial + "\" to \"" + path + "\": " + failed.message(),
        "The recording is complete under the first name.");
  }
}

}  // namespace hypatia
