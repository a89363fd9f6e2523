"""From records to numbers: a tidy frame, what is best, statistics, comparisons."""
