#pragma once

// The tables of a .hyp file; docs/reference/recording.md explains them column by column.

namespace hypatia {

inline constexpr int schema_version = 1;
inline constexpr int application_id = 0x48595041;  // "HYPA"
inline constexpr int events_per_block = 4096;

inline constexpr const char* schema = R"sql(
CREATE TABLE header(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE messages(id INTEGER PRIMARY KEY, text TEXT);
CREATE TABLE devices(id INTEGER PRIMARY KEY, name TEXT, model TEXT, driver TEXT,
  simulated INTEGER, capability_major INTEGER, capability_minor INTEGER, limits TEXT);
CREATE TABLE functions(id INTEGER PRIMARY KEY, name TEXT, file TEXT, function TEXT, line INTEGER,
  device TEXT, grad_seconds REAL, rewrite_seconds REAL, codegen_seconds REAL,
  compile_seconds REAL);
CREATE TABLE nodes(function INTEGER, node INTEGER, name TEXT, op TEXT, op_class TEXT, label TEXT,
  side INTEGER, file TEXT, in_function TEXT, line INTEGER, reason TEXT, parent INTEGER,
  output_types TEXT, PRIMARY KEY(function, node)) WITHOUT ROWID;
CREATE TABLE inputs(function INTEGER, node INTEGER, position INTEGER, source INTEGER,
  output INTEGER, name TEXT, type TEXT, PRIMARY KEY(function, node, position)) WITHOUT ROWID;
CREATE TABLE body_ops(function INTEGER, node INTEGER, position INTEGER, op TEXT, inputs TEXT,
  output INTEGER, flops REAL, PRIMARY KEY(function, node, position)) WITHOUT ROWID;
CREATE TABLE plans(id INTEGER PRIMARY KEY, function INTEGER, dims TEXT);
CREATE TABLE steps(id INTEGER PRIMARY KEY, plan INTEGER, name TEXT, side INTEGER, flops REAL,
  bytes REAL, source INTEGER, shapes TEXT);
CREATE TABLE shares(step INTEGER, position INTEGER, node INTEGER, share REAL,
  PRIMARY KEY(step, position)) WITHOUT ROWID;
CREATE TABLE buffers(plan INTEGER, position INTEGER, node INTEGER, bytes INTEGER,
  first_step INTEGER, last_step INTEGER, slot INTEGER, kind TEXT, on_device INTEGER,
  PRIMARY KEY(plan, position)) WITHOUT ROWID;
CREATE TABLE sources(plan INTEGER, position INTEGER, text TEXT, PRIMARY KEY(plan, position));
CREATE TABLE lanes(id INTEGER PRIMARY KEY, kind INTEGER, device TEXT, number INTEGER, name TEXT);
CREATE TABLE details(id INTEGER PRIMARY KEY, name TEXT, bytes INTEGER, grid TEXT, block TEXT,
  registers INTEGER, static_shared INTEGER, dynamic_shared INTEGER, source_memory INTEGER,
  target_memory INTEGER);
CREATE TABLE passes(id INTEGER PRIMARY KEY, function INTEGER, name TEXT, seconds REAL,
  nodes_before INTEGER, nodes_after INTEGER, rewrite_count INTEGER);
CREATE TABLE rewrites(pass INTEGER, position INTEGER, rule TEXT, before TEXT, after TEXT,
  flops_before REAL, flops_after REAL, bytes_before REAL, bytes_after REAL, file TEXT,
  in_function TEXT, line INTEGER, PRIMARY KEY(pass, position)) WITHOUT ROWID;
CREATE TABLE blocks(id INTEGER PRIMARY KEY, lane INTEGER, first_time INTEGER, last_time INTEGER,
  last_call INTEGER, count INTEGER, sums BLOB, events BLOB);
CREATE TABLE step_stats(step INTEGER, kind TEXT, count INTEGER, total INTEGER, least INTEGER,
  most INTEGER, PRIMARY KEY(step, kind)) WITHOUT ROWID;
CREATE VIEW node_stats AS
  SELECT plans.function, shares.node, nodes.name, step_stats.kind,
    sum(step_stats.count) AS count, sum(step_stats.total * shares.share) AS nanoseconds
  FROM step_stats JOIN steps ON steps.id = step_stats.step JOIN plans ON plans.id = steps.plan
    JOIN shares ON shares.step = steps.id
    JOIN nodes ON nodes.function = plans.function AND nodes.node = shares.node
  GROUP BY plans.function, shares.node, step_stats.kind;
)sql";

}  // namespace hypatia
