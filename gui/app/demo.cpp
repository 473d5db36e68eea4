// The profiler's synthetic recordings by name.

#include "gui/app/demo.h"

#include <algorithm>

#include "gui/app/base.h"
#include "profiler/record/synthetic.h"

namespace hypatia::gui {

namespace {

RecordingData make(const std::string& name) {
  SyntheticOptions options;
  options.device = name.ends_with("-cpu") ? "cpu" : "cuda0";
  if (name.starts_with("exp")) return synthetic_exp(options);
  if (name == "large") return synthetic_large(1'000'000);
  if (name.ends_with("-solution")) {
    options.role = "solution";
    options.speed = 1.6;
  } else {
    options.fused = !name.ends_with("-unfused");
  }
  return synthetic_logistic(options);
}

}  // namespace

const std::vector<std::string>& demo_names() {
  static const std::vector<std::string> names = {
      "exp-cpu",
      "exp-cuda",
      "logistic-cpu",
      "logistic-cuda",
      "logistic-unfused",
      "logistic-solution",
      "large"};
  return names;
}

std::shared_ptr<const Profile> make_demo(const std::string& name) {
  const auto& names = demo_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    std::string all;
    for (const std::string& known : names)
      all += (all.empty() ? "" : ", ") + known;
    throw Error(Error::Kind::value, "there is no demo '" + name + "'", "choose one of " + all);
  }
  return make_profile(std::make_shared<const Recording>(make(name)));
}

}  // namespace hypatia::gui
