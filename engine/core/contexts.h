#pragma once
// The names of places: the default device is "None", others have the names that the flag
// `contexts` gives them.

#include <string>

#include "engine/core/type.h"

namespace hypatia {

/// "None" for the default device, "dev1" for a context of that name, "cpu" for the host.
std::string context_name(Place place);

/// The device of a place that is not the host: "cuda0"; "cpu" if the default device is the host.
std::string device_of(Place place);

/// How many contexts there are beside the default one.
int named_contexts();

}  // namespace hypatia
