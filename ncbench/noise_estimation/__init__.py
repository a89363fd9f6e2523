"""What a T estimator is given, what becomes of its estimate, and the audit of a user's labels."""
