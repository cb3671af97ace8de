"""Finds what a sentence means among the elements of a page, by asking a model."""
