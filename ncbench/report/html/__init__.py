"""The report page: records as one HTML file that needs no network and no server."""
