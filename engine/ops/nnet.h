#pragma once
// Layers' functions: softmax and its kin, rectifiers, cheap sigmoids, cross-entropies.

#include "engine/expr/op.h"
#include "engine/expr/operand.h"
#include "engine/ops/reduce.h"

namespace hypatia {

/// log(sum(exp(x))) over some axes, without overflow; no axes: all of them.
Variable logsumexp(Operand x, const Axes& axes = {});
/// exp(x) / sum(exp(x)) along an axis, without overflow; NaN where x is inf, and in rows of -inf.
Variable softmax(Operand x, int axis = -1);
/// log(softmax(x)) along an axis, exact where softmax(x) rounds to 0.
Variable log_softmax(Operand x, int axis = -1);

/// x where it is positive, alpha·x elsewhere; the slope at 0 is alpha.
Variable relu(Operand x, double alpha = 0);
/// x where it is positive, alpha·(exp(x) - 1) elsewhere.
Variable elu(Operand x, double alpha = 1);
/// sigmoid by three straight lines: 0.2·x + 0.5 within [0, 1].
Variable hard_sigmoid(Operand x);
/// sigmoid without an exponential, off by less than 0.07.
Variable ultra_fast_sigmoid(Operand x);

/// -(t·log(p) + (1 - t)·log(1 - p)), element by element.
Variable binary_crossentropy(Operand probability, Operand target);
/// The same of sigmoid(x), exact for any finite x; NaN where x·target cancels an inf.
Variable sigmoid_binary_crossentropy(Operand x, Operand target);
/// Minus the log-probability of the target, over the last axis. Targets have either the axes of
/// the probabilities (a distribution each), or one axis less and integers (a class each, -1 for the
/// last; a label of no class is an error of the call).
Variable categorical_crossentropy(Operand probabilities, Operand targets);
/// The same of softmax(x), exact for any x.
Variable crossentropy_softmax(Operand x, Operand targets);

/// (x - mean)·gamma/deviation + beta, with the parameters broadcast against x.
Variable batch_normalization(
    Operand x, Operand gamma, Operand beta, Operand mean, Operand deviation);

extern const Op check_class_op;

}  // namespace hypatia
