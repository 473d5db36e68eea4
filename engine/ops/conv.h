#pragma once
// Convolution of images, and its two transposes.

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/expr/op.h"
#include "engine/expr/operand.h"

namespace hypatia {

/// How far filters reach over the border, and how far they move.
struct ConvOptions {
  /// "valid": not at all; "full": wherever they touch; "half": by half of them, so that odd filters
  /// keep sizes.
  std::string border_mode = "valid";
  int row_stride = 1, column_stride = 1;
};

/// Images (batch, channels, rows, columns) with filters (outputs, channels, rows, columns), which
/// are turned by half a circle as convolution has it: (batch, outputs, …). Floats only.
Variable conv2d(
    Operand images, Operand filters, const ConvOptions& options = {}, Origin at = Origin::here());

/// By how many elements filters of that size reach over each end of an axis.
std::int64_t padding(std::string_view border_mode, std::int64_t filter);

struct ConvAttrs {
  std::string border_mode;
  int row_stride = 1, column_stride = 1;

  auto fields() const { return std::tie(border_mode, row_stride, column_stride); }
};

/// The images' and the filters' gradients: (filters, outputs, rows, columns) and (images, outputs,
/// rows, columns), the last two being the sizes of the result.
extern const Op conv2d_op, conv2d_images_op, conv2d_filters_op;

}  // namespace hypatia
