"""The Overcooked game of 2019: maps, rules, views, pictures, and doors to other libraries."""
