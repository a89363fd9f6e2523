"""Classifiers, class probability estimation, and linear models fitted under noise."""

from ncbench.learning.class_probabilities import (
    ArgmaxClassifier,
    PosteriorClassifier,
    cpe_learner,
    deal_folds,
    finite_features,
    fit_cpe,
    fit_posterior,
    learner_of,
    numbered_labels,
    out_of_fold_posterior,
    posterior,
    stratified_folds,
    takes_weights,
)
from ncbench.learning.classifier import (
    NoisyLabelClassifier,
    algorithm_for,
    aligned_noise,
    prediction,
    require_family,
    resolve_measure,
    scorer,
)
from ncbench.learning.held_out_noise import (
    Fit,
    HeldOutNoise,
    NoisePrior,
    RatesAndShape,
    SharedShapeNoise,
    combined,
)
from ncbench.learning.joint_noise import (
    JointFit,
    OffDiagonal,
    clean_posterior,
    fit_joint_noise,
    fit_weights,
    log_clean,
    true_label_posterior,
)
from ncbench.learning.linear_softmax import (
    CrossEntropy,
    ForwardCrossEntropy,
    LinearSoftmax,
    Loss,
    LossValue,
    check_path,
    descend_linear_softmax,
    fit_linear_softmax,
    fit_penalty_path,
)
from ncbench.learning.plain_trees import PlainTrees
from ncbench.learning.stack import fitted, held_out, held_out_rows

__all__ = [
    "ArgmaxClassifier", "CrossEntropy", "Fit", "ForwardCrossEntropy", "HeldOutNoise", "JointFit",
    "LinearSoftmax", "Loss", "LossValue", "NoisePrior", "NoisyLabelClassifier", "OffDiagonal",
    "PlainTrees", "PosteriorClassifier", "RatesAndShape", "SharedShapeNoise", "algorithm_for",
    "aligned_noise", "check_path", "clean_posterior", "combined", "cpe_learner", "deal_folds",
    "descend_linear_softmax", "finite_features", "fit_cpe", "fit_joint_noise", "fit_linear_softmax",
    "fit_penalty_path", "fit_posterior", "fit_weights", "fitted", "held_out", "held_out_rows",
    "learner_of", "log_clean", "numbered_labels", "out_of_fold_posterior", "posterior",
    "prediction", "require_family", "resolve_measure", "scorer", "stratified_folds",
    "takes_weights", "true_label_posterior",
]  # fmt: skip
