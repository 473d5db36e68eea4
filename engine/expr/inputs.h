#pragma once
// The constructors of free variables: scalar to tensor4, row and col, with the prefixed forms.

#include <string>
#include <vector>

#include "engine/expr/leaves.h"

namespace hypatia {

// Each makes a free variable of floatX (as configured now) or of the dtype given. Names are
// optional and need not be unique.
Variable scalar(const std::string& name = "", DTypeChoice dtype = {}, Origin at = Origin::here());
Variable vector(const std::string& name = "", DTypeChoice dtype = {}, Origin at = Origin::here());
Variable matrix(const std::string& name = "", DTypeChoice dtype = {}, Origin at = Origin::here());
/// A matrix whose first axis is broadcastable.
Variable row(const std::string& name = "", DTypeChoice dtype = {}, Origin at = Origin::here());
/// A matrix whose second axis is broadcastable.
Variable col(const std::string& name = "", DTypeChoice dtype = {}, Origin at = Origin::here());
Variable tensor3(const std::string& name = "", DTypeChoice dtype = {}, Origin at = Origin::here());
Variable tensor4(const std::string& name = "", DTypeChoice dtype = {}, Origin at = Origin::here());
/// Any pattern: true promises size 1 and broadcasts.
Variable tensor(
    DTypeChoice dtype,
    const std::vector<bool>& broadcastable,
    const std::string& name = "",
    Origin at = Origin::here());

}  // namespace hypatia
