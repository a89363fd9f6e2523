"""The two ends of what can be known about T: all of it, and nothing."""

from __future__ import annotations

from ncbench import NcbenchError, NoiseMatrix, NoisySample


class Known:
    """The noise matrix that made the noise, as in the paper's experiments."""

    learns_from_sample = False
    told_noise_matrix = True

    def estimate(self, sample: NoisySample) -> NoiseMatrix:
        """Return the true T."""
        if sample.noise_matrix is None:
            raise NcbenchError(
                "t_estimator=known: nobody knows the T of this sample; cautious_map and "
                "forward_map estimate it from noisy labels"
            )
        return sample.noise_matrix


class Identity:
    """No noise assumed: the correction corrects nothing."""

    learns_from_sample = False

    def estimate(self, sample: NoisySample) -> NoiseMatrix:
        """Return the identity."""
        return NoiseMatrix.identity(sample.n_classes)
