#include "engine/device/sim/sim.h"

#include <cctype>
#include <cstdlib>

#include "engine/core/config.h"
#include "engine/device/sim/device.h"

namespace hypatia {

namespace {

/// The number behind "sim", "" if there is none; `spec` goes on behind it.
std::string take_number(std::string_view& spec) {
  std::string number;
  while (!spec.empty() && std::isdigit(static_cast<unsigned char>(spec.front())) != 0) {
    number += spec.front();
    spec.remove_prefix(1);
  }
  return number;
}

/// What to look at if sim.checked asks for the checker.
std::optional<sim::Checking> wanted_checking() {
  if (!config().boolean("sim.checked")) return std::nullopt;
  const std::string_view order = config().choice("sim.order");
  const std::int64_t launches = config().integer("sim.checked_launches");
  return sim::Checking{
      order == "descending" ? sim::Order::descending
      : order == "random"   ? sim::Order::random
                            : sim::Order::ascending,
      launches > 0 ? static_cast<std::uint64_t>(launches) : 0};
}

}  // namespace

Opened open_sim(std::string_view spec, Place place) {
  std::string_view rest = spec.substr(std::string_view("sim").size());
  std::string number = take_number(rest);
  if (number.empty()) number = std::to_string(place.on_host() ? 0 : place.context);
  if (!rest.empty() && rest.front() != ':') {
    return {nullptr, "there is no device '" + std::string(spec) + "': write sim, sim1 or sim:CARD"};
  }
  if (!rest.empty()) rest.remove_prefix(1);
  const char* file = std::getenv("HYPATIA_SIM_SHEET");
  if (rest.empty() && file && *file) rest = file;
  try {
    return {
        std::make_unique<sim::SimDevice>(
            sim::find_sheet(rest), "sim" + number, place, wanted_checking()),
        ""};
  } catch (const Error& error) {
    return {nullptr, error.summary() + "; " + error.help()};
  }
}

}  // namespace hypatia
