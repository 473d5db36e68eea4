// A .hyp file's rows back into plain data. What it reads may be damaged: ids must count up without
// holes, blobs must have the size they claim, or the file is refused with the table's name.

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "engine/core/error.h"

#include "profiler/record/database.h"
#include "profiler/record/header_fields.h"
#include "profiler/record/recording.h"
#include "profiler/record/schema.h"

namespace hypatia {

namespace {

using nlohmann::json;

class Reader {
 public:
  Reader(Database& database, RecordingData& data) : database_(database), data_(data) {}

  void read() {
    check_kind();
    const Transaction snapshot(database_);
    read_header();
    read_functions();
    read_nodes();
    read_bodies();
    read_plans();
    read_lanes();
    read_details();
    read_passes();
    read_events();
  }

 private:
  [[noreturn]] void damaged(const std::string& table) const {
    throw Error(
        Error::Kind::file,
        "the recording \"" + database_.path() + "\" is damaged in its table \"" + table + "\"",
        "Record again; a copy may have been cut or changed.");
  }

  void check_kind() {
    if (database_.number("PRAGMA application_id") != application_id) {
      throw Error(
          Error::Kind::file,
          "\"" + database_.path() + "\" is an SQLite file, but not a recording",
          "Recordings are .hyp files that a profiled run writes.");
    }
    const std::int64_t version = database_.number("PRAGMA user_version");
    if (version > schema_version) {
      throw Error(
          Error::Kind::file,
          "the recording \"" + database_.path() + "\" has format version " +
              std::to_string(version) + "; this program reads up to version " +
              std::to_string(schema_version),
          "Open it with a newer Hypatia.");
    }
    if (version < 1) damaged("header");
    data_.header.version = static_cast<int>(version);
    // A view in a table's place could run for ever.
    const char* tables =
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('header', 'messages',"
        " 'devices', 'functions', 'nodes', 'inputs', 'plans', 'steps', 'shares', 'buffers',"
        " 'sources', 'lanes', 'details', 'blocks')";
    if (database_.number(tables) != 14) damaged("sqlite_schema");
  }

  static void take(std::string& field, Statement& row, int column) { field = row.text(column); }

  static void take(double& field, Statement& row, int column) { field = row.real(column); }

  static void take(bool& field, Statement& row, int column) { field = row.integer(column) != 0; }

  template <typename Integer>
  static void take(
      Integer& field, Statement& row, int column) requires std::is_integral_v<Integer> {
    field = static_cast<Integer>(row.integer(column));
  }

  void read_header() {
    Statement row(database_, "SELECT key, value FROM header");
    while (row.next()) {
      visit_fields(data_.header, [&](const char* key, auto& field) {
        if (row.text(0) == key) take(field, row, 1);
      });
    }
    Statement message(database_, "SELECT text FROM messages ORDER BY id");
    while (message.next())
      data_.header.messages.emplace_back(message.text(0));
    Statement device(
        database_,
        "SELECT name, model, driver, simulated, capability_major, capability_minor, limits"
        " FROM devices ORDER BY id");
    while (device.next()) {
      DeviceInfo info;
      info.name = device.text(0);
      info.model = device.text(1);
      info.driver = device.text(2);
      take(info.simulated, device, 3);
      take(info.capability_major, device, 4);
      take(info.capability_minor, device, 5);
      const json limits = json::parse(device.text(6), nullptr, false);
      if (!limits.is_object()) damaged("devices");
      visit_fields(info.limits, [&](const char* key, auto& field) {
        const auto found = limits.find(key);
        if (found == limits.end() || !found->is_number()) return;
        using Field = std::remove_reference_t<decltype(field)>;
        // Through a clamped double, since a damaged number need not fit.
        const double value = std::clamp(found->get<double>(), -1e18, 1e18);
        field = static_cast<Field>(
            std::is_same_v<Field, std::int32_t> ? std::clamp(value, -2e9, 2e9) : value);
      });
      data_.header.devices.push_back(std::move(info));
    }
  }

  Origin origin(const Statement& row, int column) {
    return {
        data_.keep(row.text(column)),
        data_.keep(row.text(column + 1)),
        static_cast<std::uint32_t>(row.integer(column + 2))};
  }

  /// Ids are positions: anything else would make one row's events another's.
  void expect(const Statement& row, int column, std::size_t position, const char* table) const {
    if (row.integer(column) != static_cast<std::int64_t>(position)) damaged(table);
  }

  Side side(const Statement& row, int column, const char* table) const {
    const std::int64_t value = row.integer(column);
    if (value < 0 || value > 2) damaged(table);
    return static_cast<Side>(value);
  }

  void read_functions() {
    Statement row(database_, "SELECT * FROM functions ORDER BY id");
    while (row.next()) {
      expect(row, 0, data_.functions.size() + 1, "functions");
      FunctionRecord& function = data_.functions.emplace_back();
      function.name = row.text(1);
      function.origin = origin(row, 2);
      function.device = row.text(5);
      function.grad_seconds = row.real(6);
      function.rewrite_seconds = row.real(7);
      function.codegen_seconds = row.real(8);
      function.compile_seconds = row.real(9);
    }
  }

  FunctionRecord& function_at(const Statement& row, int column, const char* table) {
    const std::int64_t id = row.integer(column);
    if (id < 1 || id > static_cast<std::int64_t>(data_.functions.size())) damaged(table);
    return data_.functions[static_cast<std::size_t>(id - 1)];
  }

  void read_nodes() {
    Statement row(database_, "SELECT * FROM nodes ORDER BY function, node");
    while (row.next()) {
      FunctionRecord& owner = function_at(row, 0, "nodes");
      expect(row, 1, owner.nodes.size(), "nodes");
      NodeRecord& node = owner.nodes.emplace_back();
      node.name = row.text(2);
      node.op = row.text(3);
      node.op_class = row.text(4);
      node.label = row.text(5);
      node.side = side(row, 6, "nodes");
      node.origin = origin(row, 7);
      node.reason = row.text(10);
      node.parent = static_cast<std::int32_t>(row.integer(11));
      const json types = json::parse(row.text(12), nullptr, false);
      if (!types.is_array()) damaged("nodes");
      for (const json& type : types) {
        if (!type.is_string()) damaged("nodes");
        node.output_types.push_back(type);
      }
    }
    Statement read(database_, "SELECT * FROM inputs ORDER BY function, node, position");
    while (read.next()) {
      FunctionRecord& owner = function_at(read, 0, "inputs");
      const std::int64_t position = read.integer(1);
      if (position < 0 || position >= static_cast<std::int64_t>(owner.nodes.size())) {
        damaged("inputs");
      }
      owner.nodes[static_cast<std::size_t>(position)].inputs.push_back(
          {static_cast<std::int32_t>(read.integer(3)),
           static_cast<std::int32_t>(read.integer(4)),
           std::string(read.text(5)),
           std::string(read.text(6))});
    }
  }

  // Recordings from before fused nodes were told have no such table.
  void read_bodies() {
    const char* tables =
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'body_ops'";
    if (database_.number(tables) != 1) return;
    Statement row(database_, "SELECT * FROM body_ops ORDER BY function, node, position");
    while (row.next()) {
      FunctionRecord& owner = function_at(row, 0, "body_ops");
      const std::int64_t node = row.integer(1);
      if (node < 0 || node >= static_cast<std::int64_t>(owner.nodes.size())) damaged("body_ops");
      std::vector<BodyOpRecord>& body = owner.nodes[static_cast<std::size_t>(node)].body;
      expect(row, 2, body.size(), "body_ops");
      BodyOpRecord& op = body.emplace_back();
      op.op = row.text(3);
      const json inputs = json::parse(row.text(4), nullptr, false);
      if (!inputs.is_array()) damaged("body_ops");
      for (const json& input : inputs) {
        if (!input.is_number_integer()) damaged("body_ops");
        op.inputs.push_back(input);
      }
      take(op.output, row, 5);
      op.flops = row.real(6);
    }
  }

  PlanRecord& plan_at(const Statement& row, int column, const char* table) {
    const std::int64_t id = row.integer(column);
    if (id < 1 || id > static_cast<std::int64_t>(data_.plans.size())) damaged(table);
    return data_.plans[static_cast<std::size_t>(id - 1)];
  }

  void read_plans() {
    Statement row(database_, "SELECT id, function, dims FROM plans ORDER BY id");
    while (row.next()) {
      expect(row, 0, data_.plans.size() + 1, "plans");
      PlanRecord& plan = data_.plans.emplace_back();
      plan.function = static_cast<std::uint32_t>(row.integer(1));
      plan.dims = row.text(2);
    }
    read_steps();
    Statement buffer(database_, "SELECT * FROM buffers ORDER BY plan, position");
    while (buffer.next()) {
      const std::string_view kind = buffer.text(7);
      plan_at(buffer, 0, "buffers")
          .buffers.push_back(
              {static_cast<std::uint32_t>(buffer.integer(2)),
               buffer.integer(3),
               static_cast<std::int32_t>(buffer.integer(4)),
               static_cast<std::int32_t>(buffer.integer(5)),
               static_cast<std::int32_t>(buffer.integer(6)),
               kind.empty() ? 'c' : kind[0],
               buffer.integer(8) != 0});
    }
    Statement source(database_, "SELECT plan, text FROM sources ORDER BY plan, position");
    while (source.next())
      plan_at(source, 0, "sources").sources.emplace_back(source.text(1));
  }

  void read_steps() {
    std::vector<StepRecord*> steps;
    std::vector<std::vector<StepShare>> shares;
    Statement part(database_, "SELECT step, node, share FROM shares ORDER BY step, position");
    while (part.next()) {
      const std::int64_t step = part.integer(0);
      if (step < 1 || step > (1 << 24)) damaged("shares");
      if (static_cast<std::size_t>(step) >= shares.size()) {
        shares.resize(static_cast<std::size_t>(step) + 1);
      }
      shares[static_cast<std::size_t>(step)].push_back(
          {static_cast<std::uint32_t>(part.integer(1)), part.real(2)});
    }
    Statement row(database_, "SELECT * FROM steps ORDER BY id");
    std::size_t id = 0;
    std::int64_t last_plan = 0;
    while (row.next()) {
      expect(row, 0, ++id, "steps");
      if (row.integer(1) < last_plan) damaged("steps");
      last_plan = row.integer(1);
      StepRecord& step = plan_at(row, 1, "steps").steps.emplace_back();
      step.name = row.text(2);
      step.side = side(row, 3, "steps");
      step.flops = row.real(4);
      step.bytes = row.real(5);
      step.source = static_cast<std::int32_t>(row.integer(6));
      step.shapes = row.text(7);
      if (id < shares.size()) step.nodes = std::move(shares[id]);
    }
  }

  void read_lanes() {
    Statement row(database_, "SELECT * FROM lanes ORDER BY id");
    while (row.next()) {
      expect(row, 0, data_.lanes.size() + 1, "lanes");
      const std::int64_t kind = row.integer(1);
      if (kind < 0 || kind > static_cast<std::int64_t>(LaneRecord::Kind::overhead)) {
        damaged("lanes");
      }
      data_.lanes.push_back(
          {static_cast<LaneRecord::Kind>(kind),
           std::string(row.text(2)),
           static_cast<std::uint64_t>(row.integer(3)),
           std::string(row.text(4))});
    }
  }

  void triple(std::int32_t (&values)[3], std::string_view text) const {
    const json parsed = json::parse(text, nullptr, false);
    if (!parsed.is_array() || parsed.size() != 3) damaged("details");
    for (std::size_t i = 0; i < 3; ++i) {
      if (!parsed[i].is_number_integer()) damaged("details");
      values[i] = parsed[i].get<std::int32_t>();
    }
  }

  void read_details() {
    Statement row(database_, "SELECT * FROM details ORDER BY id");
    while (row.next()) {
      expect(row, 0, data_.details.size() + 1, "details");
      DetailRecord& detail = data_.details.emplace_back();
      detail.name = row.text(1);
      detail.bytes = row.integer(2);
      triple(detail.grid, row.text(3));
      triple(detail.block, row.text(4));
      take(detail.registers, row, 5);
      take(detail.static_shared, row, 6);
      take(detail.dynamic_shared, row, 7);
      take(detail.source_memory, row, 8);
      take(detail.target_memory, row, 9);
    }
  }

  // Recordings from before rewrites were told have neither table.
  void read_passes() {
    const char* tables =
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('passes', "
        "'rewrites')";
    if (database_.number(tables) != 2) return;
    Statement row(database_, "SELECT * FROM passes ORDER BY id");
    while (row.next()) {
      expect(row, 0, data_.passes.size() + 1, "passes");
      PassStory& pass = data_.passes.emplace_back();
      take(pass.function, row, 1);
      function_at(row, 1, "passes");
      pass.name = row.text(2);
      pass.seconds = row.real(3);
      take(pass.nodes_before, row, 4);
      take(pass.nodes_after, row, 5);
      take(pass.rewrite_count, row, 6);
    }
    Statement rule(database_, "SELECT * FROM rewrites ORDER BY pass, position");
    while (rule.next()) {
      const std::int64_t id = rule.integer(0);
      if (id < 1 || id > static_cast<std::int64_t>(data_.passes.size())) damaged("rewrites");
      data_.passes[static_cast<std::size_t>(id - 1)].rewrites.push_back(
          {std::string(rule.text(2)),
           std::string(rule.text(3)),
           std::string(rule.text(4)),
           rule.real(5),
           rule.real(6),
           rule.real(7),
           rule.real(8),
           origin(rule, 9)});
    }
  }

  void read_events() {
    const std::int64_t expected = database_.number("SELECT sum(count) FROM blocks");
    // A damaged count must not become a huge allocation.
    if (expected > 0 && expected < (std::int64_t{1} << 31)) {
      data_.events.reserve(static_cast<std::size_t>(std::min<std::int64_t>(expected, 1 << 24)));
    }
    Statement row(database_, "SELECT lane, count, events FROM blocks ORDER BY id");
    while (row.next()) {
      const std::span<const std::byte> bytes = row.blob(2);
      const std::size_t count = bytes.size() / sizeof(Event);
      if (bytes.size() % sizeof(Event) != 0 || count > events_per_block ||
          row.integer(1) != static_cast<std::int64_t>(count)) {
        damaged("blocks");
      }
      const std::size_t first = data_.events.size();
      data_.events.resize(first + count);
      if (count) std::memcpy(data_.events.data() + first, bytes.data(), bytes.size());
    }
  }

  Database& database_;
  RecordingData& data_;
};

}  // namespace

std::shared_ptr<const Recording> Recording::open(const std::string& path) {
  RecordingData data;
  {
    Database database(path, Database::Mode::read);
    Reader(database, data).read();
  }
  auto recording = std::make_shared<Recording>(std::move(data));
  recording->path_ = path;
  return recording;
}

}  // namespace hypatia
