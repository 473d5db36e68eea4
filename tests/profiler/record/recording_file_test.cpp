// The file: what is written comes back, other files are refused with a sentence, damage never
// crashes the reader.

#include "profiler/record/recording_file.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <sstream>

#include "engine/core/error.h"

#include "profiler/record/header_fields.h"
#include "profiler/record/synthetic.h"
#include "tests/profiler/record/scratch.h"

namespace hypatia {
namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<long>(bytes.size()));
}

std::string why_not(const std::string& path) {
  try {
    Recording::open(path);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::file);
    return error.what();
  }
  return "";
}

TEST(RecordingFile, EverythingComesBack) {
  const Scratch scratch;
  RecordingData data = synthetic_logistic({.calls = 400});
  data.header.messages = {"one", "two"};
  data.header.dropped = 3;
  data.passes = {
      {2,
       "canonicalize",
       0.25,
       12,
       9,
       2,
       {{"one", "exp(log(x))", "x", 8, 0, 64, 0, {"a.cpp", "f", 7}}}}};
  data.functions[0].nodes[3].body = {{"neg", {0}, -1, 1}, {"exp", {1}, 0, 8}};
  const Recording before(data);
  write_recording(data, scratch.file("a.hyp"));
  const auto after = Recording::open(scratch.file("a.hyp"));

  std::vector<std::string> fields;
  visit_fields(before.header(), [&](const char*, const auto& value) {
    std::ostringstream text;
    text << value;
    fields.push_back(text.str());
  });
  std::size_t field = 0;
  visit_fields(after->header(), [&](const char* key, const auto& value) {
    std::ostringstream text;
    text << value;
    EXPECT_EQ(text.str(), fields[field++]) << key;
  });
  EXPECT_EQ(after->header().messages, before.header().messages);
  ASSERT_EQ(after->header().devices.size(), 2u);
  EXPECT_EQ(after->header().devices[1].limits.multiprocessors, 132);
  ASSERT_EQ(after->functions().size(), 2u);
  const NodeRecord& node = after->functions()[0].nodes[3];
  EXPECT_EQ(node.name, "GpuElemwise{neg,no_inplace}");
  EXPECT_EQ(node.inputs[0].node, 2);
  ASSERT_EQ(node.body.size(), 2u);
  EXPECT_EQ(node.body[1].op, "exp");
  EXPECT_EQ(node.body[1].inputs, std::vector<std::int32_t>{1});
  EXPECT_EQ(node.body[1].output, 0);
  EXPECT_EQ(node.body[1].flops, 8);
  EXPECT_STREQ(node.origin.file, "exercises/03_logistic_regression/exercise.cpp");
  EXPECT_EQ(node.origin.line, 31u);
  ASSERT_EQ(after->passes().size(), 1u);
  const PassStory& pass = after->passes()[0];
  EXPECT_EQ(pass.function, 2u);
  EXPECT_EQ(pass.name, "canonicalize");
  EXPECT_EQ(pass.seconds, 0.25);
  EXPECT_EQ(pass.nodes_after, 9);
  EXPECT_EQ(pass.rewrite_count, 2);
  ASSERT_EQ(pass.rewrites.size(), 1u);
  EXPECT_EQ(pass.rewrites[0].before, "exp(log(x))");
  EXPECT_EQ(pass.rewrites[0].bytes_before, 64);
  EXPECT_EQ(pass.rewrites[0].origin.line, 7u);
  ASSERT_EQ(after->plans()[0].buffers.size(), before.plans()[0].buffers.size());
  EXPECT_EQ(after->plans()[0].sources, before.plans()[0].sources);
  EXPECT_EQ(after->steps()[3].record->nodes.size(), 4u);
  ASSERT_EQ(after->details().size(), before.details().size());
  EXPECT_EQ(after->details()[2], before.details()[2]);
  ASSERT_EQ(after->tracks().size(), before.tracks().size());
  for (std::size_t i = 0; i < after->tracks().size(); ++i) {
    const auto a = after->tracks()[i].events(), b = before.tracks()[i].events();
    ASSERT_EQ(a.size(), b.size());
    EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size_bytes()), 0);
  }
}

