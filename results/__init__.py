"""Published results: records of whole suites, for ``ncbench leaderboard``."""
