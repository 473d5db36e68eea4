#pragma once
// Shapes of expressions that scan_push looks for, and what it makes of them.

#include "engine/expr/op.h"

namespace hypatia {

/// The loop with single constants that it is given in its body, where sizes may follow from them;
/// itself if it is given none.
Ref<const Apply> with_constants_inside(const Apply& loop);

bool is_product(const Apply& node);
/// Work that no loop over elements takes in.
bool is_heavy(const Apply& node);
/// True if v is a number of rows, or made of some; `of` gets what they are rows of.
bool counts_rows(const Variable& v, Vars* of);
/// What a slice is a part of.
const Variable& whole_of(const Variable& v);
/// a and b of column(a) * row(b); nothing of other expressions.
Vars vectors_of_outer(const Variable& v);
/// The sum over the steps of dot(a, b), from all steps' a and b: of the ranks 2 and 3, or 3 and 2,
/// or both 3.
Variable summed_dots(const Variable& a, const Variable& b);

}  // namespace hypatia
