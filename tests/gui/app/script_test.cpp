// Scripts: what docs/gui.md names is there, and what is not there is answered with what is.

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <regex>
#include <set>

#include "gui/views/views.h"
#include "tests/checkout.h"
#include "tests/gui/host.h"

namespace hypatia::gui {

namespace {

/// The names of drawn things in docs/gui.md: `tab/timeline`.
std::set<std::string> names_in_docs() {
  std::ifstream file(tests::checkout() + "/docs/gui.md");
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  static const std::regex name("`((tab|group|node|choice|bar|lane|card|top|left|menu)/[^` ]+)`");
  std::set<std::string> names;
  for (std::sregex_iterator at(page.begin(), page.end(), name), end; at != end; ++at)
    names.insert((*at)[1]);
  return names;
}

}  // namespace

TEST(Script, NamesOfTheDocsAreThere) {
  const std::set<std::string> names = names_in_docs();
  EXPECT_GE(names.size(), 4U);
  Host host({"logistic-cuda"});
  std::set<std::string> found;
  for (const View& view : views()) {
    host.view(view.name);
    for (const std::string& name : names)
      if (host.state.probe.find(name)) found.insert(name);
  }
  EXPECT_EQ(found, names);
}

TEST(Script, ATabOfAnotherGroupIsReachedByItsGroup) {
  Host host({"logistic-cuda"});
  host.view("bars");
  try {
    run_script(host.headless, "click tab/timeline");
    ADD_FAILURE() << "the tabs of Time are not drawn";
  } catch (const Error& error) {
    EXPECT_NE(error.help().find("tab/bars"), std::string::npos) << error.help();
    EXPECT_NE(error.help().find("group/"), std::string::npos) << error.help();
  }
  run_script(host.headless, "click group/Time\nclick tab/timeline");
  EXPECT_EQ(host.state.settings.view, "timeline");
  try {
    run_script(host.headless, "click nothing");
    ADD_FAILURE() << "there is no such thing";
  } catch (const Error& error) {
    EXPECT_NE(error.help().find("tab/…"), std::string::npos) << error.help();
  }
}

}  // namespace hypatia::gui
