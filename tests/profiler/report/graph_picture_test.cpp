// Pictures and pages are well formed, hold every node, and hold nothing that a name could inject.

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <set>

#include "profiler/profiler.h"
#include "profiler/record/recording_file.h"
#include "profiler/record/synthetic.h"
#include "profiler/report/graph_layout.h"
#include "tests/profiler/record/scratch.h"

namespace hypatia {
namespace {

/// Checks that elements of an XML text open and close in order; returns the first offence.
std::string markup_problem(const std::string& text) {
  std::vector<std::string> open;
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    const std::size_t end = text.find('>', at);
    if (end == std::string::npos) return "an element does not end";
    const std::string tag = text.substr(at + 1, end - at - 1);
    if (tag[0] == '!' || tag.rfind("meta", 0) == 0 || tag == "br" || tag.back() == '/') continue;
    const std::string name = tag.substr(0, tag.find_first_of(" \n"));
    if (name[0] != '/') {
      open.push_back(name);
    } else if (open.empty() || open.back() != name.substr(1)) {
      return "unexpected </" + name.substr(1) + ">";
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : open.back() + " is not closed";
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++found;
  }
  return found;
}

TEST(Layout, PutsEveryNodeBelowWhatItReads) {
  const RecordingData data = synthetic_logistic();
  const FunctionRecord& function = data.functions[0];
  const GraphLayout layout = lay_out(function);
  std::set<std::pair<int, int>> places;
  for (std::size_t i = 0; i < function.nodes.size(); ++i) {
    EXPECT_TRUE(places.insert({layout.nodes[i].layer, layout.nodes[i].position}).second);
    for (const InputRecord& input : function.nodes[i].inputs) {
      if (input.node < 0) continue;
      EXPECT_GT(layout.nodes[i].layer, layout.nodes[static_cast<std::size_t>(input.node)].layer);
    }
  }
  EXPECT_EQ(lay_out(FunctionRecord{}).layers, 0);
}

TEST(Layout, PutsWhatReadsLeavesNextToItsFirstReader) {
  // A chain of four, and a view of an input that its last but one node reads.
  FunctionRecord function;
  function.nodes.resize(5);
  for (const std::size_t i : {2u, 3u, 4u})
    function.nodes[i].inputs.push_back({static_cast<std::int32_t>(i == 2 ? 0 : i - 1), 0, "", ""});
  function.nodes[3].inputs.push_back({1, 0, "", ""});
  const GraphLayout layout = lay_out(function);
  EXPECT_EQ(layout.nodes[0].layer, 0);
  EXPECT_EQ(layout.nodes[1].layer, 1);
  EXPECT_EQ(layout.nodes[3].layer, 2);
  EXPECT_EQ(layout.layers, 4);
}

TEST(Layout, UncrossesWhatCanBeUncrossed) {
  // Two chains whose second nodes come in the other order.
  FunctionRecord function;
  function.nodes.resize(4);
  function.nodes[2].inputs.push_back({1, 0, "", ""});
  function.nodes[3].inputs.push_back({0, 0, "", ""});
  const GraphLayout layout = lay_out(function);
  const bool left = layout.nodes[0].position < layout.nodes[1].position;
  EXPECT_EQ(layout.nodes[3].position < layout.nodes[2].position, left);
}

TEST(Svg, HoldsEveryNodeAndRedTransfers) {
  const Recording recording(synthetic_logistic());
  const std::string svg = svg_graph(recording, account_for(recording), 1);
  EXPECT_EQ(markup_problem(svg), "");
  EXPECT_EQ(count(svg, "<rect "), 11u);
  EXPECT_GT(count(svg, "stroke=\"#cc2828\""), 0u);
  EXPECT_EQ(markup_problem(svg_graph(recording, account_for(recording), 99)), "");
}

TEST(Dot, HoldsEveryNodeAndEdge) {
  RecordingData data = synthetic_logistic();
  data.functions[0].nodes[2].name = "with \"quotes\" and \\";
  const Recording recording(std::move(data));
  const std::string dot = dot_graph(recording, account_for(recording), 1);
  EXPECT_EQ(count(dot, "[label="), 11u);
  EXPECT_EQ(count(dot, " -> "), 12u);
  EXPECT_GT(count(dot, "[color=red]"), 0u);
  EXPECT_NE(dot.find("with \\\"quotes\\\" and \\\\"), std::string::npos);
}

TEST(Html, IsOneWellFormedPage) {
  RecordingData data = synthetic_logistic();
  data.functions[0].nodes[2].name = "<script>alert(1)</script>";
  data.header.dropped = 3;
  const std::string page = html_report(Recording(std::move(data)));
  EXPECT_EQ(markup_problem(page), "");
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_NE(page.find("3 records were lost"), std::string::npos);
  EXPECT_EQ(page.find("http"), page.find("http://www.w3.org/2000/svg"));
}

TEST(Html, BeginsWithWhatTookLongest) {
  RecordingData data = synthetic_logistic();
  std::swap(data.functions[0].name, data.functions[1].name);
  const auto longest_first = [](const RecordingData& shown) {
    const Recording recording(shown);
    const Account account = account_for(recording);
    const bool first = account.functions[0].call_time > account.functions[1].call_time;
    const std::string page = html_report(recording);
    const auto at = [&](std::size_t f) {
      return page.find("<h2>" + recording.functions()[f].name + "</h2>");
    };
    return (at(0) < at(1)) == first;
  };
  EXPECT_TRUE(longest_first(data));
  // The same with the functions the other way round.
  std::swap(data.functions[0], data.functions[1]);
  for (PlanRecord& plan : data.plans)
    plan.function = 3 - plan.function;
  for (Event& event : data.events)
    if (event.kind == EventKind::call) event.detail = 3 - event.detail;
  EXPECT_TRUE(longest_first(data));
}

TEST(PublicInterface, RecordsAnnotatesAndReports) {
  const Scratch scratch;
  write_recording(synthetic_exp(), scratch.file("a.hyp"));
  EXPECT_NE(profile_text(scratch.file("a.hyp")).find("Function profiling"), std::string::npos);
}

}  // namespace
}  // namespace hypatia
