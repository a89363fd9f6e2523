"""Estimators that do not estimate: the true T and the identity."""

from __future__ import annotations

from ncbench import NcbenchError, NoiseMatrix, NoisySample


class Known:
    """The true noise matrix, as in the paper's experiments."""

    learns_from_sample = False
    needs = ("noise_matrix",)

    def estimate(self, sample: NoisySample) -> NoiseMatrix:
        """Return the true T."""
        if sample.noise_matrix is None:
            raise NcbenchError(
                "t_estimator=known: the T of this sample is not known; held_out_map and "
                "forward_map estimate it from noisy labels"
            )
        return sample.noise_matrix


class Identity:
    """The identity: no noise is assumed and nothing is corrected."""

    learns_from_sample = False

    def estimate(self, sample: NoisySample) -> NoiseMatrix:
        """Return the identity."""
        return NoiseMatrix.identity(sample.n_classes)