TEST(RecordingFile, IsOneFileThatPlainSqliteReads) {
  const Scratch scratch;
  write_recording(synthetic_exp({.calls = 50}), scratch.file("a.hyp"));
  EXPECT_FALSE(std::filesystem::exists(scratch.file("a.hyp-wal")));
  EXPECT_FALSE(std::filesystem::exists(scratch.file("a.hyp.partial")));
  Database database(scratch.file("a.hyp"), Database::Mode::read);
  EXPECT_EQ(
      database.number("SELECT count FROM node_stats WHERE name LIKE 'GpuElemwise%' AND "
                      "kind = 'kernel'"),
      50);
  EXPECT_GT(
      database.number("SELECT nanoseconds FROM node_stats WHERE kind = 'copy_out'"), 50 * 10'000);
}

TEST(RecordingFile, RefusesWhatIsNotARecording) {
  const Scratch scratch;
  EXPECT_NE(why_not(scratch.file("absent.hyp")).find("can't open"), std::string::npos);
  write_bytes(scratch.file("empty.hyp"), "");
  EXPECT_NE(why_not(scratch.file("empty.hyp")).find("is not a recording"), std::string::npos);
  write_bytes(scratch.file("text.hyp"), "hello, I am a text that is longer than sixteen bytes");
  EXPECT_NE(why_not(scratch.file("text.hyp")).find("is not a recording"), std::string::npos);
  {
    Database other(scratch.file("other.hyp"), Database::Mode::create);
    other.run("CREATE TABLE t(x)");
  }
  EXPECT_NE(why_not(scratch.file("other.hyp")).find("but not a recording"), std::string::npos);
}

TEST(RecordingFile, RefusesNewerVersionsByNumber) {
  const Scratch scratch;
  write_recording(synthetic_exp({.calls = 5}), scratch.file("a.hyp"));
  Database(scratch.file("a.hyp"), Database::Mode::create).run("PRAGMA user_version=7");
  EXPECT_NE(why_not(scratch.file("a.hyp")).find("format version 7"), std::string::npos);
}

TEST(RecordingFile, RefusesAViewInATablesPlace) {
  const Scratch scratch;
  write_recording(synthetic_exp({.calls = 5}), scratch.file("a.hyp"));
  Database(scratch.file("a.hyp"), Database::Mode::create)
      .run(
          "DROP TABLE messages; CREATE VIEW messages AS WITH RECURSIVE n(id, text) AS "
          "(SELECT 1, '' UNION ALL SELECT id + 1, '' FROM n) SELECT * FROM n");
  EXPECT_NE(why_not(scratch.file("a.hyp")).find("damaged"), std::string::npos);
}

TEST(RecordingFile, ReplacesOlderRecordingsAndNothingElse) {
  const Scratch scratch;
  write_recording(synthetic_exp({.calls = 5}), scratch.file("a.hyp"));
  write_recording(synthetic_exp({.calls = 7}), scratch.file("a.hyp"));
  EXPECT_EQ(Recording::open(scratch.file("a.hyp"))->calls().size(), 7u);
  write_bytes(scratch.file("thesis.txt"), "three years of work that nobody may overwrite");
  EXPECT_THROW(write_recording(synthetic_exp(), scratch.file("thesis.txt")), Error);
  EXPECT_EQ(bytes_of(scratch.file("thesis.txt")).substr(0, 11), "three years");
}

/// 200 mutations a run, or as many as HYPATIA_MUTATIONS says.
TEST(RecordingFile, MutatedFilesNeverCrashTheReader) {
  const Scratch scratch;
  write_recording(synthetic_logistic({.calls = 20}), scratch.file("a.hyp"));
  const std::string good = bytes_of(scratch.file("a.hyp"));
  const char* wanted = std::getenv("HYPATIA_MUTATIONS");
  const int count = wanted ? std::atoi(wanted) : 200;
  std::mt19937_64 random(7);
  const auto below = [&](std::size_t limit) { return random() % limit; };
  int refused = 0;
  for (int i = 0; i < count; ++i) {
    std::string bad = good;
    if (i % 5 == 0) bad.resize(below(bad.size()));
    // Damage gathers in the first pages, where the structure is.
    const std::size_t reach = i % 2 ? bad.size() : std::min<std::size_t>(bad.size(), 1 << 16);
    for (std::size_t k = 0; k < 1 + below(30) && reach; ++k) {
      bad[below(reach)] = static_cast<char>(random());
    }
    write_bytes(scratch.file("bad.hyp"), bad);
    refused += !why_not(scratch.file("bad.hyp")).empty();
  }
  EXPECT_GT(refused, count / 10);
}

}  // namespace
}  // namespace hypatia
