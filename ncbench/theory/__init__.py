"""What the paper's theorems speak about, measured where the distribution is known."""
