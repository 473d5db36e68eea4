#pragma once

// Gives the ops of linear algebra the LAPACK of the host.

namespace hypatia {

/// Called before the first function is made.
void use_host_algebra();

}  // namespace hypatia
