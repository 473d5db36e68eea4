// Functions whose convolutions cuDNN runs, from the expression to the captured call, on a mock of a
// GPU: it has nobody to run kernels, so that these functions have none.
#include <cstdio>
#include <cstdlib>
#include <hypatia/hypatia.h>

#include "engine/core/config.h"
#include "engine/ops/conv.h"

#include "tests/engine/device/cuda/with_mock_gpu.h"

namespace hypatia {
namespace {

/// Each test ends a process of its own, whose default device is the mock.
class LibraryConvolutionDeathTest : public testing::Test {
 protected:
  void SetUp() override {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    if (const std::string reason = why_not(); !reason.empty()) GTEST_SKIP() << reason;
  }

  /// The mock, and NVIDIA's own folders after it, for NVRTC.
  static std::string folders() {
    std::string all = tests::mock_gpu_folder();
    for (const std::string& folder : cuda_library_folders())
      all += ":" + folder;
    return all;
  }

  static std::string why_not() {
    const WithVariable libraries("HYPATIA_CUDA_LIBRARIES", folders().c_str());
    return open_cuda("cuda", Place{0}).reason;
  }

  /// Runs `body` with cuDNN enabled as told, and ends the process: 0, or 3 after an Error.
  template <class Body>
  [[noreturn]] static void run(const char* enabled, Body body) {
    setenv("HYPATIA_CUDA_LIBRARIES", folders().c_str(), 1);
    int code = 0;
    try {
      config().reset();
      config().set("device", "cuda");
      config().set("force_device", true);
      config().set("dnn.enabled", enabled);
      body();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      code = 3;
    }
    if (mock_state().broken) std::fprintf(stderr, "broken: %s\n", mock_state().broken);
    std::fflush(stderr);
    std::_Exit(code);
  }
};

Shared four_axes(const Array& value, const char* name) {
  return shared(value, name, {.broadcastable = std::vector<bool>(4, false)});
}

Array by_reference(const Op& op, const ConvAttrs& attrs, const std::vector<Array>& in) {
  Vars constants;
  for (const Array& a : in)
    constants.push_back(constant(a));
  const Types types = apply(op, constants, attrs).node().types();
  return op.eval(EvalCall{op, attrs, in, types})[0];
}

/// The op's value on the mock, called so often that it is captured and replayed, and by its
/// reference evaluation. Small integers: sums are exact in any order.
void compare(const Op& op, const ConvAttrs& attrs, const std::vector<Array>& in) {
  Vars inputs;
  for (const Array& a : in)
    inputs.push_back(a.rank() == 4 ? Variable(four_axes(a, "a")) : constant(a));
  const Variable value = apply(op, inputs, attrs);
  const Array wanted = by_reference(op, attrs, in);
  const Function f = function({}, {value});
  for (int call = 0; call < 8; ++call) {
    const Array result = asarray(f()[0]);
    if (same_elements(result, wanted)) continue;
    std::fprintf(
        stderr,
        "call %d of %s: %s is not %s\n",
        call,
        std::string(op.name).c_str(),
        to_text(result).c_str(),
        to_text(wanted).c_str());
    std::_Exit(4);
  }
}

void compare_all(DType dtype) {
  RandomState random(7);
  const auto drawn = [&](const Dims& dims) { return random.randint(-4, 5, dims).astype(dtype); };
  for (const char* mode : {"valid", "full", "half"}) {
    for (const auto& [row_stride, column_stride] : {std::pair(1, 1), {2, 3}, {3, 1}}) {
      const ConvAttrs attrs{mode, row_stride, column_stride};
      const Array x = drawn({2, 3, 7, 8}), f = drawn({4, 3, 2, 3});
      const Dims results = apply(conv2d_op, {constant(x), constant(f)}, attrs).type().dims();
      const Array y = drawn(results);
      compare(conv2d_op, attrs, {x, f});
      compare(conv2d_images_op, attrs, {f, y, Array(7), Array(8)});
      compare(conv2d_filters_op, attrs, {x, y, Array(2), Array(3)});
    }
  }
  const MockGpu& state = mock_state();
  std::fprintf(
      stderr,
      "%d functions, %d handles, captures %s, replays %s\n",
      27,
      state.handles,
      state.captured == 27 ? "each" : std::to_string(state.captured).c_str(),
      state.graphs > 27 ? "several" : std::to_string(state.graphs).c_str());
}

TEST_F(LibraryConvolutionDeathTest, GivesWhatTheReferenceGives) {
  for (const DType dtype : {DType::float32, DType::float64}) {
    EXPECT_EXIT(
        run("True", [&] { compare_all(dtype); }),
        testing::ExitedWithCode(0),
        "Using cuDNN version 91900 on context None, for all convolutions(.|\n)*"
        "27 functions, 1 handles, captures each, replays several\n$");
  }
}

TEST_F(LibraryConvolutionDeathTest, RunsInBatchesOfCalls) {
  const auto body = [] {
    RandomState random(8);
    const auto drawn = [&](const Dims& dims) {
      return random.randint(-2, 3, dims).astype(DType::float64);
    };
    const Array start = drawn({2, 2, 6, 6}), weights = drawn({2, 2, 3, 3});
    const Shared x = four_axes(start, "x"), w = four_axes(weights, "w");
    const Variable next = conv2d(x, w, {.border_mode = "half"});
    const Function step = function({}, Outputs{}, {.updates = {{x, next}}});
    Array wanted = start;
    for (int i = 0; i < 12; ++i)
      wanted = by_reference(conv2d_op, ConvAttrs{"half", 1, 1}, {wanted, weights});
    // The second and the third time the addresses are known.
    for (int batch = 0; batch < 3; ++batch) {
      x.set_value(start);
      step.fn({.n_calls = 12});
      const bool same = same_elements(asarray(x.get_value()), wanted);
      std::fprintf(stderr, "batch %d %s\n", batch, same ? "agrees" : "differs");
    }
    std::fprintf(stderr, "in graphs %s\n", mock_state().graphs > 0 ? "too" : "never");
  };
  EXPECT_EXIT(
      run("True", body),
      testing::ExitedWithCode(0),
      "batch 0 agrees\nbatch 1 agrees\nbatch 2 agrees\nin graphs too\n");
}

TEST_F(LibraryConvolutionDeathTest, KeepsItsMemory) {
  const auto body = [] {
    mock_state().workspace = std::size_t{3} << 20U;
    const Array ones = Array::ones(DType::float32, {2, 3, 64, 64});
    const Shared x = four_axes(ones, "x"), f = four_axes(ones.copy(), "f");
    const Function convolved = function({}, {conv2d(x, f)});
    Device::Memory after_ten;
    for (int call = 0; call < 100; ++call) {
      convolved();
      if (call == 9) after_ten = device_at(Place{0}).memory();
    }
    const Device::Memory after = device_at(Place{0}).memory();
    std::fprintf(
        stderr,
        "live %s, pooled %s, peak %s, with the workspace: %d\n",
        after.live == after_ten.live ? "same" : "other",
        after.pooled == after_ten.pooled ? "same" : "other",
        after.peak == after_ten.peak ? "same" : "other",
        after.peak >= (std::size_t{3} << 20U));
  };
  EXPECT_EXIT(
      run("True", body),
      testing::ExitedWithCode(0),
      "live same, pooled same, peak same, with the workspace: 1\n");
}

/// Asks for a convolution: from a side of 70 and with 32 filters it is worth cuDNN.
void convolve(std::int64_t side, std::int64_t filters = 32) {
  const Shared x = four_axes(Array::ones(DType::float32, {1, 8, side, side}), "x");
  const Shared f = four_axes(Array::ones(DType::float32, {filters, 8, 5, 5}), "f");
  const Array result = asarray(function({}, {conv2d(x, f)})()[0]);
  std::fprintf(stderr, "%g, %d runs\n", result.at({0, 0, 0, 0}), mock_state().runs);
}

TEST_F(LibraryConvolutionDeathTest, IsForLargeOnesByDefault) {
  EXPECT_EXIT(
      run("auto", [] { convolve(70); }),
      testing::ExitedWithCode(0),
      "Using cuDNN version 91900 on context None, for large convolutions(.|\n)*200, 1 runs\n");
  // A kernel of the op's, which the mock can't load.
  EXPECT_EXIT(run("auto", [] { convolve(40); }), testing::ExitedWithCode(3), "loading a kernel");
  EXPECT_EXIT(
      run("auto", [] { convolve(70, 16); }), testing::ExitedWithCode(3), "loading a kernel");
  EXPECT_EXIT(run("False", [] { convolve(70); }), testing::ExitedWithCode(3), "loading a kernel");
  EXPECT_EXIT(run("True", [] { convolve(8); }), testing::ExitedWithCode(0), "200, 1 runs\n");
}

TEST_F(LibraryConvolutionDeathTest, FallsBackOrSaysWhere) {
  const auto refused = [] {
    mock_state().find_result = 3000;
    convolve(70);
  };
  EXPECT_EXIT(run("auto", refused), testing::ExitedWithCode(3), "loading a kernel");
  EXPECT_EXIT(
      run("True", refused),
      testing::ExitedWithCode(3),
      "dnn.enabled=True, and cuDNN does not run this conv2d: cuda0: asking cuDNN for an algorithm "
      "failed with cuDNN status 3000 .CUDNN_STATUS_NOT_SUPPORTED.(.|\n)*"
      "library_convolution_test.cpp:[0-9]+");
  const auto failing = [] {
    mock_state().run_result = 5000;
    convolve(70);
  };
  EXPECT_EXIT(
      run("auto", failing),
      testing::ExitedWithCode(3),
      "a convolution by cuDNN implicit_precomp_gemm failed with cuDNN status 5000(.|\n)*"
      "library_convolution_test.cpp:[0-9]+");
}

}  // namespace
}  // namespace hypatia
