"""The report page: one HTML file that works without a network or a server."""
