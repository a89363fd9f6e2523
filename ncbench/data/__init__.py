"""What a data set and its noisy labels are, and how files become them."""
