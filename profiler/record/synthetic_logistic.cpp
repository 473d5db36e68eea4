// Logistic regression as a recording: the training step on either device, and one prediction.

#include <utility>

#include "profiler/record/synthesizer.h"

namespace hypatia {

namespace {

namespace types = synthetic_types;

void train_on_cpu(Synthesizer& make, const SyntheticOptions& options, FunctionRecord& train) {
  const char* file = make.file("exercises/03_logistic_regression/exercise.cpp");
  const auto at = [&](std::uint32_t line) { return Origin{file, "main", line}; };
  train.nodes = {
      synthetic_node(
          "CGemv{inplace}",
          "gemv",
          Side::cpu,
          {{-1, "x", types::matrix}, {-1, "w", types::vector}},
          types::vector,
          at(31)),
      synthetic_node(
          "Elemwise{neg,no_inplace}",
          "neg",
          Side::cpu,
          {{0, "", types::vector}},
          types::vector,
          at(31)),
      synthetic_node(
          "Elemwise{sigmoid,no_inplace}",
          "sigmoid",
          Side::cpu,
          {{1, "", types::vector}},
          types::vector,
          at(31)),
      synthetic_node(
          "Elemwise{softplus,no_inplace}",
          "softplus",
          Side::cpu,
          {{1, "", types::vector}, {-1, "y", types::vector}},
          types::vector,
          at(33)),
      synthetic_node(
          "Elemwise{sub,no_inplace}",
          "sub",
          Side::cpu,
          {{2, "", types::vector}, {-1, "y", types::vector}},
          types::vector,
          at(35)),
      synthetic_node(
          "InplaceDimShuffle{1,0}",
          "dimshuffle",
          Side::cpu,
          {{-1, "x", types::matrix}},
          types::matrix,
          at(35)),
      synthetic_node(
          "CGemv{inplace}",
          "gemv",
          Side::cpu,
          {{5, "", types::matrix}, {4, "", types::vector}},
          types::vector,
          at(35)),
      synthetic_node(
          "Elemwise{sub,inplace}",
          "sub",
          Side::cpu,
          {{-1, "w", types::vector}, {6, "", types::vector}},
          types::vector,
          at(37)),
  };
  make.data.functions.push_back(train);
  const std::string vectors = "(400,) -> (400,)";
  std::vector<Work> works = {
      {"gemv",
       {{0, 1}},
       33'000,
       0,
       EventKind::step,
       627'200,
       1'259'000,
       false,
       "(400, 784) (784,) -> (400,)"}};
  if (options.fused) {
    works.push_back(
        {"neg_sigmoid_softplus_sub",
         {{1, 0.08}, {2, 0.42}, {3, 0.44}, {4, 0.06}},
         3'100,
         0,
         EventKind::step,
         24'000,
         6'400,
         false,
         vectors});
  } else {
    works.push_back({"neg", {{1, 1}}, 500, 0, EventKind::step, 400, 3'200, false, vectors});
    works.push_back({"sigmoid", {{2, 1}}, 2'100, 0, EventKind::step, 8'000, 3'200, false, vectors});
    works.push_back(
        {"softplus", {{3, 1}}, 2'400, 0, EventKind::step, 9'600, 4'800, false, vectors});
    works.push_back({"sub", {{4, 1}}, 500, 0, EventKind::step, 400, 4'800, false, vectors});
  }
  works.push_back(
      {"gemv_transposed",
       {{5, 0.001}, {6, 0.999}},
       24'000,
       0,
       EventKind::step,
       627'200,
       1'259'000,
       false,
       "(784, 400) (400,) -> (784,)"});
  works.push_back(
      {"update_inplace",
       {{7, 1}},
       900,
       0,
       EventKind::step,
       784,
       9'400,
       false,
       "(784,) (784,) -> (784,)"});
  make.plan(1, "x (400, 784), y (400,)", std::move(works));
}

void train_on_gpu(Synthesizer& make, const SyntheticOptions& options, FunctionRecord& train) {
  const char* file = make.file("exercises/03_logistic_regression/exercise.cpp");
  const auto at = [&](std::uint32_t line) { return Origin{file, "main", line}; };
  train.nodes = {
      synthetic_node(
          "GpuFromHost<None>",
          "to_gpu",
          Side::transfer,
          {{-1, "x", types::matrix}},
          types::gpu_matrix,
          at(28)),
      synthetic_node(
          "GpuFromHost<None>",
          "to_gpu",
          Side::transfer,
          {{-1, "y", types::vector}},
          types::gpu_vector,
          at(28)),
      synthetic_node(
          "GpuGemv{inplace}",
          "gemv",
          Side::gpu,
          {{0, "", types::gpu_matrix}, {-1, "w", types::gpu_vector}},
          types::gpu_vector,
          at(31)),
      synthetic_node(
          "GpuElemwise{neg,no_inplace}",
          "neg",
          Side::gpu,
          {{2, "", types::gpu_vector}},
          types::gpu_vector,
          at(31)),
      synthetic_node(
          "GpuElemwise{sigmoid,no_inplace}",
          "sigmoid",
          Side::gpu,
          {{3, "", types::gpu_vector}},
          types::gpu_vector,
          at(31)),
      synthetic_node(
          "GpuElemwise{softplus,no_inplace}",
          "softplus",
          Side::gpu,
          {{3, "", types::gpu_vector}, {1, "", types::gpu_vector}},
          types::gpu_vector,
          at(33)),
      synthetic_node(
          "GpuElemwise{sub,no_inplace}",
          "sub",
          Side::gpu,
          {{4, "", types::gpu_vector}, {1, "", types::gpu_vector}},
          types::gpu_vector,
          at(35)),
      synthetic_node(
          "GpuGemv{inplace}",
          "gemv",
          Side::gpu,
          {{0, "", types::gpu_matrix}, {6, "", types::gpu_vector}},
          types::gpu_vector,
          at(35)),
      synthetic_node(
          "GpuElemwise{sub,inplace}",
          "sub",
          Side::gpu,
          {{-1, "w", types::gpu_vector}, {7, "", types::gpu_vector}},
          types::gpu_vector,
          at(37)),
      synthetic_node(
          "HostFromGpu(gpuarray)",
          "from_gpu",
          Side::transfer,
          {{4, "", types::gpu_vector}},
          types::vector,
          at(39)),
      synthetic_node(
          "HostFromGpu(gpuarray)",
          "from_gpu",
          Side::transfer,
          {{5, "", types::gpu_vector}},
          types::vector,
          at(39)),
  };
  train.nodes[0].reason = "x is an argument that comes from the host at each call";
  train.nodes[1].reason = "y is an argument that comes from the host at each call";
  make.data.functions.push_back(train);
  const std::string vectors = "(400,) -> (400,)";
  std::vector<Work> works = {
      {"GpuFromHost",
       {{0, 1}},
       6'500,
       104'000,
       EventKind::copy_in,
       0,
       2'508'800,
       false,
       "(400, 784)"},
      {"GpuFromHost", {{1, 1}}, 4'300, 1'900, EventKind::copy_in, 0, 3'200, false, "(400,)"},
      {"gemv",
       {{2, 1}},
       4'600,
       6'900,
       EventKind::kernel,
       627'200,
       1'259'000,
       false,
       "(400, 784) (784,) -> (400,)"}};
  if (options.fused) {
    works.push_back(
        {"neg_sigmoid_softplus_sub",
         {{3, 0.08}, {4, 0.42}, {5, 0.44}, {6, 0.06}},
         4'200,
         2'600,
         EventKind::kernel,
         24'000,
         6'400,
         false,
         vectors});
  } else {
    works.push_back({"neg", {{3, 1}}, 4'100, 1'900, EventKind::kernel, 400, 3'200, false, vectors});
    works.push_back(
        {"sigmoid", {{4, 1}}, 4'100, 2'200, EventKind::kernel, 8'000, 3'200, false, vectors});
    works.push_back(
        {"softplus", {{5, 1}}, 4'100, 2'300, EventKind::kernel, 9'600, 4'800, false, vectors});
    works.push_back({"sub", {{6, 1}}, 4'100, 1'900, EventKind::kernel, 400, 4'800, false, vectors});
  }
  works.push_back(
      {"gemv_transposed",
       {{7, 1}},
       4'500,
       5'800,
       EventKind::kernel,
       627'200,
       1'259'000,
       false,
       "(784, 400) (400,) -> (784,)"});
  works.push_back(
      {"update_inplace",
       {{8, 1}},
       4'100,
       2'000,
       EventKind::kernel,
       784,
       9'400,
       false,
       "(784,) (784,) -> (784,)"});
  works.push_back(
      {"HostFromGpu", {{9, 1}}, 4'400, 1'700, EventKind::copy_out, 0, 3'200, true, "(400,)"});
  works.push_back(
      {"HostFromGpu", {{10, 1}}, 4'400, 1'700, EventKind::copy_out, 0, 3'200, true, "(400,)"});
  make.plan(1, "x (400, 784), y (400,)", std::move(works));
}

void predict(Synthesizer& make, const SyntheticOptions& options) {
  FunctionRecord record = synthetic_function(
      "predict", options, {make.file("exercises/03_logistic_regression/exercise.cpp"), "main", 44});
  record.nodes = {
      synthetic_node(
          "CGemv{inplace}",
          "gemv",
          Side::cpu,
          {{-1, "x", types::matrix}, {-1, "w", types::vector}},
          types::vector,
          record.origin),
      synthetic_node(
          "Elemwise{gt,no_inplace}",
          "gt",
          Side::cpu,
          {{0, "", types::vector}},
          "TensorType(bool, vector)",
          record.origin),
  };
  make.data.functions.push_back(record);
  make.plan(
      2,
      "x (400, 784)",
      {
          {"gemv",
           {{0, 1}},
           33'000,
           0,
           EventKind::step,
           627'200,
           1'259'000,
           false,
           "(400, 784) (784,) -> (400,)"},
          {"gt", {{1, 1}}, 450, 0, EventKind::step, 400, 2'000, false, "(400,) -> (400,)"},
      });
}

}  // namespace

RecordingData synthetic_logistic(const SyntheticOptions& options) {
  Synthesizer make(options);
  make.data.header.program = "exercise_03_logistic_regression";
  make.data.header.exercise = "03_logistic_regression";
  fill_header(make.data.header, options);
  FunctionRecord train = synthetic_function(
      "train", options, {make.file("exercises/03_logistic_regression/exercise.cpp"), "main", 41});
  if (options.device == "cpu") {
    train_on_cpu(make, options, train);
  } else {
    train_on_gpu(make, options, train);
  }
  predict(make, options);
  make.compile(options.device == "cpu" ? 21'000'000 : 85'000'000, "compile train");
  for (int i = 0; i < options.calls; ++i)
    make.call(0, 500);
  make.call(1, 3'000);
  return std::move(make.data);
}

}  // namespace hypatia
