"""From numbers to text and pictures: tables, figures, pages."""
